// Manager of entities: generations by index, and a queue of dead indices that is also the log of
// deaths.
#include "entity/entity_manager.h"

#include "base/clock.h"

#include <string.h>

void ct_entity_manager_init(ct_entity_manager *manager, const ct_allocator *allocator,
                            uint32_t minimum_free) {
    CT_ASSERT(minimum_free < CT_MAX_ENTITIES);
    memset(manager, 0, sizeof *manager);
    manager->allocator = allocator;
    manager->minimum_free = minimum_free;
}

void ct_entity_manager_free(ct_entity_manager *manager) {
    manager->destroyed = true;
    if (manager->dying != NULL) return;
    const ct_allocator *allocator = manager->allocator;
    const uint32_t moves = manager->moves + 1;
    while (manager->watches != NULL)
        ct_entity_manager_unwatch(manager->watches);
    ct_free(allocator, manager->slots, manager->capacity * sizeof *manager->slots);
    ct_free(allocator, manager->log, manager->capacity * sizeof *manager->log);
    ct_free(allocator, manager->noted, manager->noted_bytes);
    ct_callbacks_free(&manager->listeners, allocator);
    ct_entity_manager_init(manager, &ct_allocator_destroyed, manager->minimum_free);
    manager->moves = moves;
    manager->destroyed = true;
}

static uint32_t capacity_for(uint32_t needed) {
    uint32_t capacity = CT_FIRST_CAPACITY;
    while (capacity < needed)
        capacity *= 2;
    return capacity;
}

// Allocates slots and log for 'capacity' indices, both or neither; all used indices must fit. The
// log has an entry for every index, so destroy cannot fail.
static ct_status resize(ct_entity_manager *manager, uint32_t capacity) {
    // Uses two new blocks instead of two reallocations: if the second one failed, the first could
    // not be undone.
    uint16_t *slots = ct_alloc(manager->allocator, capacity * sizeof *slots);
    uint32_t *log = ct_alloc(manager->allocator, capacity * sizeof *log);
    if (slots == NULL || log == NULL) {
        ct_free(manager->allocator, slots, capacity * sizeof *slots);
        ct_free(manager->allocator, log, capacity * sizeof *log);
        return ct_out_of_memory(manager->allocator);
    }
    // Nothing below this line can fail.
    if (manager->capacity > 0) {
        memcpy(slots, manager->slots, manager->used * sizeof *slots);
        // Positions do not change, only the mask. All valid entries of the old ring are kept, as
        // far as they fit, because collectors may not have read them yet.
        uint64_t known = manager->capacity < capacity ? manager->capacity : capacity;
        if (known > manager->tail - manager->known) known = manager->tail - manager->known;
        manager->known = manager->tail - known;
        for (uint64_t p = manager->known; p < manager->tail; ++p)
            log[p & (capacity - 1)] = manager->log[p & (manager->capacity - 1)];
    }
    ct_free(manager->allocator, manager->slots, manager->capacity * sizeof *slots);
    ct_free(manager->allocator, manager->log, manager->capacity * sizeof *log);
    manager->slots = slots;
    manager->moves++;
    manager->log = log;
    manager->capacity = capacity;
    return CT_OK;
}

ct_status ct_entity_manager_reserve_indices(ct_entity_manager *manager, uint32_t needed) {
    return needed <= manager->capacity ? CT_OK : resize(manager, capacity_for(needed));
}

void ct_entity_manager_trim(ct_entity_manager *manager) {
    uint32_t capacity = capacity_for(manager->used);
    if (capacity < manager->capacity) (void)resize(manager, capacity);
}

// Sources of the ids of 'count' new entities, in this order.
typedef struct plan {
    uint32_t surplus; // reused, from waiting indices above the minimum
    uint32_t unused;  // never used before
    uint32_t forced;  // reused, because no unused index is left
} plan;

// Makes the plan for a queue of 'waiting' indices.
static ct_status make_plan(const ct_entity_manager *manager, uint32_t waiting, uint32_t count,
                           plan *out) {
    uint32_t surplus = waiting > manager->minimum_free ? waiting - manager->minimum_free : 0;
    uint32_t available = CT_MAX_ENTITIES - manager->used;
    out->surplus = count < surplus ? count : surplus;
    count -= out->surplus;
    out->unused = count < available ? count : available;
    out->forced = count - out->unused;
    return out->forced > waiting - out->surplus ? CT_ERR_FULL : CT_OK;
}

