// Manager of entities: issues ids, tracks which are alive, and calls listeners when entities die.
// Longer than 150 lines: half of it is reference text.
#ifndef CT_ENTITY_MANAGER_H
#define CT_ENTITY_MANAGER_H

#include "base/callbacks.h"
#include "base/reader.h"
#include "base/state.h"

/// Default for the number of dead indices that wait before the oldest is reused. With 256
/// generations, an id repeats after at least 256 x 1024 destructions (Bitsquid part 1).
#define CT_MINIMUM_FREE_INDICES 1024u

/// Bit in a slot's generation that marks an index in the queue. No 32-bit id has this bit in its
/// generation, so no id matches the slot, not even the next id of the index.
#define CT_SLOT_FREE 0x400u

/// Operation that adds or removes components. An entity that a callback destroys during another
/// operation has the reason of the inner operation.
typedef enum ct_reason {
    CT_REASON_DESTROY, ///< the entity was destroyed individually
    CT_REASON_REMOVE,  ///< only the component was removed
    CT_REASON_CREATE,
    CT_REASON_SPAWN,
    CT_REASON_RESTART,
    CT_REASON_PATCH,
    CT_REASON_APPLY, ///< a message of a replication
    CT_REASON_UNLOAD,
    CT_REASON_CLEAR,
    CT_REASON_UNDO,  ///< a create, spawn, patch or message failed
    CT_REASON_WORLD, ///< the world was destroyed or collected
    CT_REASONS
} ct_reason;

/// Returns the name for hooks of scripts: "destroy", "remove", "create" ...
const char *ct_reason_name(ct_reason reason);

/// Entity with running destroy callbacks. Stored in the C frame that destroys it.
typedef struct ct_dying {
    ct_entity entity;
    ct_reason reason;
    uint32_t next; // index of the listener that is called next
    const struct ct_dying *outer;
} ct_dying;

/// Listener for wrapped generations: called when the generations of an index start again, so ids
/// repeat, and data that is still stored under the index would belong to another entity. Stored in
/// the listening object, which 'fn' finds by its address. Must not allocate, create or destroy.
typedef struct ct_generation_wrap_listener {
    void (*fn)(struct ct_generation_wrap_listener *listener, uint32_t index);
    struct ct_generation_wrap_listener *next, **link; ///< pointer to this, or NULL
} ct_generation_wrap_listener;

/// Entity manager. Members may be read directly, and changed only by the functions below.
struct ct_entity_manager {
    // Compiled Lua code reads the first five members.
    uint16_t *slots;       ///< by index: generation, or generation | CT_SLOT_FREE
    uint32_t used;         ///< number of indices ever issued
    uint32_t moves;        ///< changes when 'slots' moves
    uint32_t structure;    ///< changes with every death, and when a store of this manager adds,
                           ///< removes, moves or orphans rows: loops and caches of rows compare it
    uint32_t guarded;      ///< dying_count, plus 1 while frozen: writers check this member first
    uint32_t capacity;     ///< of slots and log, a power of two or 0
    uint32_t minimum_free; ///< see CT_MINIMUM_FREE_INDICES
    uint32_t dying_count;
    uint32_t callbacks; ///< component callbacks that are running; they must not change anything
    uint32_t deaths;    ///< changes with every death; loops compare it

    // The queue of dead indices is a log: positions only grow, and position p is log[p & (capacity
    // - 1)]. Entries in [head, tail) wait for reuse; entries before head can be read until they are
    // overwritten.
    uint32_t *log;
    uint64_t head;
    uint64_t tail;
    uint64_t known; // lowest position with a valid entry, unless overwritten: a log that grew has
                    // only the entries of the smaller one

    const ct_dying *dying;
    ct_callbacks listeners; // functions of type ct_destroy_fn
    uint8_t *noted;         // one bit per index: see ct_entity_manager_note
    uint32_t noted_bytes;
    uint32_t next_token;
    ct_work_time listened; ///< time of listeners with order 0, while 'timed' is not 0
    uint32_t timed;        ///< number of users of 'listened'
    bool destroyed;        // ct_entity_manager_free was called
    ct_generation_wrap_listener *watches;
    struct ct_death_trace *trace; ///< see storage/death_trace.h; NULL: off
    uint32_t restores;            ///< number of restored snapshots
    const ct_allocator *allocator;
};

