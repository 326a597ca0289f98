// Between Lua values and items of fields, one at a time.
// Knows nothing of rows: where an item goes is the caller's business.
#ifndef BIND_VALUES_H
#define BIND_VALUES_H

#include "bind/value/check.h"
#include "storage/manager.h"

/// Converts the Lua value at 'index' to an item as in ct_values (a string becomes a
/// ct_text whose bytes are the Lua string's: keep that anchored). On failure
/// pushes what was wrong ("expected 3 numbers, got 2") and returns false. 'item' has
/// CT_MAX_ITEM_BYTES. Does not raise, calls no metamethods; allocates only on failure.
bool ct_bind_value_to_item(lua_State *L, int index, const ct_field *field, void *item);

/// Whether the value at 'index' is a table, and for a vector not one with names alone, as {x = 1}.
bool ct_bind_is_array(lua_State *L, int index, const ct_field *field);

/// The list of numbers at 'index' as a text of cells (storage/cells.h) in the arena. False with the
/// message pushed.
bool ct_bind_value_to_cells(lua_State *L, int index, struct ct_arena *arena, ct_text *text);

/// Reads arguments arg, arg + 1, ... as an item of a field; raises naming the argument.
void ct_bind_check_item(lua_State *L, int arg, const ct_field *field, void *item);

/// Pushes an item of a column as Lua values, one per lane (booleans, strings, labels,
/// entities or nil); returns how many.
int ct_bind_push_item(lua_State *L, const ct_manager *manager, const ct_field *field,
                      const void *item);

/// Pushes a number of a column: of integers an integer, where the host has such.
void ct_bind_push_scalar(lua_State *L, ct_scalar lane, const void *item);

/// Pushes an array of the labels of an enum field.
void ct_bind_push_labels(lua_State *L, const ct_field *field);

/// Pushes an item as one value: vectors as arrays. For get, inspect, describe.
void ct_bind_push_item_value(lua_State *L, const ct_manager *manager, const ct_field *field,
                             const void *item);

/// Pushes a string of a pool. Making a Lua string may run a finalizer that frees
/// the very text that is being copied: here it cannot.
void ct_bind_push_string(lua_State *L, ct_string_pool *pool, ct_string string);

#endif
