/* The firmware as a library for tests in virtual time: the test sets clock, inputs and bytes. */
#include <stdint.h>
#include <string.h>

#include "../src/board.h"
#include "../src/hal.h"

#define LINE 65536

static inputs_t in;
static outputs_t out;
static uint32_t ticks, boot;
static bool watchdog;
static uint8_t rx[LINE], tx[LINE];
static int rx_at, rx_filled, tx_filled, room = LINE;

#ifdef COVERAGE
extern void __gcov_dump(void);
void desk_dump(void) {
    __gcov_dump();
}
#endif

inputs_t *desk_inputs(void) {
    return &in;
}

const outputs_t *desk_outputs(void) {
    return &out;
}

void desk_boot(uint32_t id, bool by_watchdog, uint32_t at) {
    boot = id;
    watchdog = by_watchdog;
    ticks = at;
    rx_at = rx_filled = tx_filled = 0;
    room = LINE;
    hal_init();
    board_init();
}

/* Lets time pass up to a tick, one scan at a time. */
void desk_run(uint32_t until) {
    while ((int32_t)(until - ticks) > 0) {
        ticks += SCAN_TICKS;
        board_poll();
    }
}

void desk_poll(void) {
    board_poll();
}

void desk_set_clock(uint32_t at) {
    ticks = at;
}

void desk_send(const uint8_t *data, int size) {
    if (rx_at == rx_filled)
        rx_at = rx_filled = 0;
    memcpy(rx + rx_filled, data, (size_t)size);
    rx_filled += size;
}

int desk_take(uint8_t *data) {
    int size = tx_filled;
    memcpy(data, tx, (size_t)size);
    tx_filled = 0;
    return size;
}

/* Bytes the line takes until they are taken from it. */
void desk_room(int bytes) {
    room = bytes;
}

void hal_init(void) {
}

uint32_t hal_ticks(void) {
    return ticks;
}

void hal_read(inputs_t *to) {
    *to = in;
}

void hal_write(const outputs_t *from) {
    out = *from;
}

bool hal_rx(uint8_t *byte) {
    if (rx_at == rx_filled)
        return false;
    *byte = rx[rx_at++];
    return true;
}

bool hal_tx(const uint8_t *data, uint8_t length) {
    if (tx_filled + length > room)
        return false;
    memcpy(tx + tx_filled, data, length);
    tx_filled += length;
    return true;
}

uint32_t hal_boot_id(void) {
    return boot;
}

uint32_t hal_serial(void) {
    return 3;
}

bool hal_watchdog_fired(void) {
    return watchdog;
}

void hal_watchdog_feed(void) {
}

void hal_idle(void) {
}