/// Returns whether the log still contains the deaths from a position on.
static inline bool ct_entity_manager_logs_from(const ct_entity_manager *manager,
                                               uint64_t position) {
    return position >= manager->known && manager->tail - position <= manager->capacity;
}

/// Initializes an empty manager. Allocates nothing. 'minimum_free' must be below CT_MAX_ENTITIES.
void ct_entity_manager_init(ct_entity_manager *manager, const ct_allocator *allocator,
                            uint32_t minimum_free);

/// Frees all memory. The manager is then empty: no id is alive, and none can be created
/// (CT_ERR_OVER). During a destroy, this is deferred until the outermost destroy ends.
void ct_entity_manager_free(ct_entity_manager *manager);

/// Reserves memory for 'count' more entities. Returns CT_OK, CT_ERR_MEMORY, or CT_ERR_FULL if fewer
/// than 'count' ids are left. Nothing else changes.
ct_status ct_entity_manager_reserve(ct_entity_manager *manager, uint32_t count);

/// Reserves memory for all indices below 'needed'. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_entity_manager_reserve_indices(ct_entity_manager *manager, uint32_t needed);

/// Creates 'count' entities in out[0 .. count - 1]: first from waiting indices above the minimum,
/// oldest first; then from unused indices, ascending; and if there are no more, from the remaining
/// waiting indices. Returns CT_OK, CT_ERR_MEMORY or CT_ERR_FULL; all or nothing. O(count);
/// allocates only if the number of used indices grows. Bitsquid part 1, create().
ct_status ct_entity_manager_create(ct_entity_manager *manager, uint32_t count, ct_entity *out);

/// Reverts the last ct_entity_manager_create without calling listeners, after a later step of the
/// caller failed. The ids must not have been published, and must have no components. The same ids
/// are issued next, unless other entities were created since; then the entities are destroyed.
/// Cannot fail.
void ct_entity_manager_rollback(ct_entity_manager *manager, uint32_t count, const ct_entity *ids);

/// Destroys living entities without calling listeners. The ids must not have been published, and
/// must have no components. Unlike ids that are rolled back, they are not issued again soon. Cannot
/// fail.
void ct_entity_manager_discard(ct_entity_manager *manager, uint32_t count, const ct_entity *ids);

/// Destroys the living entities among entities[0 .. count - 1], one after another: all listeners
/// are called for an entity before the next one dies, and its index waits for reuse after they
/// returned. Returns the number of deaths. Never allocates, cannot fail. Listeners may create,
/// destroy, listen and unlisten.
uint32_t ct_entity_manager_destroy(ct_entity_manager *manager, uint32_t count,
                                   const ct_entity *entities, void *context);

/// Does the same with a reason other than CT_REASON_DESTROY, which listeners find in 'dying'.
uint32_t ct_entity_manager_destroy_for(ct_entity_manager *manager, ct_reason reason, uint32_t count,
                                       const ct_entity *entities, void *context);

/// Returns whether an entity is alive. Any 32 bits are allowed.
static inline bool ct_entity_manager_alive(const ct_entity_manager *manager, ct_entity e) {
    // The bounds check is necessary: 'e' may come from a script, a file or another manager. Numbers
    // above 30 bits have generations that no slot contains.
    uint32_t index = ct_entity_index(e);
    return index < manager->used && manager->slots[index] == ct_entity_generation(e);
}

/// Returns whether the destroy callbacks of 'e' are running.
bool ct_entity_manager_is_dying(const ct_entity_manager *manager, ct_entity e);

/// Returns whether managers still find the components of 'e': it is alive, or its callbacks are
/// running.
static inline bool ct_entity_manager_alive_or_dying(const ct_entity_manager *manager, ct_entity e) {
    if (CT_LIKELY(ct_entity_manager_alive(manager, e))) return true;
    return CT_UNLIKELY(manager->dying != NULL) && ct_entity_manager_is_dying(manager, e);
}

/// Message for a frozen manager. Hosts freeze the manager after a restore, while they update their
/// own data. They must ensure that nothing in the manager or its worlds changes meanwhile.
#define CT_FROZEN "the EntityManager is being restored"

static inline void ct_entity_manager_freeze(ct_entity_manager *manager, bool frozen) {
    manager->guarded = manager->dying_count + frozen;
}

static inline bool ct_entity_manager_is_frozen(const ct_entity_manager *manager) {
    return manager->guarded > manager->dying_count;
}

/// Returns the number of indices in the queue.
static inline uint32_t ct_entity_manager_waiting(const ct_entity_manager *manager) {
    return (uint32_t)(manager->tail - manager->head);
}