ct_status ct_entity_manager_reserve(ct_entity_manager *manager, uint32_t count) {
    plan p;
    ct_status status = make_plan(manager, ct_entity_manager_waiting(manager), count, &p);
    if (status != CT_OK) return status;
    return ct_entity_manager_reserve_indices(manager, manager->used + p.unused);
}

static void notify_generation_wrap(const ct_entity_manager *manager, uint32_t index) {
    for (ct_generation_wrap_listener *watch = manager->watches; watch != NULL; watch = watch->next)
        watch->fn(watch, index);
}

static ct_entity *recycle(ct_entity_manager *manager, uint32_t count, ct_entity *out) {
    uint16_t *slots = manager->slots;
    uint32_t mask = manager->capacity - 1;
    uint64_t head = manager->head;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t index = manager->log[(head + i) & mask];
        uint16_t generation = slots[index] & CT_ENTITY_GENERATION_MASK;
        slots[index] = generation;
        if (CT_UNLIKELY(generation == 0)) notify_generation_wrap(manager, index);
        *out++ = ct_entity_make(index, generation);
    }
    manager->head = head + count;
    return out;
}

// Creates one entity in the common cases: from a waiting index that has not wrapped, or from an
// unused index within the capacity. Otherwise returns false. Calls no function, so it needs no
// stack frame.
static bool create_one(ct_entity_manager *manager, ct_entity *out) {
    if (ct_entity_manager_waiting(manager) > manager->minimum_free) {
        uint32_t reused = manager->log[manager->head & (manager->capacity - 1)];
        uint16_t generation = manager->slots[reused] & CT_ENTITY_GENERATION_MASK;
        if (CT_UNLIKELY(generation == 0)) return false;
        manager->slots[reused] = generation;
        manager->head++;
        *out = ct_entity_make(reused, generation);
        return true;
    }
    uint32_t index = manager->used;
    if (index >= manager->capacity) return false;
    manager->slots[index] = 0;
    manager->used = index + 1;
    *out = ct_entity_make(index, 0);
    return true;
}

// Not inlined, to keep the path for one entity short.
CT_NOINLINE static ct_status create_many(ct_entity_manager *manager, uint32_t count,
                                         ct_entity *out) {
    plan p;
    ct_status status = make_plan(manager, ct_entity_manager_waiting(manager), count, &p);
    if (status != CT_OK) return status;
    status = ct_entity_manager_reserve_indices(manager, manager->used + p.unused);
    if (status != CT_OK) return status;

    // Nothing below this line can fail.
    out = recycle(manager, p.surplus, out);
    if (p.unused > 0) {
        memset(manager->slots + manager->used, 0, p.unused * sizeof *manager->slots);
        for (uint32_t i = 0; i < p.unused; ++i)
            out[i] = ct_entity_make(manager->used + i, 0);
        out += p.unused;
        manager->used += p.unused;
    }
    recycle(manager, p.forced, out);
    return CT_OK;
}

ct_status ct_entity_manager_create(ct_entity_manager *manager, uint32_t count, ct_entity *out) {
    if (count == 1 && create_one(manager, out)) return CT_OK;
    return create_many(manager, count, out);
}

static void queue_index(ct_entity_manager *manager, uint32_t index) {
    CT_ASSERT(ct_entity_manager_waiting(manager) < manager->capacity);
    manager->log[manager->tail & (manager->capacity - 1)] = index;
    manager->tail++;
}

// Returns the slot of an index after the death of its entity.
static uint16_t dead_slot(ct_entity e) {
    uint32_t next = (ct_entity_generation(e) + 1) & CT_ENTITY_GENERATION_MASK;
    return (uint16_t)(next | CT_SLOT_FREE);
}

static void end_life(ct_entity_manager *manager, ct_entity e) {
    manager->slots[ct_entity_index(e)] = dead_slot(e);
    manager->deaths++;
    manager->structure++;
}

// Returns whether an index was the last one taken from the queue.
static bool was_recycled_last(const ct_entity_manager *manager, uint32_t index) {
    return manager->head > 0 && ct_entity_manager_logs_from(manager, manager->head - 1) &&
           manager->log[(manager->head - 1) & (manager->capacity - 1)] == index;
}

