/* Messages of the wire protocol. Written by hardware.protocol.generate: do not edit. */
#ifndef PG_MESSAGES_H
#define PG_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#define PG_PROTOCOL 1u
#define PG_SCHEMA_HASH 0x0af854aaul

#define PG_TICK_US 100u
#define PG_PAYLOAD_MAX 64u
#define PG_EVENT_STORE 96u
#define PG_EVENT_STORE_LEVEL 72u
#define PG_EVENT_WINDOW 16u
#define PG_REPEAT_MIN_MS 50u
#define PG_REPEAT_MAX_MS 800u
#define PG_PING_MS 250u
#define PG_SAMPLE_MS 1000u
#define PG_BOARD_SILENT_MS 1500u
#define PG_HOST_SILENT_MS 2000u
#define PG_HAND_CLEAR_MS 1000u
#define PG_SCAN_MS 5u
#define PG_DEBOUNCE_SCANS 4u
#define PG_SIDES 4u
#define PG_STACKS 18u
#define PG_SUPPLY_MIN_MV 10800u
#define PG_SUPPLY_MAX_MV 14400u
#define PG_MOTOR_MAX_MA 6000u
#define PG_MOTOR_IDLE_MA 250u
#define PG_OVERCURRENT_MS 300u
#define PG_HATCH_MOVE_MS 6000u
#define PG_LIFT_MOVE_MS 8000u
#define PG_SHUFFLE_MS 30000u
#define PG_STACK_MS 8000u
#define PG_JAM_MS 3000u
#define PG_CHAIN_MS 100u
#define PG_SETTLE_MS 500u
#define PG_START_PULSE_MS 200u
#define PG_DICE_MAX_MS 5000u
#define PG_DICE_STILL_MS 400u
#define PG_VIBRATION_MG 120u
#define PG_VIBRATION_QUIET_MS 300u

/* Where the cycle of the machine is. */
enum pg_machine_state {
    PG_MACHINE_STATE_IDLE = 0,
    PG_MACHINE_STATE_HATCH_OPEN = 1,
    PG_MACHINE_STATE_DROPPING = 2,
    PG_MACHINE_STATE_SHUFFLING = 3,
    PG_MACHINE_STATE_BUILDING = 4,
    PG_MACHINE_STATE_RAISING = 5,
    PG_MACHINE_STATE_READY = 6,
    PG_MACHINE_STATE_PLAYING = 7,
    PG_MACHINE_STATE_FAULT = 8,
};
#define PG_MACHINE_STATE_COUNT 9u

/* Why the machine stopped. */
enum pg_fault {
    PG_FAULT_NONE = 0,
    PG_FAULT_JAM = 1,
    PG_FAULT_MISSING_TILES = 2,
    PG_FAULT_HATCH_TIMEOUT = 3,
    PG_FAULT_LIFT_TIMEOUT = 4,
    PG_FAULT_SHUFFLE_TIMEOUT = 5,
    PG_FAULT_SENSOR_DISAGREEMENT = 6,
    PG_FAULT_OVER_CURRENT = 7,
    PG_FAULT_EMERGENCY_STOP = 8,
    PG_FAULT_HOST_SILENT = 9,
    PG_FAULT_SUPPLY = 10,
    PG_FAULT_WATCHDOG = 11,
};
#define PG_FAULT_COUNT 12u

/* Which of the two sets of tiles is worked on; `next` takes them in turn. */
enum pg_tile_set {
    PG_TILE_SET_A = 0,
    PG_TILE_SET_B = 1,
    PG_TILE_SET_NEXT = 2,
};
#define PG_TILE_SET_COUNT 3u

/* Keys of a seat's keypad. */
enum pg_key {
    PG_KEY_CHOW = 0,
    PG_KEY_PUNG = 1,
    PG_KEY_KONG = 2,
    PG_KEY_WIN = 3,
    PG_KEY_RIICHI = 4,
    PG_KEY_FLOWER = 5,
    PG_KEY_NINE_TERMINALS = 6,
    PG_KEY_PASS = 7,
    PG_KEY_REFEREE = 8,
};
#define PG_KEY_COUNT 9u

/* The machine's own dice under the dome or in the tray. */
enum pg_dice_phase {
    PG_DICE_PHASE_IN_TRAY = 0,
    PG_DICE_PHASE_REMOVED = 1,
    PG_DICE_PHASE_ROLLING = 2,
    PG_DICE_PHASE_STOPPED = 3,
};
#define PG_DICE_PHASE_COUNT 4u

