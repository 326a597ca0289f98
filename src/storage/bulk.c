// Operations on one field of many rows in one call.
// Longer than 400 lines: all calls share the code that writes a field.
#include "storage/bulk.h"

#include "base/message.h"
#include "base/runs.h"
#include "base/text.h"
#include "storage/labels.h"
#include "storage/loop.h"
#include "storage/manager_access.h"

#include <string.h>

// ---------------------------------------------------------------- columns

// Column of numbers; each item has 'lanes' of them, contiguous.
typedef struct column {
    unsigned char *items;
    ct_scalar scalar;
    uint32_t lanes, width;
} column;

static column column_of(const ct_manager *manager, uint32_t field) {
    const ct_field *f = &manager->fields[field];
    const ct_field_info *info = ct_field_info_of(f->type);
    CT_ASSERT(manager->store.columns.width[f->column] == info->bytes);
    return (column){manager->store.columns.at[f->column], info->lane, info->lanes, info->bytes};
}

static void *item_at(const column *c, uint32_t row) { return c->items + (size_t)row * c->width; }

// ---------------------------------------------------------------- kernels

// Numbers processed at once, before a test for NaN.
enum { CHUNK = 64 };

// Computes to[i] = EXPRESSION for these types. Returns whether a result is NaN, which does not
// equal itself.
// NOLINTBEGIN(bugprone-macro-parentheses): types must not be in parentheses
#define KERNEL(NAME, TO, FROM, EXPRESSION)                                                         \
    static bool NAME(TO *restrict to, const FROM *restrict from, uint32_t count, double factor) {  \
        int has_nan = 0;                                                                           \
        (void)factor;                                                                              \
        for (uint32_t i = 0; i < count; ++i) {                                                     \
            TO result = (TO)(EXPRESSION);                                                          \
            has_nan |= result != result; /* NOLINT(misc-redundant-expression) */                   \
            to[i] = result;                                                                        \
        }                                                                                          \
        return has_nan != 0;                                                                       \
    }

// NOLINTEND(bugprone-macro-parentheses)

#define SUM ((double)to[i] + factor * (double)from[i])

KERNEL(add_floats, float, float, SUM)
KERNEL(add_doubles, double, double, SUM)
KERNEL(add_doubles_to_floats, float, double, SUM)
KERNEL(add_floats_to_doubles, double, float, SUM)
KERNEL(copy_doubles_to_floats, float, double, from[i])
KERNEL(copy_floats_to_doubles, double, float, from[i])
KERNEL(scale_floats, float, float, factor *(double)from[i])
KERNEL(scale_doubles, double, double, factor *from[i])

static void clean(const column *to, void *items, uint32_t numbers) {
    double *doubles = items;
    float *floats = items;
    for (uint32_t i = 0; i < numbers; ++i) {
        if (to->scalar == CT_SCALAR_FLOAT)
            floats[i] = ct_float_clean(floats[i]);
        else
            doubles[i] = ct_double_clean(doubles[i]);
    }
}

// Operation on a run of rows.
typedef struct work {
    enum { COPY, ADD, SCALE } verb;
    double factor;
    column to, from;
    bool same; // both are the same column
} work;

static bool chunk(const work *w, void *to, const void *from, uint32_t numbers) {
    bool to_floats = w->to.scalar == CT_SCALAR_FLOAT, floats = w->from.scalar == CT_SCALAR_FLOAT;
    double factor = w->factor;
    switch (w->verb) {
    case COPY:
        return to_floats ? copy_doubles_to_floats(to, from, numbers, factor)
                         : copy_floats_to_doubles(to, from, numbers, factor);
    case ADD:
        if (to_floats)
            return floats ? add_floats(to, from, numbers, factor)
                          : add_doubles_to_floats(to, from, numbers, factor);
        return floats ? add_floats_to_doubles(to, from, numbers, factor)
                      : add_doubles(to, from, numbers, factor);
    default:
        return floats ? scale_floats(to, from, numbers, factor)
                      : scale_doubles(to, from, numbers, factor);
    }
}

