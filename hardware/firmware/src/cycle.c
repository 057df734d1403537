#include "cycle.h"

#include <string.h>

#define NO_MODE 0xFFu
#define MS(ms) ((uint32_t)(ms) * TICKS_PER_MS)
#define BOTH_HATCH (PG_ENDS_HATCH_OPEN | PG_ENDS_HATCH_CLOSED)
#define BOTH_LIFT (PG_ENDS_LIFT_UP | PG_ENDS_LIFT_DOWN)

static const pg_result_t DONE = {PG_OUTCOME_DONE, 0};
static const pg_result_t WRONG_STATE = {PG_OUTCOME_WRONG_STATE, 0};
static const pg_result_t BAD_ARGUMENT = {PG_OUTCOME_BAD_ARGUMENT, 0};

/* 108 tiles for four players are 27 a side: 13 stacks and a single tile on the 14th sensor. For
 * three players side 3 stays empty and 108 tiles make three walls of 18. */
uint8_t cycle_required(uint8_t tiles, uint8_t players, uint8_t side) {
    if (players == 4 && tiles == 144)
        return 18;
    if (players == 4 && tiles == 136)
        return 17;
    if (players == 4 && tiles == 108)
        return 14;
    if (players == 3 && tiles == 108)
        return side < 3 ? 18 : 0;
    return NO_MODE;
}

static uint8_t required(const cycle_t *c, uint8_t side) {
    return cycle_required(c->tiles, c->players, side);
}

static uint8_t ends(const cycle_t *c) {
    return (uint8_t)c->in->ends.value;
}

static pg_result_t blocked(const cycle_t *c) {
    pg_result_t result = {PG_OUTCOME_BLOCKED, c->block};
    return result;
}

/* After a reset or a fault: tiles on the walls mean that a hand is being played. */
static uint8_t rest_state(const cycle_t *c) {
    for (uint8_t side = 0; side < PG_SIDES; side++)
        if (c->in->walls[side].value)
            return PG_MACHINE_STATE_PLAYING;
    return PG_MACHINE_STATE_IDLE;
}

static bool walls_complete(const cycle_t *c) {
    for (uint8_t side = 0; side < PG_SIDES; side++)
        if (c->in->walls[side].value != (1ul << required(c, side)) - 1)
            return false;
    return true;
}

/* Whether a drive, of the board's or the table's own, is at work or wants to be. */
static bool moving(const cycle_t *c) {
    const uint8_t open = PG_ENDS_LIFT_DOWN | PG_ENDS_HATCH_OPEN;
    switch (c->state) {
    case PG_MACHINE_STATE_HATCH_OPEN:
        return (ends(c) & open) != open;
    case PG_MACHINE_STATE_IDLE:
        return c->manual != 0;
    case PG_MACHINE_STATE_DROPPING:
    case PG_MACHINE_STATE_SHUFFLING:
    case PG_MACHINE_STATE_BUILDING:
    case PG_MACHINE_STATE_RAISING:
        return true;
    default:
        return false;
    }
}

static void enter(cycle_t *c, uint8_t state) {
    c->state = state;
    c->timer = 0;
    c->since_stack = c->hatch_moves = 0;
    memset(c->dark, 0, sizeof c->dark);
    if (state == PG_MACHINE_STATE_SHUFFLING) {
        c->pulse = (uint16_t)MS(PG_START_PULSE_MS);
        memset(c->built, 0, sizeof c->built);
    }
}

static void fail(cycle_t *c, uint8_t fault) {
    c->fault = fault;
    c->manual = 0;
    c->dice_left = 0;
    c->block |= PG_BLOCK_FAULT;
    enter(c, PG_MACHINE_STATE_FAULT);
}

