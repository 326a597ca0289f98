// Queries: rows of several managers that belong to the same entities, kept between uses.
#include "storage/query.h"

#include "base/math.h"
#include "storage/manager_access.h"
#include "storage/store_internal.h"

#include <string.h>

void ct_query_init(ct_query *query, const ct_allocator *allocator, ct_query **list, uint32_t count,
                   ct_manager *const *managers, const ct_query_role *roles) {
    CT_ASSERT(count > 0 && count <= CT_MAX_JOINED);
    *query = (ct_query){.allocator = allocator, .part_count = count, .next = *list, .link = list};
    memcpy(query->managers, managers, count * sizeof(ct_manager *));
    if (roles != NULL) memcpy(query->roles, roles, count * sizeof *roles);
    CT_ASSERT(query->roles[0] == CT_QUERY_REQUIRED);
    if (*list != NULL) (*list)->link = &query->next;
    *list = query;
}

ct_query *ct_query_new(const ct_allocator *allocator, ct_query **list, uint32_t count,
                       ct_manager *const *managers, const ct_query_role *roles) {
    ct_query *query = ct_alloc(allocator, sizeof *query);
    if (query == NULL) return NULL;
    ct_query_init(query, allocator, list, count, managers, roles);
    query->owned = true;
    return query;
}

static void free_rows(ct_query *query) {
    for (uint32_t i = 0; i < query->part_count; ++i) {
        ct_query_part *part = &query->parts[i];
        ct_free(query->allocator, part->rows, part->capacity * sizeof *part->rows);
        part->rows = NULL;
        part->capacity = 0;
    }
    ct_free(query->allocator, query->tuples, query->tuple_capacity * sizeof *query->tuples);
    query->tuples = NULL;
    query->count = query->tuple_capacity = query->tuple_finds = 0;
    query->found = query->has_short_runs = false;
}

void ct_query_trim(ct_query *query) {
    if (query->found) ct_query_leave(query);
    free_rows(query);
}

void ct_query_free(ct_query *query) {
    if (query == NULL || query->link == NULL) return;
    free_rows(query);
    *query->link = query->next;
    if (query->next != NULL) query->next->link = query->link;
    query->link = NULL;
    if (query->owned) ct_free(query->allocator, query, sizeof *query);
}

void ct_query_end(ct_query *list, const ct_manager *manager) {
    for (ct_query *query = list; query != NULL; query = query->next) {
        bool used = manager == NULL;
        for (uint32_t i = 0; i < query->part_count; ++i)
            used = used || query->managers[i] == manager;
        if (!used) continue;
        ct_query_trim(query);
        query->ended = true;
    }
}

static const ct_entity_manager *entities_of(const ct_query *query) {
    return query->managers[0]->store.entities;
}

bool ct_query_is_valid(const ct_query *query) {
    if (!query->found) return false;
    if (query->structure == entities_of(query)->structure) return true;
    if (query->deaths != entities_of(query)->deaths) return false;
    for (uint32_t i = 0; i < query->part_count; ++i) {
        if (query->parts[i].structure != ct_store_structure(&query->managers[i]->store))
            return false;
    }
    return true;
}

// Adds 'length' consecutive rows, from 'row' on, to one part. Lists the rows of the part from the
// first one on that does not follow the others.
static ct_status add_rows(ct_query *query, ct_query_part *part, uint32_t row, uint32_t length) {
    uint32_t count = query->count, step = row != CT_NO_ROW;
    if (count == 0) part->offset = row;
    if (!part->listed && row != CT_NO_ROW && row == count + part->offset) return CT_OK;
    ct_status status = ct_array_reserve(query->allocator, (void **)&part->rows, &part->capacity,
                                        count + length, sizeof *part->rows);
    if (status != CT_OK) return status;
    for (uint32_t i = 0; i < count && !part->listed; ++i)
        part->rows[i] = i + part->offset;
    for (uint32_t i = 0; i < length; ++i)
        part->rows[count + i] = row + i * step;
    part->listed = true;
    return CT_OK;
}

