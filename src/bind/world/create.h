// What world:create and templates share: tables of components are gathered, entities are created
// with them and handed to the script. Knows nothing of any one component.
#ifndef BIND_CREATE_H
#define BIND_CREATE_H

#include "bind/manager/attachment.h"
#include "bind/world/world.h"
#include "world/create.h"

/// Components as a script gives them, by name.
typedef struct ct_bind_batches {
    const ct_bind_gather *g;
    ct_bind_world *world;
    int managers;      ///< index of a table of manager objects by name; 0: those of the world
    uint32_t entities; ///< for so many
    bool many;         ///< values may be given for each of them
    bool attached;     ///< there are components of which the binding keeps something, or whose
                       ///< managers have hooks
    uint32_t count;
    uint32_t capacity;
    ct_component_batch *items; ///< in the arena, in spawn order
} ct_bind_batches;

/// Gathers the table of components at argument 'components' of a method of the world. Raises what
/// is wrong with them, of several components that of the first name, and then nothing is gathered
/// any more.
void ct_bind_gather_batches(ct_bind_batches *b, int components);

/// Prepares what components keep with the binding, for those at argument 'components': 0, or the
/// index for ct_bind_tell_added.
int ct_bind_prepare_components(lua_State *L, const ct_bind_created *created, int components);

/// Raises why nothing was created; 'manager' is that of the component at fault, or NULL. 'arg' is
/// the argument that gave the components, or 0.
void ct_bind_raise_create(lua_State *L, ct_status status, const ct_manager *manager, int arg);

/// How entities are created that a script has asked for.
typedef struct ct_bind_creation {
    ct_bind_world *world;
    int world_index; ///< of its object on the stack; 0: 'additions' never begins
    int count_arg;   ///< argument n; that behind it is 'out'
    /// Creates them, or raises: what they keep is prepared, and its index returned, or 0. Where
    /// something has to be told of them, 'additions' has begun.
    int (*make)(lua_State *L, const struct ct_bind_creation *creation,
                const ct_bind_created *created, ct_entity *entities, ct_additions *additions);
} ct_bind_creation;

/// Creates entities and leaves them on top, or the table or list that they were written into:
/// returns 1. Raises, with nothing created, what goes wrong.
int ct_bind_create(lua_State *L, const ct_bind_creation *creation);

#endif