/* How a seat lamp shines. */
enum pg_lamp {
    PG_LAMP_OFF = 0,
    PG_LAMP_ON = 1,
    PG_LAMP_BLINK = 2,
};
#define PG_LAMP_COUNT 3u

/* Patterns of the buzzer. */
enum pg_buzz {
    PG_BUZZ_SHORT = 0,
    PG_BUZZ_LONG = 1,
    PG_BUZZ_DOUBLE = 2,
    PG_BUZZ_ALARM = 3,
};
#define PG_BUZZ_COUNT 4u

/* What the board did with a command. */
enum pg_outcome {
    PG_OUTCOME_DONE = 0,
    PG_OUTCOME_WRONG_STATE = 1,
    PG_OUTCOME_BLOCKED = 2,
    PG_OUTCOME_BAD_ARGUMENT = 3,
    PG_OUTCOME_UNKNOWN = 4,
};
#define PG_OUTCOME_COUNT 5u

/* Weight of a board log line. */
enum pg_log_level {
    PG_LOG_LEVEL_DEBUG = 0,
    PG_LOG_LEVEL_INFO = 1,
    PG_LOG_LEVEL_WARNING = 2,
    PG_LOG_LEVEL_ERROR = 3,
};
#define PG_LOG_LEVEL_COUNT 4u

/* Why nothing may move. */
#define PG_BLOCK_HAND 0x01u
#define PG_BLOCK_STOP 0x02u
#define PG_BLOCK_HOST_SILENT 0x04u
#define PG_BLOCK_HOLD 0x08u
#define PG_BLOCK_SUPPLY 0x10u
#define PG_BLOCK_FAULT 0x20u
#define PG_BLOCK_ALL 0x3fu

/* End switches. */
#define PG_ENDS_HATCH_OPEN 0x01u
#define PG_ENDS_HATCH_CLOSED 0x02u
#define PG_ENDS_LIFT_UP 0x04u
#define PG_ENDS_LIFT_DOWN 0x08u
#define PG_ENDS_ALL 0x0fu

/* What a self-test found wrong. */
#define PG_DEFECT_HATCH_ENDS 0x01u
#define PG_DEFECT_LIFT_ENDS 0x02u
#define PG_DEFECT_SUPPLY 0x04u
#define PG_DEFECT_MOTOR_CURRENT 0x08u
#define PG_DEFECT_CHAIN 0x10u
#define PG_DEFECT_STOP_PRESSED 0x20u
#define PG_DEFECT_PHOTO 0x40u
#define PG_DEFECT_HAND 0x80u
#define PG_DEFECT_ALL 0xffu


static inline uint8_t *pg_put8(uint8_t *out, uint8_t v) {
    *out = v;
    return out + 1;
}
static inline uint8_t *pg_put16(uint8_t *out, uint16_t v) {
    return pg_put8(pg_put8(out, (uint8_t)v), (uint8_t)(v >> 8));
}
static inline uint8_t *pg_put32(uint8_t *out, uint32_t v) {
    return pg_put16(pg_put16(out, (uint16_t)v), (uint16_t)(v >> 16));
}
static inline uint16_t pg_get16(const uint8_t *in) {
    return (uint16_t)(in[0] | ((uint16_t)in[1] << 8));
}
static inline uint32_t pg_get32(const uint8_t *in) {
    return pg_get16(in) | ((uint32_t)pg_get16(in + 2) << 16);
}

/* The host opens the session. The first two fields keep their place in all versions. (link) */
#define PG_HELLO 0x01u
#define PG_HELLO_SIZE 9u
typedef struct {
    uint8_t protocol; /* protocol version of the sender */
    uint32_t schema; /* schema hash of the sender */
    uint32_t nonce; /* echoed in the welcome */
} pg_hello_t;
static inline uint8_t *pg_pack_hello(uint8_t *out, const pg_hello_t *m) {
    out = pg_put8(out, m->protocol);
    out = pg_put32(out, m->schema);
    out = pg_put32(out, m->nonce);
    return out;
}
static inline bool pg_unpack_hello(pg_hello_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_HELLO_SIZE)
        return false;
    m->protocol = in[0];
    m->schema = pg_get32(in + 1);
    m->nonce = pg_get32(in + 5);
    return true;
}

