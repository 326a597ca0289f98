// Conversion between Lua values and items of fields.
// Must not depend on rows: the caller stores the items.
#ifndef BIND_VALUES_H
#define BIND_VALUES_H

#include "bind/value/check.h"
#include "storage/manager.h"

/// Converts the Lua value at 'index' to an item as in ct_values. A string becomes a ct_text that
/// points into the Lua string, which must be kept alive. 'item' has room for CT_MAX_ITEM_BYTES. On
/// failure pushes the message ("expected 3 numbers, got 2") and returns false. Does not raise and
/// calls no metamethods; allocates only on failure.
bool ct_bind_value_to_item(lua_State *L, int index, const ct_field *field, void *item);

/// Checks that the value at 'index' is a table that is read by position: for a vector field not a
/// table with names only, such as {x = 1}.
bool ct_bind_is_array(lua_State *L, int index, const ct_field *field);

/// Encodes the list of numbers at 'index' as a text of cells (storage/cells.h) in the arena.
/// Returns false and pushes the message on failure.
bool ct_bind_value_to_cells(lua_State *L, int index, struct ct_arena *arena, ct_text *text);

/// Reads arguments arg, arg + 1, ... as an item of a field. Raises with the number of the argument.
void ct_bind_check_item(lua_State *L, int arg, const ct_field *field, void *item);

/// Pushes an item of a column as Lua values, one per lane (booleans, strings, labels, entities or
/// nil). Returns their number.
int ct_bind_push_item(lua_State *L, const ct_manager *manager, const ct_field *field,
                      const void *item);

/// Pushes a number of a column. An integer column gives an integer if the Lua version has integers.
void ct_bind_push_scalar(lua_State *L, ct_scalar lane, const void *item);

/// Pushes an array of the labels of an enum field.
void ct_bind_push_labels(lua_State *L, const ct_field *field);

/// Pushes an item as one value; a vector becomes an array. For get, inspect and describe.
void ct_bind_push_item_value(lua_State *L, const ct_manager *manager, const ct_field *field,
                             const void *item);

/// Pushes a string of a pool. Creating a Lua string may run a finalizer that frees the source; this
/// function is safe against that.
void ct_bind_push_string(lua_State *L, ct_string_pool *pool, ct_string string);

#endif
