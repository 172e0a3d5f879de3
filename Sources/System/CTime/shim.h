#pragma once
#ifdef __linux__
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

/// 1 if the kernel says that something keeps its clock right (adjtimex(2), which changes nothing
/// with mode 0). 0 also when it says nothing, as in many containers.
static inline int lifesignal_clock_is_synchronised(void) {
    struct timex state;
    memset(&state, 0, sizeof state);
    int result = adjtimex(&state);
    return result >= 0 && result != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

/// Arms a timer that never expires, but that the kernel cancels whenever the wall clock is set or
/// the machine resumes (timerfd_create(2)). Returns 0 or an error number.
static inline int lifesignal_clock_timer_arm(int timer) {
    struct itimerspec never;
    memset(&never, 0, sizeof never);
    never.it_value.tv_sec = LONG_MAX;
    int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
    // ECANCELED: the clock was set since the last call. The timer is armed nevertheless.
    return timerfd_settime(timer, flags, &never, 0) == 0 || errno == ECANCELED ? 0 : errno;
}

/// Returns the descriptor of an armed timer; -1 if this kernel has none.
static inline int lifesignal_clock_timer(void) {
    int timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (timer < 0) return -1;
    if (lifesignal_clock_timer_arm(timer) == 0) return timer;
    close(timer);
    return -1;
}

/// Returns a descriptor that ends `lifesignal_clock_timer_wait` once 8 bytes are written to it; -1
/// without free descriptors.
static inline int lifesignal_clock_timer_end(void) { return eventfd(0, EFD_CLOEXEC); }

/// Blocks until the clock is set (1) or `end` was written to (0).
static inline int lifesignal_clock_timer_wait(int timer, int end) {
    for (;;) {
        struct pollfd both[2] = {{end, POLLIN, 0}, {timer, POLLIN, 0}};
        if (poll(both, 2, -1) < 0) continue;
        if (both[0].revents) return 0;
        if (!both[1].revents) continue;
        uint64_t expirations;
        // Fails with ECANCELED, which also makes the descriptor unreadable again.
        if (read(timer, &expirations, sizeof expirations) < 0) lifesignal_clock_timer_arm(timer);
        return 1;
    }
}
#endif