static ct_status find(ct_query *query, ct_loop *loop) {
    uint32_t fault, last = CT_NO_ROW;
    for (; ct_loop_next_run(loop, last, &fault) == CT_QUERY_ROW; last = loop->stop - 1) {
        uint32_t length = loop->stop - loop->first;
        for (uint32_t i = 0; i < query->part_count; ++i) {
            if (query->roles[i] == CT_QUERY_EXCLUDED) continue;
            // For a run of several rows, the current row of the loop is the first one.
            ct_status status = add_rows(query, &query->parts[i], ct_loop_row(loop, i).i, length);
            if (status != CT_OK) return status;
        }
        query->count += length;
        query->runs++;
    }
    return CT_OK;
}

// Returns whether a list of rows is faster to follow than the runs.
static bool has_short_runs(const ct_query *query) {
    enum { SHORT_RUN = 16 };
    bool gaps = false;
    for (uint32_t i = 0; i < query->part_count; ++i) {
        if (query->roles[i] == CT_QUERY_OPTIONAL) return false;
        gaps = gaps || query->parts[i].listed;
    }
    return gaps && query->count / SHORT_RUN < query->runs;
}

ct_status ct_query_find_again(ct_query *query) {
    ct_loop loop;
    const bool valid = ct_query_is_valid(query);
    if (!query->ended) query->structure = entities_of(query)->structure;
    if (CT_LIKELY(valid)) return CT_OK;
    if (query->ended) return CT_ERR_OVER;
    for (uint32_t i = 0; i < query->part_count; ++i) {
        query->parts[i].listed = false;
        query->parts[i].structure = ct_store_structure(&query->managers[i]->store);
    }
    query->count = query->runs = 0;
    query->finds++;
    query->deaths = entities_of(query)->deaths;
    ct_loop_begin(&loop, query->part_count, query->managers, query->roles);
    ct_status status = find(query, &loop);
    query->found = status == CT_OK;
    query->has_short_runs = has_short_runs(query);
    if (status != CT_OK) query->count = 0;
    return status;
}

const uint32_t *ct_query_tuples(ct_query *query) {
    uint32_t parts = query->part_count, count = query->count;
    if (!query->has_short_runs) return NULL;
    if (query->tuple_finds == query->finds) return query->tuples;
    if (ct_array_reserve(query->allocator, (void **)&query->tuples, &query->tuple_capacity,
                         count * parts, sizeof *query->tuples) != CT_OK)
        return NULL;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t *tuple = query->tuples + (size_t)i * parts;
        tuple[0] = ct_query_row(query, 0, i).i;
        for (uint32_t k = 1; k < parts; ++k)
            if (query->roles[k] != CT_QUERY_EXCLUDED)
                tuple[k] = ct_query_row(query, k, i).i - tuple[0];
    }
    query->tuple_finds = query->finds;
    return query->tuples;
}

ct_query_step ct_query_next_run(const ct_query *query, ct_query_run *run) {
    return ct_query_is_valid(query) ? ct_query_next_valid_run(query, run) : CT_QUERY_MOVED;
}

ct_entity ct_query_first(const ct_query *query) {
    ct_loop loop;
    uint32_t fault;
    ct_row row = {CT_NO_ROW};
    if (ct_query_is_valid(query)) {
        if (query->count > 0) row = ct_query_row(query, 0, 0);
    } else if (!query->ended) {
        ct_loop_begin(&loop, query->part_count, query->managers, query->roles);
        if (ct_loop_next(&loop, &fault) == CT_QUERY_ROW) row = ct_loop_row(&loop, 0);
    }
    if (row.i == CT_NO_ROW) return (ct_entity){CT_NOBODY};
    return ct_store_owners(&query->managers[0]->store)[row.i];
}

uint32_t ct_query_find(const ct_query *query, ct_row row) {
    uint32_t low = 0, high = query->count, first = row.i - query->parts[0].offset;
    if (!query->parts[0].listed) return first < high ? first : CT_NO_ROW;
    while (low < high) { // the rows of the first manager ascend
        uint32_t middle = low + (high - low) / 2;
        if (ct_query_row(query, 0, middle).i < row.i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < query->count && ct_query_row(query, 0, low).i == row.i ? low : CT_NO_ROW;
}

bool ct_query_is_first_match(const ct_query *query, uint32_t i) {
    const ct_store *store = &query->managers[0]->store;
    ct_row row = ct_query_row(query, 0, i);
    while (!ct_store_is_first(store, row.i)) {
        row.i = ct_store_prev_of(store)[row.i];
        if (ct_query_find(query, row) != CT_NO_ROW) return false;
    }
    return true;
}

uint32_t ct_query_entities(const ct_query *query, ct_entity *out) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < query->count; ++i)
        if (ct_query_is_first_match(query, i)) out[count++] = ct_query_entity(query, i);
    return count;
}

