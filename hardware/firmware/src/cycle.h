/* The cycle of the machine and what stops it; the twin of machine_cycle.py.
 *
 * Nothing moves while a hand is reported in the hatch zone (and PG_HAND_CLEAR_MS after), while the
 * emergency stop is pressed, while the host is silent or holds its veto, or while the supply is out
 * of range; the board decides this by itself. A hand or a veto pauses a movement, which goes on when
 * they are gone; stop, silence and supply end it with a fault that somebody has to clear. */
#ifndef PG_CYCLE_H
#define PG_CYCLE_H

#include "scan.h"

typedef struct {
    const scanner_t *in;
    uint8_t state;    /* pg_machine_state */
    uint8_t fault;    /* pg_fault */
    uint8_t block;    /* PG_BLOCK_* */
    uint8_t dice;     /* pg_dice_phase */
    uint8_t tiles;    /* mode: 144, 136, 108 */
    uint8_t players;  /* mode: 4, 3 */
    uint8_t tile_set; /* pg_tile_set a or b */
    uint8_t want;     /* pg_tile_set as asked for, taken again by the button on the table */
    bool hold;        /* the host's veto */
    uint8_t built[PG_SIDES];
    uint8_t manual; /* end switch a movement by hand is after */
    bool tray;
    uint16_t dark[PG_SIDES]; /* ticks each side's optics have been dark */
    uint16_t over;           /* ticks of over-current */
    uint16_t unread;         /* ticks since the chain was read */
    uint16_t hand_clear;     /* ticks until a hand that left is forgotten */
    uint16_t pulse;          /* ticks left of the tap on the table's button */
    uint16_t dice_left;
    uint16_t dice_still;
    uint32_t timer; /* ticks in the present step, pauses not counted */
    uint32_t since_stack;
    uint32_t hatch_moves; /* ticks since the lift was down and the hatch began to open */
} cycle_t;

/* Stacks of a side; 0xFF for a mode that does not exist. */
uint8_t cycle_required(uint8_t tiles, uint8_t players, uint8_t side);

void cycle_init(cycle_t *c, const scanner_t *in, bool watchdog);
pg_result_t cycle_start(cycle_t *c, const pg_start_cycle_t *command);
pg_result_t cycle_mode(cycle_t *c, const pg_mode_t *command);
pg_result_t cycle_hatch(cycle_t *c, bool opening);
pg_result_t cycle_lift(cycle_t *c, bool up);
pg_result_t cycle_roll(cycle_t *c, uint16_t run_ms);
pg_result_t cycle_hold(cycle_t *c, bool on);
void cycle_heard(cycle_t *c); /* the host gave a command: it is not silent any more */
pg_result_t cycle_clear_fault(cycle_t *c);
void cycle_press_start(cycle_t *c);
void cycle_step(cycle_t *c, const inputs_t *raw, bool host_silent); /* once a scan */
void cycle_outputs(const cycle_t *c, outputs_t *out);

#endif
