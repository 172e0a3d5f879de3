#pragma once

/// Reserves the disk blocks of the first bytes of an open file and leaves its length and content as
/// they are. Swift does not see Linux's `fallocate`. Returns 0 where the system or the file system
/// can't do it, and 1 if it can, even on a full disk.
int csqlite_reserve(int file, long long bytes);

/// Returns 1 if SQLite uses the page cache of PageCache.c.
int csqlite_knows_highest_page(void);