/* The board's answer, also when versions differ; the session is open if both agree. (link) */
#define PG_WELCOME 0x02u
#define PG_WELCOME_SIZE 25u
typedef struct {
    uint8_t protocol; /* protocol version of the board */
    uint32_t schema; /* schema hash of the board */
    uint32_t nonce; /* of the hello */
    uint32_t boot; /* boot id, another one after each reset */
    uint32_t uptime; /* ticks since the reset */
    uint16_t last_command; /* last command executed since the reset; 0: none */
    uint16_t first_event; /* oldest event kept */
    uint32_t serial; /* serial number of the board */
} pg_welcome_t;
static inline uint8_t *pg_pack_welcome(uint8_t *out, const pg_welcome_t *m) {
    out = pg_put8(out, m->protocol);
    out = pg_put32(out, m->schema);
    out = pg_put32(out, m->nonce);
    out = pg_put32(out, m->boot);
    out = pg_put32(out, m->uptime);
    out = pg_put16(out, m->last_command);
    out = pg_put16(out, m->first_event);
    out = pg_put32(out, m->serial);
    return out;
}
static inline bool pg_unpack_welcome(pg_welcome_t *m, const uint8_t *in, uint8_t len) {
    if (len < PG_WELCOME_SIZE)
        return false;
    m->protocol = in[0];
    m->schema = pg_get32(in + 1);
    m->nonce = pg_get32(in + 5);
    m->boot = pg_get32(in + 9);
    m->uptime = pg_get32(in + 13);
    m->last_command = pg_get16(in + 17);
    m->first_event = pg_get16(in + 19);
    m->serial = pg_get32(in + 21);
    return true;
}

/* Nothing but the acknowledgement in the header. (link) */
#define PG_ACK 0x03u
#define PG_ACK_SIZE 0u

/* As ack; the event after it was missed: repeat that one at once. (link) */
#define PG_NAK 0x04u
#define PG_NAK_SIZE 0u

/* Heartbeat of the host and question for the board's clock. (link) */
#define PG_PING 0x05u
#define PG_PING_SIZE 2u
typedef struct {
    uint16_t token; /* echoed in the pong */
} pg_ping_t;
static inline uint8_t *pg_pack_ping(uint8_t *out, const pg_ping_t *m) {
    out = pg_put16(out, m->token);
    return out;
}
static inline bool pg_unpack_ping(pg_ping_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_PING_SIZE)
        return false;
    m->token = pg_get16(in + 0);
    return true;
}

/* Heartbeat of the board and its clock when the ping came in. (link) */
#define PG_PONG 0x06u
#define PG_PONG_SIZE 13u
typedef struct {
    uint16_t token; /* of the ping */
    uint32_t tick; /* when the ping was taken in */
    uint32_t boot; /* boot id */
    uint8_t queued; /* events in the store */
    uint16_t errors; /* frames thrown away since the reset */
} pg_pong_t;
static inline uint8_t *pg_pack_pong(uint8_t *out, const pg_pong_t *m) {
    out = pg_put16(out, m->token);
    out = pg_put32(out, m->tick);
    out = pg_put32(out, m->boot);
    out = pg_put8(out, m->queued);
    out = pg_put16(out, m->errors);
    return out;
}
static inline bool pg_unpack_pong(pg_pong_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_PONG_SIZE)
        return false;
    m->token = pg_get16(in + 0);
    m->tick = pg_get32(in + 2);
    m->boot = pg_get32(in + 6);
    m->queued = in[10];
    m->errors = pg_get16(in + 11);
    return true;
}

/* Answer to a command; the header's sequence number is the command's. (link) */
#define PG_RESULT 0x07u
#define PG_RESULT_SIZE 2u
typedef struct {
    uint8_t outcome; /* what was done */
    uint8_t block; /* why nothing may move, with `blocked` */
} pg_result_t;
static inline uint8_t *pg_pack_result(uint8_t *out, const pg_result_t *m) {
    out = pg_put8(out, m->outcome);
    out = pg_put8(out, m->block);
    return out;
}
static inline bool pg_unpack_result(pg_result_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_RESULT_SIZE)
        return false;
    if (in[0] >= PG_OUTCOME_COUNT)
        return false;
    m->outcome = in[0];
    if (in[1] & (uint8_t)~PG_BLOCK_ALL)
        return false;
    m->block = in[1];
    return true;
}

