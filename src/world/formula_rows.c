// Loads of columns to the registers of formulas, and stores.
#include "world/formula_internal.h"

#include "base/math.h"

#include <string.h>

static uint32_t row_of(const ct_formula_rows *rows, uint32_t i) {
    return rows->list != NULL ? rows->list[i] : rows->first + i;
}

static const ct_field *local_rotation(const ct_manager *manager) {
    return &manager->fields[ct_manager_find_field(manager, "local_rotation")];
}

// ---------------------------------------------------------------- columns

// World positions are the last column of the world matrices, and local angles are stored as
// rotations.
static void open_part(ct_formula_column *column, const ct_manager *manager) {
    unsigned char *const *at = manager->store.columns.at;
    if (column->part == CT_TRANSFORM_WORLD_POSITION) {
        uint32_t matrix = ct_manager_find_field(manager, "world_matrix");
        column->part_items = at[manager->fields[matrix].column] + 12 * sizeof(float);
        column->stride = 16 * sizeof(float);
        column->scalar = CT_SCALAR_FLOAT;
    }
    column->angle = column->part == CT_TRANSFORM_LOCAL_ANGLE;
    column->marked = column->angle;
}

void ct_formula_set_absent(ct_formula_column *column) {
    const ct_formula_field *field = column->field;
    const ct_manager *manager = field->manager;
    unsigned char item[CT_MAX_ITEM_BYTES];
    ct_field_type type = ct_formula_field_type(manager, field->number);
    const ct_field_info *info = ct_field_info_of(type);
    if (field->number < manager->field_count)
        ct_field_default(&manager->fields[field->number], item);
    else
        ct_field_zero(type, item);
    for (uint32_t k = 0; k < info->lanes; ++k)
        column->absent[k] = ct_scalar_load(info->lane, item + (size_t)k * info->lane_bytes);
}

// Returns the loop that stores numbers to consecutive rows, if there is one.
static ct_lane_store store_loop(const ct_formula *f, const ct_formula_column *column) {
    if (column->stride != column->width) return NULL;
    if (column->scalar == CT_SCALAR_FLOAT) return f->loops->store_floats;
    return column->scalar == CT_SCALAR_DOUBLE ? f->loops->store_doubles : NULL;
}

void ct_formula_describe_column(const ct_formula *f, ct_formula_column *column,
                                const ct_formula_field *field, const double *table) {
    const ct_manager *manager = field->manager;
    ct_field_type type = ct_formula_field_type(manager, field->number);
    const ct_field_info *info = ct_field_info_of(type);
    uint32_t marked = field->number;
    *column = (ct_formula_column){
        .field = field, .width = info->lane_bytes, .scalar = info->lane, .lanes = info->lanes};
    column->items = &column->part_items;
    if (field->number >= manager->field_count) {
        column->part = (ct_transform_part)(field->number - manager->field_count);
        open_part(column, manager);
        marked = ct_manager_find_field(manager, "local_rotation");
        if (table != NULL) {
            column->part_items = (unsigned char *)(uintptr_t)table;
            column->scalar = CT_SCALAR_DOUBLE;
            column->width = sizeof *table;
            column->stride = info->lanes * (uint32_t)sizeof *table;
        }
    } else {
        const ct_field *plain = &manager->fields[field->number];
        column->items = &manager->store.columns.at[plain->column];
        column->stride = info->bytes;
        column->limit = plain->type == CT_FIELD_ENUM ? plain->label_count : 0;
        column->marked = plain->in_place;
        column->told = !plain->in_place && manager->type->write != NULL;
        column->store_straight = store_loop(f, column);
    }
    if (column->marked) column->marks = ct_manager_marks(manager, marked);
    ct_formula_set_absent(column);
}

static bool is_direct(const ct_formula_field *field) {
    const ct_manager *manager = field->manager;
    return field->number < manager->field_count && !manager->fields[field->number].in_place &&
           manager->type->batch == NULL && manager->type->flush_deaths == NULL;
}