static void compute(const work *w, void *to, const void *from, uint32_t numbers) {
    double copy[CHUNK];
    size_t to_bytes = w->to.width / w->to.lanes, from_bytes = w->from.width / w->from.lanes;
    for (uint32_t done = 0; done < numbers; done += CHUNK) {
        uint32_t length = numbers - done < CHUNK ? numbers - done : CHUNK;
        unsigned char *out = (unsigned char *)to + done * to_bytes;
        const void *in = (const unsigned char *)from + done * from_bytes;
        if (w->same) in = memcpy(copy, in, length * from_bytes);
        if (CT_UNLIKELY(chunk(w, out, in, length))) clean(&w->to, out, length);
    }
}

static void run(const work *w, uint32_t to_row, uint32_t from_row, uint32_t count) {
    void *to = item_at(&w->to, to_row);
    const void *from = item_at(&w->from, from_row);
    if (w->verb != COPY || w->to.scalar != w->from.scalar)
        compute(w, to, from, count * w->to.lanes);
    else if (!w->same)
        memcpy(to, from, (size_t)count * w->to.width);
}

// ---------------------------------------------------------------- target field

// Target of writes to a field: directly in the column, or by the type's 'write' for each row.
typedef struct target {
    ct_manager *manager;
    uint32_t field;
    bool marked, by_write;
    ct_column_marks marks;
} target;

static ct_status begin(target *t, ct_manager *manager, uint32_t field) {
    *t = (target){.manager = manager, .field = field, .marked = manager->fields[field].in_place};
    t->by_write = !t->marked && manager->type->write != NULL;
    ct_manager_flush_deaths(manager);
    if (t->marked) t->marks = ct_manager_marks(manager, field);
    return ct_manager_begin_batch(manager);
}

// Completes direct writes of numbers: sets the marks, or calls the type's 'write'.
static void wrote(const target *t, uint32_t row, uint32_t count) {
    for (uint32_t i = 0; t->marked && i < count; ++i)
        ct_column_mark(&t->marks, (ct_row){row + i});
    for (uint32_t i = 0; t->by_write && i < count; ++i) {
        unsigned char item[CT_MAX_ITEM_BYTES];
        const column c = column_of(t->manager, t->field);
        memcpy(item, item_at(&c, row + i), c.width);
        // 'write' does not refuse numbers.
        ct_status status = t->manager->type->write(t->manager, t->field, (ct_row){row + i}, item);
        CT_ASSERT(status == CT_OK);
        (void)status;
    }
}

// ---------------------------------------------------------------- between managers

static bool is_numeric(const ct_manager *manager, uint32_t field) {
    const ct_field *f = &manager->fields[field];
    return !f->computed && ct_field_info_of(f->type)->lane < CT_SCALAR_BOOL;
}

static bool is_real(ct_scalar scalar) {
    return scalar == CT_SCALAR_FLOAT || scalar == CT_SCALAR_DOUBLE;
}

bool ct_bulk_check(const ct_manager *to, uint32_t to_field, const ct_manager *from,
                   uint32_t from_field, bool scaled, ct_message *message) {
    const ct_field *goal = &to->fields[to_field], *source = &from->fields[from_field];
    const ct_field_info *info = ct_field_info_of(goal->type);
    const ct_field_info *other = ct_field_info_of(source->type);
    if (!is_numeric(to, to_field) || goal->read_only)
        return ct_message_set(message, "%s.%s is not a writable column of numbers", to->name,
                              goal->name);
    if (!is_numeric(from, from_field))
        return ct_message_set(message, "%s.%s is not a column of numbers", from->name,
                              source->name);
    bool mixed = is_real(info->lane) && is_real(other->lane) && info->lane != other->lane &&
                 info->lanes == other->lanes;
    if (goal->type != source->type && !mixed)
        return ct_message_set(message, "%s.%s is %s, %s.%s is %s", from->name, source->name,
                              other->name, to->name, goal->name, info->name);
    if (goal->type == CT_FIELD_ENUM && source->type == CT_FIELD_ENUM &&
        !ct_labels_equal(goal, source))
        return ct_message_set(message, "%s.%s and %s.%s have different labels", from->name,
                              source->name, to->name, goal->name);
    if (scaled && !is_real(info->lane))
        return ct_message_set(message, "%s.%s is %s: only float and double can be scaled", to->name,
                              goal->name, info->name);
    return true;
}

