#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <util/atomic.h>

#include "hal.h"
#include "pins.h"

#ifndef BAUD
#define BAUD 1000000ul
#endif
#define UBRR_VALUE ((F_CPU + 4ul * BAUD) / (8ul * BAUD) - 1ul) /* double speed */
#define TIMER_TOP 249u       /* 16 MHz / 64 / 250: one interrupt a millisecond */
#define COUNTS_PER_TICK 25u  /* 4 us each */
#define EEPROM_SERIAL ((uint32_t *)0)
#define EEPROM_BOOTS ((uint32_t *)4)
#define NOISE_BYTES 64u
#define HUNG 0x57A7C4D0ul /* what no RAM holds by chance */

/* Pin arguments are "port, bit" pairs, so every macro has to be expanded once more. */
#define PORT_(p, b) PORT##p
#define PIN_(p, b) PIN##p
#define BIT_(p, b) (uint8_t)(1u << (b))
#define PORT(pin) PORT_(pin)
#define PINS(pin) PIN_(pin)
#define BIT(pin) BIT_(pin)

static uint8_t reset_cause __attribute__((section(".noinit")));
static uint32_t hung __attribute__((section(".noinit")));
static bool watchdog_fired;
static uint8_t noise[NOISE_BYTES] __attribute__((section(".noinit")));
static uint32_t boot_id;
static volatile uint32_t millis;

/* Rings of 256 bytes: the indices wrap by themselves. */
static volatile uint8_t rx[256], tx[256];
static volatile uint8_t rx_head, rx_tail, tx_head, tx_tail;

static volatile uint32_t supply_sum, current_sum;
static volatile uint16_t supply_count, current_count, vibration_peak;

/* The first of two time-outs. The second resets the chip, and the bootloader forgets that it was
 * the watchdog's reset: the word tells. */
ISR(WDT_vect) {
    hung = HUNG;
}

/* Before main: a watchdog that fired stays on and would fire again. */
void note_reset(void) __attribute__((naked, used, section(".init3")));
void note_reset(void) {
    reset_cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

ISR(TIMER0_COMPA_vect) {
    millis++;
}

ISR(USART0_RX_vect) {
    uint8_t byte = UDR0;
    uint8_t next = (uint8_t)(rx_head + 1);
    if (next != rx_tail) {
        rx[rx_head] = byte;
        rx_head = next;
    }
}

ISR(USART0_UDRE_vect) {
    if (tx_tail == tx_head) {
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
    } else {
        UDR0 = tx[tx_tail];
        tx_tail = (uint8_t)(tx_tail + 1);
    }
}

/* The three channels in turn, about 3.2 kHz each. */
ISR(ADC_vect) {
    static uint16_t rest_x64; /* slow mean of the vibration channel */
    uint16_t value = ADC;
    uint8_t channel = ADMUX & 0x07u;
    if (channel == 0) {
        supply_sum += value;
        supply_count++;
    } else if (channel == 1) {
        current_sum += value;
        current_count++;
    } else {
        if (!rest_x64)
            rest_x64 = (uint16_t)(value * 64u);
        uint16_t rest = rest_x64 / 64u;
        uint16_t off = value > rest ? value - rest : rest - value;
        rest_x64 = (uint16_t)(rest_x64 - rest + value);
        if (off > vibration_peak)
            vibration_peak = off;
    }
    ADMUX = (uint8_t)(_BV(REFS0) | (channel == 2 ? 0 : channel + 1));
    ADCSRA |= _BV(ADSC);
}

static void make_boot_id(void) {
    uint32_t boots = eeprom_read_dword(EEPROM_BOOTS) + 1;
    eeprom_write_dword(EEPROM_BOOTS, boots);
    uint16_t hash = 0x5A5Au; /* of what the RAM happened to hold: another one on another board */
    for (uint8_t i = 0; i < NOISE_BYTES; i++)
        hash = (uint16_t)((hash << 5) + hash + noise[i]);
    boot_id = boots ^ ((uint32_t)hash << 20);
}

void hal_init(void) {
    DDRC = 0xFF;
    DDRL = 0xFF;
    PORTA = 0xFF;
    PORTK = 0xFF;
    DDRB = BIT(PIN_CHAIN_LOAD) | BIT(PIN_CHAIN_CLOCK) | _BV(PB2); /* PB2: SPI must drive its SS */
    PORTB = BIT(PIN_CHAIN_LOAD) | BIT(PIN_CHAIN_DATA);
    SPCR = _BV(SPE) | _BV(MSTR) | _BV(SPR0); /* 1 MHz, mode 0 */
    DIDR0 = 0x07;

    TCCR0A = _BV(WGM01);
    TCCR0B = _BV(CS01) | _BV(CS00);
    OCR0A = TIMER_TOP;
    TIMSK0 = _BV(OCIE0A);

    UBRR0 = UBRR_VALUE;
    UCSR0A = _BV(U2X0);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);

    ADMUX = _BV(REFS0);
    ADCSRA = _BV(ADEN) | _BV(ADIE) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
    ADCSRA |= _BV(ADSC);

    make_boot_id();
    set_sleep_mode(SLEEP_MODE_IDLE);
    watchdog_fired = reset_cause & _BV(WDRF) || hung == HUNG;
    wdt_enable(WDTO_120MS); /* twice that until the reset */
    hal_watchdog_feed();
    sei();
    while (!supply_count || !current_count) /* the first reading must be a real one */
        ;
}

