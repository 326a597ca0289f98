// Query objects of scripts, and Space objects, which are made from queries.
#ifndef BIND_QUERY_H
#define BIND_QUERY_H

#include "bind/manager/loops.h"
#include "bind/world/world.h"
#include "world/space/space.h"

/// The most conditions of nested calls of query:where.
enum { CT_BIND_CONDITIONS = 16 };

// Environment table of a Query:
//     world      the world object
//     1, 2 ...   the manager objects, followed by a pool of loops for each kind of loop
//     formulas   a table for lua/cuttle/formula.lua, or nil
typedef struct ct_bind_query {
    ct_bind_header header;
    ct_bind_world *world;
    ct_query matches;
    ct_bind_manager *managers[CT_MAX_JOINED];
    // of query:where, which keeps these objects alive:
    struct ct_bind_query *source; ///< the query without conditions; NULL: no conditions
    struct ct_bind_formula *conditions[CT_BIND_CONDITIONS];
    uint32_t condition_count;
} ct_bind_query;

extern const ct_bind_kind ct_bind_query_kind;

/// Returns self of a method; raises if a manager has ended, and in callbacks of a restore.
ct_bind_query *ct_bind_query_self(lua_State *L);

/// Does the same checks for a query that is not self.
void ct_bind_query_check(lua_State *L, const ct_bind_query *query);

/// Updates and returns the matches. Raises "not enough memory". Tests the conditions of
/// query:where, with the arena of parse_values.h.
ct_query *ct_bind_query_refresh(lua_State *L, ct_bind_query *query);

/// Checks a query and updates its matches without the Lua API. Returns false if a method must do
/// it, which raises.
bool ct_bind_query_try(ct_bind_query *query);

/// Returns whether the matches of the last refresh are still rows of matching entities. Does not
/// test conditions again.
static inline bool ct_bind_query_is_current(const ct_bind_query *query) {
    return ct_query_is_valid(query->source != NULL ? &query->source->matches : &query->matches);
}

/// Tests the conditions of a query (query_conditions.c).
ct_status ct_bind_query_select(lua_State *L, ct_bind_query *query);

/// Function of a world and managers or names: pushes a query that the world does not keep.
/// Returns 1.
int ct_bind_new_query(lua_State *L);

/// Returns the part of the query that the text "component.field" at 'index' names, and replaces the
/// text by the name of the field. Raises bad argument #arg, also for an excluded component.
uint32_t ct_bind_query_part(lua_State *L, int arg, int index, const ct_bind_query *query);

/// query:read and query:write (query_fields.c).
int ct_bind_query_read(lua_State *L);
int ct_bind_query_write(lua_State *L);

/// Registers the functions that compiled methods call (compiled.h).
void ct_bind_open_query_fields(lua_State *L);

// Spaces (space.c)

// The environment of a Space has the Query object as 'query'. The Space keeps the blocks of the
// query alive.
typedef struct ct_bind_space {
    ct_bind_header header;
    ct_space core;
    const ct_bind_query *query; // only compared: it may have been collected
    uint32_t manager_count;
    const ct_bind_manager *managers[CT_MAX_JOINED];
} ct_bind_space;

/// Returns argument 'arg' as a Space. Raises for other values, if a manager of its query has ended,
/// and in callbacks of a restore.
ct_space *ct_bind_check_space(lua_State *L, int arg);

/// Updates the space at stack index 'index'. Returns the number of entries. Raises like q:count().
uint32_t ct_bind_space_refresh(lua_State *L, int index);

/// query:space(options)
int ct_bind_query_space(lua_State *L);

/// Creates the class of Space objects.
void ct_bind_open_spaces(lua_State *L);

#endif
