#pragma once
#ifdef __linux__
#include <string.h>
#include <sys/timex.h>

/// 1 if the kernel says that something keeps its clock right (adjtimex(2), which changes nothing
/// with mode 0). 0 also when it says nothing, as in many containers.
static inline int lifesignal_clock_is_synchronised(void) {
    struct timex state;
    memset(&state, 0, sizeof state);
    int result = adjtimex(&state);
    return result >= 0 && result != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}
#endif