uint32_t hal_ticks(void) {
    uint32_t ms;
    uint8_t count;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        count = TCNT0;
        ms = millis;
        if (TIFR0 & _BV(OCF0A)) { /* wrapped, its interrupt has not run yet */
            count = TCNT0;
            ms++;
        }
    }
    return ms * (1000u / PG_TICK_US) + count / COUNTS_PER_TICK;
}

static uint8_t chain_byte(void) {
    SPDR = 0;
    while (!(SPSR & _BV(SPIF)))
        ;
    return SPDR;
}

static uint32_t bits(const uint8_t *data, uint8_t from, uint8_t count) {
    uint32_t value = 0;
    for (uint8_t i = count; i-- > 0;) {
        uint8_t place = (uint8_t)(from + i);
        value = (value << 1) | (data[place >> 3] >> (place & 7u) & 1u);
    }
    return value;
}

static void read_chain(inputs_t *in) {
    uint8_t data[CHAIN_BYTES];
    PORT(PIN_CHAIN_LOAD) &= (uint8_t)~BIT(PIN_CHAIN_LOAD);
    PORT(PIN_CHAIN_LOAD) |= BIT(PIN_CHAIN_LOAD);
    for (uint8_t i = 0; i < CHAIN_BYTES; i++)
        data[i] = chain_byte();
    in->chain_ok = data[CHAIN_SENTINEL_BYTE] == CHAIN_SENTINEL;
    if (!in->chain_ok)
        return;
    for (uint8_t i = 0; i < CHAIN_SENTINEL_BYTE; i++)
        data[i] = (uint8_t)~data[i]; /* contacts pull to ground */
    for (uint8_t side = 0; side < PG_SIDES; side++) {
        in->walls[side] = bits(data, (uint8_t)(CHAIN_WALL_BITS * side), CHAIN_WALL_BITS);
        uint8_t from = (uint8_t)(8u * CHAIN_KEYS_BYTE + PG_KEY_COUNT * side);
        in->keys[side] = (uint16_t)bits(data, from, PG_KEY_COUNT);
    }
    in->sticks = (uint8_t)bits(data, (uint8_t)(8u * CHAIN_KEYS_BYTE + 4u * PG_KEY_COUNT), 4);
}

