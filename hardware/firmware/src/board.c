#include "board.h"

#include <string.h>

#include "hal.h"

#define OFF 255u
#define BLINK_TICKS ((uint32_t)(250u * TICKS_PER_MS))
#define SAMPLE_TICKS ((uint32_t)PG_SAMPLE_MS * TICKS_PER_MS)
#define LATE_SCANS 20u /* behind by more: no storm of scans */
#define BUZZ_STEPS 9u
#define LEVELS 9u

/* Milliseconds on, off, on, ... of each pattern. */
static const uint16_t BUZZ[PG_BUZZ_COUNT][BUZZ_STEPS] = {
    {100},
    {600},
    {100, 100, 100},
    {200, 200, 200, 200, 200, 200, 200, 200, 200},
};

static const char *const FAULTS[PG_FAULT_COUNT] = {
    "none",           "jam",          "missing_tiles",       "hatch_timeout",
    "lift_timeout",   "shuffle_timeout", "sensor_disagreement", "over_current",
    "emergency_stop", "host_silent",  "supply",              "watchdog",
};

static struct {
    session_t session;
    scanner_t scanner;
    cycle_t cycle;
    inputs_t in;
    outputs_t out;
    uint32_t scan_at, sample_at, blink_at;
    bool blink;
    uint8_t lamps[PG_SIDES]; /* pg_lamp */
    uint8_t dealer;
    uint8_t state; /* of the cycle at the last scan */
    uint8_t buzz, buzz_step;
    uint16_t buzz_left;
    uint8_t reported[LEVELS][PG_EVENT_SIZE_MAX]; /* what was last reported of each level */
    uint16_t known;                              /* bit by level: whether anything was */
} b;

static void emit(uint8_t type, const uint8_t *data, uint8_t length, uint32_t tick) {
    session_event(&b.session, type, data, length, tick);
}

/* ------------------------------------------------------------------ levels */

/* A level is reported when it differs from what was last reported and the store has room, so a
 * storm of changes cannot crowd out a key. False: no room, later. */
static bool level(uint8_t index, uint8_t type, const uint8_t *data, uint8_t length,
                  uint32_t tick) {
    if (b.known >> index & 1u && memcmp(b.reported[index], data, length) == 0)
        return true;
    if (!session_room_for_levels(&b.session))
        return false;
    b.known |= (uint16_t)(1u << index);
    memcpy(b.reported[index], data, length);
    emit(type, data, length, tick);
    return true;
}

static bool level8(uint8_t index, uint8_t type, uint32_t value, uint32_t tick) {
    uint8_t data = (uint8_t)value;
    return level(index, type, &data, 1, tick);
}

static void report(uint32_t now) {
    const scanner_t *s = &b.scanner;
    const cycle_t *c = &b.cycle;
    uint32_t then = now - SCAN_DELAY; /* debounced levels were so already */
    uint8_t data[PG_EVENT_SIZE_MAX];
    pg_machine_changed_t state = {c->state, c->fault, c->tiles, c->players, c->tile_set};
    pg_pack_machine_changed(data, &state);
    bool room = level(0, PG_MACHINE_CHANGED, data, PG_MACHINE_CHANGED_SIZE, now);
    room = room && level8(1, PG_BLOCK_CHANGED, c->block, now);
    room = room && level8(2, PG_STOP_CHANGED, s->stop.value, then);
    room = room && level8(3, PG_HAND_CHANGED, s->hand.value, then);
    room = room && level8(4, PG_ENDS_CHANGED, s->ends.value, then);
    pg_wall_presence_t walls;
    for (uint8_t side = 0; side < PG_SIDES; side++)
        walls.stacks[side] = s->walls[side].value;
    pg_pack_wall_presence(data, &walls);
    room = room && level(5, PG_WALL_PRESENCE, data, PG_WALL_PRESENCE_SIZE, then);
    room = room && level8(6, PG_DICE_CHANGED, c->dice, now);
    room = room && level8(7, PG_STICKS_CHANGED, s->sticks.value, then);
    pg_photo_changed_t photo = {(uint8_t)s->push_heads.value, (uint8_t)s->platforms.value};
    pg_pack_photo_changed(data, &photo);
    if (room)
        level(8, PG_PHOTO_CHANGED, data, PG_PHOTO_CHANGED_SIZE, then);
}

