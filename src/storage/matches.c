// Cached matches of a query: rows of several managers that belong to the same entities.
#include "storage/matches.h"

#include <string.h>

void ct_matches_init(ct_matches *matches, const ct_allocator *allocator, uint32_t count,
                     ct_manager *const *managers, const ct_query_role *roles) {
    CT_ASSERT(count > 0 && count <= CT_MAX_JOINED && roles[0] == CT_QUERY_REQUIRED);
    *matches = (ct_matches){.allocator = allocator, .part_count = count};
    for (uint32_t i = 0; i < count; ++i) {
        matches->parts[i].manager = managers[i];
        matches->parts[i].role = roles[i];
    }
}

void ct_matches_trim(ct_matches *matches) {
    for (uint32_t i = 0; i < matches->part_count; ++i) {
        ct_matches_part *part = &matches->parts[i];
        ct_free(matches->allocator, part->rows, part->capacity * sizeof *part->rows);
        part->rows = NULL;
        part->capacity = 0;
    }
    matches->count = 0;
    matches->found = false;
}

void ct_matches_link(ct_matches *matches, ct_matches **list) {
    matches->next = *list;
    matches->link = list;
    if (*list != NULL) (*list)->link = &matches->next;
    *list = matches;
}

void ct_matches_unlink(ct_matches *matches) {
    if (matches->link == NULL) return;
    *matches->link = matches->next;
    if (matches->next != NULL) matches->next->link = matches->link;
    matches->next = NULL;
    matches->link = NULL;
}

static uint32_t deaths_of(const ct_matches *matches) {
    return matches->parts[0].manager->store.entities->deaths;
}

bool ct_matches_are_valid(const ct_matches *matches) {
    if (!matches->found || matches->deaths != deaths_of(matches)) return false;
    for (uint32_t i = 0; i < matches->part_count; ++i) {
        const ct_matches_part *part = &matches->parts[i];
        if (part->structure != ct_store_structure(&part->manager->store)) return false;
    }
    return true;
}

// Returns an upper bound of the number of matches.
static uint32_t most_matches(const ct_matches *matches) {
    const ct_store *first = &matches->parts[0].manager->store;
    uint32_t most = ct_store_count(first);
    for (uint32_t i = 1; i < matches->part_count && !first->multiple; ++i) {
        uint32_t count = ct_store_count(&matches->parts[i].manager->store);
        if (matches->parts[i].role == CT_QUERY_REQUIRED && count < most) most = count;
    }
    return most;
}

// Lists the rows of a part that were described by its offset.
static ct_status list_rows(ct_matches *matches, ct_matches_part *part) {
    uint32_t most = most_matches(matches);
    if (part->capacity < most) {
        ct_free(matches->allocator, part->rows, part->capacity * sizeof *part->rows);
        part->rows = ct_alloc(matches->allocator, most * sizeof *part->rows);
        part->capacity = part->rows != NULL ? most : 0;
        if (part->rows == NULL) return CT_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < matches->count; ++i)
        part->rows[i] = i + part->offset;
    part->listed = true;
    return CT_OK;
}

// Adds 'length' consecutive rows, from 'row' on, to one part.
static ct_status add_rows(ct_matches *matches, ct_matches_part *part, uint32_t row,
                          uint32_t length) {
    if (matches->count == 0) part->offset = row;
    bool straight = row != CT_NO_ROW && row == matches->count + part->offset;
    if (!part->listed && !straight && list_rows(matches, part) != CT_OK) return CT_ERR_MEMORY;
    if (!part->listed) return CT_OK;
    for (uint32_t i = 0; i < length; ++i)
        part->rows[matches->count + i] = row == CT_NO_ROW ? CT_NO_ROW : row + i;
    return CT_OK;
}

static ct_status find(ct_matches *matches, ct_query *loop) {
    uint32_t fault, last = CT_NO_ROW;
    for (; ct_query_next_run(loop, last, &fault) == CT_QUERY_ROW; last = loop->stop - 1) {
        uint32_t length = loop->stop - loop->first;
        for (uint32_t i = 0; i < matches->part_count; ++i) {
            ct_matches_part *part = &matches->parts[i];
            if (part->role == CT_QUERY_EXCLUDED) continue;
            // For a run of several rows, the current row of the loop is the first one.
            ct_status status = add_rows(matches, part, ct_query_row(loop, i).i, length);
            if (status != CT_OK) return status;
        }
        matches->count += length;
    }
    return CT_OK;
}

ct_status ct_matches_refresh(ct_matches *matches) {
    if (CT_LIKELY(ct_matches_are_valid(matches))) return CT_OK;
    ct_manager *managers[CT_MAX_JOINED];
    ct_query_role roles[CT_MAX_JOINED];
    ct_query loop;
    for (uint32_t i = 0; i < matches->part_count; ++i) {
        ct_matches_part *part = &matches->parts[i];
        managers[i] = part->manager;
        roles[i] = part->role;
        part->listed = false;
        part->structure = ct_store_structure(&part->manager->store);
    }
    matches->count = 0;
    matches->deaths = deaths_of(matches);
    ct_query_begin(&loop, matches->part_count, managers, roles);
    ct_status status = find(matches, &loop);
    matches->found = status == CT_OK;
    if (status != CT_OK) matches->count = 0;
    return status;
}

uint32_t ct_matches_entities(const ct_matches *matches, ct_entity *out) {
    const ct_store *store = &matches->parts[0].manager->store;
    uint32_t count = 0;
    for (uint32_t i = 0; i < matches->count; ++i) {
        ct_row row = ct_matches_row(matches, 0, i);
        ct_entity e = ct_store_owners(store)[row.i];
        if (!store->multiple || ct_store_find(store, e).i == row.i) out[count++] = e;
    }
    return count;
}

// Returns the text of a string or enum field, without bytes if the component is absent.
static ct_text text_of(ct_manager *manager, uint32_t number, ct_row row) {
    if (row.i == CT_NO_ROW) return (ct_text){NULL, 0};
    const ct_field *field = &manager->fields[number];
    const void *item = ct_manager_read(manager, number, row);
    if (field->type == CT_FIELD_ENUM) return field->labels[*(const uint8_t *)item];
    return ct_string_pool_text(manager->strings, *(const ct_string *)item);
}

size_t ct_matches_copy_texts(const ct_matches *matches, uint32_t part, uint32_t field, void *out,
                             size_t room) {
    ct_manager *manager = matches->parts[part].manager;
    ct_text *texts = out;
    size_t bytes = matches->count * sizeof *texts + 1;
    for (uint32_t i = 0; i < matches->count; ++i)
        bytes += text_of(manager, field, ct_matches_row(matches, part, i)).length;
    if (bytes > room || out == NULL) return bytes;
    char *at = (char *)(texts + matches->count);
    for (uint32_t i = 0; i < matches->count; ++i) {
        texts[i] = text_of(manager, field, ct_matches_row(matches, part, i));
        if (texts[i].bytes == NULL) continue;
        texts[i].bytes = memcpy(at, texts[i].bytes, texts[i].length);
        at += texts[i].length;
    }
    return bytes;
}

size_t ct_matches_bytes(const ct_matches *matches) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < matches->part_count; ++i)
        bytes += matches->parts[i].capacity * sizeof *matches->parts[i].rows;
    return bytes;
}
