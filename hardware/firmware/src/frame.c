#include "frame.h"

#define CRC_START 0xFFFFu
#define CRC_RESIDUE 0x1D0Fu

/* CRC-16/CCITT-FALSE of one more byte, without a table. */
static uint16_t crc_add(uint16_t crc, uint8_t byte) {
    crc = (uint16_t)((crc >> 8) | (crc << 8));
    crc ^= byte;
    crc ^= (uint8_t)(crc & 0xFFu) >> 4;
    crc ^= (uint16_t)(crc << 12);
    crc ^= (uint16_t)((crc & 0xFFu) << 5);
    return crc;
}

uint8_t frame_encode(uint8_t *out, const frame_t *frame) {
    uint8_t raw[FRAME_RAW_MAX];
    uint8_t *end = pg_put8(raw, frame->version);
    end = pg_put8(end, frame->type);
    end = pg_put16(end, frame->seq);
    end = pg_put16(end, frame->ack);
    for (uint8_t i = 0; i < frame->length; i++)
        end = pg_put8(end, frame->payload[i]);
    uint16_t crc = CRC_START;
    for (const uint8_t *byte = raw; byte < end; byte++)
        crc = crc_add(crc, *byte);
    crc ^= 0xFFFFu;
    end = pg_put8(end, (uint8_t)(crc >> 8));
    end = pg_put8(end, (uint8_t)crc);

    uint8_t code_at = 0, written = 1; /* raw is shorter than 254: no run is ever full */
    for (const uint8_t *byte = raw; byte < end; byte++) {
        if (*byte == 0) {
            out[code_at] = (uint8_t)(written - code_at);
            code_at = written++;
        } else {
            out[written++] = *byte;
        }
    }
    out[code_at] = (uint8_t)(written - code_at);
    out[written++] = 0;
    return written;
}

/* Decodes in place; gives the length, 0 for what is no COBS. */
static uint8_t cobs_decode(uint8_t *data, uint8_t length) {
    uint8_t from = 0, to = 0;
    while (from < length) {
        uint8_t code = data[from++];
        if (code - 1 > length - from)
            return 0;
        for (uint8_t i = 1; i < code; i++)
            data[to++] = data[from++];
        if (from < length)
            data[to++] = 0;
    }
    return to;
}

static bool frame_check(uint8_t *data, uint8_t length, frame_t *frame) {
    length = cobs_decode(data, length);
    if (length < FRAME_HEADER + FRAME_CRC)
        return false;
    uint16_t crc = CRC_START;
    for (uint8_t i = 0; i < length; i++)
        crc = crc_add(crc, data[i]);
    if (crc != CRC_RESIDUE)
        return false;
    frame->version = data[0];
    frame->type = data[1];
    frame->seq = pg_get16(data + 2);
    frame->ack = pg_get16(data + 4);
    frame->payload = data + FRAME_HEADER;
    frame->length = (uint8_t)(length - FRAME_HEADER - FRAME_CRC);
    return true;
}

bool frame_feed(frame_decoder_t *decoder, uint8_t byte, frame_t *frame) {
    if (byte != 0) {
        if (decoder->skipping)
            return false;
        if (decoder->filled == FRAME_CODED_MAX) {
            decoder->skipping = true;
            decoder->errors++;
        } else {
            decoder->buffer[decoder->filled++] = byte;
        }
        return false;
    }
    uint8_t length = decoder->filled;
    bool skipped = decoder->skipping;
    decoder->filled = 0;
    decoder->skipping = false;
    if (skipped || length == 0)
        return false;
    if (frame_check(decoder->buffer, length, frame))
        return true;
    decoder->errors++;
    return false;
}