uint32_t ct_query_lanes(const ct_query *query, uint32_t part, uint32_t number) {
    const ct_manager *manager = query->managers[part];
    if (number >= manager->field_count || query->roles[part] != CT_QUERY_REQUIRED) return 0;
    ct_field_type type = manager->fields[number].type;
    const ct_field_info *info = ct_field_info_of(type);
    return info->lane < CT_SCALAR_BOOL && type != CT_FIELD_ENUM ? info->lanes : 0;
}

void ct_query_read_numbers(const ct_query *query, uint32_t part, uint32_t number, double *out) {
    ct_manager *manager = query->managers[part];
    const ct_field *field = &manager->fields[number];
    const ct_field_info *info = ct_field_info_of(field->type);
    bool floats = info->lane == CT_SCALAR_FLOAT && ct_manager_loads(manager, field);
    const unsigned char *items = manager->store.columns.at[field->column];
    for (uint32_t i = 0; i < query->count; ++i, out += info->lanes) {
        ct_row row = ct_query_row(query, part, i);
        if (!floats) {
            ct_manager_read_numbers(manager, number, row, out);
            continue;
        }
        const float *item = (const float *)(const void *)(items + (size_t)row.i * info->bytes);
        for (uint32_t lane = 0; lane < info->lanes; ++lane)
            out[lane] = ct_float_clean(item[lane]);
    }
}

bool ct_query_write_numbers(const ct_query *query, uint32_t part, uint32_t number,
                            const double *numbers) {
    const ct_manager *manager = query->managers[part];
    const ct_field *field = &manager->fields[number];
    const ct_field_info *info = ct_field_info_of(field->type);
    unsigned char item[CT_MAX_ITEM_BYTES], *items = manager->store.columns.at[field->column];
    if (!ct_manager_stores(manager, field)) return false;
    for (uint32_t i = 0; info->lane > CT_SCALAR_DOUBLE && i < query->count; ++i)
        if (!ct_scalar_store(info->lane, numbers[i], item)) return false;
    // Nothing below this line can fail.
    for (uint32_t i = 0; i < query->count; ++i) {
        unsigned char *to = items + (size_t)ct_query_row(query, part, i).i * info->bytes;
        for (uint32_t lane = 0; lane < info->lanes; ++lane, to += info->lane_bytes, ++numbers) {
            if (CT_LIKELY(info->lane <= CT_SCALAR_DOUBLE))
                ct_real_store(info->lane, *numbers, to);
            else
                (void)ct_scalar_store(info->lane, *numbers, to);
        }
    }
    return true;
}

// Returns the text of a string or enum field, without bytes if the component is absent.
static ct_text text_of(ct_manager *manager, uint32_t number, ct_row row) {
    if (row.i == CT_NO_ROW) return (ct_text){NULL, 0};
    const ct_field *field = &manager->fields[number];
    const void *item = ct_manager_read(manager, number, row);
    if (field->type == CT_FIELD_ENUM) return field->labels[*(const uint8_t *)item];
    return ct_string_pool_text(manager->strings, *(const ct_string *)item);
}

size_t ct_query_copy_texts(const ct_query *query, uint32_t part, uint32_t field, void *out,
                           size_t room) {
    ct_manager *manager = query->managers[part];
    ct_text *texts = out;
    size_t bytes = query->count * sizeof *texts + 1;
    for (uint32_t i = 0; i < query->count; ++i)
        bytes += text_of(manager, field, ct_query_row(query, part, i)).length;
    if (bytes > room || out == NULL) return bytes;
    char *at = (char *)(texts + query->count);
    for (uint32_t i = 0; i < query->count; ++i) {
        texts[i] = text_of(manager, field, ct_query_row(query, part, i));
        if (texts[i].bytes == NULL) continue;
        texts[i].bytes = memcpy(at, texts[i].bytes, texts[i].length);
        at += texts[i].length;
    }
    return bytes;
}

size_t ct_query_bytes(const ct_query *query) {
    size_t bytes = query->tuple_capacity * sizeof *query->tuples;
    for (uint32_t i = 0; i < query->part_count; ++i)
        bytes += query->parts[i].capacity * sizeof *query->parts[i].rows;
    return bytes;
}