/* A line of the board's own log. (link) */
#define PG_LOG 0x08u
#define PG_LOG_SIZE 1u
typedef struct {
    uint8_t level; /* weight */
} pg_log_t;
static inline uint8_t *pg_pack_log(uint8_t *out, const pg_log_t *m) {
    out = pg_put8(out, m->level);
    return out;
}
static inline bool pg_unpack_log(pg_log_t *m, const uint8_t *in, uint8_t len) {
    if (len < PG_LOG_SIZE)
        return false;
    if (in[0] >= PG_LOG_LEVEL_COUNT)
        return false;
    m->level = in[0];
    return true;
}

/* Send all level events anew. (command) */
#define PG_QUERY 0x20u
#define PG_QUERY_SIZE 0u

/* Lower the lift, open the hatch and wait for the tiles; sets the mode of the cycle. (command) */
#define PG_START_CYCLE 0x21u
#define PG_START_CYCLE_SIZE 3u
typedef struct {
    uint8_t tiles; /* 144, 136 or 108 */
    uint8_t players; /* 4, or 3 with 108 tiles */
    uint8_t tile_set; /* which set */
} pg_start_cycle_t;
static inline bool pg_unpack_start_cycle(pg_start_cycle_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_START_CYCLE_SIZE)
        return false;
    m->tiles = in[0];
    m->players = in[1];
    if (in[2] >= PG_TILE_SET_COUNT)
        return false;
    m->tile_set = in[2];
    return true;
}

/* Which walls the table's own button begins; moves nothing, taken until walls are built. (command) */
#define PG_MODE 0x2bu
#define PG_MODE_SIZE 2u
typedef struct {
    uint8_t tiles; /* 144, 136 or 108 */
    uint8_t players; /* 4, or 3 with 108 tiles */
} pg_mode_t;
static inline bool pg_unpack_mode(pg_mode_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_MODE_SIZE)
        return false;
    m->tiles = in[0];
    m->players = in[1];
    return true;
}

/* Close the hatch once it is open (the cycle goes on), or open it again for forgotten tiles. (command) */
#define PG_HATCH 0x22u
#define PG_HATCH_SIZE 1u
typedef struct {
    bool opening; /* open or close */
} pg_hatch_t;
static inline bool pg_unpack_hatch(pg_hatch_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_HATCH_SIZE)
        return false;
    if (in[0] >= 2u)
        return false;
    m->opening = in[0] != 0;
    return true;
}

/* Move the lift while idle (set-up and maintenance). (command) */
#define PG_LIFT 0x23u
#define PG_LIFT_SIZE 1u
typedef struct {
    bool up; /* up or down */
} pg_lift_t;
static inline bool pg_unpack_lift(pg_lift_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_LIFT_SIZE)
        return false;
    if (in[0] >= 2u)
        return false;
    m->up = in[0] != 0;
    return true;
}

/* Run the dice motor. (command) */
#define PG_DICE 0x24u
#define PG_DICE_SIZE 2u
typedef struct {
    uint16_t run_ms; /* 1..DICE_MAX_MS */
} pg_dice_t;
static inline bool pg_unpack_dice(pg_dice_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_DICE_SIZE)
        return false;
    m->run_ms = pg_get16(in + 0);
    return true;
}

/* Show the dealer's seat. (command) */
#define PG_DEALER_LAMP 0x25u
#define PG_DEALER_LAMP_SIZE 1u
typedef struct {
    uint8_t seat; /* 0..3; 255: off */
} pg_dealer_lamp_t;
static inline bool pg_unpack_dealer_lamp(pg_dealer_lamp_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_DEALER_LAMP_SIZE)
        return false;
    m->seat = in[0];
    return true;
}

/* Switch a seat lamp. (command) */
#define PG_SEAT_LAMP 0x26u
#define PG_SEAT_LAMP_SIZE 2u
typedef struct {
    uint8_t seat; /* 0..3 */
    uint8_t lamp; /* how it shines */
} pg_seat_lamp_t;
static inline bool pg_unpack_seat_lamp(pg_seat_lamp_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_SEAT_LAMP_SIZE)
        return false;
    if (in[0] >= 4u)
        return false;
    m->seat = in[0];
    if (in[1] >= PG_LAMP_COUNT)
        return false;
    m->lamp = in[1];
    return true;
}

