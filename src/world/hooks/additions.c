// Hooks of a manager, and the components that one call creates until their hooks ran.
#include "world/hooks/hooks_internal.h"

#include "storage/id_index.h"
#include "storage/manager_access.h"

#include <string.h>

// Number of items up to which a search compares all.
#define FEW_ITEMS 8u

bool ct_hooks_call(ct_world *world, const ct_callback *hook, const ct_hook_event *event) {
    ct_timings *timings = &event->manager->timings;
    world->busy++;
    uint64_t begun = ct_work_begin(timings);
    bool ok = ((ct_hook_fn)hook->fn)(hook->user, event);
    ct_work_end(timings, CT_WORK_HOOKS, begun);
    world->busy--;
    return ok;
}

const ct_callback *ct_hooks_next(const ct_manager *manager, uint32_t kind, uint32_t last,
                                 uint32_t youngest) {
    if (manager->hooks == NULL) return NULL;
    const ct_callbacks *list = &manager->hooks->of[kind];
    for (uint32_t i = ct_callbacks_place(list, last + 1); i < list->count; ++i) {
        if (list->items[i].token > youngest) return NULL;
        if (list->items[i].fn != NULL) return &list->items[i];
    }
    return NULL;
}

bool ct_hooks_any(const ct_manager *manager) {
    if (manager->hooks == NULL) return false;
    for (uint32_t kind = 0; kind < CT_HOOK_KINDS; ++kind) {
        if (ct_callbacks_any(&manager->hooks->of[kind])) return true;
    }
    return false;
}

// Makes the index of the items, if there are many. Returns whether there is one; memory may have
// run out.
static bool make_index(ct_additions *a) {
    if (a->index.slots != NULL) return true;
    if (a->count <= FEW_ITEMS || !ct_table_reserve(&a->index, a->allocator, a->count, NULL, NULL))
        return false;
    for (uint32_t i = 0; i < a->count; ++i) {
        const ct_addition *item = &a->items[i];
        if (item->entity.id != CT_NOBODY)
            ct_table_add(&a->index, ct_id_hash(item->entity, item->id), i);
    }
    return true;
}

static void drop_index(ct_additions *a) { ct_table_free(&a->index, a->allocator); }

static bool is_of(const ct_addition *item, const ct_manager *manager, ct_entity e, uint32_t id) {
    return item->entity.id == e.id && item->manager == manager && item->id == id;
}

// Returns the item of a component, or 'count'.
static uint32_t find_item(ct_additions *a, const ct_manager *manager, ct_entity e, uint32_t id) {
    uint32_t hash = ct_id_hash(e, id), i = 0;
    if (!make_index(a)) {
        while (i < a->count && !is_of(&a->items[i], manager, e, id))
            i++;
        return i;
    }
    uint32_t at = ct_table_home(&a->index, hash);
    do
        i = ct_table_next(&a->index, hash, &at);
    while (i != CT_TABLE_NONE && !is_of(&a->items[i], manager, e, id));
    return i != CT_TABLE_NONE ? i : a->count;
}

ct_addition *ct_additions_find(const ct_world *world, const ct_manager *manager, ct_entity e,
                               uint32_t id, bool *quiet) {
    for (ct_additions *a = world->additions; a != NULL; a = a->outer) {
        uint32_t i = find_item(a, manager, e, id);
        if (i == a->count) continue;
        *quiet = i >= a->notified || i < a->undone;
        return &a->items[i];
    }
    *quiet = false;
    return NULL;
}

void ct_additions_begin(ct_additions *additions, ct_world *world, ct_reason reason) {
    memset(additions, 0, sizeof *additions);
    additions->world = world;
    additions->reason = reason;
    additions->allocator = world->allocator;
    additions->items = &additions->one;
    additions->capacity = 1;
    additions->outer = world->additions;
    world->additions = additions;
}

void ct_additions_end(ct_additions *additions) {
    ct_world *world = additions->world;
    CT_ASSERT(world->additions == additions);
    world->additions = additions->outer;
    drop_index(additions);
    if (additions->items == &additions->one) return;
    ct_free(additions->allocator, additions->items, additions->capacity * sizeof *additions->items);
}

