/* The firmware's own sources as a program of the host, for the tests. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

#include "../src/board.h"
#include "../src/hal.h"
#include "harness.h"

#define NS_PER_TICK (PG_TICK_US * 1000ull)

static unsigned long long started;
static harness_t said;
static bool watchdog;
static uint32_t boot;

static unsigned long long nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

void hal_init(void) {
    started = nanoseconds();
    boot = (uint32_t)random();
}

uint32_t hal_ticks(void) {
    return (uint32_t)((nanoseconds() - started) / NS_PER_TICK);
}

void hal_read(inputs_t *in) {
    *in = harness_in;
}

void hal_write(const outputs_t *out) {
    harness_outputs(out);
}

bool hal_rx(uint8_t *byte) {
    static uint8_t data[256];
    static int at, filled;
    if (at == filled) {
        at = 0;
        filled = harness_read(data, sizeof data);
        if (filled == 0)
            return false;
    }
    *byte = data[at++];
    return true;
}

bool hal_tx(const uint8_t *data, uint8_t length) {
    harness_write(data, length);
    return true;
}

uint32_t hal_boot_id(void) {
    return boot;
}

uint32_t hal_serial(void) {
    return 2;
}

bool hal_watchdog_fired(void) {
    return watchdog;
}

void hal_watchdog_feed(void) {
}

void hal_idle(void) {
    said = harness_poll(1000);
}

int main(void) {
    srandom((unsigned)nanoseconds());
    harness_start();
    for (;;) {
        hal_init();
        board_init();
        do {
            board_poll();
            hal_idle();
        } while (said == HARNESS_GO_ON);
        if (said == HARNESS_QUIT)
            return 0;
        watchdog = said == HARNESS_WATCHDOG;
    }
}
