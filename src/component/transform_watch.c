// Watches: lists of entities with changed world poses.
//
// Recording must not fail, because setting a pose cannot fail. If a watch finds no memory, or if
// its list would cost more than reading all rows, the watch records that everything has changed.
#include "component/transform_changes.h"

#include <string.h>

struct ct_pose_watch {
    ct_pose_watch *next;
    uint32_t token;
    bool all;             // everything has changed: nothing is listed, and no list has memory
    uint64_t deaths_seen; // position in the log of deaths
    ct_entity *changes;   // changes since the last call, each entity once
    uint32_t count, capacity;
    ct_entity *returned; // result of the last call
    uint32_t returned_capacity;
    ct_entity *listed; // by index: the last owner that is already listed, or CT_NOBODY
    uint32_t listed_capacity;
};

// Limit of a list: the number of rows plus this.
#define SPARE (CT_FIRST_CAPACITY * 16u)

static const ct_allocator *allocator_of(const ct_transforms *transforms) {
    return transforms->base.store.allocator;
}

static void drop_list(const ct_transforms *transforms, ct_pose_watch *watch) {
    ct_free(allocator_of(transforms), watch->changes, watch->capacity * sizeof *watch->changes);
    ct_free(allocator_of(transforms), watch->listed,
            watch->listed_capacity * sizeof *watch->listed);
    watch->changes = watch->listed = NULL;
    watch->count = watch->capacity = watch->listed_capacity = 0;
    watch->all = true;
}

static bool make_room(const ct_transforms *transforms, ct_pose_watch *watch, uint32_t index) {
    const ct_allocator *allocator = allocator_of(transforms);
    uint32_t had = watch->listed_capacity;
    if (watch->count == watch->capacity) {
        if (watch->count >= ct_store_count(&transforms->base.store) + SPARE) return false;
        if (ct_array_reserve(allocator, (void **)&watch->changes, &watch->capacity,
                             watch->count + 1, sizeof *watch->changes) != CT_OK)
            return false;
    }
    if (index < had) return true;
    if (ct_array_reserve(allocator, (void **)&watch->listed, &watch->listed_capacity, index + 1,
                         sizeof *watch->listed) != CT_OK)
        return false;
    memset(watch->listed + had, 0xFF, (watch->listed_capacity - had) * sizeof *watch->listed);
    return true;
}

static void record(const ct_transforms *transforms, ct_pose_watch *watch, ct_entity e) {
    uint32_t index = ct_entity_index(e);
    if (watch->all || e.id == CT_NOBODY) return;
    if (index < watch->listed_capacity && watch->listed[index].id == e.id) return;
    if (!make_room(transforms, watch, index)) {
        drop_list(transforms, watch);
        return;
    }
    watch->changes[watch->count++] = e;
    watch->listed[index] = e;
}

void ct_transform_notify_rows(const ct_transforms *transforms, uint32_t first, uint32_t count) {
    const ct_entity *owners = ct_store_owners(&transforms->base.store);
    for (ct_pose_watch *watch = transforms->watches; watch != NULL; watch = watch->next) {
        for (uint32_t row = first; row < first + count && !watch->all; ++row)
            record(transforms, watch, owners[row]);
    }
}

void ct_transform_notify_subtree(const ct_transforms *transforms, const ct_transform_arrays *t,
                                 uint32_t top) {
    for (ct_pose_watch *watch = transforms->watches; watch != NULL; watch = watch->next) {
        for (uint32_t row = top; row != CT_NO_ROW && !watch->all;
             row = ct_transform_step(t, row, top))
            record(transforms, watch, t->owner[row]);
    }
}

void ct_transform_notify_all(const ct_transforms *transforms) {
    for (ct_pose_watch *watch = transforms->watches; watch != NULL; watch = watch->next)
        drop_list(transforms, watch);
}

// Lists dead entities with rows that have not been collected. Removed rows were listed before.
static void list_deaths(const ct_transforms *transforms, ct_pose_watch *watch) {
    const ct_store *store = &transforms->base.store;
    const ct_entity_manager *entities = store->entities;
    const ct_entity *owners = ct_store_owners(store);
    if (!ct_entity_manager_logs_from(entities, watch->deaths_seen)) drop_list(transforms, watch);
    for (uint64_t p = watch->deaths_seen; p < entities->tail && !watch->all; ++p) {
        uint32_t index = entities->log[p & (entities->capacity - 1)];
        uint32_t row = ct_entity_map_find(&store->map, owners, index);
        if (row != CT_NO_ROW && !ct_transform_alive_or_dying(&transforms->base, row))
            record(transforms, watch, owners[row]);
    }
    watch->deaths_seen = entities->tail;
}

