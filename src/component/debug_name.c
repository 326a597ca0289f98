// Debug name manager: an interned string in each row, and a list of rows for each string.
#include "component/debug_name.h"

#include "base/message.h"
#include "base/text.h"

#include <string.h>

enum { COLUMN_NAME = CT_COLUMN_OWNER + 1, COLUMN_NEXT_SAME, COLUMN_PREV_SAME };

typedef struct debug_names {
    ct_manager base;
    uint32_t *first; // by string: first row with that name, or CT_NO_ROW
    uint32_t first_capacity;
} debug_names;

static const ct_field fields[] = {{.name = "name", .type = CT_FIELD_STRING, .column = COLUMN_NAME}};

static uint32_t *column(const ct_manager *names, uint32_t c) {
    return ct_store_u32(&names->store, c);
}

// Adds a row at the end of the list of its name. The 'prev' of the first row is the last row.
static void append(debug_names *names, uint32_t row) {
    uint32_t *next = column(&names->base, COLUMN_NEXT_SAME);
    uint32_t *prev = column(&names->base, COLUMN_PREV_SAME);
    uint32_t *first = &names->first[column(&names->base, COLUMN_NAME)[row]];
    next[row] = CT_NO_ROW;
    if (*first == CT_NO_ROW) {
        *first = row;
        prev[row] = row;
        return;
    }
    prev[row] = prev[*first];
    next[prev[row]] = row;
    prev[*first] = row;
}

static void unlink(debug_names *names, uint32_t row) {
    uint32_t *next = column(&names->base, COLUMN_NEXT_SAME);
    uint32_t *prev = column(&names->base, COLUMN_PREV_SAME);
    uint32_t *first = &names->first[column(&names->base, COLUMN_NAME)[row]];
    if (*first == row) {
        *first = next[row];
        if (next[row] != CT_NO_ROW) prev[next[row]] = prev[row];
        return;
    }
    next[prev[row]] = next[row];
    prev[next[row] != CT_NO_ROW ? next[row] : *first] = prev[row];
}

// Makes room in 'first' for every string number that the pool can have.
static ct_status reserve_strings(debug_names *names) {
    uint32_t needed = names->base.strings->entry_capacity;
    uint32_t old = names->first_capacity;
    if (needed == 0) needed = 1; // "" has no entry, but it has a list
    ct_status status = ct_array_reserve(names->base.store.allocator, (void **)&names->first,
                                        &names->first_capacity, needed, sizeof *names->first);
    if (status != CT_OK) return status;
    for (uint32_t i = old; i < names->first_capacity; ++i)
        names->first[i] = CT_NO_ROW;
    return CT_OK;
}

static ct_status created(ct_manager *manager, ct_row first, uint32_t count) {
    debug_names *names = (debug_names *)(void *)manager;
    if (reserve_strings(names) != CT_OK) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < count; ++i)
        append(names, first.i + i);
    return CT_OK;
}

static ct_status write(ct_manager *manager, uint32_t field, ct_row row, const void *item) {
    debug_names *names = (debug_names *)(void *)manager;
    ct_string string;
    (void)field;
    ct_status status = ct_string_pool_intern(manager->strings, ct_text_load(item), &string);
    if (status != CT_OK) return status;
    status = reserve_strings(names);
    if (status != CT_OK) {
        ct_string_pool_release(manager->strings, string);
        return status;
    }
    // Nothing below this line can fail.
    unlink(names, row.i);
    ct_string_pool_release(manager->strings, (ct_string){column(manager, COLUMN_NAME)[row.i]});
    column(manager, COLUMN_NAME)[row.i] = string.ref;
    append(names, row.i);
    return CT_OK;
}

static void removing(ct_manager *manager, ct_row first, uint32_t count) {
    debug_names *names = (debug_names *)(void *)manager;
    const uint32_t *name = column(manager, COLUMN_NAME);
    bool all = count == ct_store_count(&manager->store);
    for (uint32_t row = first.i; row < first.i + count; ++row) {
        if (all)
            names->first[name[row]] = CT_NO_ROW;
        else
            unlink(names, row);
    }
}

static void moved(ct_manager *manager, ct_row to, ct_row from, uint32_t count) {
    debug_names *names = (debug_names *)(void *)manager;
    uint32_t *next = column(manager, COLUMN_NEXT_SAME);
    uint32_t *prev = column(manager, COLUMN_PREV_SAME);
    const uint32_t *name = column(manager, COLUMN_NAME);
    ct_links_shift(next + to.i, count, to, from, count);
    ct_links_shift(prev + to.i, count, to, from, count);
    for (uint32_t row = to.i; row < to.i + count; ++row)
        ct_links_shift(&names->first[name[row]], 1, to, from, count);
    for (uint32_t row = to.i; row < to.i + count; ++row) {
        uint32_t first = names->first[name[row]];
        if (first != row) next[prev[row]] = row;
        prev[next[row] != CT_NO_ROW ? next[row] : first] = row;
    }
}

