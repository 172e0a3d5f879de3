#include "CSQLite.h"

#include <sqlite3.h>
#include <stdlib.h>

// SQLite's own page cache, which here also knows the highest page that it holds.
//
// After each commit SQLite removes the pages beyond the end of the database. Its cache skips that
// if it never held a higher page. But a split of a B-tree gives a page the number of the lock page
// (at 1 GiB) for a moment, so each commit would look at every page of a large cache: a sixth of the
// time of a check-in.

typedef struct {
    sqlite3_pcache *pages;
    /// No page in the cache has a higher number, except `moved`.
    unsigned highest;
    /// The number of a page that has been moved above `highest`; 0 if there is none.
    unsigned moved;
} cache;

static sqlite3_pcache_methods2 sqlite;
static int is_in_use;

static sqlite3_pcache *pages(sqlite3_pcache *self) { return ((cache *)self)->pages; }

static sqlite3_pcache *create(int page_size, int extra_size, int is_purgeable) {
    cache *self = calloc(1, sizeof(cache));
    if (self == NULL) return NULL;
    self->pages = sqlite.xCreate(page_size, extra_size, is_purgeable);
    if (self->pages == NULL) {
        free(self);
        return NULL;
    }
    return (sqlite3_pcache *)self;
}

static void set_size(sqlite3_pcache *self, int size) { sqlite.xCachesize(pages(self), size); }

static int count(sqlite3_pcache *self) { return sqlite.xPagecount(pages(self)); }

static sqlite3_pcache_page *fetch(sqlite3_pcache *self, unsigned number, int may_create) {
    cache *known = (cache *)self;
    sqlite3_pcache_page *page = sqlite.xFetch(known->pages, number, may_create);
    if (page != NULL && number > known->highest) known->highest = number;
    return page;
}

static void unpin(sqlite3_pcache *self, sqlite3_pcache_page *page, int must_discard) {
    sqlite.xUnpin(pages(self), page, must_discard);
}

static void move(
    sqlite3_pcache *self, sqlite3_pcache_page *page, unsigned from, unsigned to) {
    cache *known = (cache *)self;
    sqlite.xRekey(known->pages, page, from, to);
    if (from == known->moved) known->moved = 0;
    if (to <= known->highest) return;
    if (known->moved > known->highest) known->highest = known->moved;
    known->moved = to;
}

static void truncate_at(sqlite3_pcache *self, unsigned end) {
    cache *known = (cache *)self;
    if (end > known->highest && end > known->moved) return;
    sqlite.xTruncate(known->pages, end);
    unsigned last = end > 0 ? end - 1 : 0;
    if (known->highest > last) known->highest = last;
    if (known->moved > last) known->moved = 0;
}

static void destroy(sqlite3_pcache *self) {
    sqlite.xDestroy(pages(self));
    free(self);
}

static void shrink(sqlite3_pcache *self) { sqlite.xShrink(pages(self)); }

/// As in CSQLite.c, SQLite takes this only before its first use.
__attribute__((constructor)) static void use_cache(void) {
    if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &sqlite) != SQLITE_OK) return;
    sqlite3_pcache_methods2 methods = sqlite;
    methods.xCreate = create;
    methods.xCachesize = set_size;
    methods.xPagecount = count;
    methods.xFetch = fetch;
    methods.xUnpin = unpin;
    methods.xRekey = move;
    methods.xTruncate = truncate_at;
    methods.xDestroy = destroy;
    methods.xShrink = shrink;
    is_in_use = sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods) == SQLITE_OK;
}

int csqlite_knows_highest_page(void) { return is_in_use; }
