// Creation of entities for world:create and templates: parses tables of components, creates the
// entities and delivers them to the script. Must not depend on any one component.
#ifndef BIND_CREATE_H
#define BIND_CREATE_H

#include "bind/manager/attachment.h"
#include "bind/world/world.h"
#include "world/create.h"

/// How to read the value of a component in a table of components by name.
typedef struct ct_bind_component_parser {
    const ct_bind_parse *g;
    ct_bind_form form;
    uint32_t entities; ///< number of entities
    const char *no;    ///< hint in the message about the value false, or ""
    /// Receives each component; 'place' is its position in an array, counted from 1, or 0. On
    /// failure ends the parse, pushes the message and returns false.
    bool (*add)(void *user, ct_manager *manager, const ct_bind_values *values, uint32_t place);
    void *user;
} ct_bind_component_parser;

/// Parses the value on top for a manager: a table of values, or an array of such tables if an
/// entity may have several. On failure ends the parse, pushes the message, which begins with the
/// name of the component and its place, and returns false.
bool ct_bind_parse_components(const ct_bind_component_parser *parser, ct_manager *manager);

/// Returns the manager that the key below the value on top names, or NULL. The second function
/// ends the parse, pushes the reason and returns false.
ct_manager *ct_bind_find_component(lua_State *L, const ct_world *world);
bool ct_bind_fail_unknown(const ct_bind_parse *g, const ct_world *world);

/// Components of a script's table, by name.
typedef struct ct_bind_batches {
    const ct_bind_parse *g;
    ct_bind_world *world;
    int managers;      ///< index of a table of manager objects by name; 0: the world's managers
    uint32_t entities; ///< number of entities
    bool many;         ///< values may be given for each entity
    bool attached;     ///< a component has a kept value, or its manager has hooks
    const ct_template
        *base; ///< the components change those of this template; NULL: they are complete
    uint32_t count;
    uint32_t capacity;
    ct_component_batch *items; ///< in the arena, in spawn order
} ct_bind_batches;

/// Parses the table of components at argument 'components' of a method of the world. If it is
/// invalid, ends the parse and raises the error of the first name.
void ct_bind_parse_batches(ct_bind_batches *b, int components);

/// Prepares the values that the binding keeps for the components at argument 'components'. Returns
/// 0, or the index for ct_bind_notify_added.
int ct_bind_prepare_components(lua_State *L, const ct_bind_created *created, int components);

/// Raises why nothing was created. 'manager' is the manager of the failed component, or NULL; 'arg'
/// is the argument with the components, or 0.
void ct_bind_raise_create(lua_State *L, ct_status status, const ct_manager *manager, int arg);

/// Parameters of the creation of entities for a script.
typedef struct ct_bind_creation {
    ct_bind_world *world;
    int world_index; ///< stack index of the world object; 0: 'additions' is not used
    int count_arg;   ///< argument n; 'out' follows it
    /// Creates the entities with 'additions' (or NULL) by ct_world_create, or raises. Prepares the
    /// kept values and returns their index, or 0.
    int (*make)(lua_State *L, const struct ct_bind_creation *creation,
                const ct_bind_created *created, ct_entity *entities, ct_additions *additions);
} ct_bind_creation;

/// Creates entities and leaves them on top, or the table or list that receives them. Returns 1. On
/// an error raises, and nothing is created.
int ct_bind_create(lua_State *L, const ct_bind_creation *creation);

#endif
