/* The board's side of the session; the twin of machine_session.py.
 *
 * Events wait in a bounded store until the host acknowledges them; a window of them is under way,
 * and the oldest is sent again when the host reports a gap or stays silent. A command is executed
 * when its number follows the last one; a repeated number gets the stored answer. */
#ifndef PG_SESSION_H
#define PG_SESSION_H

#include "frame.h"

typedef struct {
    uint32_t tick;
    uint8_t type;
    uint8_t length;
    uint8_t data[PG_EVENT_SIZE_MAX];
} kept_t;

/* Carries a command out; called once for each. */
typedef pg_result_t (*execute_t)(uint8_t type, const uint8_t *payload, uint8_t length,
                                 uint32_t now);

typedef struct {
    execute_t execute;
    uint32_t boot;
    uint32_t serial;
    frame_decoder_t decoder;
    bool open;   /* a host with the same schema has greeted since the reset */
    bool silent; /* and has not been heard for PG_HOST_SILENT_MS, or never */
    uint32_t heard_at;
    kept_t store[PG_EVENT_STORE];
    uint8_t oldest;    /* place of the oldest in the store */
    uint8_t count;     /* events in the store */
    uint8_t under_way; /* of them sent at least once */
    uint16_t first;    /* number of the oldest */
    uint32_t sent_at;
    uint16_t rest; /* ticks until a repetition */
    uint16_t overrun;
    uint16_t last_command;
    pg_result_t last_result;
} session_t;

void session_init(session_t *s, uint32_t boot, uint32_t serial, execute_t execute);
void session_byte(session_t *s, uint8_t byte, uint32_t now);
void session_poll(session_t *s, uint32_t now);
void session_event(session_t *s, uint8_t type, const uint8_t *data, uint8_t length, uint32_t tick);
void session_sample(session_t *s, uint8_t type, const uint8_t *data, uint8_t length, uint32_t tick);
void session_log(session_t *s, uint8_t level, const char *text, const char *more);
bool session_room_for_levels(const session_t *s);

#endif