void ct_entity_manager_rollback(ct_entity_manager *manager, uint32_t count, const ct_entity *ids) {
    for (uint32_t i = count; i-- > 0;) {
        uint32_t index = ct_entity_index(ids[i]);
        CT_ASSERT(ct_entity_manager_alive(manager, ids[i]));
        if (was_recycled_last(manager, index)) {
            manager->slots[index] |= CT_SLOT_FREE;
            manager->head--;
        } else if (index + 1 == manager->used && ct_entity_generation(ids[i]) == 0) {
            manager->used--;
        } else { // other entities were created since
            end_life(manager, ids[i]);
            queue_index(manager, index);
        }
    }
    manager->deaths += count;
    manager->structure += count;
}

// Destroys the living ones among entities for which no listener is called. Counters in memory would
// make each death wait for the one before.
CT_NOINLINE static uint32_t destroy_quietly(ct_entity_manager *manager, uint32_t count,
                                            const ct_entity *ids) {
    uint16_t *slots = manager->slots;
    uint32_t *log = manager->log, mask = manager->capacity - 1;
    uint64_t tail = manager->tail;
    for (uint32_t i = 0; i < count; ++i) {
        if (!ct_entity_manager_alive(manager, ids[i])) continue;
        slots[ct_entity_index(ids[i])] = dead_slot(ids[i]);
        log[tail++ & mask] = ct_entity_index(ids[i]);
    }
    uint32_t died = (uint32_t)(tail - manager->tail);
    manager->tail = tail;
    manager->deaths += died;
    manager->structure += died;
    return died;
}

void ct_entity_manager_discard(ct_entity_manager *manager, uint32_t count, const ct_entity *ids) {
    (void)destroy_quietly(manager, count, ids);
}

static void begin_notification(ct_entity_manager *manager, ct_dying *dying, ct_entity e,
                               ct_reason reason) {
    *dying = (ct_dying){e, reason, 0, manager->dying};
    manager->dying = dying;
    manager->dying_count++;
    manager->guarded++;
}

static void notify(ct_entity_manager *manager, ct_entity e, ct_reason reason, void *context) {
    ct_callbacks *listeners = &manager->listeners;
    ct_dying dying;
    begin_notification(manager, &dying, e, reason);
    // Items do not move during the walk. A listener that is registered meanwhile is appended, and
    // its token shows that it is too young for this death.
    uint32_t youngest = manager->next_token;
    ct_callbacks_begin(listeners);
    while (dying.next < listeners->count) {
        const ct_callback listener = listeners->items[dying.next++];
        if (listener.fn == NULL || listener.token > youngest) continue;
        uint64_t begun =
            CT_UNLIKELY(manager->timed > 0) && listener.order == 0 ? ct_clock_now() : 0;
        ((ct_destroy_fn)listener.fn)(listener.user, context, e);
        if (CT_LIKELY(begun == 0)) continue;
        manager->listened.calls++;
        manager->listened.nanoseconds += ct_clock_now() - begun;
    }
    ct_callbacks_end(listeners);
    manager->dying_count--;
    manager->structure++; // the rows of the entity do not answer any more
    manager->guarded--;
    manager->dying = dying.outer;
    if (ct_entity_manager_noted(manager, e))
        manager->noted[ct_entity_index(e) / 8] &= (uint8_t) ~(1u << ct_entity_index(e) % 8);
}

// Returns whether a listener must be called for entities that are not noted. Listeners are sorted
// by order, except for new ones at the end.
static bool all_are_notified(const ct_callbacks *listeners) {
    if (listeners->count == 0) return false;
    return listeners->sorted < listeners->count || listeners->items[0].order != CT_LISTEN_NOTED;
}

// Not inlined, like destroy_quietly, to keep the path for one entity short.
CT_NOINLINE static uint32_t destroy_notified(ct_entity_manager *manager, ct_reason reason,
                                             uint32_t count, const ct_entity *entities,
                                             void *context) {
    uint32_t died = 0;
    bool all = all_are_notified(&manager->listeners);
    for (uint32_t i = 0; i < count; ++i) {
        ct_entity e = entities[i];
        if (!ct_entity_manager_alive(manager, e)) continue;
        end_life(manager, e);
        if (all || ct_entity_manager_noted(manager, e)) {
            notify(manager, e, reason, context);
            all = all_are_notified(&manager->listeners);
        }
        queue_index(manager, ct_entity_index(e));
        died++;
    }
    if (CT_UNLIKELY(manager->destroyed)) ct_entity_manager_free(manager);
    return died;
}

