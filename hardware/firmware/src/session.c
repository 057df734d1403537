#include "session.h"

#include <string.h>

#include "hal.h"

#define MS (1000u / PG_TICK_US)
#define REPEAT_MIN ((uint16_t)(PG_REPEAT_MIN_MS * MS))
#define REPEAT_MAX ((uint16_t)(PG_REPEAT_MAX_MS * MS))
#define HOST_SILENT ((uint32_t)PG_HOST_SILENT_MS * MS)
#define TICK_SIZE 4u
#define COMMAND_FIRST 0x20u
#define COMMAND_LAST 0x3Fu

static const char FIRMWARE[] = "1.0.0";

static bool send(const session_t *s, uint8_t type, uint16_t seq, const uint8_t *payload,
                 uint8_t length) {
    uint8_t coded[FRAME_CODED_MAX + 1];
    frame_t frame = {PG_PROTOCOL, type, seq, s->last_command, payload, length};
    return hal_tx(coded, frame_encode(coded, &frame));
}

static bool send_ticked(const session_t *s, uint8_t type, uint16_t seq, uint32_t tick,
                        const uint8_t *data, uint8_t length) {
    uint8_t payload[PG_PAYLOAD_MAX];
    memcpy(pg_put32(payload, tick), data, length);
    return send(s, type, seq, payload, (uint8_t)(length + TICK_SIZE));
}

static kept_t *at(session_t *s, uint8_t index) {
    uint8_t place = (uint8_t)(s->oldest + index);
    return &s->store[place >= PG_EVENT_STORE ? place - PG_EVENT_STORE : place];
}

static bool send_kept(session_t *s, uint8_t index) {
    const kept_t *kept = at(s, index);
    uint16_t seq = (uint16_t)(s->first + index);
    return send_ticked(s, kept->type, seq, kept->tick, kept->data, kept->length);
}

void session_init(session_t *s, uint32_t boot, uint32_t serial, execute_t execute) {
    memset(s, 0, sizeof *s);
    s->execute = execute;
    s->boot = boot;
    s->serial = serial;
    s->silent = true;
    s->first = 1;
    s->rest = REPEAT_MIN;
}

bool session_room_for_levels(const session_t *s) {
    return s->count < PG_EVENT_STORE_LEVEL;
}

static void keep(session_t *s, uint8_t type, const uint8_t *data, uint8_t length, uint32_t tick) {
    kept_t *kept = at(s, s->count++);
    kept->tick = tick;
    kept->type = type;
    kept->length = length;
    memcpy(kept->data, data, length);
}

static void keep_overrun(session_t *s, uint32_t tick) {
    pg_overrun_t overrun = {s->overrun};
    uint8_t data[PG_OVERRUN_SIZE];
    pg_pack_overrun(data, &overrun);
    keep(s, PG_OVERRUN, data, sizeof data, tick);
    s->overrun = 0;
}

void session_event(session_t *s, uint8_t type, const uint8_t *data, uint8_t length, uint32_t tick) {
    if (s->overrun && s->count < PG_EVENT_STORE - 1u)
        keep_overrun(s, tick);
    if (s->count < PG_EVENT_STORE && !s->overrun)
        keep(s, type, data, length, tick);
    else if (s->overrun != UINT16_MAX)
        s->overrun++;
}

void session_sample(session_t *s, uint8_t type, const uint8_t *data, uint8_t length,
                    uint32_t tick) {
    if (s->open)
        send_ticked(s, type, 0, tick, data, length);
}

void session_log(session_t *s, uint8_t level, const char *text, const char *more) {
    if (!s->open)
        return;
    uint8_t payload[PG_PAYLOAD_MAX];
    uint8_t length = 0;
    payload[length++] = level;
    for (; *text && length < PG_PAYLOAD_MAX; text++)
        payload[length++] = (uint8_t)*text;
    for (; *more && length < PG_PAYLOAD_MAX; more++)
        payload[length++] = (uint8_t)*more;
    send(s, PG_LOG, 0, payload, length);
}

static void repeat_oldest(session_t *s, uint32_t now) {
    send_kept(s, 0); /* the host keeps those after it: one frame closes the gap */
    s->sent_at = now;
}

