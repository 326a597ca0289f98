// Storage of the Lua values of value fields: a table, indexed by the slots of the core's pool.
// Must not depend on rows.
#ifndef BIND_LUA_VALUES_H
#define BIND_LUA_VALUES_H

#include "bind/value/check.h"
#include "storage/manager.h"

// After the definition of a value field, the environment of a world object has the table 'values',
// which contains the values by slot. It is recalled by the address of the world's pool. A value may
// reference its world without a leak, because only the world references the table.

// ct_bind_state.holding is the pool with held values during a parse, else NULL.

/// Resets the count of Lua's allocations (ct_bind_lua_allocations) to an earlier value. For
/// operations that only grow a table or the stack, which runs no finalizer.
static inline void ct_bind_uncount(ct_bind_state *state, uint64_t allocations) {
#if defined(CT_TEST) && CT_TEST
    state->lua_allocations = allocations;
#else
    (void)state;
    (void)allocations;
#endif
}

/// Creates the table. The world object is at index 'world'.
void ct_bind_open_values(lua_State *L, int world, ct_value_pool *pool);

/// Holds the value at 'index' in a slot until ct_bind_forget_values; by then a row should reference
/// it. *out is the item as in ct_values (nil has an item without a slot). Raises "not enough
/// memory". Allocates in Lua, but runs no finalizer and is not counted, so it may be called while
/// parsing.
void ct_bind_hold_value(lua_State *L, ct_bind_state *state, ct_value_pool *pool, int index,
                        ct_text *out);

/// Releases values that no row references. Must be called after ct_bind_hold_value, and after any
/// operation that may remove a value from a row. Allocates nothing and does not raise.
void ct_bind_forget_values(lua_State *L, ct_value_pool *pool);

/// Pushes the value of an item in a column. Decodes a value that a level stored as bytes, which may
/// run finalizers.
void ct_bind_push_value(lua_State *L, ct_value_pool *pool, ct_value value);

// Bytes (value_bytes.c)

/// Encodes the value at 'index' as in storage/value_bytes.h, in the state's arena: nil, booleans,
/// numbers, strings, and tables of these; metatables are ignored. Returns false if a value cannot
/// be encoded: the message with its position is on top, and the stack is higher than before. Raises
/// "not enough memory". May be called while parsing: allocates in Lua only on failure.
bool ct_bind_value_to_bytes(lua_State *L, ct_bind_state *state, int index, ct_text *out);

#endif