/// Returns the number of living entities.
static inline uint32_t ct_entity_manager_count(const ct_entity_manager *manager) {
    return manager->used - ct_entity_manager_waiting(manager) - manager->dying_count;
}

/// Iterator, by index, over the entities that are alive when it begins. The loop body may create
/// and destroy; new entities and entities that died in the meantime are skipped.
typedef struct ct_entity_iterator {
    const uint16_t *then; // copy of 'slots' from the beginning
    uint32_t count;
    uint32_t next;
} ct_entity_iterator;

/// Begins an iteration with memory for 'capacity' indices in 'room', which must stay valid until it
/// ends; manager->used is enough. Indices beyond are not visited. O(used).
void ct_entity_iterator_begin(ct_entity_iterator *loop, const ct_entity_manager *manager,
                              uint16_t *room, uint32_t capacity);

/// Returns the next entity, or CT_NOBODY at the end. O(used) for the whole loop.
ct_entity ct_entity_iterator_next(ct_entity_iterator *loop, const ct_entity_manager *manager);

/// Returns the living entity with an index, or CT_NOBODY.
ct_entity ct_entity_manager_at(const ct_entity_manager *manager, uint32_t index);

/// Order of a listener that is called last, always for noted entities and not necessarily for
/// others.
#define CT_LISTEN_NOTED 0xFFFFFFFFu

/// Marks a living entity as noted until it has died. Returns CT_OK or CT_ERR_MEMORY. If all
/// listeners have order CT_LISTEN_NOTED, the death of any other entity costs only the test of a
/// bit.
ct_status ct_entity_manager_note(ct_entity_manager *manager, ct_entity e);

/// Returns whether the index of an entity is noted, also while the entity dies.
static inline bool ct_entity_manager_noted(const ct_entity_manager *manager, ct_entity e) {
    uint32_t index = ct_entity_index(e);
    return index / 8 < manager->noted_bytes && (manager->noted[index / 8] >> index % 8 & 1) != 0;
}

/// Registers 'fn' for every death; listeners with a lower 'order' are called first, then in the
/// order of registration. Pass *token to unlisten. Returns CT_OK or CT_ERR_MEMORY. A listener that
/// is registered during a destroy is called from the next death on. Cost: ct_callbacks_add.
ct_status ct_entity_manager_listen(ct_entity_manager *manager, ct_destroy_fn fn, void *user,
                                   uint32_t order, uint32_t *token);

/// Removes a listener. Returns whether it was registered. May be called by a listener.
bool ct_entity_manager_unlisten(ct_entity_manager *manager, uint32_t token);

/// Returns whether the listener with that token was called, or is being called, for this dying
/// entity.
bool ct_entity_manager_has_notified(const ct_entity_manager *manager, ct_entity e, uint32_t token);

/// Registers 'watch', which is called when the generations of an index start again. Cannot fail.
void ct_entity_manager_watch(ct_entity_manager *manager, ct_generation_wrap_listener *watch);

/// Unregisters a listener, in constant time. Does nothing if it is in no list.
void ct_entity_manager_unwatch(ct_generation_wrap_listener *watch);

/// Frees spare memory, but keeps memory for every index ever used. Cannot fail.
void ct_entity_manager_trim(ct_entity_manager *manager);

/// Saves or restores generations, queue and log of deaths, for snapshots. No entity may be dying.
void ct_entity_manager_state(ct_entity_manager *manager, ct_state *state);

/// Returns a hash of generations and the queue, which determine the living entities and the next
/// ids. Equal on every host. O(indices).
uint64_t ct_entity_manager_hash(const ct_entity_manager *manager);

/// Returns the allocated bytes.
size_t ct_entity_manager_bytes(const ct_entity_manager *manager);

/// Checks every invariant: each index is queued at most once, flags and queue agree, and counts
/// match. Returns false with the reason in 'message'. O(indices).
bool ct_entity_manager_validate(const ct_entity_manager *manager, ct_message *message);

/// Writes generations by index, the queue, and the minimum of free indices. No entity may be dying.
void ct_entity_manager_write(const ct_entity_manager *manager, ct_writer *out);

/// Reads the same data into a manager in which no entity was created. Returns CT_OK, CT_ERR_MEMORY,
/// or CT_ERR_DATA if the bytes are invalid.
ct_status ct_entity_manager_read(ct_entity_manager *manager, ct_reader *in);

#endif
