/* Loaded before the program (LD_PRELOAD): its files reach the disk late, by the milliseconds that
   stand in the first four bytes of the file that SLOW_DISK names. The file is mapped once, so that
   this needs neither a descriptor nor memory later. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const volatile uint32_t *milliseconds;

__attribute__((constructor)) static void map(void) {
    const char *path = getenv("SLOW_DISK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(0, sizeof(uint32_t), PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) milliseconds = page;
    close(file);
}

static void wait(void) {
    uint32_t delay = milliseconds ? *milliseconds : 0;
    struct timespec rest = {delay / 1000, (long)(delay % 1000) * 1000000};
    if (delay) nanosleep(&rest, 0);
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait();
    return real(file);
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait();
    return real(file);
}
