// Issues entity ids and tracks which are alive; calls listeners when entities are destroyed.
// Must not depend on components or worlds. Longer than 150 lines: half of it is the manual.
#ifndef CT_ENTITY_MANAGER_H
#define CT_ENTITY_MANAGER_H

#include "base/callbacks.h"
#include "base/reader.h"
#include "base/state.h"

CT_BEGIN_C

/// How many dead indices wait before the oldest is used again, unless told
/// otherwise. With 256 generations an id comes back after at least
/// 256 x 1024 destroys (Bitsquid part 1).
#define CT_MINIMUM_FREE_INDICES 1024u

/// A slot's generation with this bit set waits in the queue. No 32 bits have it
/// where the generation stands, so none match, not even the id the index will be given next.
#define CT_SLOT_FREE 0x400u

/// Why components are added or removed: which operation does it. An entity that an operation
/// destroys in a callback of another operation has the reason of the inner one.
typedef enum ct_reason {
    CT_REASON_DESTROY, ///< the entity was destroyed by itself
    CT_REASON_REMOVE,  ///< the component alone was removed
    CT_REASON_CREATE,
    CT_REASON_SPAWN,
    CT_REASON_RESTART,
    CT_REASON_PATCH,
    CT_REASON_UNLOAD,
    CT_REASON_CLEAR,
    CT_REASON_UNDO,  ///< a create, spawn or patch failed
    CT_REASON_WORLD, ///< the world was destroyed or collected
    CT_REASONS
} ct_reason;

/// The name that hooks of scripts get: "destroy", "remove", "create" ...
const char *ct_reason_name(ct_reason reason);

/// An entity whose callbacks are running. Lives in the C frame that destroys it.
typedef struct ct_dying {
    ct_entity entity;
    ct_reason reason;
    uint32_t next; // place of the listener that is told next
    const struct ct_dying *outer;
} ct_dying;

/// Told when the generations of an index have gone round: from now on ids come back, and
/// what is still kept under the index would belong to a stranger. Lies in the object that wants to
/// know. May not allocate, create or destroy.
typedef struct ct_generation_wrap_listener {
    void (*fn)(void *user, uint32_t index);
    void *user;
    struct ct_generation_wrap_listener *next, **link; ///< what points to it, or NULL
} ct_generation_wrap_listener;

/// Read the fields, change them only through the functions below.
struct ct_entity_manager {
    // Compiled Lua code reads the first three.
    uint16_t *slots;       ///< per index: generation, or generation | CT_SLOT_FREE
    uint32_t used;         ///< indices ever handed out
    uint32_t moves;        ///< changes whenever 'slots' does
    uint32_t capacity;     ///< room in slots and log, a power of two or 0
    uint32_t minimum_free; ///< see CT_MINIMUM_FREE_INDICES
    uint32_t dying_count;
    uint32_t guarded;   ///< dying_count, and one more while it is frozen: who writes looks twice
    uint32_t callbacks; ///< of components that run now: they may change nothing
    uint32_t deaths;    ///< changes with every death: loops check it

    // The queue of dead indices is a log: positions only grow, position p is
    // log[p & (capacity - 1)]. [head, tail) wait to be used again; what lies
    // before head can still be read until the ring comes round.
    uint32_t *log;
    uint64_t head;
    uint64_t tail;
    uint64_t known; // from here on, if at all: a log that has grown knows what the smaller one did

    const ct_dying *dying;
    ct_callbacks listeners; // ct_destroy_fn each
    uint8_t *noted;         // a bit for each index: see ct_entity_manager_note
    uint32_t noted_bytes;
    uint32_t next_token;
    ct_work_time listened; ///< functions that were told, of order 0, while 'timed' was not 0
    uint32_t timed;        ///< for so many
    bool over;             // it was freed
    ct_generation_wrap_listener *watches;
    struct ct_death_trace *trace; ///< of storage/death_trace.h; NULL: off
    const ct_allocator *allocator;
};

/// Whether the log still has the deaths from a position on.
static inline bool ct_entity_manager_knows(const ct_entity_manager *manager, uint64_t position) {
    return position >= manager->known && manager->tail - position <= manager->capacity;
}