/* Sound the buzzer. (command) */
#define PG_BUZZER 0x27u
#define PG_BUZZER_SIZE 1u
typedef struct {
    uint8_t pattern; /* which */
} pg_buzzer_t;
static inline bool pg_unpack_buzzer(pg_buzzer_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_BUZZER_SIZE)
        return false;
    if (in[0] >= PG_BUZZ_COUNT)
        return false;
    m->pattern = in[0];
    return true;
}

/* The host's veto: nothing moves until it is lifted. It can never force a movement. (command) */
#define PG_HOLD 0x28u
#define PG_HOLD_SIZE 1u
typedef struct {
    bool on; /* set or lift */
} pg_hold_t;
static inline bool pg_unpack_hold(pg_hold_t *m, const uint8_t *in, uint8_t len) {
    if (len != PG_HOLD_SIZE)
        return false;
    if (in[0] >= 2u)
        return false;
    m->on = in[0] != 0;
    return true;
}

/* Acknowledge a fault whose cause is gone; the machine is idle then. (command) */
#define PG_CLEAR_FAULT 0x29u
#define PG_CLEAR_FAULT_SIZE 0u

/* Check sensors, supply and chain while idle; answered by self_test_done. (command) */
#define PG_SELF_TEST 0x2au
#define PG_SELF_TEST_SIZE 0u

/* State of the cycle. (event) */
#define PG_MACHINE_CHANGED 0x40u
#define PG_MACHINE_CHANGED_SIZE 5u
typedef struct {
    uint8_t state; /* where the cycle is */
    uint8_t fault; /* why it stopped, with `fault` */
    uint8_t tiles; /* mode: tiles */
    uint8_t players; /* mode: players */
    uint8_t tile_set; /* set in work or play */
} pg_machine_changed_t;
static inline uint8_t *pg_pack_machine_changed(uint8_t *out, const pg_machine_changed_t *m) {
    out = pg_put8(out, m->state);
    out = pg_put8(out, m->fault);
    out = pg_put8(out, m->tiles);
    out = pg_put8(out, m->players);
    out = pg_put8(out, m->tile_set);
    return out;
}

/* Presence sensors under the walls, by side; bit 0 is stack 1. (event) */
#define PG_WALL_PRESENCE 0x41u
#define PG_WALL_PRESENCE_SIZE 16u
typedef struct {
    uint32_t stacks[4]; /* 18 bits a side, 1: a tile covers the sensor */
} pg_wall_presence_t;
static inline uint8_t *pg_pack_wall_presence(uint8_t *out, const pg_wall_presence_t *m) {
    for (uint8_t i = 0; i < 4u; i++)
        out = pg_put32(out, m->stacks[i]);
    return out;
}

/* End switches of hatch and lift. (event) */
#define PG_ENDS_CHANGED 0x42u
#define PG_ENDS_CHANGED_SIZE 1u
typedef struct {
    uint8_t ends; /* switches pressed */
} pg_ends_changed_t;
static inline uint8_t *pg_pack_ends_changed(uint8_t *out, const pg_ends_changed_t *m) {
    out = pg_put8(out, m->ends);
    return out;
}

/* Why nothing may move; 0: free. `hand` is the hand-in-hatch sensor, `stop` the button. (event) */
#define PG_BLOCK_CHANGED 0x43u
#define PG_BLOCK_CHANGED_SIZE 1u
typedef struct {
    uint8_t block; /* reasons */
} pg_block_changed_t;
static inline uint8_t *pg_pack_block_changed(uint8_t *out, const pg_block_changed_t *m) {
    out = pg_put8(out, m->block);
    return out;
}

/* The machine's own dice. (event) */
#define PG_DICE_CHANGED 0x44u
#define PG_DICE_CHANGED_SIZE 1u
typedef struct {
    uint8_t phase; /* what they do */
} pg_dice_changed_t;
static inline uint8_t *pg_pack_dice_changed(uint8_t *out, const pg_dice_changed_t *m) {
    out = pg_put8(out, m->phase);
    return out;
}