// Processes runs of rows. If entities have several rows in 'from', only the first one counts.
static uint32_t work_on_runs(const work *w, const target *t, ct_manager *from) {
    ct_manager *managers[] = {from, t->manager};
    ct_loop loop;
    uint32_t fault, count = 0, last = CT_NO_ROW;
    ct_loop_begin(&loop, 2, managers, NULL);
    for (; ct_loop_next_run(&loop, last, &fault) == CT_QUERY_ROW; last = loop.stop - 1) {
        uint32_t length = from->store.multiple ? 1 : loop.stop - loop.first;
        for (uint32_t row = loop.first; row < loop.stop; row += length) {
            if (!ct_store_is_first(&from->store, row)) continue;
            run(w, row + loop.parts[1].offset, row, length);
            wrote(t, row + loop.parts[1].offset, length);
            count += length;
        }
    }
    return count;
}

static ct_status work_on_both(work *w, ct_manager *to, uint32_t to_field, ct_manager *from,
                              uint32_t from_field, uint32_t *count) {
    target t;
    ct_status status = begin(&t, to, to_field);
    *count = 0;
    if (status != CT_OK) return status;
    // Nothing below this line can fail.
    ct_manager_flush_deaths(from);
    w->to = column_of(to, to_field);
    w->from = column_of(from, from_field);
    w->same = w->to.items == w->from.items;
    *count = work_on_runs(w, &t, from);
    ct_manager_end_batch(to, NULL);
    return CT_OK;
}

ct_status ct_bulk_copy(ct_manager *to, uint32_t to_field, ct_manager *from, uint32_t from_field,
                       uint32_t *count) {
    work w = {.verb = COPY};
    return work_on_both(&w, to, to_field, from, from_field, count);
}

ct_status ct_bulk_add_scaled(ct_manager *to, uint32_t to_field, ct_manager *from,
                             uint32_t from_field, double factor, uint32_t *count) {
    work w = {.verb = ADD, .factor = factor};
    return work_on_both(&w, to, to_field, from, from_field, count);
}

// ---------------------------------------------------------------- columns

static ct_status work_on_column(work *w, ct_manager *manager, uint32_t field, uint32_t other) {
    target t;
    ct_status status = begin(&t, manager, field);
    if (status != CT_OK) return status;
    // Nothing below this line can fail.
    w->to = column_of(manager, field);
    w->from = column_of(manager, other);
    w->same = field == other;
    run(w, 0, 0, ct_store_count(&manager->store));
    wrote(&t, 0, ct_store_count(&manager->store));
    ct_manager_end_batch(manager, NULL);
    return CT_OK;
}

ct_status ct_bulk_column_add_scaled(ct_manager *manager, uint32_t field, uint32_t other,
                                    double factor) {
    work w = {.verb = ADD, .factor = factor};
    return work_on_column(&w, manager, field, other);
}

ct_status ct_bulk_column_scale(ct_manager *manager, uint32_t field, double factor) {
    work w = {.verb = SCALE, .factor = factor};
    return work_on_column(&w, manager, field, field);
}

// ---------------------------------------------------------------- many values

// Returns the number of values: one if it is for all rows.
static uint32_t value_count(const ct_values *values, uint32_t count) {
    return values->stride == 0 && count > 1 ? 1 : count;
}