void ct_formula_describe_fields(ct_formula *f, const ct_query *matches) {
    bool multiple = matches->managers[0]->store.multiple;
    f->direct = true;
    for (uint32_t i = 0; i < f->field_count; ++i) {
        const ct_formula_field *field = &f->fields[i];
        ct_formula_describe_column(f, &f->columns[i], field, NULL);
        f->absent = f->absent || field->optional || field->elsewhere;
        f->shared = f->shared || (multiple && field->stored && field->part > 0);
        f->told = f->told || (f->columns[i].told && field->stored);
        f->direct = f->direct && is_direct(field);
    }
}

// ---------------------------------------------------------------- loads

#define LOAD(NAME, TYPE)                                                                           \
    static void NAME(const unsigned char *items, size_t stride, const ct_formula_rows *rows,       \
                     uint32_t lanes, double *to) {                                                 \
        if (rows->list == NULL) items += rows->first * stride;                                     \
        for (uint32_t k = 0; k < lanes; ++k, to += rows->pitch, items += sizeof(TYPE)) {           \
            TYPE item;                                                                             \
            for (uint32_t i = 0; rows->list == NULL && i < rows->count; ++i) {                     \
                memcpy(&item, items + i * stride, sizeof item);                                    \
                to[i] = item;                                                                      \
            }                                                                                      \
            for (uint32_t i = 0; rows->list != NULL && i < rows->count; ++i) {                     \
                memcpy(&item, items + rows->list[i] * stride, sizeof item);                        \
                to[i] = item;                                                                      \
            }                                                                                      \
        }                                                                                          \
    }

LOAD(load_float, float)
LOAD(load_double, double)
LOAD(load_int8, int8_t)
LOAD(load_uint8, uint8_t)
LOAD(load_int16, int16_t)
LOAD(load_uint16, uint16_t)
LOAD(load_int32, int32_t)
LOAD(load_uint32, uint32_t)

// Loads all lanes of a row together: fewer cache misses if rows have no order.
static void load_floats(const unsigned char *items, size_t stride, const ct_formula_rows *rows,
                        uint32_t lanes, double *to) {
    const size_t pitch = rows->pitch;
    for (uint32_t i = 0; i < rows->count; ++i) {
        float item[CT_LANES_MOST];
        const unsigned char *at = items + rows->list[i] * stride;
        memcpy(item, at, sizeof(float));
        memcpy(item + 1, at + sizeof(float), sizeof(float));
        to[i] = item[0];
        to[pitch + i] = item[1];
        if (lanes > 2) memcpy(item + 2, at + 2 * sizeof(float), sizeof(float));
        if (lanes > 2) to[2 * pitch + i] = item[2];
        if (lanes > 3) memcpy(item + 3, at + 3 * sizeof(float), sizeof(float));
        if (lanes > 3) to[3 * pitch + i] = item[3];
    }
}

static void load_part(const ct_formula_column *column, uint32_t row, double *numbers) {
    ct_manager *manager = column->field->manager;
    ct_transform_read_part(manager, (ct_row){row}, column->part, numbers);
}

// Loads row by row, with defaults for absent components and for parts of poses.
static void load_each(const ct_formula_column *column, const ct_formula_rows *rows, uint32_t first,
                      uint32_t lanes, double *to) {
    for (uint32_t i = 0; i < rows->count; ++i) {
        uint32_t row = row_of(rows, i);
        double numbers[CT_TRANSFORM_PART_NUMBERS];
        memcpy(numbers, column->absent, sizeof column->absent);
        if (row != CT_NO_ROW && *column->items == NULL) load_part(column, row, numbers);
        for (uint32_t k = first; k < first + lanes; ++k) {
            if (row != CT_NO_ROW && *column->items != NULL)
                numbers[k] =
                    ct_scalar_load(column->scalar, *column->items + (size_t)row * column->stride +
                                                       (size_t)k * column->width);
            to[(size_t)(k - first) * rows->pitch + i] = numbers[k];
        }
    }
}

