// Snapshots stored as changes: the blocks in which a snapshot differs from the next later one.
#include "level/snapshot_changes.h"

#define BLOCK 64u
#define PAGE (64u * BLOCK)

ct_status ct_changed_pages_reserve(ct_changed_pages *pages, const ct_snapshot *snapshot) {
    size_t most = snapshot->bytes / PAGE + snapshot->piece_count + 1;
    if (most > UINT32_MAX / 2) return CT_ERR_MEMORY;
    return ct_array_reserve(snapshot->allocator, (void **)&pages->items, &pages->capacity,
                            (uint32_t)most, sizeof *pages->items);
}

void ct_changed_pages_free(ct_changed_pages *pages, const ct_allocator *allocator) {
    ct_free(allocator, pages->items, pages->capacity * sizeof *pages->items);
    *pages = (ct_changed_pages){0};
}

// Returns the bytes of a part; 0 if there is none of this number.
static size_t part_bytes(const ct_snapshot *snapshot, uint32_t part) {
    if (part == 0) return ct_snapshot_table_bytes(snapshot->piece_count);
    if (part > snapshot->piece_count) return 0;
    return (size_t)((const uint32_t *)snapshot->block)[part - 1] * 16;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// ---------------------------------------------------------------- comparison

// Compares two blocks.
static bool differs(const unsigned char *a, const unsigned char *b) {
    uint64_t sum = 0;
    for (uint32_t at = 0; at < BLOCK; at += 8) {
        uint64_t x, y;
        memcpy(&x, a + at, sizeof x);
        memcpy(&y, b + at, sizeof y);
        sum |= x ^ y;
    }
    return sum != 0;
}

// Returns the marks of a page of 'bytes' bytes; 'later_bytes' are in the rest of the later part. If
// there are none, 'later' is not read.
static uint64_t compare_page(const unsigned char *older, size_t bytes, const unsigned char *later,
                             size_t later_bytes) {
    uint64_t marks = 0;
    if (bytes <= later_bytes && memcmp(older, later, bytes) == 0) return 0;
    for (uint32_t b = 0; b * BLOCK < bytes; ++b) {
        size_t at = (size_t)b * BLOCK, length = smaller(BLOCK, bytes - at);
        bool changed = at + length > later_bytes;
        if (!changed && length == BLOCK) changed = differs(older + at, later + at);
        if (!changed && length < BLOCK) changed = memcmp(older + at, later + at, length) != 0;
        marks |= (uint64_t)changed << b;
    }
    return marks;
}

static uint32_t count_marks(uint64_t marks) {
    uint32_t count = 0;
    for (; marks != 0; marks &= marks - 1)
        count++;
    return count;
}

void ct_changed_pages_compare(ct_changed_pages *pages, const ct_snapshot *older,
                              const ct_snapshot *newer) {
    const unsigned char *from = older->block, *later = newer->block;
    pages->count = 0;
    pages->blocks = 0;
    for (uint32_t part = 0; part <= older->piece_count; ++part) {
        size_t bytes = part_bytes(older, part), later_bytes = part_bytes(newer, part), at = 0;
        for (uint32_t number = 0; at < bytes; ++number, at += PAGE) {
            size_t rest = later_bytes > at ? later_bytes - at : 0;
            uint64_t marks = compare_page(from + at, smaller(PAGE, bytes - at),
                                          later + (rest > 0 ? at : 0), rest);
            if (marks == 0) continue;
            CT_ASSERT(pages->count < pages->capacity);
            pages->items[pages->count++] = (ct_changed_page){part, number, marks};
            pages->blocks += count_marks(marks);
        }
        from += bytes;
        later += later_bytes;
    }
}

// ---------------------------------------------------------------- storage

// Copies the changed blocks of a page of 'bytes' bytes to, or back from, 'blocks'. Blocks beyond
// the end of the page are skipped. Returns the next of 'blocks'.
static unsigned char *copy_page(uint64_t marks, unsigned char *page, size_t bytes,
                                unsigned char *blocks, bool back) {
    for (size_t at = 0; marks != 0; marks >>= 1, at += BLOCK) {
        if ((marks & 0xFF) == 0) {
            marks >>= 7;
            at += (size_t)7 * BLOCK;
        } else if ((marks & 1) != 0) {
            size_t length = at < bytes ? smaller(BLOCK, bytes - at) : 0;
            if (length > 0) memcpy(back ? page + at : blocks, back ? blocks : page + at, length);
            if (!back && length < BLOCK) memset(blocks + length, 0, BLOCK - length);
            blocks += BLOCK;
        }
    }
    return blocks;
}

// Copies the blocks of these pages between a complete snapshot and 'blocks'.
static void copy_pages(const ct_changed_page *pages, uint32_t count, const ct_snapshot *snapshot,
                       uint32_t first_part, unsigned char *blocks, bool back) {
    unsigned char *at = snapshot->block;
    uint32_t part = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (; part < pages[i].part; ++part)
            at += part_bytes(snapshot, part);
        size_t bytes = part_bytes(snapshot, part), start = (size_t)pages[i].number * PAGE;
        size_t rest = part >= first_part && start < bytes ? bytes - start : 0;
        blocks = copy_page(pages[i].marks, at + (rest > 0 ? start : 0), rest, blocks, back);
    }
}

void ct_changes_write(void *changes, const ct_changed_pages *pages, const ct_snapshot *older) {
    size_t bytes = pages->count * sizeof *pages->items;
    if (bytes == 0) return;
    memcpy(changes, pages->items, bytes);
    copy_pages(pages->items, pages->count, older, 0, (unsigned char *)changes + bytes, false);
}

void ct_changes_begin(ct_snapshot *to, const ct_snapshot *later, ct_changes_part selected) {
    unsigned char *at = to->block;
    const unsigned char *from = later->block;
    uint32_t end = selected == CT_CHANGES_TABLE ? 0 : to->piece_count;
    for (uint32_t part = 0; part <= end; ++part) {
        size_t bytes = part_bytes(to, part), later_bytes = part_bytes(later, part);
        bool copies = (part == 0) == (selected == CT_CHANGES_TABLE);
        if (copies && bytes > 0 && later_bytes > 0) memcpy(at, from, smaller(bytes, later_bytes));
        at += bytes;
        from += later_bytes;
    }
}

void ct_changes_apply(ct_snapshot *to, const void *changes, uint32_t page_count,
                      ct_changes_part selected) {
    const ct_changed_page *pages = changes;
    if (page_count == 0) return;
    unsigned char *blocks = (unsigned char *)(uintptr_t)(pages + page_count);
    uint32_t table = 0;
    while (table < page_count && pages[table].part == 0)
        table++;
    if (selected == CT_CHANGES_TABLE) page_count = table;
    copy_pages(pages, page_count, to, selected == CT_CHANGES_TABLE ? 0 : 1, blocks, true);
}
