#ifdef __linux__
#define _GNU_SOURCE
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

void csqlite_reserve(int file, long long bytes) {
#ifdef __linux__
    (void)fallocate(file, FALLOC_FL_KEEP_SIZE, 0, bytes);
#else
    (void)file;
    (void)bytes;
#endif
}
