#pragma once

/// Reserves the disk blocks of the first bytes of an open file and leaves its length and content as
/// they are. Swift does not see Linux's `fallocate`; elsewhere, and where a file system can't do
/// it, this does nothing.
void csqlite_reserve(int file, long long bytes);

/// Returns 1 if SQLite uses the page cache of PageCache.c.
int csqlite_knows_highest_page(void);
