#include "board.h"
#include "hal.h"

int main(void) {
    hal_init();
    board_init();
    for (;;) {
        board_poll();
        hal_idle();
    }
}