/// An empty manager. Allocates nothing. 'minimum_free' below CT_MAX_ENTITIES.
void ct_entity_manager_init(ct_entity_manager *manager, const ct_allocator *allocator,
                            uint32_t minimum_free);

/// Frees everything. Afterwards the manager is an empty one: no id is alive, and none can be
/// created (CT_ERR_OVER). In the middle of a destroy that happens when the outermost one ends.
void ct_entity_manager_free(ct_entity_manager *manager);

/// Makes room for 'count' more creates. CT_OK, CT_ERR_MEMORY, or CT_ERR_FULL
/// when fewer than 'count' ids are left; the manager is unchanged but for room.
ct_status ct_entity_manager_reserve(ct_entity_manager *manager, uint32_t count);

/// Makes room for all indices below 'needed'. CT_OK or CT_ERR_MEMORY.
ct_status ct_entity_manager_reserve_indices(ct_entity_manager *manager, uint32_t needed);

/// Creates 'count' entities into out[0 .. count - 1]: first the surplus of
/// waiting indices, oldest first, then fresh ones ascending, then, when no
/// fresh one is left, the minimum that otherwise waits.
/// CT_OK, CT_ERR_MEMORY or CT_ERR_FULL; all or nothing. O(count); allocates
/// only when the high-water mark rises. Bitsquid part 1, create().
ct_status ct_entity_manager_create(ct_entity_manager *manager, uint32_t count, ct_entity *out);

/// Reverts the last ct_entity_manager_create without calling listeners, after a later step of the
/// caller failed. The ids were not shown, and no components are left. The same ids come
/// next, as if there had been none; only where others were created since are they destroyed. Cannot
/// fail.
void ct_entity_manager_rollback(ct_entity_manager *manager, uint32_t count, const ct_entity *ids);

/// Destroys those of entities[0 .. count - 1] that are alive, one after
/// another, each told to the listeners before the next dies; an index waits
/// for reuse once its listeners have returned. Returns how many died. Never allocates and never
/// fails; listeners may create, destroy, listen and unlisten.
uint32_t ct_entity_manager_destroy(ct_entity_manager *manager, uint32_t count,
                                   const ct_entity *entities, void *context);

/// The same with a reason other than CT_REASON_DESTROY, which listeners find in 'dying'.
uint32_t ct_entity_manager_destroy_for(ct_entity_manager *manager, ct_reason reason, uint32_t count,
                                       const ct_entity *entities, void *context);

/// Whether the id belongs to a living entity. Any 32 bits may be asked about.
static inline bool ct_entity_manager_alive(const ct_entity_manager *manager, ct_entity e) {
    // The bound matters: 'e' may come from a script, a file or another manager.
    // Numbers over 30 bits have generations no slot can hold.
    uint32_t index = ct_entity_index(e);
    return index < manager->used && manager->slots[index] == ct_entity_generation(e);
}

/// Whether 'e' is in the middle of its destroy callbacks.
bool ct_entity_manager_is_dying(const ct_entity_manager *manager, ct_entity e);

/// Whether managers still answer for 'e': alive, or its callbacks are running.
static inline bool ct_entity_manager_answers(const ct_entity_manager *manager, ct_entity e) {
    if (CT_LIKELY(ct_entity_manager_alive(manager, e))) return true;
    return CT_UNLIKELY(manager->dying != NULL) && ct_entity_manager_is_dying(manager, e);
}

/// What is said of a frozen one. Hosts freeze it while they put in order what they keep, after a
/// restore: nothing may be changed then, neither here nor in worlds over it. They see to that.
#define CT_FROZEN "the EntityManager is being restored"

static inline void ct_entity_manager_freeze(ct_entity_manager *manager, bool frozen) {
    manager->guarded = manager->dying_count + frozen;
}

static inline bool ct_entity_manager_is_frozen(const ct_entity_manager *manager) {
    return manager->guarded > manager->dying_count;
}

/// How many wait in the queue.
static inline uint32_t ct_entity_manager_waiting(const ct_entity_manager *manager) {
    return (uint32_t)(manager->tail - manager->head);
}