/* A key of a seat's keypad went down. (event) */
#define PG_KEY_PRESSED 0x45u
#define PG_KEY_PRESSED_SIZE 2u
typedef struct {
    uint8_t seat; /* 0..3 */
    uint8_t key; /* which */
} pg_key_pressed_t;
static inline uint8_t *pg_pack_key_pressed(uint8_t *out, const pg_key_pressed_t *m) {
    out = pg_put8(out, m->seat);
    out = pg_put8(out, m->key);
    return out;
}

/* Stick trays: bit s is set while a stick lies in seat s's tray. (event) */
#define PG_STICKS_CHANGED 0x46u
#define PG_STICKS_CHANGED_SIZE 1u
typedef struct {
    uint8_t present; /* bits by seat */
} pg_sticks_changed_t;
static inline uint8_t *pg_pack_sticks_changed(uint8_t *out, const pg_sticks_changed_t *m) {
    out = pg_put8(out, m->present);
    return out;
}

/* The table was knocked; sent when it is quiet again, the tick is the beginning. (event) */
#define PG_VIBRATION 0x47u
#define PG_VIBRATION_SIZE 4u
typedef struct {
    uint16_t peak_mg; /* peak, thousandths of g */
    uint16_t duration_ms; /* milliseconds */
} pg_vibration_t;
static inline uint8_t *pg_pack_vibration(uint8_t *out, const pg_vibration_t *m) {
    out = pg_put16(out, m->peak_mg);
    out = pg_put16(out, m->duration_ms);
    return out;
}

/* Emergency stop. (event) */
#define PG_STOP_CHANGED 0x48u
#define PG_STOP_CHANGED_SIZE 1u
typedef struct {
    bool pressed; /* pressed or released */
} pg_stop_changed_t;
static inline uint8_t *pg_pack_stop_changed(uint8_t *out, const pg_stop_changed_t *m) {
    out = pg_put8(out, m->pressed);
    return out;
}

/* Light curtain over the hatch. (event) */
#define PG_HAND_CHANGED 0x49u
#define PG_HAND_CHANGED_SIZE 1u
typedef struct {
    bool inside; /* a hand is in the hatch zone */
} pg_hand_changed_t;
static inline uint8_t *pg_pack_hand_changed(uint8_t *out, const pg_hand_changed_t *m) {
    out = pg_put8(out, m->inside);
    return out;
}

/* Photo sensors of push heads and platforms, bits by side; 1: dark. (event) */
#define PG_PHOTO_CHANGED 0x4au
#define PG_PHOTO_CHANGED_SIZE 2u
typedef struct {
    uint8_t push_heads; /* bits by side */
    uint8_t platforms; /* bits by side */
} pg_photo_changed_t;
static inline uint8_t *pg_pack_photo_changed(uint8_t *out, const pg_photo_changed_t *m) {
    out = pg_put8(out, m->push_heads);
    out = pg_put8(out, m->platforms);
    return out;
}

/* The start button on the table itself was pressed by a player. (event) */
#define PG_START_PRESSED 0x4bu
#define PG_START_PRESSED_SIZE 0u

/* Result of a self-test. (event) */
#define PG_SELF_TEST_DONE 0x4cu
#define PG_SELF_TEST_DONE_SIZE 1u
typedef struct {
    uint8_t failed; /* 0: all well */
} pg_self_test_done_t;
static inline uint8_t *pg_pack_self_test_done(uint8_t *out, const pg_self_test_done_t *m) {
    out = pg_put8(out, m->failed);
    return out;
}

/* The store was full: so many events were not kept. (event) */
#define PG_OVERRUN 0x4du
#define PG_OVERRUN_SIZE 2u
typedef struct {
    uint16_t lost; /* events */
} pg_overrun_t;
static inline uint8_t *pg_pack_overrun(uint8_t *out, const pg_overrun_t *m) {
    out = pg_put16(out, m->lost);
    return out;
}

/* Analogue values. (sample) */
#define PG_MEASURED 0x60u
#define PG_MEASURED_SIZE 4u
typedef struct {
    uint16_t supply_mv; /* 12 V supply, millivolts */
    uint16_t motor_ma; /* sum of drive currents, milliamperes */
} pg_measured_t;
static inline uint8_t *pg_pack_measured(uint8_t *out, const pg_measured_t *m) {
    out = pg_put16(out, m->supply_mv);
    out = pg_put16(out, m->motor_ma);
    return out;
}

#define PG_EVENT_SIZE_MAX 16u

#endif
