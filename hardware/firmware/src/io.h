/* What is wired to the board, as plain values; the twin of machine_io.py. */
#ifndef PG_IO_H
#define PG_IO_H

#include "messages.h"

typedef struct {
    uint8_t ends;             /* PG_ENDS_* */
    uint32_t walls[PG_SIDES]; /* bit 0 is stack 1 */
    uint16_t keys[PG_SIDES];  /* bit k is pg_key k */
    bool start_key;           /* the button on the table */
    bool dice_tray;           /* dice lie in their tray */
    uint8_t sticks;           /* bit by seat */
    uint8_t push_heads;       /* bit by side, 1: dark */
    uint8_t platforms;        /* bit by side, 1: dark */
    uint16_t vibration_mg;    /* peak since the last reading */
    uint16_t motor_ma;
    uint16_t supply_mv;
    bool stop; /* emergency stop */
    bool hand; /* light curtain over the hatch */
    bool chain_ok;
} inputs_t;

typedef struct {
    bool motor_enable; /* relay in the supply of all drives */
    bool start_button; /* taps the table's own button */
    bool hatch_open;
    bool hatch_close;
    bool lift_up;
    bool lift_down;
    bool dice_motor;
    bool buzzer;
    uint8_t seat_lamps;  /* bit by seat */
    uint8_t dealer_lamp; /* bit by seat */
} outputs_t;

#endif