void hal_read(inputs_t *in) {
    uint32_t supply, current;
    uint16_t supplies, currents, peak;
    uint8_t a = (uint8_t)~PINA;
    uint8_t k = (uint8_t)~PINK;
    in->ends = (uint8_t)((a & BIT(PIN_HATCH_OPEN) ? PG_ENDS_HATCH_OPEN : 0) |
                         (a & BIT(PIN_HATCH_CLOSED) ? PG_ENDS_HATCH_CLOSED : 0) |
                         (a & BIT(PIN_LIFT_UP) ? PG_ENDS_LIFT_UP : 0) |
                         (a & BIT(PIN_LIFT_DOWN) ? PG_ENDS_LIFT_DOWN : 0));
    in->dice_tray = a & BIT(PIN_DICE_TRAY);
    in->start_key = a & BIT(PIN_START_KEY);
    in->stop = !(a & BIT(PIN_STOP));
    in->hand = !(a & BIT(PIN_HAND));
    in->push_heads = k & 0x0F;
    in->platforms = k >> 4;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        supply = supply_sum;
        supplies = supply_count;
        current = current_sum;
        currents = current_count;
        peak = vibration_peak;
        supply_sum = current_sum = 0;
        supply_count = current_count = vibration_peak = 0;
    }
    if (supplies) {
        uint32_t mv = supply / supplies * ADC_REFERENCE_MV / 1024u;
        in->supply_mv = (uint16_t)(mv * SUPPLY_RATIO_X10 / 10u);
    }
    if (currents) {
        uint16_t mean = (uint16_t)(current / currents);
        uint16_t off = mean > CURRENT_ZERO ? mean - CURRENT_ZERO : CURRENT_ZERO - mean;
        in->motor_ma = (uint16_t)((uint32_t)off * CURRENT_MA_PER_10_COUNTS / 10u);
    }
    in->vibration_mg = (uint16_t)((uint32_t)peak * VIBRATION_MG_PER_10_COUNTS / 10u);
    read_chain(in);
}

static void put(volatile uint8_t *port, uint8_t mask, bool on) {
    if (on)
        *port |= mask;
    else
        *port &= (uint8_t)~mask;
}

void hal_write(const outputs_t *out) {
    /* The enabling relay goes off first and on last. */
    if (!out->motor_enable)
        put(&PORTC, BIT(PIN_MOTOR_ENABLE), false);
    put(&PORTC, BIT(PIN_START_BUTTON), out->start_button);
    put(&PORTC, BIT(PIN_DRIVE_HATCH_OPEN), out->hatch_open);
    put(&PORTC, BIT(PIN_DRIVE_HATCH_CLOSE), out->hatch_close);
    put(&PORTC, BIT(PIN_DRIVE_LIFT_UP), out->lift_up);
    put(&PORTC, BIT(PIN_DRIVE_LIFT_DOWN), out->lift_down);
    put(&PORTC, BIT(PIN_DICE_MOTOR), out->dice_motor);
    put(&PORTC, BIT(PIN_BUZZER), out->buzzer);
    PORTL = (uint8_t)((out->seat_lamps & 0x0F) | (out->dealer_lamp << 4));
    if (out->motor_enable)
        put(&PORTC, BIT(PIN_MOTOR_ENABLE), true);
}

bool hal_rx(uint8_t *byte) {
    if (rx_tail == rx_head)
        return false;
    *byte = rx[rx_tail];
    rx_tail = (uint8_t)(rx_tail + 1);
    return true;
}

bool hal_tx(const uint8_t *data, uint8_t length) {
    uint8_t room = (uint8_t)(tx_tail - tx_head - 1);
    if (length > room)
        return false;
    for (uint8_t i = 0; i < length; i++) {
        tx[tx_head] = data[i];
        tx_head = (uint8_t)(tx_head + 1);
    }
    UCSR0B |= _BV(UDRIE0);
    return true;
}

uint32_t hal_boot_id(void) {
    return boot_id;
}

uint32_t hal_serial(void) {
    return eeprom_read_dword(EEPROM_SERIAL);
}

bool hal_watchdog_fired(void) {
    return watchdog_fired;
}

void hal_watchdog_feed(void) {
    wdt_reset();
    WDTCSR |= _BV(WDIE); /* the interrupt has switched it off */
    hung = 0;
}

void hal_idle(void) {
    sleep_mode();
}
