/* Plays the AVR binary in simavr at the pace of life: its serial line is a pseudo-terminal, its pins
 * are driven by the same harness as the host build. Usage: firmware-sim firmware.elf
 * Says "stack BYTES", the deepest the stack ever was, when it is told to quit. */
#define _GNU_SOURCE
#include <simavr/avr_adc.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_spi.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../host/harness.h"
#include "../src/pins.h"

#define FREQUENCY 16000000ull
#define SLICE (FREQUENCY / 2000) /* half a millisecond */
#define MIDDLE_MV 2500u
#define OSCILLATION (FREQUENCY / 100) /* half a period of the table's vibration */

#define RAM_START 0x200u
#define RAM_END 0x21FFu
#define SP_LOW 0x5Du
#define SP_HIGH 0x5Eu
#define MCUSR 0x54u

static avr_t *avr;
static uint16_t lowest = RAM_END;
static avr_irq_t *uart_in, *spi_in, *porta[8], *portk[8], *adc[3];
static bool line_ready = true;
static uint8_t chain[CHAIN_BYTES], chain_at;
static uint8_t sent[4096];
static int sent_count;

static void on_byte(avr_irq_t *irq, uint32_t value, void *unused) {
    (void)irq, (void)unused;
    sent[sent_count++] = (uint8_t)value;
    if (sent_count == sizeof sent) {
        harness_write(sent, sent_count);
        sent_count = 0;
    }
}

static void on_xon(avr_irq_t *irq, uint32_t value, void *unused) {
    (void)irq, (void)value, (void)unused;
    line_ready = true;
}

static void on_xoff(avr_irq_t *irq, uint32_t value, void *unused) {
    (void)irq, (void)value, (void)unused;
    line_ready = false;
}

static void put_bits(unsigned from, unsigned count, uint32_t value) {
    for (unsigned i = 0; i < count; i++)
        if (value >> i & 1u)
            chain[(from + i) / 8] |= (uint8_t)(1u << (from + i) % 8);
}

/* The registers take their inputs over while the load line is low. */
static void on_load(avr_irq_t *irq, uint32_t value, void *unused) {
    (void)irq, (void)unused;
    if (value)
        return;
    memset(chain, 0, sizeof chain);
    unsigned keys = 8 * CHAIN_KEYS_BYTE;
    for (unsigned side = 0; side < PG_SIDES; side++) {
        put_bits(CHAIN_WALL_BITS * side, CHAIN_WALL_BITS, harness_in.walls[side]);
        put_bits(keys + PG_KEY_COUNT * side, PG_KEY_COUNT, harness_in.keys[side]);
    }
    put_bits(keys + PG_KEY_COUNT * PG_SIDES, PG_SIDES, harness_in.sticks);
    for (unsigned i = 0; i < CHAIN_BYTES; i++)
        chain[i] = (uint8_t)~chain[i];
    chain[CHAIN_SENTINEL_BYTE] = harness_in.chain_ok ? CHAIN_SENTINEL : 0xFF;
    chain_at = 0;
}

static void on_clock(avr_irq_t *irq, uint32_t value, void *unused) {
    (void)irq, (void)value, (void)unused;
    avr_raise_irq(spi_in, chain_at < CHAIN_BYTES ? chain[chain_at++] : 0xFF);
}

static void on_portc(avr_irq_t *irq, uint32_t value, void *unused);

static outputs_t out;

static void on_portl(avr_irq_t *irq, uint32_t value, void *unused) {
    (void)irq, (void)unused;
    out.seat_lamps = value & 0x0F;
    out.dealer_lamp = (uint8_t)(value >> 4 & 0x0F);
}

static void on_portc(avr_irq_t *irq, uint32_t value, void *unused) {
    (void)irq, (void)unused;
    out.motor_enable = value & 0x01;
    out.start_button = value & 0x02;
    out.hatch_open = value & 0x04;
    out.hatch_close = value & 0x08;
    out.lift_up = value & 0x10;
    out.lift_down = value & 0x20;
    out.dice_motor = value & 0x40;
    out.buzzer = value & 0x80;
}

static void drive_pins(void) {
    const inputs_t *in = &harness_in;
    bool a[8] = {
        !(in->ends & PG_ENDS_HATCH_OPEN), !(in->ends & PG_ENDS_HATCH_CLOSED),
        !(in->ends & PG_ENDS_LIFT_UP),    !(in->ends & PG_ENDS_LIFT_DOWN),
        !in->dice_tray,                   !in->start_key,
        in->stop,                         in->hand,
    };
    for (unsigned i = 0; i < 8; i++) {
        uint8_t dark = (uint8_t)(in->push_heads | in->platforms << 4);
        avr_raise_irq(porta[i], a[i]);
        avr_raise_irq(portk[i], !(dark >> i & 1u));
    }
    int swing = avr->cycle / OSCILLATION & 1 ? 1 : -1;
    avr_raise_irq(adc[0], in->supply_mv * 10u / SUPPLY_RATIO_X10);
    avr_raise_irq(adc[1], MIDDLE_MV + in->motor_ma / 10u);
    avr_raise_irq(adc[2], (uint32_t)((int)MIDDLE_MV + swing * in->vibration_mg * 3 / 10));
}