// Returns whether all values may be written to a field.
static bool check_values(const ct_manager *manager, uint32_t field, uint32_t count,
                         const ct_values *values, uint32_t *at, ct_message *message) {
    const ct_field *f = &manager->fields[field];
    *at = 0;
    if (ct_manager_stores(manager, f) && f->type != CT_FIELD_ENUM) return true;
    if (f->alone)
        return ct_message_set(message, "%s.%s cannot be written in one call for many",
                              manager->name, f->name);
    for (uint32_t i = 0; i < value_count(values, count); ++i) {
        *at = i;
        const ct_values value = {ct_values_item(values, i), 0};
        if (f->type == CT_FIELD_ENUM && !ct_field_items_valid(f, &value, 1))
            return ct_message_set(message, "expected the number of a label, an integer in [0, %u]",
                                  f->label_count - 1);
        if (!ct_manager_check_item(manager, field, ct_values_item(values, i), message))
            return false;
    }
    return true;
}

// Copies items to rows of a column.
static void store_items(const column *to, uint32_t count, const ct_row *rows,
                        const ct_values *values) {
    const uint32_t width = to->width;
    const unsigned char *from = values->items;
    for (uint32_t i = 0, length; i < count; i += length, from += (size_t)length * values->stride) {
        uint32_t row = rows != NULL ? rows[i].i : i;
        length = rows != NULL ? ct_u32_run(rows + i, count - i, 1) : count;
        if (CT_UNLIKELY(row == CT_NO_ROW)) {
            length = 1;
            continue;
        }
        if (values->stride == width) {
            memcpy(item_at(to, row), from, (size_t)length * width);
            continue;
        }
        for (uint32_t k = 0; k < length; ++k)
            memcpy(item_at(to, row + k), from + (size_t)k * values->stride, width);
    }
}

// Interns all strings, and the bytes of values, so that writing them needs no memory.
static ct_status hold(ct_manager *manager, uint32_t count, const ct_values *values,
                      ct_string **held) {
    uint32_t number = value_count(values, count);
    const ct_allocator *allocator = manager->store.allocator;
    *held = ct_alloc(allocator, (number + 1) * sizeof **held);
    if (*held == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < number; ++i) {
        ct_status status = CT_OK;
        const void *item = ct_values_item(values, i);
        CT_ASSERT(item != NULL);
        ct_text text = ct_text_load(item);
        (*held)[i] = (ct_string){0};
        if (text.bytes != NULL) status = ct_string_pool_intern(manager->strings, text, &(*held)[i]);
        if (status == CT_OK) continue;
        while (i-- > 0)
            ct_string_pool_release(manager->strings, (*held)[i]);
        ct_free(allocator, *held, (number + 1) * sizeof **held);
        return status;
    }
    return CT_OK;
}

static void release(ct_manager *manager, uint32_t count, const ct_values *values, ct_string *held) {
    uint32_t number = value_count(values, count);
    for (uint32_t i = 0; i < number; ++i)
        ct_string_pool_release(manager->strings, held[i]);
    ct_free(manager->store.allocator, held, (number + 1) * sizeof *held);
}

ct_status ct_bulk_write(ct_manager *manager, uint32_t field, uint32_t count, const ct_row *rows,
                        const ct_values *values, uint32_t *at, ct_message *message) {
    target t;
    ct_string *held = NULL;
    bool strings = ct_field_is_text(manager->fields[field].type);
    ct_status status = CT_OK;
    if (!check_values(manager, field, count, values, at, message)) return CT_ERR_DATA;
    if (ct_manager_stores(manager, &manager->fields[field])) {
        const column to = column_of(manager, field);
        store_items(&to, count, rows, values);
        return CT_OK;
    }
    if (manager->fields[field].type == CT_FIELD_VALUE)
        status = ct_value_pool_reserve(manager->values, count);
    if (status == CT_OK && strings) status = hold(manager, count, values, &held);
    if (status != CT_OK) return status;
    status = begin(&t, manager, field);
    // Nothing below this line can fail.
    for (uint32_t i = 0; i < count && status == CT_OK; ++i) {
        ct_row row = rows != NULL ? rows[i] : (ct_row){i};
        if (row.i == CT_NO_ROW) continue;
        ct_status written = ct_manager_write_item(manager, field, row, ct_values_item(values, i));
        CT_ASSERT(written == CT_OK);
        (void)written;
    }
    if (status == CT_OK) ct_manager_end_batch(manager, NULL);
    if (strings) release(manager, count, values, held);
    return status;
}