/* ------------------------------------------------------------------ lamps and buzzer */

static void buzz(uint8_t pattern) {
    b.buzz = pattern;
    b.buzz_step = 0;
    b.buzz_left = BUZZ[pattern][0];
}

static void lights(uint32_t now) {
    if (now - b.blink_at >= BLINK_TICKS) {
        b.blink_at = now;
        b.blink = !b.blink;
    }
    b.out.seat_lamps = 0;
    for (uint8_t seat = 0; seat < PG_SIDES; seat++)
        if (b.lamps[seat] == PG_LAMP_ON || (b.lamps[seat] == PG_LAMP_BLINK && b.blink))
            b.out.seat_lamps |= (uint8_t)(1u << seat);
    b.out.dealer_lamp = b.dealer == OFF ? 0 : (uint8_t)(1u << b.dealer);
    b.out.buzzer = b.buzz_left && b.buzz_step % 2 == 0;
    if (b.buzz_left) {
        b.buzz_left = b.buzz_left > PG_SCAN_MS ? (uint16_t)(b.buzz_left - PG_SCAN_MS) : 0;
        if (!b.buzz_left && ++b.buzz_step < BUZZ_STEPS)
            b.buzz_left = BUZZ[b.buzz][b.buzz_step];
    }
}

/* ------------------------------------------------------------------ commands */

static pg_result_t answer(uint8_t outcome) {
    pg_result_t result = {outcome, 0};
    return result;
}

static pg_result_t self_test(uint32_t now) {
    const uint8_t hatch = PG_ENDS_HATCH_OPEN | PG_ENDS_HATCH_CLOSED;
    const uint8_t lift = PG_ENDS_LIFT_UP | PG_ENDS_LIFT_DOWN;
    if (b.cycle.state != PG_MACHINE_STATE_IDLE && b.cycle.state != PG_MACHINE_STATE_FAULT)
        return answer(PG_OUTCOME_WRONG_STATE);
    uint8_t ends = (uint8_t)b.scanner.ends.value;
    uint8_t failed = 0;
    if ((ends & hatch) == hatch || !(ends & hatch))
        failed |= PG_DEFECT_HATCH_ENDS;
    if ((ends & lift) == lift || !(ends & lift))
        failed |= PG_DEFECT_LIFT_ENDS;
    if (b.in.supply_mv < PG_SUPPLY_MIN_MV || b.in.supply_mv > PG_SUPPLY_MAX_MV)
        failed |= PG_DEFECT_SUPPLY;
    if (b.in.motor_ma > PG_MOTOR_IDLE_MA && !b.out.motor_enable)
        failed |= PG_DEFECT_MOTOR_CURRENT;
    if (!b.in.chain_ok)
        failed |= PG_DEFECT_CHAIN;
    if (b.scanner.stop.value)
        failed |= PG_DEFECT_STOP_PRESSED;
    if (b.scanner.push_heads.value || b.scanner.platforms.value)
        failed |= PG_DEFECT_PHOTO;
    if (b.scanner.hand.value)
        failed |= PG_DEFECT_HAND;
    emit(PG_SELF_TEST_DONE, &failed, 1, now);
    return answer(PG_OUTCOME_DONE);
}

