/* The test's end of a board that runs on the host: a pseudo-terminal for the line, commands on
 * standard input for the inputs, lines on standard output for the outputs.
 *
 * In:  "ends 10", "wall SIDE BITS", "keys SEAT BITS", "stop 1", ... (names of inputs_t),
 *      "reset", "reset watchdog", "unplug", "plug", "quit"
 * Out: "port PATH", "out ENABLE START OPEN CLOSE UP DOWN DICE BUZZER SEATS DEALER" */
#ifndef PG_HARNESS_H
#define PG_HARNESS_H

#include "../src/io.h"

typedef enum { HARNESS_GO_ON, HARNESS_RESET, HARNESS_WATCHDOG, HARNESS_QUIT } harness_t;

extern inputs_t harness_in;

void harness_start(void);
harness_t harness_poll(int timeout_us); /* waits, then reads what the test said */
int harness_read(uint8_t *data, int size); /* bytes from the host; 0: none */
void harness_write(const uint8_t *data, int size);
void harness_outputs(const outputs_t *out); /* said when they differ from the last */

#endif