void ct_transform_notify_removed(const ct_transforms *transforms, uint32_t row) {
    // A dead owner is listed by the log of deaths, while its row can be found.
    for (ct_pose_watch *watch = transforms->watches; watch != NULL; watch = watch->next) {
        if (watch->all) continue;
        if (ct_transform_alive_or_dying(&transforms->base, row))
            record(transforms, watch, ct_store_owners(&transforms->base.store)[row]);
        else
            list_deaths(transforms, watch);
    }
}

// Returns the address of the pointer to a watch, or NULL.
static ct_pose_watch **find(ct_transforms *transforms, uint32_t token) {
    for (ct_pose_watch **at = &transforms->watches; *at != NULL; at = &(*at)->next) {
        if ((*at)->token == token) return at;
    }
    return NULL;
}

ct_status ct_transform_watch(ct_manager *manager, uint32_t *token) {
    ct_transforms *transforms = ct_transforms_of(manager);
    const ct_allocator *allocator = allocator_of(transforms);
    ct_pose_watch *watch = ct_alloc(allocator, sizeof *watch);
    if (watch == NULL) return ct_out_of_memory(allocator);
    *watch = (ct_pose_watch){
        .next = transforms->watches, .token = ++transforms->last_watch, .all = true};
    transforms->watches = watch;
    *token = watch->token;
    return CT_OK;
}

static void end(ct_transforms *transforms, ct_pose_watch **at) {
    ct_pose_watch *watch = *at;
    *at = watch->next;
    drop_list(transforms, watch);
    ct_free(allocator_of(transforms), watch->returned,
            watch->returned_capacity * sizeof *watch->returned);
    ct_free(allocator_of(transforms), watch, sizeof *watch);
}

bool ct_transform_unwatch(ct_manager *manager, uint32_t token) {
    ct_pose_watch **at = find(ct_transforms_of(manager), token);
    if (at != NULL) end(ct_transforms_of(manager), at);
    return at != NULL;
}

size_t ct_transform_watch_memory(ct_transforms *transforms, ct_memory_task task) {
    size_t sum = 0;
    while (task == CT_MEMORY_FREE && transforms->watches != NULL)
        end(transforms, &transforms->watches);
    for (const ct_pose_watch *watch = transforms->watches; watch != NULL; watch = watch->next)
        sum += sizeof *watch +
               (watch->capacity + watch->returned_capacity) * sizeof *watch->changes +
               watch->listed_capacity * sizeof *watch->listed;
    return sum;
}

ct_status ct_transform_changed_poses(ct_manager *manager, uint32_t token, ct_changed_poses *out) {
    ct_transforms *transforms = ct_transforms_of(manager);
    ct_pose_watch **at = find(transforms, token), *watch;
    *out = (ct_changed_poses){NULL, 0, false};
    if (at == NULL) return CT_ERR_DATA;
    watch = *at;
    if (!watch->all) list_deaths(transforms, watch);
    out->all = watch->all;
    watch->all = false;
    if (out->all) watch->deaths_seen = manager->store.entities->tail;
    // Swaps the two lists: the result stays valid while new changes are recorded.
    const ct_pose_watch before = *watch;
    watch->changes = before.returned;
    watch->capacity = before.returned_capacity;
    watch->returned = before.changes;
    watch->returned_capacity = before.capacity;
    watch->count = 0;
    for (uint32_t i = 0; i < before.count; ++i)
        watch->listed[ct_entity_index(before.changes[i])].id = CT_NOBODY;
    out->entities = before.changes;
    out->count = before.count;
    return CT_OK;
}

uint32_t ct_transform_moved_owners(const ct_manager *manager, const ct_changed_poses *changed,
                                   ct_entity *out) {
    const ct_store *store = &manager->store;
    const ct_entity *from = changed->all ? ct_store_owners(store) : changed->entities;
    uint32_t most = changed->all ? ct_store_count(store) : changed->count, count = 0;
    for (uint32_t i = 0; i < most; ++i) {
        ct_entity e = from[i];
        if (ct_entity_manager_alive(store->entities, e) && ct_store_find(store, e).i != CT_NO_ROW)
            out[count++] = e;
    }
    return count;
}