static size_t memory(ct_manager *manager, ct_memory_task task) {
    debug_names *names = (debug_names *)(void *)manager;
    uint32_t strings = manager->strings->entry_capacity;
    uint32_t needed = ct_store_count(&manager->store) == 0 ? 0 : strings > 0 ? strings : 1;
    if (task != CT_MEMORY_COUNT)
        ct_array_trim(manager->store.allocator, (void **)&names->first, &names->first_capacity,
                      needed, sizeof *names->first);
    return names->first_capacity * sizeof *names->first;
}

// Restores the first row of each list. The links are in the columns.
static void state(ct_manager *manager, ct_state *state) {
    debug_names *names = (debug_names *)(void *)manager;
    if (state->pass == CT_STATE_RESERVE) ct_state_require(state, reserve_strings(names));
    if (state->pass != CT_STATE_COMMIT) return;
    const uint32_t *next = column(manager, COLUMN_NEXT_SAME);
    const uint32_t *prev = column(manager, COLUMN_PREV_SAME);
    const uint32_t *name = column(manager, COLUMN_NAME);
    for (uint32_t i = 0; i < names->first_capacity; ++i)
        names->first[i] = CT_NO_ROW;
    for (uint32_t row = 0; row < ct_store_count(&manager->store); ++row) {
        if (next[prev[row]] != row) names->first[name[row]] = row;
    }
}

// Checks that every row is in the list of its name once, and that 'next' and 'prev' agree.
static bool validate(const ct_manager *manager, ct_message *message) {
    const debug_names *names = (const debug_names *)(const void *)manager;
    const uint32_t *next = column(manager, COLUMN_NEXT_SAME);
    const uint32_t *prev = column(manager, COLUMN_PREV_SAME);
    const uint32_t *name = column(manager, COLUMN_NAME);
    uint32_t count = manager->store.columns.count, listed = 0;
    for (uint32_t s = 0; s < names->first_capacity; ++s) {
        uint32_t last = CT_NO_ROW;
        for (uint32_t row = names->first[s]; row != CT_NO_ROW; row = next[row]) {
            if (row >= count || name[row] != s || ++listed > count ||
                (last != CT_NO_ROW && prev[row] != last))
                return ct_message_set(message, CT_DEBUG_NAME ": the list of a name is broken");
            last = row;
        }
        if (last != CT_NO_ROW && prev[names->first[s]] != last)
            return ct_message_set(message, CT_DEBUG_NAME ": a list has a wrong last row");
    }
    if (listed != count)
        return ct_message_set(message, CT_DEBUG_NAME ": %u rows are in lists, %u should be", listed,
                              count);
    return true;
}

static const ct_manager_shape shape = {
    .name = CT_DEBUG_NAME,
    .bytes = sizeof(debug_names),
    .widths = (const uint16_t[]){4, 4, 4},
    .column_count = 3,
    .fields = fields,
    .field_count = 1,
    .layout = {.fields = fields, .field_count = 1},
};

const ct_manager_type ct_debug_name_type = {
    .shape = &shape,
    .fill = ct_manager_fill_columns,
    .created = created,
    .write = write,
    .removing = removing,
    .moved = moved,
    .memory = memory,
    .state = state,
    .validate = validate,
};

// Moves the rows in front of 'row' to the end of the list. They are dead, so the order of the
// others does not change, and the next search does not pass them again.
static void move_to_front(const debug_names *names, uint32_t *first, uint32_t row) {
    uint32_t *next = column(&names->base, COLUMN_NEXT_SAME);
    const uint32_t *prev = column(&names->base, COLUMN_PREV_SAME);
    next[prev[*first]] = *first;
    next[prev[row]] = CT_NO_ROW;
    *first = row;
}

ct_row ct_debug_name_find(const ct_manager *manager, ct_text name, ct_row after) {
    const debug_names *names = (const debug_names *)(const void *)manager;
    uint32_t *first = NULL, row = CT_NO_ROW;
    if (after.i == CT_NO_ROW) {
        ct_string string = ct_string_pool_find(manager->strings, name);
        bool known = (string.ref != 0 || name.length == 0) && string.ref < names->first_capacity;
        if (known) first = &names->first[string.ref];
        if (known) row = *first;
    } else {
        row = column(manager, COLUMN_NEXT_SAME)[after.i];
    }
    while (row != CT_NO_ROW &&
           !ct_entity_manager_alive(manager->store.entities, ct_store_owners(&manager->store)[row]))
        row = column(manager, COLUMN_NEXT_SAME)[row];
    if (first != NULL && row != CT_NO_ROW && row != *first) move_to_front(names, first, row);
    return (ct_row){row};
}