uint32_t ct_entity_manager_destroy_for(ct_entity_manager *manager, ct_reason reason, uint32_t count,
                                       const ct_entity *entities, void *context) {
    bool notified = manager->listeners.count > 0 || manager->noted_bytes > 0;
    if (notified) return destroy_notified(manager, reason, count, entities, context);
    if (count != 1) return destroy_quietly(manager, count, entities);
    if (!ct_entity_manager_alive(manager, *entities)) return 0;
    end_life(manager, *entities);
    queue_index(manager, ct_entity_index(*entities));
    return 1;
}

uint32_t ct_entity_manager_destroy(ct_entity_manager *manager, uint32_t count,
                                   const ct_entity *entities, void *context) {
    return ct_entity_manager_destroy_for(manager, CT_REASON_DESTROY, count, entities, context);
}

const char *ct_reason_name(ct_reason reason) {
    static const char *const names[CT_REASONS] = {"destroy", "remove", "create", "spawn",
                                                  "restart", "patch",  "apply",  "unload",
                                                  "clear",   "undo",   "world"};
    return names[reason];
}

// Returns the notification of the death of an entity that is in progress, or NULL.
static const ct_dying *find_dying(const ct_entity_manager *manager, ct_entity e) {
    const ct_dying *dying = manager->dying;
    while (dying != NULL && dying->entity.id != e.id)
        dying = dying->outer;
    return dying;
}

bool ct_entity_manager_is_dying(const ct_entity_manager *manager, ct_entity e) {
    return find_dying(manager, e) != NULL;
}

ct_entity ct_entity_manager_at(const ct_entity_manager *manager, uint32_t index) {
    if (index >= manager->used || (manager->slots[index] & CT_SLOT_FREE) != 0)
        return (ct_entity){CT_NOBODY};
    return ct_entity_make(index, manager->slots[index]);
}

ct_status ct_entity_manager_note(ct_entity_manager *manager, ct_entity e) {
    uint32_t index = ct_entity_index(e), before = manager->noted_bytes;
    CT_ASSERT(ct_entity_manager_alive(manager, e));
    if (index / 8 >= before) {
        ct_status status = ct_array_reserve(manager->allocator, (void **)&manager->noted,
                                            &manager->noted_bytes, manager->capacity / 8 + 1, 1);
        if (status != CT_OK) return status;
        memset(manager->noted + before, 0, manager->noted_bytes - before);
    }
    manager->noted[index / 8] |= (uint8_t)(1u << index % 8);
    return CT_OK;
}

ct_status ct_entity_manager_listen(ct_entity_manager *manager, ct_destroy_fn fn, void *user,
                                   uint32_t order, uint32_t *token) {
    uint32_t next = manager->next_token + 1;
    ct_status status = ct_callbacks_add(&manager->listeners, manager->allocator, (ct_callback_fn)fn,
                                        user, order, next);
    if (status == CT_OK) *token = manager->next_token = next;
    return status;
}

bool ct_entity_manager_unlisten(ct_entity_manager *manager, uint32_t token) {
    return ct_callbacks_remove(&manager->listeners, token);
}

bool ct_entity_manager_has_notified(const ct_entity_manager *manager, ct_entity e, uint32_t token) {
    const ct_dying *dying = find_dying(manager, e);
    return dying != NULL && ct_callbacks_passed(&manager->listeners, dying->next, token);
}

void ct_entity_manager_watch(ct_entity_manager *manager, ct_generation_wrap_listener *watch) {
    watch->next = manager->watches;
    watch->link = &manager->watches;
    if (watch->next != NULL) watch->next->link = &watch->next;
    manager->watches = watch;
}

void ct_entity_manager_unwatch(ct_generation_wrap_listener *watch) {
    if (watch->link == NULL) return;
    if (watch->next != NULL) watch->next->link = watch->link;
    *watch->link = watch->next;
    watch->link = NULL;
}

size_t ct_entity_manager_bytes(const ct_entity_manager *manager) {
    return manager->capacity * (sizeof *manager->slots + sizeof *manager->log) +
           manager->listeners.capacity * sizeof *manager->listeners.items;
}
