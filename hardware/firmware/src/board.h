/* The board as a whole: session, inputs, cycle, lamps; the twin of machine_board.py. */
#ifndef PG_BOARD_H
#define PG_BOARD_H

#include "cycle.h"
#include "session.h"

void board_init(void); /* after hal_init() */
void board_poll(void); /* for ever, as often as possible */

#endif
