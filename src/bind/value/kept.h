// Lua values that value fields hold: in a table beside the core's pool, by slot.
// Knows nothing of rows.
#ifndef BIND_KEPT_H
#define BIND_KEPT_H

#include "bind/value/check.h"
#include "storage/manager.h"

// The environment of a world object has the table 'values', once there is a value field: what the
// host keeps, by slot. It is recalled by the address of the world's pool. A value that refers to
// its own world goes with it: nothing but the world leads to the table.

// ct_bind_state.holding is the pool whose values are held, NULL for none: while something is
// gathered.

/// As if Lua had not been asked for memory since it was so often (ct_bind_lua_allocations): for
/// what grows a table or the stack, and runs no finalizer.
static inline void ct_bind_uncount(ct_bind_state *state, uint64_t allocations) {
#if defined(CT_TEST) && CT_TEST
    state->lua_allocations = allocations;
#else
    (void)state;
    (void)allocations;
#endif
}

/// Makes the table; the world object is at index 'world'.
void ct_bind_open_values(lua_State *L, int world, ct_value_pool *pool);

/// The value at 'index' is held in a slot until ct_bind_forget_values, by when a row should have
/// it. *out is the item as in ct_values; of nil that of nil. Raises "not enough memory". Allocates
/// in Lua, but runs no finalizer, and is not counted: it may be called while gathering.
void ct_bind_hold_value(lua_State *L, ct_bind_state *state, ct_value_pool *pool, int index,
                        ct_text *out);

/// Lets go of what no row holds. Has to follow ct_bind_hold_value, and all that may have taken a
/// value from a row. Allocates nothing, never raises.
void ct_bind_forget_values(lua_State *L, ct_value_pool *pool);

/// Pushes the value of an item in a column. What a level gave as bytes is made now: that may run
/// finalizers.
void ct_bind_push_value(lua_State *L, ct_value_pool *pool, ct_value value);

// For snapshots, which have a table of their own. In a pool without value fields there is none:

/// Whether the pool has a table of values. Allocates nothing.
bool ct_bind_has_values(lua_State *L, const ct_value_pool *pool);

/// Pushes a new table of what rows hold, by slot, or nil. What levels gave as bytes is made now:
/// that may run finalizers.
void ct_bind_collect_values(lua_State *L, ct_value_pool *pool);

/// Replaces such a table (or nil, of a pool that had none) on top by a copy for this pool, or nil.
/// May run finalizers.
void ct_bind_copy_values(lua_State *L, const ct_value_pool *pool);

/// The slots of the pool are those of a snapshot: the copy on top, which is popped, takes the place
/// of the table that the world object at index 'world' has. Allocates nothing.
void ct_bind_replace_values(lua_State *L, int world, const ct_value_pool *pool);

/// Makes what the above needs.
void ct_bind_open_kept(lua_State *L);

#endif