static pg_result_t execute(uint8_t type, const uint8_t *in, uint8_t length, uint32_t now) {
    union {
        pg_start_cycle_t start;
        pg_mode_t mode;
        pg_hatch_t hatch;
        pg_lift_t lift;
        pg_dice_t dice;
        pg_dealer_lamp_t dealer;
        pg_seat_lamp_t lamp;
        pg_buzzer_t buzzer;
        pg_hold_t hold;
    } m;
    cycle_heard(&b.cycle);
    switch (type) {
    case PG_QUERY:
        if (length)
            break;
        b.known = 0;
        return answer(PG_OUTCOME_DONE);
    case PG_START_CYCLE:
        if (!pg_unpack_start_cycle(&m.start, in, length))
            break;
        return cycle_start(&b.cycle, &m.start);
    case PG_MODE:
        if (!pg_unpack_mode(&m.mode, in, length))
            break;
        return cycle_mode(&b.cycle, &m.mode);
    case PG_HATCH:
        if (!pg_unpack_hatch(&m.hatch, in, length))
            break;
        return cycle_hatch(&b.cycle, m.hatch.opening);
    case PG_LIFT:
        if (!pg_unpack_lift(&m.lift, in, length))
            break;
        return cycle_lift(&b.cycle, m.lift.up);
    case PG_DICE:
        if (!pg_unpack_dice(&m.dice, in, length))
            break;
        return cycle_roll(&b.cycle, m.dice.run_ms);
    case PG_DEALER_LAMP:
        if (!pg_unpack_dealer_lamp(&m.dealer, in, length) ||
            (m.dealer.seat >= PG_SIDES && m.dealer.seat != OFF))
            break;
        b.dealer = m.dealer.seat;
        return answer(PG_OUTCOME_DONE);
    case PG_SEAT_LAMP:
        if (!pg_unpack_seat_lamp(&m.lamp, in, length))
            break;
        b.lamps[m.lamp.seat] = m.lamp.lamp;
        return answer(PG_OUTCOME_DONE);
    case PG_BUZZER:
        if (!pg_unpack_buzzer(&m.buzzer, in, length))
            break;
        buzz(m.buzzer.pattern);
        return answer(PG_OUTCOME_DONE);
    case PG_HOLD:
        if (!pg_unpack_hold(&m.hold, in, length))
            break;
        pg_result_t held = cycle_hold(&b.cycle, m.hold.on);
        cycle_outputs(&b.cycle, &b.out); /* a veto does not wait for the next scan */
        hal_write(&b.out);
        return held;
    case PG_CLEAR_FAULT:
        if (length)
            break;
        return cycle_clear_fault(&b.cycle);
    case PG_SELF_TEST:
        if (length)
            break;
        return self_test(now);
    default:
        return answer(PG_OUTCOME_UNKNOWN);
    }
    return answer(PG_OUTCOME_BAD_ARGUMENT);
}

/* ------------------------------------------------------------------ time */

static void scan(uint32_t now) {
    hal_read(&b.in);
    scan_inputs(&b.scanner, &b.in, now, emit);
    if (b.scanner.start_pressed)
        cycle_press_start(&b.cycle);
    cycle_step(&b.cycle, &b.in, b.session.silent);
    cycle_outputs(&b.cycle, &b.out);
    lights(now);
    hal_write(&b.out);
    report(now);
    if (b.cycle.state != b.state) {
        b.state = b.cycle.state;
        if (b.state == PG_MACHINE_STATE_FAULT) {
            buzz(PG_BUZZ_ALARM);
            session_log(&b.session, PG_LOG_LEVEL_ERROR, "fault: ", FAULTS[b.cycle.fault]);
        }
    }
}

void board_init(void) {
    memset(&b, 0, sizeof b);
    b.dealer = OFF;
    hal_read(&b.in);
    session_init(&b.session, hal_boot_id(), hal_serial(), execute);
    scan_init(&b.scanner, &b.in);
    cycle_init(&b.cycle, &b.scanner, hal_watchdog_fired());
    b.state = b.cycle.state;
    b.scan_at = b.sample_at = hal_ticks();
}

void board_poll(void) {
    uint8_t byte;
    for (uint8_t n = 0; n < UINT8_MAX && hal_rx(&byte); n++)
        session_byte(&b.session, byte, hal_ticks());
    uint32_t now = hal_ticks();
    if (now - b.scan_at > (uint32_t)LATE_SCANS * SCAN_TICKS && (int32_t)(now - b.scan_at) > 0)
        b.scan_at = now;
    while ((int32_t)(now - b.scan_at) >= 0) {
        scan(b.scan_at);
        b.scan_at += SCAN_TICKS;
    }
    if ((int32_t)(now - b.sample_at) >= 0) {
        b.sample_at = now + SAMPLE_TICKS;
        pg_measured_t measured = {b.in.supply_mv, b.in.motor_ma};
        uint8_t data[PG_MEASURED_SIZE];
        pg_pack_measured(data, &measured);
        session_sample(&b.session, PG_MEASURED, data, sizeof data, now);
    }
    session_poll(&b.session, now);
    hal_watchdog_feed();
}
