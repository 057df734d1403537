/* Frames: COBS(header | payload | inverted CRC-16) 00; the twin of firmware_bridge/wire.py. */
#ifndef PG_FRAME_H
#define PG_FRAME_H

#include "messages.h"

#define FRAME_HEADER 6u
#define FRAME_CRC 2u
#define FRAME_RAW_MAX (FRAME_HEADER + PG_PAYLOAD_MAX + FRAME_CRC)
#define FRAME_CODED_MAX (FRAME_RAW_MAX + 1u) /* between two delimiters */

typedef struct {
    uint8_t version;
    uint8_t type;
    uint16_t seq;
    uint16_t ack;
    const uint8_t *payload;
    uint8_t length;
} frame_t;

typedef struct {
    uint8_t buffer[FRAME_CODED_MAX];
    uint8_t filled;
    bool skipping;   /* too long: nothing counts before the next delimiter */
    uint16_t errors; /* frames thrown away */
} frame_decoder_t;

/* Writes the coded frame with its delimiter to out (FRAME_CODED_MAX + 1 bytes); gives its length. */
uint8_t frame_encode(uint8_t *out, const frame_t *frame);

/* Takes a byte in; true when it completes a good frame, whose payload points into the decoder and
 * is good until the next byte. */
bool frame_feed(frame_decoder_t *decoder, uint8_t byte, frame_t *frame);

#endif