void cycle_init(cycle_t *c, const scanner_t *in, bool watchdog) {
    memset(c, 0, sizeof *c);
    c->in = in;
    c->tiles = 144;
    c->players = 4;
    c->tile_set = PG_TILE_SET_A;
    c->want = PG_TILE_SET_NEXT;
    c->tray = in->dice_tray.value != 0;
    c->dice = c->tray ? PG_DICE_PHASE_IN_TRAY : PG_DICE_PHASE_REMOVED;
    c->state = rest_state(c);
    if (watchdog)
        fail(c, PG_FAULT_WATCHDOG);
}

/* ------------------------------------------------------------------ commands */

pg_result_t cycle_start(cycle_t *c, const pg_start_cycle_t *command) {
    if (cycle_required(command->tiles, command->players, 0) == NO_MODE)
        return BAD_ARGUMENT;
    if (c->state != PG_MACHINE_STATE_IDLE && c->state != PG_MACHINE_STATE_READY &&
        c->state != PG_MACHINE_STATE_PLAYING)
        return WRONG_STATE;
    if (c->block)
        return blocked(c);
    c->tiles = command->tiles;
    c->players = command->players;
    c->want = command->tile_set;
    if (command->tile_set == PG_TILE_SET_NEXT)
        c->tile_set = c->tile_set == PG_TILE_SET_A ? PG_TILE_SET_B : PG_TILE_SET_A;
    else
        c->tile_set = command->tile_set;
    c->manual = 0;
    enter(c, PG_MACHINE_STATE_HATCH_OPEN);
    return DONE;
}

pg_result_t cycle_mode(cycle_t *c, const pg_mode_t *command) {
    if (cycle_required(command->tiles, command->players, 0) == NO_MODE)
        return BAD_ARGUMENT;
    if (c->state == PG_MACHINE_STATE_BUILDING || c->state == PG_MACHINE_STATE_RAISING)
        return WRONG_STATE; /* the stacks are being counted */
    c->tiles = command->tiles;
    c->players = command->players;
    return DONE;
}

static pg_result_t move(cycle_t *c, uint8_t target) {
    if (c->block)
        return blocked(c);
    c->manual = target;
    c->timer = 0;
    return DONE;
}

pg_result_t cycle_hatch(cycle_t *c, bool opening) {
    uint8_t target;
    if (c->state == PG_MACHINE_STATE_IDLE)
        return move(c, opening ? PG_ENDS_HATCH_OPEN : PG_ENDS_HATCH_CLOSED);
    if (c->state == PG_MACHINE_STATE_HATCH_OPEN && !opening)
        target = PG_MACHINE_STATE_DROPPING;
    else if (opening && (c->state == PG_MACHINE_STATE_DROPPING ||
                         c->state == PG_MACHINE_STATE_SHUFFLING))
        target = PG_MACHINE_STATE_HATCH_OPEN;
    else
        return WRONG_STATE;
    if (c->block)
        return blocked(c);
    if (target == PG_MACHINE_STATE_DROPPING && moving(c))
        return WRONG_STATE; /* it is not open yet */
    enter(c, target);
    return DONE;
}

pg_result_t cycle_lift(cycle_t *c, bool up) {
    if (c->state != PG_MACHINE_STATE_IDLE)
        return WRONG_STATE;
    return move(c, up ? PG_ENDS_LIFT_UP : PG_ENDS_LIFT_DOWN);
}

pg_result_t cycle_roll(cycle_t *c, uint16_t run_ms) {
    if (run_ms < 1 || run_ms > PG_DICE_MAX_MS)
        return BAD_ARGUMENT;
    if (c->block)
        return blocked(c);
    c->dice_left = (uint16_t)MS(run_ms);
    c->dice = PG_DICE_PHASE_ROLLING;
    return DONE;
}

pg_result_t cycle_hold(cycle_t *c, bool on) {
    c->hold = on;
    c->block = (uint8_t)(on ? c->block | PG_BLOCK_HOLD : c->block & ~PG_BLOCK_HOLD);
    return DONE;
}

