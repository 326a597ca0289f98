// Worlds: sets of component managers over a borrowed entity manager.
#ifndef CT_WORLD_H
#define CT_WORLD_H

#include "storage/layout.h"
#include "storage/manager.h"

/// Spawn order of the first script-defined component. Built-in components have 1 to 7.
#define CT_SPAWN_ORDER_DEFINED 100u

/// Members may be read.
struct ct_world {
    const ct_allocator *allocator;
    ct_entity_manager *entities;
    ct_string_pool strings;
    ct_value_pool values;  ///< values of value fields
    ct_manager **managers; ///< in spawn order, then by age
    uint32_t manager_count;
    uint32_t manager_capacity;
    uint32_t next_spawn_order;
    uint32_t gc_next; // index of the manager with which ct_world_gc_some begins
    uint32_t *epochs;
    uint64_t seed;
    ct_random random;           ///< for scripts and hosts; part of snapshots, saves and hash
    ct_lender lender;           ///< lends the blocks of managers; 'lend' NULL: the allocator does
    const struct ct_host *host; ///< see host.h; NULL for none
    ct_timings timings;         ///< work for all managers (ct_world_profile)
    uint32_t busy;  ///< running callbacks, batches and spawns; it must not end meanwhile
    uint8_t ending; ///< not 0: components must not be created (ct_world_refuses)
    bool destroyed; ///< the world has ended: it has no managers and accepts none
    // Members for hooks.h:
    uint32_t hook_token;            ///< last token that was issued
    uint32_t hook_count;            ///< number of hooks of all managers
    uint32_t hooks_of_kind[3];      ///< number of hooks by ct_hook_kind
    uint32_t death_token;           ///< token of the destroy listener, while there are hooks
    ct_query *queries;              ///< queries kept by scripts and plugins, unordered
    size_t formula_bytes;           ///< of formulas, which their owners add and subtract
    ct_space *spaces;               ///< indexes of positions, unordered
    struct ct_additions *additions; ///< creating calls, the innermost first
    struct ct_removal *removal;     ///< removals in progress, the innermost first
};

/// Reasons why components must not be created: values of ct_world.ending.
enum { CT_WORLD_ENDING = 1, CT_WORLD_CLEARING = 2, CT_WORLD_DEFINING = 3 };

/// Returns the reason why components must not be created, or NULL.
static inline const char *ct_world_refuses(const ct_world *world) {
    if (CT_UNLIKELY(ct_entity_manager_is_frozen(world->entities))) return CT_FROZEN;
    if (CT_LIKELY(world->ending == 0)) return NULL;
    if (world->ending == CT_WORLD_DEFINING) return "a component is being defined again";
    return world->ending == CT_WORLD_CLEARING ? "world is being cleared"
                                              : "world is being destroyed";
}

/// Built-in component type.
typedef struct ct_builtin {
    const ct_manager_type *type; ///< with a shape
    uint32_t spawn_order;
    ct_map_kind map;
} ct_builtin;

/// All built-in component types, in spawn order. The last item has the type NULL.
extern const ct_builtin ct_builtins[];

/// Initializes a world with one manager of every built-in type. 'entities' and 'epochs' must
/// outlive it. Returns CT_OK, or CT_ERR_MEMORY with nothing allocated.
ct_status ct_world_init(ct_world *world, const ct_allocator *allocator, ct_entity_manager *entities,
                        uint32_t *epochs, uint64_t seed);

/// Same, with managers in blocks that 'lender' lends, also later ones. Copies 'lender'; NULL for
/// none.
ct_status ct_world_init_lent(ct_world *world, const ct_allocator *allocator,
                             ct_entity_manager *entities, uint32_t *epochs, uint64_t seed,
                             const ct_lender *lender);

/// Destroys all managers with their components. The entities stay alive. The world is then empty
/// and accepts no manager. For a world with levels or a host use ct_world_end (level/level.h).
void ct_world_free(ct_world *world);

/// Returns the setup for a manager of this world.
ct_manager_setup ct_world_setup(ct_world *world, ct_map_kind map, bool multiple);

/// Adds a manager, which the world then owns. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_world_add(ct_world *world, ct_manager *manager, uint32_t spawn_order);

/// Destroys one manager and its components. Another manager of its name takes over its hooks.
void ct_world_remove(ct_world *world, ct_manager *manager);

/// Returns the manager of a name, or NULL. O(managers).
ct_manager *ct_world_find(const ct_world *world, const char *name);
/// Does the same. If there is none, writes this and the nearest name to 'message'.
ct_manager *ct_world_find_named(const ct_world *world, const char *name, ct_message *message);

/// Returns the manager of an identifier (FNV-1a of its name), or NULL. O(managers).
ct_manager *ct_world_find_identifier(const ct_world *world, uint32_t identifier);

/// Checks that no other component has the hash of this name. Returns false with the reason in
/// 'message'. O(managers).
bool ct_world_name_check(const ct_world *world, const char *name, ct_message *message);

/// Removes components of dead entities from every manager with a few probes each. Returns their
/// number.
uint32_t ct_world_gc(ct_world *world);

/// Removes all components of dead entities. Returns their number. O(rows).
uint32_t ct_world_sweep(ct_world *world);

/// Removes about 'limit' components of dead entities at most, in all managers together, beginning
/// with another manager in each call. Returns their number.
uint32_t ct_world_gc_some(ct_world *world, uint32_t limit);

/// Makes room for 'count' rows in total in every manager that has rows, and for 'count' entities
/// (see ct_manager_reserve). Returns CT_OK, or the status of the first failure.
ct_status ct_world_reserve(ct_world *world, uint32_t count);

/// Frees memory that rows, strings and entities do not use. Later additions allocate it again.
/// Returns the number of freed bytes. Moves no rows, so loops and instances stay valid; addresses
/// of columns change. Never fails: arrays that cannot be reallocated stay. Does nothing while the
/// world is busy, because reserved memory may be needed. O(rows).
size_t ct_world_trim(ct_world *world);

/// Starts or stops timing the work of all managers, also of later ones. Starting begins with 0;
/// stopping keeps the timings ('timings' of world and managers, by ct_work). A component that is
/// defined again keeps its timings. Returns CT_OK, or CT_ERR_MEMORY with nothing timed.
ct_status ct_world_profile(ct_world *world, bool on);

/// Reads the time of work of kind 'kind', a ct_work, of a manager, or of the world if 'manager' is
/// NULL. Returns the name of the kind, or NULL with *out unchanged if there is no such kind.
const char *ct_world_timing(const ct_world *world, const ct_manager *manager, uint32_t kind,
                            ct_work_time *out);

/// Returns the bytes of the world with all managers, without the entity manager.
size_t ct_world_bytes(const ct_world *world);

/// Sets the values of all components of a dying entity to nil. Returns whether the host may have
/// values to forget. For a destroy listener of worlds with value fields. O(managers).
bool ct_world_release_values(ct_world *world, ct_entity e);

/// Checks every invariant of every manager, and the reference counts of strings and values. Returns
/// false with the reason in 'message', which may be that there is no memory for the counts: four
/// bytes for each string, temporarily. O(rows).
bool ct_world_validate(const ct_world *world, ct_message *message);

#endif
