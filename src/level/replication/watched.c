// Comparison of columns with their copies of the last frame.
#include "component/grid.h"
#include "component/transform.h"
#include "level/replication/record.h"

enum { BLOCK = 1024 }; // rows that are compared together, column by column

static void add_column(ct_watched *watched, const ct_manager *manager, uint32_t column) {
    uint32_t c = watched->column_count++;
    watched->columns[c] = (uint16_t)column;
    watched->places[c] = watched->row_bytes;
    watched->row_bytes += manager->store.columns.width[column];
}

void ct_watched_init(ct_watched *watched, ct_manager *manager) {
    memset(watched, 0, sizeof *watched);
    watched->manager = manager;
    add_column(watched, manager, CT_COLUMN_OWNER);
    if (manager->store.multiple) add_column(watched, manager, CT_COLUMN_ID);
    if (manager->type == &ct_transform_type) {
        for (const uint16_t *column = ct_transform_local_columns; *column != 0; ++column)
            add_column(watched, manager, *column);
        return;
    }
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        const ct_field *field = &manager->fields[f];
        if (!field->computed) add_column(watched, manager, field->column);
        watched->always = watched->always || field->type == CT_FIELD_VALUE;
        watched->texts = watched->texts || field->type == CT_FIELD_STRING;
    }
    watched->always = watched->always || manager->type == &ct_grid_type;
    watched->texts = watched->texts || manager->store.multiple;
}

void ct_watched_free(ct_watched *watched, const ct_allocator *allocator) {
    ct_free(allocator, watched->copy, (size_t)watched->capacity * watched->row_bytes);
}

static size_t width_of(const ct_watched *watched, uint32_t c) {
    return watched->manager->store.columns.width[watched->columns[c]];
}

static unsigned char *copy_of(const ct_watched *watched, uint32_t c) {
    return watched->copy + (size_t)watched->places[c] * watched->capacity;
}

// Makes room for 'rows' rows. The columns of the copy move.
static ct_status reserve(ct_watched *watched, const ct_allocator *allocator, uint32_t rows) {
    if (rows <= watched->capacity) return CT_OK;
    ct_watched grown = *watched;
    size_t bytes;
    grown.capacity = ct_grow_capacity(watched->capacity, rows, CT_MAX_ROWS);
    if (!ct_size_mul_add(grown.capacity, watched->row_bytes, 0, &bytes)) return CT_ERR_MEMORY;
    grown.copy = ct_alloc(allocator, bytes);
    if (grown.copy == NULL) return ct_out_of_memory(allocator);
    for (uint32_t c = 0; c < watched->column_count && watched->count > 0; ++c)
        memcpy(copy_of(&grown, c), copy_of(watched, c), width_of(watched, c) * watched->count);
    ct_watched_free(watched, allocator);
    *watched = grown;
    return CT_OK;
}

// Returns the first row from 'row' on in which a column differs from its copy, or 'end'. Compares
// many rows at once, and fewer near the difference.
static uint32_t next_changed(const unsigned char *now, const unsigned char *copy, size_t width,
                             uint32_t row, uint32_t end) {
    static const uint32_t rows[] = {BLOCK, 64, 8, 1};
    if (row < end && memcmp(now + width * row, copy + width * row, width) != 0) return row;
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        while (end - row >= rows[i] &&
               memcmp(now + width * row, copy + width * row, width * rows[i]) == 0)
            row += rows[i];
    }
    return row;
}

// Returns whether the last column of transforms depends on the others in these rows.
static bool is_composed(const ct_watched *watched, uint32_t row, uint32_t count) {
    return watched->manager->type == &ct_transform_type &&
           ct_transform_are_composed(watched->manager, row, count);
}

static ct_status add_rows(ct_recording *recording, uint32_t type, uint32_t row, uint32_t count) {
    ct_status status = ct_array_reserve(recording->publisher->allocator, (void **)&recording->rows,
                                        &recording->row_capacity, recording->row_count + count,
                                        sizeof *recording->rows);
    for (uint32_t i = 0; i < count && status == CT_OK; ++i)
        recording->rows[recording->row_count++] = (ct_recorded_row){type, row + i};
    return status;
}