void ct_formula_load(const ct_formula_column *column, const ct_lane_loops *loops,
                     const ct_formula_rows *rows, uint32_t first, uint32_t lanes, double *to) {
    typedef void (*load)(const unsigned char *items, size_t stride, const ct_formula_rows *rows,
                         uint32_t lanes, double *to);
    static const load loads[] = {
        [CT_SCALAR_FLOAT] = load_float, [CT_SCALAR_DOUBLE] = load_double,
        [CT_SCALAR_INT8] = load_int8,   [CT_SCALAR_UINT8] = load_uint8,
        [CT_SCALAR_INT16] = load_int16, [CT_SCALAR_UINT16] = load_uint16,
        [CT_SCALAR_INT32] = load_int32, [CT_SCALAR_UINT32] = load_uint32,
        [CT_SCALAR_BOOL] = load_uint8,  [CT_SCALAR_ENTITY] = load_uint32,
    };
    const unsigned char *items = *column->items;
    if (items == NULL || rows->absent) {
        load_each(column, rows, first, lanes, to);
        return;
    }
    if (column->scalar != CT_SCALAR_FLOAT) {
        items += (size_t)first * column->width;
        loads[column->scalar](items, column->stride, rows, lanes, to);
        return;
    }
    items += first * sizeof(float);
    if (rows->list == NULL && column->stride == lanes * sizeof(float))
        loops->split[lanes](
            rows->count, to, rows->pitch,
            (const float *)(const void *)(items + (size_t)rows->first * column->stride));
    else if (rows->list != NULL && lanes > 1)
        load_floats(items, column->stride, rows, lanes, to);
    else
        load_float(items, column->stride, rows, lanes, to);
}

void ct_formula_load_at(const ct_formula_column *column, const double *numbers,
                        const ct_formula_rows *rows, uint32_t first, uint32_t lanes, double *to) {
    const ct_store *store = &column->field->manager->store;
    uint32_t list[CT_FORMULA_BLOCK], limit = ct_store_count(store);
    for (uint32_t i = 0; i < rows->count; ++i) {
        bool is_row = numbers[i] >= 0 && numbers[i] < limit;
        list[i] = is_row ? (uint32_t)numbers[i] : CT_NO_ROW;
        if (is_row &&
            !ct_entity_manager_alive_or_dying(store->entities, ct_store_owners(store)[list[i]]))
            list[i] = CT_NO_ROW;
    }
    const ct_formula_rows found = {list, 0, rows->count, rows->pitch, true};
    load_each(column, &found, first, lanes, to);
}

// ---------------------------------------------------------------- stores

// Stores one number; the scalar is a constant where the compiler sees it.
static inline bool put(const ct_formula_column *column, unsigned char *at, double number) {
    if (column->limit != 0 && !(number < column->limit)) return false;
    if (column->scalar == CT_SCALAR_BOOL) number = number != 0;
    if (column->scalar == CT_SCALAR_ENTITY && !ct_scalar_store(column->scalar, number, at))
        number = CT_NOBODY;
    return ct_scalar_store(column->scalar, number, at);
}

static void put_angle(unsigned char *at, double number) {
    float rotation[4];
    ct_quat_from_angle(ct_float_clean((float)number), rotation);
    memcpy(at, rotation, sizeof rotation);
}

