// A set of component managers over a borrowed entity manager.
// Must not depend on files, resources or Lua.
#ifndef CT_WORLD_H
#define CT_WORLD_H

#include "storage/layout.h"
#include "storage/manager.h"

CT_BEGIN_C

/// Script-defined components get these spawn orders, one after another; the
/// built-ins have 1 to 6.
#define CT_SPAWN_ORDER_DEFINED 100u

/// Open for reading.
struct ct_world {
    const ct_allocator *allocator;
    ct_entity_manager *entities;
    ct_string_pool strings;
    ct_value_pool values;  ///< of value fields
    ct_manager **managers; ///< in spawn order, then by age
    uint32_t manager_count;
    uint32_t manager_capacity;
    uint32_t next_spawn_order;
    uint32_t gc_next; // with which manager ct_world_gc_some begins
    uint32_t *epochs;
    uint64_t seed;
    ct_lender lender;           ///< of its managers' blocks; 'lend' NULL: the allocator
    const struct ct_host *host; ///< see host.h; NULL: none
    ct_timings timings;         ///< of work for all managers: see ct_world_profile
    uint32_t busy;  ///< callbacks, batches and spawns that run in it: it may not end meanwhile
    uint8_t ending; ///< not 0: no components may be made, see ct_world_refuses
    bool over;      ///< it has ended: there are no managers and there will be none

    // Of hooks.h:
    uint32_t hook_token;            ///< the last that was given out
    uint32_t hook_count;            ///< hooks of all managers
    uint32_t hooks_of_kind[3];      ///< of them, by ct_hook_kind
    uint32_t death_token;           ///< of the destroy listener, while there are hooks
    struct ct_matches *queries;     ///< kept by scripts and plugins, in no order
    struct ct_additions *additions; ///< calls that create, the innermost first
    struct ct_leaving *leaving;     ///< removals in progress, the innermost first
};

/// Why no components may be made: values of ct_world.ending.
enum { CT_WORLD_ENDING = 1, CT_WORLD_CLEARING = 2, CT_WORLD_DEFINING = 3 };

/// The reason, or NULL.
static inline const char *ct_world_refuses(const ct_world *world) {
    if (CT_UNLIKELY(ct_entity_manager_is_frozen(world->entities))) return CT_FROZEN;
    if (CT_LIKELY(world->ending == 0)) return NULL;
    if (world->ending == CT_WORLD_DEFINING) return "a component is being defined again";
    return world->ending == CT_WORLD_CLEARING ? "world is being cleared"
                                              : "world is being destroyed";
}

/// A built-in component type: how it is called, and how its manager is made.
typedef struct ct_builtin {
    const char *name;
    uint32_t spawn_order;
    ct_map_kind map;
    bool multiple;
    ct_manager *(*create)(const ct_manager_setup *setup);
    ct_layout (*layout)(void); ///< how its instances lie in a resource, the same in every world
} ct_builtin;

/// All built-in component types, in spawn order; ends with a name of NULL.
extern const ct_builtin ct_builtins[];

/// A world with one manager of every built-in type. 'entities' and 'epochs'
/// outlive it. CT_OK or CT_ERR_MEMORY, and then nothing is held.
ct_status ct_world_init(ct_world *world, const ct_allocator *allocator, ct_entity_manager *entities,
                        uint32_t *epochs, uint64_t seed);

/// The same, with managers in blocks that 'lender' lends (copied), then and later; NULL: none.
ct_status ct_world_init_lent(ct_world *world, const ct_allocator *allocator,
                             ct_entity_manager *entities, uint32_t *epochs, uint64_t seed,
                             const ct_lender *lender);

/// Destroys all managers with their components. The entities live on. What is left is an empty
/// world that takes no manager. For one with levels, or a host: ct_world_end (level/end.h).
void ct_world_free(ct_world *world);

/// What a manager of this world is set up with.
ct_manager_setup ct_world_setup(ct_world *world, ct_map_kind map, bool multiple);

/// Takes a manager in, which the world owns from then on. CT_OK or CT_ERR_MEMORY.
ct_status ct_world_add(ct_world *world, ct_manager *manager, uint32_t spawn_order);

/// Destroys one manager and its components. Another of its name takes its hooks over.
void ct_world_remove(ct_world *world, ct_manager *manager);

/// The manager of a name, or NULL. O(managers).
ct_manager *ct_world_find(const ct_world *world, const char *name);

/// The manager of an identifier (FNV-1a of its name), or NULL. O(managers).
ct_manager *ct_world_find_identifier(const ct_world *world, uint32_t identifier);

/// Whether a component of this name may come into the world: no other's has its hash. False with
/// the reason in 'message'. O(managers).
bool ct_world_name_check(const ct_world *world, const char *name, ct_message *message);

/// Removes components of the dead from every manager, a few probes each; how many went.
uint32_t ct_world_gc(ct_world *world);

/// Removes all components of the dead; how many went. O(rows).
uint32_t ct_world_sweep(ct_world *world);

/// The same in parts: about 'limit' components go at most, of all managers together; each call
/// begins with another manager, so that none waits for long.
uint32_t ct_world_gc_some(ct_world *world, uint32_t limit);

/// Makes room for 'count' rows in all in every manager that has rows, and for as many entities: see
/// ct_manager_reserve. CT_OK, or the status of the first that failed.
ct_status ct_world_reserve(ct_world *world, uint32_t count);

/// Gives the memory back that rows, strings and entities need no more, or not yet; what comes takes
/// it again. Returns how many bytes. No row moves, so loops and instances go on; addresses of
/// columns change. Never fails: what cannot be moved to less memory stays where it is, and all does
/// while the world is busy: room may be kept ready for what is under way. O(rows).
size_t ct_world_trim(ct_world *world);

/// From now on the work of all managers is timed, of those to come, too, from 0 on; or no longer,
/// and timings stay: 'timings' of world and managers, by ct_work. A component that is defined again
/// goes on with those of before. Returns CT_OK, or CT_ERR_MEMORY with nothing timed.
ct_status ct_world_profile(ct_world *world, bool on);

/// The time of work of kind 'kind', a ct_work, by a manager, or NULL: of the world. Returns the
/// name of the kind, or NULL, and nothing in *out, when there is none.
const char *ct_world_timing(const ct_world *world, const ct_manager *manager, uint32_t kind,
                            ct_work_time *out);

/// Bytes held, all managers included, the entity manager not.
size_t ct_world_bytes(const ct_world *world);

/// The values of all components that an entity has here become nil, as it dies; whether there may
/// be any for the host to forget. For a destroy listener of worlds with value fields. O(managers).
bool ct_world_release_values(ct_world *world, ct_entity e);

/// Every invariant of every manager, and whether strings and values are held as often as they are
/// counted.
/// False with the reason in 'message', which may be that memory ran out for the counts: four bytes
/// for each string, given back. O(rows).
bool ct_world_validate(const ct_world *world, ct_message *message);

CT_END_C

#endif