// ---------------------------------------------------------------- sums

// Computes item += value, lane by lane, in doubles. Returns false if an integer cannot hold a sum.
static bool add_item(const ct_field_info *info, void *item, const ct_field_info *given,
                     const void *value) {
    for (uint32_t lane = 0; lane < info->lanes; ++lane) {
        unsigned char *at = (unsigned char *)item + (size_t)lane * info->lane_bytes;
        double sum =
            ct_scalar_load(info->lane, at) +
            ct_scalar_load(given->lane, (const unsigned char *)value + lane * given->lane_bytes);
        if (!ct_scalar_store(info->lane, sum, at)) return false;
    }
    return true;
}

ct_field_type ct_bulk_sum_type(ct_field_type type) {
    switch (ct_field_info_of(type)->lanes) {
    case 1: return CT_FIELD_DOUBLE;
    case 2: return CT_FIELD_DVEC2;
    case 3: return CT_FIELD_DVEC3;
    default: return type;
    }
}

bool ct_bulk_check_sum(const ct_manager *manager, uint32_t field, ct_message *message) {
    const ct_field *f = &manager->fields[field];
    if (is_numeric(manager, field) && !f->read_only && f->type != CT_FIELD_ENUM) return true;
    return ct_message_set(message, "%s.%s is not a writable field of numbers", manager->name,
                          f->name);
}

ct_status ct_bulk_add(ct_manager *manager, uint32_t field, uint32_t count, const ct_row *rows,
                      const ct_values *values, uint32_t *at, ct_message *message) {
    const ct_field *f = &manager->fields[field];
    const ct_field_info *info = ct_field_info_of(f->type);
    const ct_allocator *allocator = manager->store.allocator;
    const ct_field_info *given = ct_field_info_of(ct_bulk_sum_type(f->type));
    size_t bytes;
    target t;
    if (!ct_size_mul_add(count, info->bytes, 1, &bytes)) return CT_ERR_MEMORY;
    unsigned char *old = ct_alloc(allocator, bytes), sum[CT_MAX_ITEM_BYTES];
    if (old == NULL) return ct_out_of_memory(allocator);
    ct_status status = begin(&t, manager, field);
    bool begun = status == CT_OK;
    for (*at = 0; *at < count && status == CT_OK; *at += status == CT_OK) {
        unsigned char *before = old + (size_t)*at * info->bytes;
        memcpy(before, ct_manager_read(manager, field, rows[*at]), info->bytes);
        memcpy(sum, before, info->bytes);
        if (!add_item(info, sum, given, ct_values_item(values, *at))) {
            ct_message_set(message, "%s.%s cannot hold the sum", manager->name, f->name);
            status = CT_ERR_DATA;
        } else if (!ct_manager_check_item(manager, field, sum, message)) {
            status = CT_ERR_DATA;
        } else {
            status = ct_manager_write_item(manager, field, rows[*at], sum);
        }
    }
    for (uint32_t i = *at; status != CT_OK && i-- > 0;)
        (void)ct_manager_write_item(manager, field, rows[i], old + (size_t)i * info->bytes);
    if (begun) (void)ct_manager_end_batch(manager, NULL);
    ct_free(allocator, old, bytes);
    return status;
}