static void no_sleep(avr_t *unused, avr_cycle_count_t cycles) {
    (void)unused, (void)cycles; /* the pace is kept below */
}

static avr_irq_t *pin(char port, int index) {
    return avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(port), index);
}

static void wire(void) {
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= (uint32_t) ~(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    uart_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    spi_in = avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_INPUT);
    for (int i = 0; i < 8; i++) {
        porta[i] = pin('A', i);
        portk[i] = pin('K', i);
    }
    for (int i = 0; i < 3; i++)
        adc[i] = avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + i);
#define UART(index) avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), index)
    avr_irq_register_notify(UART(UART_IRQ_OUTPUT), on_byte, NULL);
    avr_irq_register_notify(UART(UART_IRQ_OUT_XON), on_xon, NULL);
    avr_irq_register_notify(UART(UART_IRQ_OUT_XOFF), on_xoff, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_OUTPUT), on_clock,
                            NULL);
    avr_irq_register_notify(pin('B', 0), on_load, NULL);
    avr_irq_register_notify(pin('C', IOPORT_IRQ_REG_PORT), on_portc, NULL);
    avr_irq_register_notify(pin('L', IOPORT_IRQ_REG_PORT), on_portl, NULL);
}

static unsigned long long nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

/* Cycles that the chip should have done by now. */
static avr_cycle_count_t due(unsigned long long started) {
    return (nanoseconds() - started) * (FREQUENCY / 1000000ull) / 1000ull;
}

static void note_stack(void) {
    uint16_t sp = (uint16_t)(avr->data[SP_LOW] | avr->data[SP_HIGH] << 8);
    if (sp >= RAM_START && sp < lowest) /* below: not set up yet after the reset */
        lowest = sp;
}

static void feed_line(void) {
    static uint8_t data[256];
    static int at, filled;
    while (line_ready) {
        if (at == filled) {
            at = 0;
            filled = harness_read(data, sizeof data);
            if (filled == 0)
                return;
        }
        avr_raise_irq(uart_in, data[at++]);
    }
}

/* Keeps the program where it is until its watchdog resets the chip, and forgets why it was reset, as
 * a bootloader does. False: it was not reset. */
static bool hang(void) {
    const avr_cycle_count_t patience = avr->cycle + FREQUENCY;
    while (!avr->sreg[S_I]) /* not in an interrupt */
        avr_run(avr);
    uint8_t *here = avr->flash + avr->pc, was[2] = {here[0], here[1]};
    here[0] = 0xFF;
    here[1] = 0xCF; /* rjmp to itself */
    while (avr->pc && avr->cycle < patience)
        avr_run(avr);
    here[0] = was[0];
    here[1] = was[1];
    avr->data[MCUSR] = 0;
    return avr->cycle < patience;
}

int main(int argc, char **argv) {
    elf_firmware_t firmware = {0};
    if (argc != 2 || elf_read_firmware(argv[1], &firmware) != 0) {
        fprintf(stderr, "usage: %s firmware.elf\n", argv[0]);
        return 2;
    }
    avr = avr_make_mcu_by_name("atmega2560");
    if (!avr) {
        fprintf(stderr, "this simavr knows no atmega2560\n");
        return 2;
    }
    avr_init(avr);
    firmware.frequency = FREQUENCY;
    avr_load_firmware(avr, &firmware);
    avr->frequency = FREQUENCY;
    avr->vcc = avr->avcc = avr->aref = 5000;
    avr->sleep = no_sleep;
    avr->log = LOG_NONE;
    wire();
    harness_start();
    unsigned long long started = nanoseconds();
    avr_cycle_count_t base = avr->cycle, end = 0;
    for (;;) {
        drive_pins();
        feed_line();
        for (end = avr->cycle + SLICE; avr->cycle < end;) {
            int state = avr_run(avr);
            note_stack();
            if (state == cpu_Done || state == cpu_Crashed) {
                fprintf(stderr, "the chip stopped at %#x\n", avr->pc);
                return 3;
            }
        }
        if (sent_count) {
            harness_write(sent, sent_count);
            sent_count = 0;
        }
        harness_outputs(&out);
        avr_cycle_count_t target = due(started);
        avr_cycle_count_t done = avr->cycle - base;
        int wait = done > target ? (int)((done - target) / (FREQUENCY / 1000000ull)) : 0;
        harness_t said = harness_poll(wait);
        if (said == HARNESS_QUIT) {
            printf("stack %u\n", RAM_END - lowest);
            return 0;
        }
        if (said != HARNESS_GO_ON) {
            drive_pins();
            if (said == HARNESS_RESET)
                avr_reset(avr);
            else if (!hang()) {
                fprintf(stderr, "the watchdog did not reset the chip\n");
                return 4;
            }
            base = avr->cycle;
            started = nanoseconds();
            line_ready = true;
        }
    }
}
