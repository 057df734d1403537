#define _GNU_SOURCE
#include "harness.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

inputs_t harness_in = {
    .ends = PG_ENDS_HATCH_CLOSED | PG_ENDS_LIFT_DOWN,
    .dice_tray = true,
    .supply_mv = 12000,
    .chain_ok = true,
};

static int master = -1, slave = -1;
static char line[256];
static size_t filled;

static void plug(void) {
    struct termios raw;
    char name[128];
    if (openpty(&master, &slave, name, NULL, NULL) != 0) {
        perror("openpty");
        exit(1);
    }
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    fcntl(master, F_SETFL, O_NONBLOCK);
    printf("port %s\n", name);
    fflush(stdout);
}

static void unplug(void) {
    close(master);
    close(slave);
    master = slave = -1;
}

void harness_start(void) {
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    plug();
}

static harness_t obey(const char *text) {
    char name[32];
    unsigned long a = 0, b = 0;
    int fields = sscanf(text, "%31s %lu %lu", name, &a, &b);
    if (fields < 1)
        return HARNESS_GO_ON;
    if (strcmp(text, "reset") == 0)
        return HARNESS_RESET;
    if (strcmp(text, "reset watchdog") == 0)
        return HARNESS_WATCHDOG;
    if (strcmp(name, "quit") == 0)
        return HARNESS_QUIT;
    if (strcmp(name, "unplug") == 0)
        unplug();
    else if (strcmp(name, "plug") == 0)
        plug();
    else if (strcmp(name, "ends") == 0)
        harness_in.ends = (uint8_t)a;
    else if (strcmp(name, "wall") == 0 && a < PG_SIDES)
        harness_in.walls[a] = (uint32_t)b;
    else if (strcmp(name, "keys") == 0 && a < PG_SIDES)
        harness_in.keys[a] = (uint16_t)b;
    else if (strcmp(name, "start_key") == 0)
        harness_in.start_key = a;
    else if (strcmp(name, "dice_tray") == 0)
        harness_in.dice_tray = a;
    else if (strcmp(name, "sticks") == 0)
        harness_in.sticks = (uint8_t)a;
    else if (strcmp(name, "push_heads") == 0)
        harness_in.push_heads = (uint8_t)a;
    else if (strcmp(name, "platforms") == 0)
        harness_in.platforms = (uint8_t)a;
    else if (strcmp(name, "vibration_mg") == 0)
        harness_in.vibration_mg = (uint16_t)a;
    else if (strcmp(name, "motor_ma") == 0)
        harness_in.motor_ma = (uint16_t)a;
    else if (strcmp(name, "supply_mv") == 0)
        harness_in.supply_mv = (uint16_t)a;
    else if (strcmp(name, "stop") == 0)
        harness_in.stop = a;
    else if (strcmp(name, "hand") == 0)
        harness_in.hand = a;
    else if (strcmp(name, "chain_ok") == 0)
        harness_in.chain_ok = a;
    else {
        fprintf(stderr, "not understood: %s\n", text);
        exit(2);
    }
    return HARNESS_GO_ON;
}

harness_t harness_poll(int timeout_us) {
    struct pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}, {master, POLLIN, 0}};
    struct timespec wait = {0, timeout_us * 1000L};
    if (ppoll(fds, master < 0 ? 1 : 2, &wait, NULL) <= 0)
        return HARNESS_GO_ON;
    char data[4096];
    ssize_t size = read(STDIN_FILENO, data, sizeof data);
    if (size == 0)
        return HARNESS_QUIT;
    harness_t what = HARNESS_GO_ON;
    for (ssize_t i = 0; i < size; i++) {
        if (data[i] != '\n') {
            if (filled + 1 < sizeof line)
                line[filled++] = data[i];
            continue;
        }
        line[filled] = 0;
        filled = 0;
        harness_t said = obey(line);
        if (said != HARNESS_GO_ON)
            what = said;
    }
    return what;
}

int harness_read(uint8_t *data, int size) {
    ssize_t got = master < 0 ? 0 : read(master, data, (size_t)size);
    return got > 0 ? (int)got : 0;
}

void harness_write(const uint8_t *data, int size) {
    /* Nobody listening: the bytes are gone, as on a real line. */
    if (master >= 0 && write(master, data, (size_t)size) < 0)
        return;
}

void harness_outputs(const outputs_t *out) {
    static outputs_t last;
    static bool said;
    if (said && memcmp(&last, out, sizeof last) == 0)
        return;
    said = true;
    memcpy(&last, out, sizeof last);
    printf("out %d %d %d %d %d %d %d %d %d %d\n", out->motor_enable, out->start_button,
           out->hatch_open, out->hatch_close, out->lift_up, out->lift_down, out->dice_motor,
           out->buzzer, out->seat_lamps, out->dealer_lamp);
    fflush(stdout);
}