static ct_status reserve(ct_additions *additions, uint32_t needed) {
    const ct_allocator *allocator = additions->allocator;
    if (needed <= additions->capacity) return CT_OK;
    bool own = additions->items == &additions->one;
    ct_addition *items = own ? NULL : additions->items;
    uint32_t capacity = own ? 0 : additions->capacity;
    ct_status status =
        ct_array_reserve(allocator, (void **)&items, &capacity, needed, sizeof *items);
    if (status != CT_OK) return status;
    if (own) items[0] = additions->one;
    additions->items = items;
    additions->capacity = capacity;
    return CT_OK;
}

ct_status ct_additions_note(ct_additions *additions, ct_manager *manager, uint32_t count) {
    if (!ct_hooks_any(manager)) return CT_OK;
    ct_status status = reserve(additions, additions->count + count);
    if (status != CT_OK) return status;
    const ct_store *store = &manager->store;
    drop_index(additions);
    for (uint32_t row = ct_store_count(store) - count; row < ct_store_count(store); ++row)
        additions->items[additions->count++] =
            (ct_addition){manager, ct_store_owners(store)[row], ct_store_id(store, (ct_row){row})};
    return CT_OK;
}

ct_status ct_additions_create(ct_additions *additions, ct_world *world, ct_manager *manager,
                              const ct_entity *owners, uint32_t count, const ct_values *values,
                              const ct_component_id *ids, ct_row *first) {
    ct_additions_begin(additions, world, CT_REASON_CREATE);
    ct_store_keep_number(&manager->store);
    ct_status status = ct_manager_create_whole(manager, owners, count, values, ids, first);
    if (status == CT_OK) {
        status = ct_additions_note(additions, manager, count);
        if (status == CT_OK) return CT_OK;
        ct_manager_rollback(manager, count);
        ct_store_restore_number(&manager->store);
    }
    ct_additions_end(additions);
    return status;
}

ct_row ct_additions_row(const ct_additions *additions, uint32_t item) {
    const ct_addition *a = &additions->items[item];
    if (a->entity.id == CT_NOBODY) return (ct_row){CT_NO_ROW};
    return ct_hooks_find_row(a->manager, a->entity, a->id);
}

static void reverse(ct_addition *items, uint32_t count) {
    for (uint32_t i = 0; i < count / 2; ++i) {
        ct_addition item = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = item;
    }
}

// Sorts the items by spawn order, stable. They form a few long runs: each is rotated to its place
// by reversing it, the items before it, and then both.
static void order(ct_additions *additions) {
    ct_addition *items = additions->items;
    drop_index(additions);
    for (uint32_t run = 0, end; run < additions->count; run = end) {
        uint32_t spawn_order = items[run].manager->spawn_order, place = run;
        for (end = run; end < additions->count && items[end].manager == items[run].manager;)
            end++;
        while (place > 0 && items[place - 1].manager->spawn_order > spawn_order)
            place--;
        if (place == run) continue;
        reverse(items + place, run - place);
        reverse(items + run, end - run);
        reverse(items + place, end - place);
    }
}

bool ct_additions_notify(ct_additions *additions, void *context) {
    if (additions->world->hooks_of_kind[CT_HOOK_ADD] == 0) {
        additions->notified = additions->count;
        return true;
    }
    order(additions);
    uint32_t youngest = additions->world->hook_token;
    while (additions->notified < additions->count) {
        const ct_addition *item = &additions->items[additions->notified++];
        uint32_t last = 0;
        for (;;) {
            // Looked up for each hook, because a hook may have removed or moved the row.
            ct_row row = ct_additions_row(additions, additions->notified - 1);
            const ct_callback *hook = ct_hooks_next(item->manager, CT_HOOK_ADD, last, youngest);
            if (row.i == CT_NO_ROW || hook == NULL) break;
            last = hook->token;
            const ct_hook_event event = {context, additions->reason, item->manager, item->entity,
                                         row};
            if (!ct_hooks_call(additions->world, hook, &event)) return false;
        }
    }
    return true;
}
