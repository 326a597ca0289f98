// Names of static resources that a manager's instances may refer to.
#include "storage/resource_names.h"

#include "base/message.h"
#include "base/nearest.h"
#include "base/runs.h"
#include "base/text.h"
#include "storage/layout.h"

#include <string.h>

uint32_t ct_resource_names_find(const ct_manager *manager, ct_text name) {
    return ct_resource_names_number(manager, ct_string_pool_find(manager->strings, name));
}

ct_status ct_resource_names_add(ct_manager *manager, ct_text name, uint32_t number) {
    ct_resource_names *names = ct_resource_names_of(manager);
    ct_string string = ct_string_pool_find(manager->strings, name);
    CT_ASSERT(name.length > 0 && number != 0);
    if (ct_resource_names_number(manager, string) != 0) {
        names->numbers[string.ref] = number;
        return CT_OK;
    }
    ct_status status = ct_string_pool_intern(manager->strings, name, &string);
    if (status != CT_OK) return status;
    uint32_t old = names->capacity;
    status = ct_array_reserve(manager->store.allocator, (void **)&names->numbers, &names->capacity,
                              string.ref + 1, sizeof *names->numbers);
    if (status != CT_OK) {
        ct_string_pool_release(manager->strings, string);
        return status;
    }
    memset(names->numbers + old, 0, (names->capacity - old) * sizeof *names->numbers);
    names->numbers[string.ref] = number;
    return CT_OK;
}

bool ct_resource_names_unknown_message(const ct_manager *manager, ct_text name,
                                       ct_message *message) {
    const ct_resource_names *names = ct_resource_names_of(manager);
    ct_message reason;
    ct_nearest nearest = ct_nearest_begin_text(name);
    for (uint32_t ref = 1; ref < names->capacity; ++ref) {
        if (names->numbers[ref] == 0) continue;
        ct_nearest_offer(&nearest, ct_string_pool_text(manager->strings, (ct_string){ref}).bytes);
    }
    ct_nearest_message(&nearest, &reason);
    return ct_message_set(message, "unknown %s resource %s", manager->name, reason.text);
}

bool ct_resource_names_check(const ct_manager *manager, const ct_values *values, uint32_t count,
                             ct_message *message) {
    const unsigned char *item = values->items;
    if (item == NULL) return true;
    if (values->stride == 0 && count > 1) count = 1;
    for (uint32_t i = 0; i < count; ++i, item += values->stride) {
        ct_text name = ct_text_load(item);
        ct_message why;
        if (ct_resource_names_find(manager, name) != 0) continue;
        ct_resource_names_unknown_message(manager, name, &why);
        return ct_message_set(message, "resource: %s", why.text);
    }
    return true;
}

// Equal names have equal offsets, and neighbours are often equal: a small cache avoids most
// hashing.
bool ct_resource_names_check_spawn(const ct_manager *manager, const ct_spawn *spawn,
                                   ct_message *message) {
    enum { REMEMBERED = 64 };
    ct_layout_places places;
    uint32_t known[REMEMBERED];
    if (!ct_layout_place(&manager->shape->layout, spawn->num_instances, &places)) return false;
    memset(known, 0xFF, sizeof known); // not an offset, which is a multiple of 4
    const unsigned char *item = spawn->data + places.field[0];
    for (uint32_t i = 0, run; i < spawn->num_instances; i += run, item += (size_t)run * 4) {
        uint32_t offset = ct_u32_at(item, 0);
        run = ct_u32_run(item, spawn->num_instances - i, 0);
        ct_message why;
        if (known[offset / 4 % REMEMBERED] == offset) continue;
        ct_text name = ct_text_stored(spawn->data + places.strings, offset);
        if (ct_resource_names_find(manager, name) == 0) {
            ct_resource_names_unknown_message(manager, name, &why);
            return ct_message_set(message, "%s: resource of instance %u: %s", manager->name, i + 1,
                                  why.text);
        }
        known[offset / 4 % REMEMBERED] = offset;
    }
    return true;
}

void ct_resource_names_state(ct_manager *manager, ct_state *state) {
    const uint32_t *saved = state->columns[manager->fields->column];
    uint32_t known = 0;
    if (state->pass != CT_STATE_RESERVE || state->status != CT_OK) return;
    for (uint32_t row = 0; row < state->rows; ++row) {
        ct_string name = {state->strings[saved[row]]};
        if (saved[row] == known) continue;
        if (ct_resource_names_number(manager, name) == 0) {
            ct_message_set(state->message, "%s resource '%s' is not defined", manager->name,
                           ct_string_pool_text(manager->strings, name).bytes);
            ct_state_require(state, CT_ERR_DATA);
            return;
        }
        known = saved[row];
    }
}

ct_status ct_resource_names_copy(ct_manager *manager, const ct_manager *from) {
    const ct_resource_names *others = ct_resource_names_of(from);
    for (uint32_t ref = 1; ref < others->capacity; ++ref) {
        if (others->numbers[ref] == 0) continue;
        ct_text name = ct_string_pool_text(from->strings, (ct_string){ref});
        ct_status status = ct_resource_names_add(manager, name, others->numbers[ref]);
        if (status != CT_OK) return status;
    }
    return CT_OK;
}

size_t ct_resource_names_memory(ct_manager *manager, ct_memory_task task) {
    ct_resource_names *names = ct_resource_names_of(manager);
    if (task == CT_MEMORY_FREE) {
        for (uint32_t ref = 1; ref < names->capacity; ++ref) {
            if (names->numbers[ref] != 0)
                ct_string_pool_release(manager->strings, (ct_string){ref});
        }
        ct_array_trim(manager->store.allocator, (void **)&names->numbers, &names->capacity, 0,
                      sizeof *names->numbers);
    }
    return names->capacity * sizeof *names->numbers;
}

void ct_resource_names_count(const ct_manager *manager, ct_string_audit *audit) {
    const ct_resource_names *names = ct_resource_names_of(manager);
    for (uint32_t ref = 1; ref < names->capacity; ++ref) {
        if (names->numbers[ref] != 0) ct_string_audit_add(audit, (ct_string){ref});
    }
}
