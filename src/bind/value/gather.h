// Tables of component values, gathered whole before anything is created.
// Knows nothing of rows, nor of what the values will be used for.
#ifndef BIND_GATHER_H
#define BIND_GATHER_H

#include "base/arena.h"
#include "bind/value/values.h"

// A function that creates or changes components works in four steps:
//
//     prepare   whatever may allocate in Lua, and so run finalizers, which may do anything
//     gather    tables are read into an arena of core memory. Nothing is allocated in Lua: no
//               finalizer runs, tables stand still, strings need no copy
//     commit    one call of the core
//     deliver   results are pushed; tables are written protected, so that all can be undone
//
// Test builds count what Lua allocates, and stop when anything did between begin and end.

/// Where what value fields are given goes.
typedef enum ct_bind_sink {
    CT_BIND_TO_POOL,  ///< into a slot each, held while something is gathered: the item names it
    CT_BIND_TO_BYTES, ///< into bytes (value_bytes.h)
    CT_BIND_TO_TABLE ///< into the table at 'table', behind its last: the item's length is its place
} ct_bind_sink;

typedef struct ct_bind_gather {
    lua_State *L;
    ct_bind_state *state;
    ct_arena *arena;
    uint64_t allocations; ///< in test builds: of Lua, when it began
    ct_bind_sink sink;    ///< the first, until somebody sets another
    int table;
} ct_bind_gather;

/// Begins with an empty arena: what was gathered before is gone.
ct_bind_gather ct_bind_gather_begin(lua_State *L, ct_bind_state *state);

/// Ends with the arena emptied. What was gathered may not be used any more; values that no row
/// holds by now are let go.
void ct_bind_gather_end(const ct_bind_gather *g);

/// A piece of the arena; ends the gathering and raises "not enough memory" when there is none.
void *ct_bind_gather_take(const ct_bind_gather *g, size_t bytes);

/// Room for one more item behind 'count' items of 'width' bytes in the arena: 'items', or a copy of
/// them with a greater capacity. Raises as ct_bind_gather_take.
void *ct_bind_gather_more(const ct_bind_gather *g, void *items, uint32_t count, uint32_t *capacity,
                          size_t width);

/// Values of all inputs of a manager for 'count' components, in the arena.
typedef struct ct_bind_values {
    ct_values *values;    ///< one for each input of the manager
    ct_component_id *ids; ///< NULL: all automatic
    uint32_t count;
    bool hosted; ///< what the host keeps was given, too (ct_manager_type.hosted)
} ct_bind_values;

typedef enum ct_bind_form {
    CT_BIND_WHOLE,  ///< one component: what is required must be given, and 'id' may be
    CT_BIND_SOURCE, ///< the same of a resource: nothing hosted, and the manager is asked later
    CT_BIND_GIVEN,  ///< what is given of one component: for set
    CT_BIND_MANY,   ///< each value for all or one for each: see Manager:create_many
    CT_BIND_COPIES  ///< the same, but what one component could be given is for all: World:create
} ct_bind_form;

/// Gathers the table (or nil) at 'index', which stays where it is. On failure the gathering has
/// ended, the message is on top ("hp: expected a number, got string", "unknown field 'hpp' (did you
/// mean 'hp'?)"), and the result is NULL: of several mistakes the first in the order of fields is
/// told, then that of other keys. The manager has been asked whether the values may stand together.
ct_bind_values *ct_bind_gather_values(const ct_bind_gather *g, int index, const ct_manager *manager,
                                      ct_bind_form form, uint32_t count);

/// The same of the table on top, at 'table', for a manager that is free (manager.h), in the form
/// CT_BIND_WHOLE, where nothing is wrong with it. NULL for other managers and tables, with nothing
/// done.
const ct_values *ct_bind_gather_quick(const ct_bind_gather *g, int table,
                                      const ct_manager *manager);

/// Gathers the value at 'index' for one field, of 'manager' (NULL: of none), of 'count' rows: for
/// all of them, or one for each, as create_many takes it. On failure the gathering has ended and
/// the message is on top; returns whether it succeeded.
bool ct_bind_gather_field(const ct_bind_gather *g, int index, const ct_manager *manager,
                          const ct_field *field, uint32_t count, ct_values *out);

/// The same for the table at 'index' of what a column of entities shows: ids, entities, or false.
bool ct_bind_gather_ids(const ct_bind_gather *g, int index, uint32_t count, ct_values *out);

/// Makes the arena of this state.
void ct_bind_open_gather(lua_State *L);

#endif