/* The first command comes at once behind the greeting, before the next scan. */
void cycle_heard(cycle_t *c) {
    c->block = (uint8_t)(c->block & ~PG_BLOCK_HOST_SILENT);
}

pg_result_t cycle_clear_fault(cycle_t *c) {
    if (c->state != PG_MACHINE_STATE_FAULT)
        return WRONG_STATE;
    pg_result_t result = {PG_OUTCOME_BLOCKED, (uint8_t)(c->block & ~PG_BLOCK_FAULT)};
    if (result.block & (PG_BLOCK_STOP | PG_BLOCK_SUPPLY))
        return result;
    c->fault = PG_FAULT_NONE;
    c->block = result.block;
    enter(c, rest_state(c));
    return DONE;
}

void cycle_press_start(cycle_t *c) {
    if (c->state == PG_MACHINE_STATE_HATCH_OPEN) {
        cycle_hatch(c, false);
    } else {
        pg_start_cycle_t again = {c->tiles, c->players, c->want};
        cycle_start(c, &again);
    }
}

/* ------------------------------------------------------------------ what stops it */

/* Reasons appear at once, on the raw input; they go with the debounced one. */
static void interlocks(cycle_t *c, const inputs_t *raw, bool host_silent) {
    if (raw->hand || c->in->hand.value)
        c->hand_clear = (uint16_t)MS(PG_HAND_CLEAR_MS);
    else if (c->hand_clear)
        c->hand_clear = (uint16_t)(c->hand_clear - SCAN_TICKS);
    uint8_t block = 0;
    if (c->hand_clear)
        block |= PG_BLOCK_HAND;
    if (raw->stop || c->in->stop.value)
        block |= PG_BLOCK_STOP;
    if (host_silent)
        block |= PG_BLOCK_HOST_SILENT;
    if (c->hold)
        block |= PG_BLOCK_HOLD;
    if (raw->supply_mv < PG_SUPPLY_MIN_MV || raw->supply_mv > PG_SUPPLY_MAX_MV)
        block |= PG_BLOCK_SUPPLY;
    if (c->state == PG_MACHINE_STATE_FAULT)
        block |= PG_BLOCK_FAULT;
    c->block = block;
}

/* A movement that stop, silence or supply interrupts does not go on by itself. */
static void latch(cycle_t *c) {
    if (!moving(c))
        return;
    if (c->block & PG_BLOCK_STOP)
        fail(c, PG_FAULT_EMERGENCY_STOP);
    else if (c->block & PG_BLOCK_HOST_SILENT)
        fail(c, PG_FAULT_HOST_SILENT);
    else if (c->block & PG_BLOCK_SUPPLY)
        fail(c, PG_FAULT_SUPPLY);
}

static void watch_current(cycle_t *c, const inputs_t *raw) {
    if (raw->motor_ma <= PG_MOTOR_MAX_MA)
        c->over = 0;
    else if (c->over <= MS(PG_OVERCURRENT_MS))
        c->over = (uint16_t)(c->over + SCAN_TICKS);
    if (c->over > MS(PG_OVERCURRENT_MS) && c->state != PG_MACHINE_STATE_FAULT)
        fail(c, PG_FAULT_OVER_CURRENT);
}

/* What was read last stands, and nobody sees keys or stacks any more. */
static void watch_chain(cycle_t *c, const inputs_t *raw) {
    if (raw->chain_ok)
        c->unread = 0;
    else if (c->unread <= MS(PG_CHAIN_MS))
        c->unread = (uint16_t)(c->unread + SCAN_TICKS);
    if (c->unread > MS(PG_CHAIN_MS) && c->state != PG_MACHINE_STATE_FAULT)
        fail(c, PG_FAULT_SENSOR_DISAGREEMENT);
}