void session_poll(session_t *s, uint32_t now) {
    if (!s->silent && now - s->heard_at > HOST_SILENT)
        s->silent = true; /* stays so until somebody is heard, whatever the clock does */
    if (!s->open)
        return;
    if (s->overrun && session_room_for_levels(s))
        keep_overrun(s, now);
    if (s->under_way && now - s->sent_at >= s->rest) {
        s->rest = s->rest > REPEAT_MAX / 2 ? REPEAT_MAX : (uint16_t)(2 * s->rest);
        repeat_oldest(s, now);
    }
    while (s->under_way < s->count && s->under_way < PG_EVENT_WINDOW) {
        if (!send_kept(s, s->under_way))
            return; /* no room on the line: later */
        s->under_way++;
        s->sent_at = now;
    }
}

/* Any good frame of an open session shows that the host lives, and acknowledges. */
static void heard(session_t *s, const frame_t *frame, uint32_t now) {
    s->heard_at = now;
    s->silent = false;
    uint16_t done = (uint16_t)(frame->ack - s->first + 1);
    if (done == 0 || done > s->under_way)
        return;
    s->oldest = (uint8_t)((s->oldest + done) % PG_EVENT_STORE);
    s->count = (uint8_t)(s->count - done);
    s->under_way = (uint8_t)(s->under_way - done);
    s->first = (uint16_t)(s->first + done);
    s->rest = REPEAT_MIN;
    s->sent_at = now;
}

static void on_hello(session_t *s, const pg_hello_t *hello, uint32_t now) {
    s->open = hello->protocol == PG_PROTOCOL && hello->schema == PG_SCHEMA_HASH;
    s->under_way = 0;
    s->rest = REPEAT_MIN;
    if (s->open) {
        s->heard_at = now;
        s->silent = false;
    }
    pg_welcome_t welcome = {
        PG_PROTOCOL, PG_SCHEMA_HASH, hello->nonce, s->boot, now, s->last_command, s->first,
        s->serial,
    };
    uint8_t payload[PG_WELCOME_SIZE + sizeof FIRMWARE - 1];
    uint8_t *end = pg_pack_welcome(payload, &welcome);
    memcpy(end, FIRMWARE, sizeof FIRMWARE - 1);
    send(s, PG_WELCOME, 0, payload, sizeof payload);
}

/* Answered without a session too: the boot id in it tells the host of a reset. */
static void on_ping(const session_t *s, const pg_ping_t *ping, uint32_t now) {
    pg_pong_t pong = {ping->token, now, s->boot, s->count, s->decoder.errors};
    uint8_t payload[PG_PONG_SIZE];
    pg_pack_pong(payload, &pong);
    send(s, PG_PONG, 0, payload, sizeof payload);
}

static void on_command(session_t *s, const frame_t *frame, uint32_t now) {
    uint16_t step = (uint16_t)(frame->seq - s->last_command);
    if (step > 1)
        return; /* an old one that came late, or one from nowhere */
    if (step == 1) {
        s->last_command = frame->seq;
        s->last_result = s->execute(frame->type, frame->payload, frame->length, now);
    }
    uint8_t payload[PG_RESULT_SIZE];
    pg_pack_result(payload, &s->last_result);
    send(s, PG_RESULT, frame->seq, payload, sizeof payload);
}

static void on_frame(session_t *s, const frame_t *frame, uint32_t now) {
    pg_hello_t hello;
    pg_ping_t ping = {0};
    if (frame->type == PG_HELLO && frame->length >= PG_HELLO_SIZE && /* a later one may say more */
        pg_unpack_hello(&hello, frame->payload, PG_HELLO_SIZE)) {
        on_hello(s, &hello, now);
        return;
    }
    bool is_ping = frame->type == PG_PING && frame->version == PG_PROTOCOL &&
                   pg_unpack_ping(&ping, frame->payload, frame->length);
    bool is_command = frame->type >= COMMAND_FIRST && frame->type <= COMMAND_LAST;
    bool is_ack = (frame->type == PG_ACK || frame->type == PG_NAK) && frame->length == 0;
    if (frame->version != PG_PROTOCOL || !(is_ping || is_command || is_ack)) {
        s->decoder.errors++;
        return;
    }
    if (s->open)
        heard(s, frame, now);
    if (is_ping)
        on_ping(s, &ping, now);
    if (!s->open)
        return;
    if (is_command)
        on_command(s, frame, now);
    else if (frame->type == PG_NAK && s->under_way)
        repeat_oldest(s, now);
}

void session_byte(session_t *s, uint8_t byte, uint32_t now) {
    frame_t frame;
    if (frame_feed(&s->decoder, byte, &frame))
        on_frame(s, &frame, now);
}
