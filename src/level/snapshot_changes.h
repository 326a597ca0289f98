// Snapshots stored as changes: the blocks in which a snapshot differs from the next later one.
#ifndef CT_SNAPSHOT_CHANGES_H
#define CT_SNAPSHOT_CHANGES_H

#include "level/snapshot.h"

// The parts of a snapshot are its table of sizes (part 0) and its pieces. A part of one snapshot is
// compared with the part of the same number, from its beginning on, so a piece that has grown does
// not change those behind it. A part consists of blocks of 64 bytes, and 64 blocks are a page.
// Changes are the pages with a changed block, in order, followed by the changed blocks.

/// A page with changed blocks.
typedef struct ct_changed_page {
    uint32_t part, number; ///< number of the page in its part
    uint64_t marks;        ///< bit b: block b of the page differs
} ct_changed_page;

/// Result of a comparison, in memory that the next one reuses.
typedef struct ct_changed_pages {
    ct_changed_page *items;
    uint32_t count, capacity;
    size_t blocks; ///< changed blocks in all pages
} ct_changed_pages;

/// Reserves memory for the comparison of a snapshot with another one. Returns CT_OK, or
/// CT_ERR_MEMORY with nothing changed.
ct_status ct_changed_pages_reserve(ct_changed_pages *pages, const ct_snapshot *snapshot);

/// Frees the memory.
void ct_changed_pages_free(ct_changed_pages *pages, const ct_allocator *allocator);

/// Lists the blocks of 'older' that 'newer' does not have; memory was reserved for 'older'. Costs
/// about one read of both. Allocates nothing.
void ct_changed_pages_compare(ct_changed_pages *pages, const ct_snapshot *older,
                              const ct_snapshot *newer);

/// Returns the bytes of the changes.
static inline size_t ct_changes_bytes(const ct_changed_pages *pages) {
    return pages->count * sizeof *pages->items + pages->blocks * 64;
}

/// Writes the changes to 'changes', which has ct_changes_bytes bytes: the pages, and the blocks of
/// 'older'.
void ct_changes_write(void *changes, const ct_changed_pages *pages, const ct_snapshot *older);

/// Selects the table of sizes or the pieces. The table is restored first, because it has the places
/// of the pieces.
typedef enum ct_changes_part { CT_CHANGES_TABLE, CT_CHANGES_PIECES } ct_changes_part;

/// Begins to restore a snapshot: copies a later snapshot to the block of 'to', which has the size
/// and number of pieces of the snapshot to restore. Parts that are longer there are not complete.
void ct_changes_begin(ct_snapshot *to, const ct_snapshot *later, ct_changes_part selected);

/// Applies changes with this number of pages to 'to', those of the latest snapshot first.
void ct_changes_apply(ct_snapshot *to, const void *changes, uint32_t page_count,
                      ct_changes_part selected);

#endif
