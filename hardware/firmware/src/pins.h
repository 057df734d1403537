/* Pins of the ATmega2560 (Arduino Mega 2560 numbers in brackets). hardware/pins.md is made from
 * this file: one line a pin, `#define PIN_NAME port, bit // [D22] what it is`. */
#ifndef PG_PINS_H
#define PG_PINS_H

/* Inputs with pull-up; a switch pulls to ground, so a broken wire reads "not there". */
#define PIN_HATCH_OPEN A, 0   // [D22] end switch, hatch fully open
#define PIN_HATCH_CLOSED A, 1 // [D23] end switch, hatch closed
#define PIN_LIFT_UP A, 2      // [D24] end switch, lift at the top
#define PIN_LIFT_DOWN A, 3    // [D25] end switch, lift at the bottom
#define PIN_DICE_TRAY A, 4    // [D26] dice lie in their tray
#define PIN_START_KEY A, 5    // [D27] start button on the table
/* The other way round: a normally closed contact holds the pin at ground, so a broken wire reads
 * "pressed" or "hand inside". */
#define PIN_STOP A, 6 // [D28] emergency stop, second contact block
#define PIN_HAND A, 7 // [D29] light curtain over the hatch, relay contact
/* Photo sensors, open collector, low while dark. */
#define PIN_PUSH_HEAD_0 K, 0 // [A8] push head, side 0
#define PIN_PUSH_HEAD_1 K, 1 // [A9] push head, side 1
#define PIN_PUSH_HEAD_2 K, 2 // [A10] push head, side 2
#define PIN_PUSH_HEAD_3 K, 3 // [A11] push head, side 3
#define PIN_PLATFORM_0 K, 4  // [A12] platform, side 0
#define PIN_PLATFORM_1 K, 5  // [A13] platform, side 1
#define PIN_PLATFORM_2 K, 6  // [A14] platform, side 2
#define PIN_PLATFORM_3 K, 7  // [A15] platform, side 3
/* Outputs to the relay and MOSFET board, high is on; pulled down while the board is in reset. */
#define PIN_MOTOR_ENABLE C, 0 // [D37] relay in the supply of all drives
#define PIN_START_BUTTON C, 1 // [D36] opto-coupler across the table's own button
#define PIN_DRIVE_HATCH_OPEN C, 2  // [D35] H bridge, hatch open
#define PIN_DRIVE_HATCH_CLOSE C, 3 // [D34] H bridge, hatch close
#define PIN_DRIVE_LIFT_UP C, 4     // [D33] H bridge, lift up
#define PIN_DRIVE_LIFT_DOWN C, 5   // [D32] H bridge, lift down
#define PIN_DICE_MOTOR C, 6        // [D31] dice motor
#define PIN_BUZZER C, 7            // [D30] buzzer
#define PIN_SEAT_LAMP_0 L, 0       // [D49] seat lamp, side 0
#define PIN_SEAT_LAMP_1 L, 1       // [D48] seat lamp, side 1
#define PIN_SEAT_LAMP_2 L, 2       // [D47] seat lamp, side 2
#define PIN_SEAT_LAMP_3 L, 3       // [D46] seat lamp, side 3
#define PIN_DEALER_LAMP_0 L, 4     // [D45] dealer lamp, side 0
#define PIN_DEALER_LAMP_1 L, 5     // [D44] dealer lamp, side 1
#define PIN_DEALER_LAMP_2 L, 6     // [D43] dealer lamp, side 2
#define PIN_DEALER_LAMP_3 L, 7     // [D42] dealer lamp, side 3
/* Shift-register chain, fifteen 74HC165. */
#define PIN_CHAIN_LOAD B, 0  // [D53] parallel load, low
#define PIN_CHAIN_CLOCK B, 1 // [D52] clock
#define PIN_CHAIN_DATA B, 3  // [D50] serial out of the first register
/* Analogue. */
#define PIN_SUPPLY F, 0    // [A0] 12 V supply over 33 k / 10 k
#define PIN_CURRENT F, 1   // [A1] ACS712-20A in the supply of the drives
#define PIN_VIBRATION F, 2 // [A2] ADXL335, axis z
/* Serial line to the host over the board's USB bridge. */
#define PIN_RX E, 0 // [D0] from the host
#define PIN_TX E, 1 // [D1] to the host

#define CHAIN_BYTES 15u
#define CHAIN_WALL_BITS 18u     /* a side, packed from bit 0 of byte 0 */
#define CHAIN_KEYS_BYTE 9u      /* nine keys a seat, packed, then four stick trays */
#define CHAIN_SENTINEL_BYTE 14u /* inputs of the last register tied to this pattern */
#define CHAIN_SENTINEL 0xA5u

#define ADC_REFERENCE_MV 5000u
#define SUPPLY_RATIO_X10 43u         /* (33 k + 10 k) / 10 k */
#define CURRENT_ZERO 512u            /* counts at no current */
#define CURRENT_MA_PER_10_COUNTS 488u /* 100 mV per ampere */
#define VIBRATION_MG_PER_10_COUNTS 163u /* 300 mV per g */

#endif
