/* Inputs to events: debouncing, edges, vibration; the twin of machine_scan.py.
 *
 * Every PG_SCAN_MS all inputs are read; a bit is taken over once PG_DEBOUNCE_SCANS readings agree,
 * and its event carries the tick of the first of them. */
#ifndef PG_SCAN_H
#define PG_SCAN_H

#include "io.h"

#define TICKS_PER_MS (1000u / PG_TICK_US)
#define SCAN_TICKS ((uint16_t)(PG_SCAN_MS * TICKS_PER_MS))
#define SCAN_DELAY ((uint16_t)((PG_DEBOUNCE_SCANS - 1u) * SCAN_TICKS))

typedef struct {
    uint32_t value;
    uint32_t count0, count1; /* two-bit counters of readings that differ, one a bit */
} debounced_t;

typedef void (*emit_t)(uint8_t type, const uint8_t *data, uint8_t length, uint32_t tick);

typedef struct {
    debounced_t ends, start_key, dice_tray, sticks, push_heads, platforms, stop, hand;
    debounced_t walls[PG_SIDES];
    debounced_t keys[PG_SIDES];
    uint8_t stacks_pushed; /* rising edges of the push heads with the last scan, bit by side */
    bool start_pressed;    /* the start button went down with the last scan */
    bool knocking;
    uint32_t knock_begin, knock_last;
    uint16_t knock_peak;
} scanner_t;

void scan_init(scanner_t *s, const inputs_t *in);
void scan_inputs(scanner_t *s, const inputs_t *in, uint32_t now, emit_t emit);

#endif