// Rows that 'mask' excludes keep their items: a selection takes less time than a branch. With
// constant arguments the loop is compiled for each case.
#define STORE(NAME, TYPE, CLEAN)                                                                   \
    static inline void NAME##_lane(unsigned char *items, size_t stride, const uint32_t *list,      \
                                   uint32_t count, const double *mask, const double *from) {       \
        for (uint32_t i = 0; i < count; ++i) {                                                     \
            unsigned char *at = items + (list != NULL ? list[i] : i) * stride;                     \
            TYPE item = CLEAN((TYPE)from[i]), before;                                              \
            memcpy(&before, at, sizeof before);                                                    \
            item = mask == NULL || mask[i] != 0 ? item : before;                                   \
            memcpy(at, &item, sizeof item);                                                        \
        }                                                                                          \
    }                                                                                              \
    static void NAME(unsigned char *items, size_t stride, const ct_formula_rows *rows,             \
                     const double *mask, uint32_t lanes, const double *from) {                     \
        const uint32_t *list = rows->list, count = rows->count, pitch = rows->pitch;               \
        if (list == NULL) items += rows->first * stride;                                           \
        for (uint32_t k = 0; k < lanes; ++k, items += sizeof(TYPE), from += pitch) {               \
            if (list != NULL)                                                                      \
                NAME##_lane(items, stride, list, count, mask, from);                               \
            else                                                                                   \
                NAME##_lane(items, stride, NULL, count, mask, from);                               \
        }                                                                                          \
    }

STORE(store_floats, float, ct_float_clean)
STORE(store_doubles, double, ct_double_clean)

static uint32_t store_each(const ct_formula_column *column, unsigned char *items, size_t stride,
                           const ct_formula_rows *rows, const double *mask, uint32_t lanes,
                           const double *from, uint32_t *fault) {
    for (uint32_t i = 0; i < rows->count; ++i) {
        uint32_t row = row_of(rows, i);
        if (row == CT_NO_ROW || (mask != NULL && mask[i] == 0)) continue;
        unsigned char *at = items + (size_t)row * stride;
        for (uint32_t k = 0; k < lanes; ++k) {
            *fault = k;
            if (column->angle)
                put_angle(at, from[i]);
            else if (!put(column, at + (size_t)k * column->width,
                          from[(size_t)k * rows->pitch + i]))
                return i;
        }
    }
    return rows->count;
}

unsigned char *ct_formula_stored_items(const ct_formula_column *column, uint32_t *width) {
    const ct_manager *manager = column->field->manager;
    *width = column->angle ? 4 * sizeof(float) : column->stride;
    return column->angle ? manager->store.columns.at[local_rotation(manager)->column]
                         : *column->items;
}

uint32_t ct_formula_store(const ct_formula_column *column, const ct_lane_loops *loops,
                          const ct_formula_rows *rows, const double *mask, uint32_t first,
                          uint32_t lanes, const double *from, uint32_t *fault) {
    uint32_t stride;
    unsigned char *items = ct_formula_stored_items(column, &stride) + (size_t)first * column->width;
    if (column->angle || column->scalar > CT_SCALAR_DOUBLE || rows->absent)
        return store_each(column, items, stride, rows, mask, lanes, from, fault);
    if (column->scalar == CT_SCALAR_DOUBLE) {
        store_doubles(items, stride, rows, mask, lanes, from);
        return rows->count;
    }
    if (rows->list == NULL && mask == NULL && lanes == column->lanes) {
        float *to = (float *)(void *)(items + (size_t)rows->first * stride);
        if (!loops->join[lanes](rows->count, from, rows->pitch, to)) return rows->count;
    }
    store_floats(items, stride, rows, mask, lanes, from);
    return rows->count;
}

void ct_formula_stored(const ct_formula_column *column, const ct_formula_rows *rows,
                       const double *mask) {
    ct_manager *manager = column->field->manager;
    for (uint32_t i = 0; (column->marked || column->told) && i < rows->count; ++i) {
        ct_row row = {row_of(rows, i)};
        if (row.i == CT_NO_ROW || (mask != NULL && mask[i] == 0)) continue;
        if (column->marked) {
            ct_column_mark(&column->marks, row);
            continue;
        }
        unsigned char item[CT_MAX_ITEM_BYTES];
        memcpy(item, *column->items + (size_t)row.i * column->stride, column->stride);
        // 'write' does not refuse numbers.
        ct_status status = manager->type->write(manager, column->field->number, row, item);
        CT_ASSERT(status == CT_OK);
        (void)status;
    }
}