static void dice(cycle_t *c) {
    if (c->dice_left) {
        bool over = c->block || c->dice_left <= SCAN_TICKS;
        c->dice_left = over ? 0 : (uint16_t)(c->dice_left - SCAN_TICKS);
        c->dice_still = 0;
    } else if (c->dice == PG_DICE_PHASE_ROLLING) {
        c->dice_still = (uint16_t)(c->dice_still + SCAN_TICKS);
        if (c->dice_still >= MS(PG_DICE_STILL_MS))
            c->dice = PG_DICE_PHASE_STOPPED;
    }
    bool tray = c->in->dice_tray.value != 0;
    if (tray != c->tray) {
        c->tray = tray;
        if (c->dice != PG_DICE_PHASE_ROLLING)
            c->dice = tray ? PG_DICE_PHASE_IN_TRAY : PG_DICE_PHASE_REMOVED;
    }
}

/* Both ends at once, or an open hatch while the tiles are worked on: a sensor lies. */
static bool ends_lie(const cycle_t *c) {
    uint8_t now = ends(c);
    if (moving(c) && ((now & BOTH_HATCH) == BOTH_HATCH || (now & BOTH_LIFT) == BOTH_LIFT))
        return true;
    return c->state >= PG_MACHINE_STATE_SHUFFLING && c->state <= PG_MACHINE_STATE_RAISING &&
           !(now & PG_ENDS_HATCH_CLOSED);
}

static bool jammed(cycle_t *c) {
    uint8_t dark = (uint8_t)(c->in->push_heads.value | c->in->platforms.value);
    bool jam = false;
    for (uint8_t side = 0; side < PG_SIDES; side++) {
        c->dark[side] = dark >> side & 1u ? (uint16_t)(c->dark[side] + SCAN_TICKS) : 0;
        jam = jam || c->dark[side] > MS(PG_JAM_MS);
    }
    return jam;
}

/* ------------------------------------------------------------------ the steps */

static void idle(cycle_t *c) {
    if (!c->manual)
        return;
    if (ends(c) & c->manual) {
        c->manual = 0;
    } else if (c->manual & BOTH_HATCH) {
        if (c->timer > MS(PG_HATCH_MOVE_MS))
            fail(c, PG_FAULT_HATCH_TIMEOUT);
    } else if (c->timer > MS(PG_LIFT_MOVE_MS)) {
        fail(c, PG_FAULT_LIFT_TIMEOUT);
    }
}

static void hatch_open(cycle_t *c) {
    if (!(ends(c) & PG_ENDS_LIFT_DOWN)) {
        c->hatch_moves = 0;
        if (c->timer > MS(PG_LIFT_MOVE_MS))
            fail(c, PG_FAULT_LIFT_TIMEOUT);
    } else if (ends(c) & PG_ENDS_HATCH_OPEN) {
        c->timer = c->hatch_moves = 0; /* open: the players take the time they need */
    } else {
        c->hatch_moves += SCAN_TICKS;
        if (c->hatch_moves > MS(PG_HATCH_MOVE_MS))
            fail(c, PG_FAULT_HATCH_TIMEOUT);
    }
}

static void dropping(cycle_t *c) {
    if (ends(c) & PG_ENDS_HATCH_CLOSED)
        enter(c, PG_MACHINE_STATE_SHUFFLING);
    else if (c->timer > MS(PG_HATCH_MOVE_MS))
        fail(c, PG_FAULT_HATCH_TIMEOUT);
}

static void building(cycle_t *c) {
    bool complete = true, extra = false;
    c->since_stack = c->in->stacks_pushed ? 0 : c->since_stack + SCAN_TICKS;
    for (uint8_t side = 0; side < PG_SIDES; side++) {
        c->built[side] = (uint8_t)(c->built[side] + (c->in->stacks_pushed >> side & 1u));
        complete = complete && c->built[side] == required(c, side);
        extra = extra || c->built[side] > required(c, side);
    }
    if (extra)
        fail(c, PG_FAULT_SENSOR_DISAGREEMENT);
    else if (jammed(c))
        fail(c, PG_FAULT_JAM);
    else if (complete)
        enter(c, PG_MACHINE_STATE_RAISING);
    else if (c->since_stack > MS(PG_STACK_MS))
        fail(c, PG_FAULT_MISSING_TILES);
}

