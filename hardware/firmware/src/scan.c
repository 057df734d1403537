#include "scan.h"

#include <string.h>

_Static_assert(PG_DEBOUNCE_SCANS == 4, "the two-bit counters overflow at four");

static void set(debounced_t *d, uint32_t value) {
    d->value = value;
    d->count0 = d->count1 = 0;
}

/* Gives the bits that rose. */
static uint32_t debounce(debounced_t *d, uint32_t raw) {
    uint32_t differs = raw ^ d->value;
    d->count1 = (d->count1 ^ d->count0) & differs;
    d->count0 = ~d->count0 & differs;
    uint32_t toggles = differs & ~(d->count0 | d->count1);
    d->value ^= toggles;
    return toggles & d->value;
}

void scan_init(scanner_t *s, const inputs_t *in) {
    memset(s, 0, sizeof *s);
    set(&s->ends, in->ends);
    set(&s->start_key, in->start_key);
    set(&s->dice_tray, in->dice_tray);
    set(&s->sticks, in->sticks);
    set(&s->push_heads, in->push_heads);
    set(&s->platforms, in->platforms);
    set(&s->stop, in->stop);
    set(&s->hand, in->hand);
    for (uint8_t i = 0; i < PG_SIDES; i++) {
        set(&s->walls[i], in->walls[i]);
        set(&s->keys[i], in->keys[i]);
    }
}

static void keypads(scanner_t *s, const inputs_t *in, uint32_t edge, emit_t emit) {
    for (uint8_t seat = 0; seat < PG_SIDES; seat++) {
        uint32_t pressed = debounce(&s->keys[seat], in->keys[seat]);
        for (uint8_t key = 0; key < PG_KEY_COUNT; key++) {
            if (pressed >> key & 1u) {
                pg_key_pressed_t event = {seat, key};
                uint8_t data[PG_KEY_PRESSED_SIZE];
                pg_pack_key_pressed(data, &event);
                emit(PG_KEY_PRESSED, data, sizeof data, edge);
            }
        }
    }
}

static void vibration(scanner_t *s, uint16_t mg, uint32_t now, emit_t emit) {
    if (mg >= PG_VIBRATION_MG) {
        if (!s->knocking) {
            s->knocking = true;
            s->knock_begin = now;
            s->knock_peak = 0;
        }
        s->knock_last = now;
        if (mg > s->knock_peak)
            s->knock_peak = mg;
    } else if (s->knocking && now - s->knock_last >= PG_VIBRATION_QUIET_MS * TICKS_PER_MS) {
        s->knocking = false;
        uint32_t duration = (s->knock_last - s->knock_begin) / TICKS_PER_MS;
        pg_vibration_t event = {s->knock_peak,
                                duration > UINT16_MAX ? UINT16_MAX : (uint16_t)duration};
        uint8_t data[PG_VIBRATION_SIZE];
        pg_pack_vibration(data, &event);
        emit(PG_VIBRATION, data, sizeof data, s->knock_begin);
    }
}

void scan_inputs(scanner_t *s, const inputs_t *in, uint32_t now, emit_t emit) {
    uint32_t edge = now - SCAN_DELAY;
    debounce(&s->ends, in->ends);
    if (in->chain_ok) { /* what was read before is better than noise */
        for (uint8_t side = 0; side < PG_SIDES; side++)
            debounce(&s->walls[side], in->walls[side]);
        keypads(s, in, edge, emit);
        debounce(&s->sticks, in->sticks);
    }
    s->start_pressed = debounce(&s->start_key, in->start_key) != 0;
    if (s->start_pressed) {
        const uint8_t nothing = 0;
        emit(PG_START_PRESSED, &nothing, 0, edge);
    }
    debounce(&s->dice_tray, in->dice_tray);
    s->stacks_pushed = (uint8_t)debounce(&s->push_heads, in->push_heads);
    debounce(&s->platforms, in->platforms);
    debounce(&s->stop, in->stop);
    debounce(&s->hand, in->hand);
    vibration(s, in->vibration_mg, now, emit);
}