static ct_status scan_block(ct_recording *recording, uint32_t type, uint32_t row, uint32_t end) {
    const ct_watched *watched = &recording->publisher->now->watched[type];
    uint32_t columns = watched->column_count - is_composed(watched, row, end - row);
    bool changed[BLOCK] = {false}, any = false;
    ct_status status = CT_OK;
    for (uint32_t c = 0; c < columns; ++c) {
        const unsigned char *now = watched->manager->store.columns.at[watched->columns[c]];
        size_t width = width_of(watched, c);
        uint32_t at = next_changed(now, copy_of(watched, c), width, row, end);
        for (; at < end; at = next_changed(now, copy_of(watched, c), width, at + 1, end))
            changed[at - row] = any = true;
    }
    for (uint32_t at = row; at < end && any && status == CT_OK; ++at) {
        if (changed[at - row]) status = add_rows(recording, type, at, 1);
    }
    return status;
}

// Returns whether the rows of a manager have other owners than before.
static bool has_moved(const ct_watched *watched, uint32_t common) {
    const ct_store *store = &watched->manager->store;
    return ct_store_count(store) != watched->count ||
           (common > 0 &&
            memcmp(ct_store_owners(store), copy_of(watched, 0), common * sizeof(ct_entity)) != 0);
}

// Transforms refer to the rows of their parents, and to nodes that no column shows. Adds the rows
// that are not found by a comparison of columns.
static ct_status add_linked(ct_recording *recording, uint32_t type, uint32_t common) {
    ct_watched *watched = &recording->publisher->now->watched[type];
    ct_status status = CT_OK;
    bool moved = recording->admitted != NULL || has_moved(watched, common);
    if (!moved && ct_transform_attached_count(watched->manager) == 0) return CT_OK;
    for (uint32_t row = 0; row < common && status == CT_OK; ++row) {
        bool attached, linked = ct_transform_is_linked(watched->manager, (ct_row){row}, &attached);
        if ((linked && moved) || attached) status = add_rows(recording, type, row, 1);
    }
    return status;
}

static ct_status scan(ct_recording *recording, uint32_t type) {
    ct_publisher *publisher = recording->publisher;
    ct_watched *watched = &publisher->now->watched[type];
    ct_manager_flush_deaths(watched->manager);
    uint32_t count = ct_store_count(&watched->manager->store);
    uint32_t common = count < watched->count ? count : watched->count;
    bool freed = publisher->now->freed_strings != publisher->world->strings.freed;
    ct_status status = reserve(watched, publisher->allocator, count);
    if (status != CT_OK) return status;
    if (watched->always || (watched->texts && freed) || ct_recording_restored(recording))
        return add_rows(recording, type, 0, count);
    for (uint32_t row = 0; row < common && status == CT_OK; row += BLOCK)
        status = scan_block(recording, type, row, common - row < BLOCK ? common : row + BLOCK);
    if (status == CT_OK && watched->manager->type == &ct_transform_type)
        status = add_linked(recording, type, common);
    return status == CT_OK ? add_rows(recording, type, common, count - common) : status;
}

ct_status ct_watched_scan(ct_recording *recording) {
    ct_status status = CT_OK;
    for (uint32_t t = 0; t < recording->publisher->now->watched_count && status == CT_OK; ++t)
        status = scan(recording, t);
    return status;
}

bool ct_watched_has_replaced(const ct_watched *watched, uint32_t row) {
    const ct_store *store = &watched->manager->store;
    return store->multiple ||
           memcmp(ct_store_owners(store) + row, copy_of(watched, 0) + row * sizeof(ct_entity),
                  sizeof(ct_entity)) != 0;
}

void ct_watched_commit(ct_recording *recording) {
    ct_publisher *publisher = recording->publisher;
    for (uint32_t i = 0; i < recording->row_count; ++i) {
        const ct_watched *watched = &publisher->now->watched[recording->rows[i].type];
        size_t row = recording->rows[i].row;
        for (uint32_t c = 0; c < watched->column_count; ++c) {
            size_t width = width_of(watched, c);
            memcpy(copy_of(watched, c) + row * width,
                   watched->manager->store.columns.at[watched->columns[c]] + row * width, width);
        }
    }
    for (uint32_t t = 0; t < publisher->now->watched_count; ++t)
        publisher->now->watched[t].count =
            ct_store_count(&publisher->now->watched[t].manager->store);
    publisher->now->freed_strings = publisher->world->strings.freed;
    publisher->now->restores = publisher->world->entities->restores;
}
