/* libFuzzer against the whole board: garbage and well-formed frames, inputs and time in any order.
 * Beside what the sanitizers see, the safety rules are held after every scan:
 * `make fuzz && build/firmware-fuzz -max_total_time=600`. */
#include <stdlib.h>
#include <string.h>

#include "../src/board.h"
#include "../src/hal.h"

static inputs_t in;
static outputs_t out;
static inputs_t scanned; /* what the last scan saw */
static uint32_t ticks;
static const uint8_t *feed, *feed_end;
static uint8_t line[256];
static frame_decoder_t host; /* what the board says must be frames */

void hal_init(void) {
}
uint32_t hal_ticks(void) {
    return ticks;
}
void hal_read(inputs_t *to) {
    *to = in;
    scanned = in;
}
void hal_write(const outputs_t *from) {
    out = *from;
}
bool hal_rx(uint8_t *byte) {
    if (feed == feed_end)
        return false;
    *byte = *feed++;
    return true;
}
bool hal_tx(const uint8_t *data, uint8_t length) {
    frame_t frame;
    int frames = 0;
    if (ticks & 0x40) /* now and then the line takes nothing */
        return false;
    for (uint8_t i = 0; i < length; i++)
        frames += frame_feed(&host, data[i], &frame);
    if (frames != 1)
        abort();
    return true;
}
uint32_t hal_boot_id(void) {
    return 1;
}
uint32_t hal_serial(void) {
    return 1;
}
bool hal_watchdog_fired(void) {
    return false;
}
void hal_watchdog_feed(void) {
}

static void check(void) {
    bool drives = out.start_button || out.hatch_open || out.hatch_close || out.lift_up ||
                  out.lift_down || out.dice_motor;
    if ((scanned.stop || scanned.hand || scanned.supply_mv < PG_SUPPLY_MIN_MV) &&
        (drives || out.motor_enable))
        abort();
    if (drives && !out.motor_enable)
        abort();
    if ((out.hatch_open && out.hatch_close) || (out.lift_up && out.lift_down))
        abort();
}

static void poll(const uint8_t *data, size_t size) {
    feed = data;
    feed_end = data + size;
    board_poll();
    check();
}

static void set_inputs(uint8_t what, uint8_t value) {
    switch (what % 10) {
    case 0:
        in.ends = value & 15;
        break;
    case 1:
        in.walls[value & 3] = value & 0x80 ? 0x3FFFFu : value;
        break;
    case 2:
        in.keys[value & 3] = value >> 2;
        break;
    case 3:
        in.start_key = value & 1;
        in.dice_tray = value & 2;
        break;
    case 4:
        in.push_heads = value & 15;
        break;
    case 5:
        in.platforms = value & 15;
        break;
    case 6:
        in.motor_ma = (uint16_t)(value * 50u);
        break;
    case 7:
        in.supply_mv = (uint16_t)(8000u + value * 32u);
        break;
    case 8:
        in.stop = value & 1;
        in.hand = value & 2;
        break;
    default:
        in.vibration_mg = value;
        in.sticks = value & 15;
        break;
    }
}

/* A well-formed frame of the fuzzer's choice, its sequence near the board's. */
static size_t frame_of(const uint8_t *data, size_t left, uint8_t *coded, uint16_t *seq) {
    uint8_t length = left > 3 ? data[3] % (PG_PAYLOAD_MAX + 1) : 0;
    if (left < 4u + length)
        length = 0;
    if (data[1] & 1)
        (*seq)++;
    frame_t frame = {PG_PROTOCOL, data[0], *seq, data[2], data + 4, length};
    uint8_t hello[PG_HELLO_SIZE];
    if (data[0] == PG_HELLO && data[1] & 2) {
        uint8_t *end = pg_put8(hello, PG_PROTOCOL);
        end = pg_put32(end, PG_SCHEMA_HASH);
        pg_put32(end, 7);
        frame.payload = hello;
        frame.length = sizeof hello;
        length = 0;
    }
    poll(coded, frame_encode(coded, &frame));
    return 4u + length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const inputs_t start = {.ends = PG_ENDS_HATCH_CLOSED | PG_ENDS_LIFT_DOWN,
                                   .supply_mv = 12000,
                                   .dice_tray = true,
                                   .chain_ok = true};
    uint16_t seq = 0;
    in = start;
    memset(&out, 0, sizeof out);
    ticks = size && data[0] & 1 ? UINT32_MAX - 20000u : 0; /* the clock may wrap on the way */
    board_init();
    for (size_t at = 0; at + 3 < size;) {
        size_t used = 3;
        switch (data[at] & 7) {
        case 0:
            poll(data + at + 1, 2);
            break;
        case 1:
        case 2:
        case 3:
            if (size - at >= 5)
                used = 1 + frame_of(data + at + 1, size - at - 1, line, &seq);
            break;
        case 4:
            set_inputs(data[at + 1], data[at + 2]);
            break;
        case 5: /* a second or so in scans, kept alive */
            for (uint8_t i = 0; i < data[at + 1]; i++) {
                ticks += SCAN_TICKS;
                poll(data, 0);
            }
            break;
        default:
            ticks += data[at + 1] * (data[at + 2] & 0x80 ? 1000u : 1u);
            poll(data, 0);
            break;
        }
        at += used;
    }
    return 0;
}
