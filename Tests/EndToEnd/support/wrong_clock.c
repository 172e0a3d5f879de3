/* Loaded before the program (LD_PRELOAD). Shifts the program's wall clock by the seconds in the
   file that WRONG_CLOCK names, which may change at any time. Other clocks are unaffected. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t offset(void) {
    FILE *file = fopen(getenv("WRONG_CLOCK"), "r");
    long seconds = 0;
    if (file) {
        if (fscanf(file, "%ld", &seconds) != 1) seconds = 0;
        fclose(file);
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *moment) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, moment);
    if (clock == CLOCK_REALTIME) moment->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *time, void *zone) {
    struct timespec moment;
    int result = clock_gettime(CLOCK_REALTIME, &moment);
    time->tv_sec = moment.tv_sec;
    time->tv_usec = moment.tv_nsec / 1000;
    return result;
}

time_t time(time_t *out) {
    struct timespec moment;
    clock_gettime(CLOCK_REALTIME, &moment);
    if (out) *out = moment.tv_sec;
    return moment.tv_sec;
}
