// Writer for the bytes of a value, table by table.
#include "storage/value_writer.h"

#include "base/hash.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// Makes space for 'more' items in an array of the arena, which may move. Returns NULL if memory
// runs out.
static void *grow(const ct_value_writer *w, void *items, uint32_t count, uint32_t *capacity,
                  uint32_t more, size_t width) {
    if (count + more <= *capacity) return items;
    *capacity = 2 * (count + more) + 64;
    void *grown = ct_arena_take(w->arena, *capacity * width);
    if (grown != NULL && count > 0) memcpy(grown, items, count * width);
    return grown;
}

static ct_value_written reserve(ct_value_writer *w, uint32_t more) {
    if (w->count > CT_MAX_VALUE_BYTES) return CT_VALUE_TOO_LARGE;
    w->bytes = grow(w, w->bytes, w->count, &w->capacity, more, 1);
    return w->bytes != NULL ? CT_VALUE_WRITTEN : CT_VALUE_NO_MEMORY;
}

ct_value_written ct_value_writer_bool(ct_value_writer *w, bool value) {
    ct_value_written room = reserve(w, CT_VALUE_HEAD);
    if (room == CT_VALUE_WRITTEN) w->count += ct_value_write_bool(w->bytes + w->count, value);
    return room;
}

ct_value_written ct_value_writer_number(ct_value_writer *w, double value) {
    ct_value_written room = reserve(w, CT_VALUE_HEAD);
    if (room == CT_VALUE_WRITTEN) w->count += ct_value_write_number(w->bytes + w->count, value);
    return room;
}

ct_value_written ct_value_writer_string(ct_value_writer *w, const char *text, size_t length) {
    if (w->count > CT_MAX_VALUE_BYTES || length > CT_MAX_VALUE_BYTES - w->count)
        return CT_VALUE_TOO_LARGE;
    ct_value_written room = reserve(w, CT_VALUE_HEAD + (uint32_t)length);
    if (room != CT_VALUE_WRITTEN) return room;
    w->count += ct_value_write_string(w->bytes + w->count, (uint32_t)length);
    if (length > 0) memcpy(w->bytes + w->count, text, length);
    w->count += (uint32_t)length;
    return CT_VALUE_WRITTEN;
}

// Returns the slot of a table, which is empty if the table was not written.
static ct_written_table *slot_of(const ct_value_writer *w, const void *table) {
    uint32_t mask = w->table_capacity - 1;
    uint32_t at = (uint32_t)ct_hash_mix(0, (uintptr_t)table) & mask;
    while (w->tables[at].table != NULL && w->tables[at].table != table)
        at = (at + 1) & mask;
    return &w->tables[at];
}

static uint32_t bytes_written(const ct_value_writer *w, const void *table) {
    return w->table_count > 0 ? slot_of(w, table)->bytes : 0;
}

static bool reserve_table(ct_value_writer *w) {
    const ct_written_table *old = w->tables;
    uint32_t capacity = w->table_capacity;
    if (w->table_count * 2 < capacity) return true;
    w->table_capacity = capacity > 0 ? capacity * 2 : 16;
    w->tables = ct_arena_take(w->arena, w->table_capacity * sizeof *old);
    if (w->tables == NULL) return false;
    memset(w->tables, 0, w->table_capacity * sizeof *old);
    for (uint32_t i = 0; i < capacity; ++i)
        if (old[i].table != NULL) *slot_of(w, old[i].table) = old[i];
    return true;
}

static bool note_table(ct_value_writer *w, const void *table, uint32_t bytes) {
    if (!reserve_table(w)) return false;
    *slot_of(w, table) = (ct_written_table){table, bytes};
    w->table_count++;
    return true;
}

ct_value_written ct_value_writer_begin(ct_value_writer *w, const void *table, uint32_t items) {
    if (w->depth == CT_MAX_VALUE_DEPTH) return CT_VALUE_TOO_DEEP;
    ct_value_written room = reserve(w, CT_VALUE_HEAD);
    if (room != CT_VALUE_WRITTEN) return room;
    if (w->repeats == 0) {
        uint32_t again = bytes_written(w, table);
        if (again > CT_MAX_REPEATED_BYTES - w->repeated) return CT_VALUE_REPEATED;
        w->repeated += again;
        if (again > 0) w->repeats = w->depth + 1;
    }
    w->frames[w->depth++] =
        (ct_value_frame){.table = table, .head = w->count, .items = items, .first = w->start_count};
    w->count += ct_value_write_table(w->bytes + w->count, 0, 0);
    return CT_VALUE_WRITTEN;
}

ct_value_written ct_value_writer_pair(ct_value_writer *w) {
    w->starts = grow(w, w->starts, w->start_count, &w->start_capacity, 1, sizeof *w->starts);
    if (w->starts == NULL) return CT_VALUE_NO_MEMORY;
    w->starts[w->start_count++] = w->count;
    w->frames[w->depth - 1].pairs++;
    return CT_VALUE_WRITTEN;
}

static int compare(const void *one, const void *other) {
    return ct_text_compare(*(const ct_text *)one, *(const ct_text *)other);
}

// Sorts the pairs of a table, because their original order depends on the history of the table.
static bool sort_pairs(const ct_value_writer *w, const ct_value_frame *f) {
    const uint32_t *starts = w->starts + f->first;
    if (f->pairs < 2) return true;
    uint32_t bytes = w->count - starts[0];
    char *copy = ct_arena_take(w->arena, bytes);
    unsigned char *to = w->bytes + starts[0];
    ct_text *pairs = ct_arena_take(w->arena, f->pairs * sizeof *pairs);
    if (copy == NULL || pairs == NULL) return false;
    memcpy(copy, to, bytes);
    for (uint32_t i = 0; i < f->pairs; ++i) {
        uint32_t stop = i + 1 < f->pairs ? starts[i + 1] : w->count;
        pairs[i] = (ct_text){copy + (starts[i] - starts[0]), stop - starts[i]};
    }
    qsort(pairs, f->pairs, sizeof *pairs, compare);
    for (uint32_t i = 0; i < f->pairs; to += pairs[i++].length)
        memcpy(to, pairs[i].bytes, pairs[i].length);
    return true;
}

ct_value_written ct_value_writer_end(ct_value_writer *w) {
    const ct_value_frame *f = &w->frames[--w->depth];
    if (!sort_pairs(w, f)) return CT_VALUE_NO_MEMORY;
    w->start_count = f->first;
    ct_value_write_table(w->bytes + f->head, f->items, f->pairs);
    if (w->repeats == 0 && !note_table(w, f->table, w->count - f->head)) return CT_VALUE_NO_MEMORY;
    if (w->repeats == w->depth + 1) w->repeats = 0;
    return CT_VALUE_WRITTEN;
}
