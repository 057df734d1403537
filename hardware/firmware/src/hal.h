/* The thin layer between the board's rules and its chip. Two implementations: the ATmega2560
 * (hal_avr.c) and the host (host/hal_host.c). */
#ifndef PG_HAL_H
#define PG_HAL_H

#include "io.h"

void hal_init(void);
uint32_t hal_ticks(void); /* since the reset, PG_TICK_US each */
void hal_read(inputs_t *in);
void hal_write(const outputs_t *out);
bool hal_rx(uint8_t *byte);                       /* next byte from the host, if any */
bool hal_tx(const uint8_t *data, uint8_t length); /* all of it, or nothing and false */
uint32_t hal_boot_id(void);
uint32_t hal_serial(void);
bool hal_watchdog_fired(void); /* whether the last reset was the watchdog's */
void hal_watchdog_feed(void);
void hal_idle(void); /* until the next interrupt at the latest */

#endif