/// How many are alive.
static inline uint32_t ct_entity_manager_count(const ct_entity_manager *manager) {
    return manager->used - ct_entity_manager_waiting(manager) - manager->dying_count;
}

/// Iterator over the entities that are alive when it begins, by index. The loop body may create and
/// destroy; entities that die meanwhile and new ones are not visited.
typedef struct ct_living {
    const uint16_t *then; // slots when it began
    uint32_t count;
    uint32_t next;
} ct_living;

/// Begins with 'room' for 'capacity' indices in the caller's memory, which the loop needs until it
/// ends; manager->used of them is enough. Indices beyond are not visited. O(used).
void ct_living_begin(ct_living *loop, const ct_entity_manager *manager, uint16_t *room,
                     uint32_t capacity);

/// The next, or CT_NOBODY at the end. O(used) for the whole loop.
ct_entity ct_living_next(ct_living *loop, const ct_entity_manager *manager);

/// The living entity under an index, or CT_NOBODY.
ct_entity ct_entity_manager_at(const ct_entity_manager *manager, uint32_t index);

/// The order of a listener that is told last, and of noted entities for certain, of others perhaps.
#define CT_LISTEN_NOTED 0xFFFFFFFFu

/// Notes a living entity until it has died. CT_OK, or CT_ERR_MEMORY. While all who listen have
/// asked in order CT_LISTEN_NOTED, the death of another costs a look at a bit.
ct_status ct_entity_manager_note(ct_entity_manager *manager, ct_entity e);

/// Whether the index of an entity is noted: while it dies, too.
static inline bool ct_entity_manager_noted(const ct_entity_manager *manager, ct_entity e) {
    uint32_t index = ct_entity_index(e);
    return index / 8 < manager->noted_bytes && (manager->noted[index / 8] >> index % 8 & 1) != 0;
}

/// From now on 'fn' is told of every death; lower 'order' first, then in the
/// order of registration. *token takes it off again. CT_OK or CT_ERR_MEMORY.
/// A listener registered during a destroy hears of the next death on. Cost: ct_callbacks_add.
ct_status ct_entity_manager_listen(ct_entity_manager *manager, ct_destroy_fn fn, void *user,
                                   uint32_t order, uint32_t *token);

/// Whether the token was registered; it no longer is. May be called by a listener.
bool ct_entity_manager_unlisten(ct_entity_manager *manager, uint32_t token);

/// Whether the listener of that token was told of this entity, which is dying, or is told now.
bool ct_entity_manager_has_told(const ct_entity_manager *manager, ct_entity e, uint32_t token);

/// From now on 'watch' is told when an index begins a new round of generations. Cannot fail.
void ct_entity_manager_watch(ct_entity_manager *manager, ct_generation_wrap_listener *watch);

/// Ends this, in constant time. Does nothing to a listener that is in no list.
void ct_entity_manager_unwatch(ct_generation_wrap_listener *watch);

/// Gives spare memory back, as far as it is: room for every index ever used stays. Never fails.
void ct_entity_manager_trim(ct_entity_manager *manager);

/// Snapshots of generations, queue and log of deaths. No entity is dying.
void ct_entity_manager_state(ct_entity_manager *manager, ct_state *state);

/// A hash of who is alive, of generations and of the queue: what decides which ids come next. The
/// same on every host. O(indices).
uint64_t ct_entity_manager_hash(const ct_entity_manager *manager);

/// Bytes held.
size_t ct_entity_manager_bytes(const ct_entity_manager *manager);

/// Every invariant: each index waits once or not at all, flags and queue agree,
/// counts add up. False with the reason in 'message'. O(indices).
bool ct_entity_manager_validate(const ct_entity_manager *manager, ct_message *message);

/// Generations by index, the queue, the minimum of free indices. No entity is dying.
void ct_entity_manager_write(const ct_entity_manager *manager, ct_writer *out);

/// Reads that into a manager in which nothing was created. CT_OK, CT_ERR_MEMORY, or CT_ERR_DATA
/// where the bytes are not those of one.
ct_status ct_entity_manager_read(ct_entity_manager *manager, ct_reader *in);

CT_END_C

#endif