static void shuffling(cycle_t *c) {
    c->pulse = c->pulse > SCAN_TICKS ? (uint16_t)(c->pulse - SCAN_TICKS) : 0;
    if (jammed(c)) {
        fail(c, PG_FAULT_JAM);
    } else if (c->in->stacks_pushed) {
        enter(c, PG_MACHINE_STATE_BUILDING);
        building(c);
    } else if (c->timer > MS(PG_SHUFFLE_MS)) {
        fail(c, PG_FAULT_SHUFFLE_TIMEOUT);
    }
}

static void raising(cycle_t *c) {
    if (!(ends(c) & PG_ENDS_LIFT_UP)) {
        c->since_stack = 0;
        if (c->timer > MS(PG_LIFT_MOVE_MS))
            fail(c, PG_FAULT_LIFT_TIMEOUT);
        return;
    }
    c->since_stack += SCAN_TICKS;
    if (c->since_stack < MS(PG_SETTLE_MS))
        return;
    if (walls_complete(c)) {
        enter(c, PG_MACHINE_STATE_READY);
        return;
    }
    bool extra = false;
    for (uint8_t side = 0; side < PG_SIDES; side++)
        extra = extra || c->in->walls[side].value >> required(c, side);
    fail(c, extra ? PG_FAULT_SENSOR_DISAGREEMENT : PG_FAULT_MISSING_TILES);
}

void cycle_step(cycle_t *c, const inputs_t *raw, bool host_silent) {
    interlocks(c, raw, host_silent);
    watch_current(c, raw);
    watch_chain(c, raw);
    dice(c);
    if (c->state == PG_MACHINE_STATE_READY && !walls_complete(c))
        enter(c, PG_MACHINE_STATE_PLAYING);
    if (c->state >= PG_MACHINE_STATE_READY) /* ready, playing, fault: nothing to do */
        return;
    if (c->block) {
        latch(c);
        return;
    }
    c->timer += SCAN_TICKS;
    if (ends_lie(c)) {
        fail(c, PG_FAULT_SENSOR_DISAGREEMENT);
        return;
    }
    switch (c->state) {
    case PG_MACHINE_STATE_IDLE:
        idle(c);
        break;
    case PG_MACHINE_STATE_HATCH_OPEN:
        hatch_open(c);
        break;
    case PG_MACHINE_STATE_DROPPING:
        dropping(c);
        break;
    case PG_MACHINE_STATE_SHUFFLING:
        shuffling(c);
        break;
    case PG_MACHINE_STATE_BUILDING:
        building(c);
        break;
    default:
        raising(c);
        break;
    }
}

void cycle_outputs(const cycle_t *c, outputs_t *out) {
    bool free = !c->block;
    uint8_t now = ends(c);
    bool opening = c->state == PG_MACHINE_STATE_HATCH_OPEN;
    bool lowering = opening && !(now & PG_ENDS_LIFT_DOWN);
    bool raise = c->state == PG_MACHINE_STATE_RAISING && !(now & PG_ENDS_LIFT_UP);
    out->motor_enable = free && (moving(c) || c->dice_left);
    out->lift_down = free && (lowering || c->manual == PG_ENDS_LIFT_DOWN);
    out->lift_up = free && (raise || c->manual == PG_ENDS_LIFT_UP);
    out->hatch_open = free && ((opening && !lowering && !(now & PG_ENDS_HATCH_OPEN)) ||
                               c->manual == PG_ENDS_HATCH_OPEN);
    out->hatch_close =
        free && (c->state == PG_MACHINE_STATE_DROPPING || c->manual == PG_ENDS_HATCH_CLOSED);
    out->start_button = free && c->state == PG_MACHINE_STATE_SHUFFLING && c->pulse;
    out->dice_motor = free && c->dice_left;
}
