#ifdef __linux__
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#endif

#include "CSQLite.h"

#include <sqlite3.h>

/// SQLite counts the memory of the whole process under one lock, at each allocation, and threads
/// wait for each other there. It takes settings only before its first use, and a constructor is
/// before all use (https://sqlite.org/c3ref/config.html, SQLITE_CONFIG_MEMSTATUS). Where SQLite is
/// in use already, it refuses and goes on counting.
__attribute__((constructor)) static void count_no_memory(void) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int csqlite_reserve(int file, long long bytes) {
#ifdef __linux__
    int result;
    do {
        result = fallocate(file, FALLOC_FL_KEEP_SIZE, 0, bytes);
    } while (result != 0 && errno == EINTR);
    return result == 0 || errno == ENOSPC || errno == EDQUOT;
#else
    (void)file;
    (void)bytes;
    return 0;
#endif
}
