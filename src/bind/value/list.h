// cuttle.list: a packed array of entities, so that thousands cross the border in one call.
// Knows nothing of who is alive.
#ifndef BIND_LIST_H
#define BIND_LIST_H

#include "bind/value/check.h"

typedef struct ct_bind_list {
    ct_bind_header header;
    ct_entity *items;
    uint32_t count;
    uint32_t capacity;
    bool collected; ///< its finalizer has run
} ct_bind_list;

/// Argument 'arg' if it is one, else NULL.
ct_bind_list *ct_bind_test_list(lua_State *L, int arg);

/// A new empty list on the stack.
ct_bind_list *ct_bind_list_new(lua_State *L);

/// Room for 'count' items; raises "not enough memory" with the list as it was, and where it was
/// collected: only finalizers come here then.
void ct_bind_list_reserve(lua_State *L, ct_bind_list *list, uint32_t count);

/// The list holds these entities and no others. Runs no finalizer; raises as the above.
void ct_bind_list_fill(lua_State *L, ct_bind_list *list, uint32_t count, const ct_entity *entities);

/// Argument 'arg' (a Lua array of entities, or a cuttle.list) as a C array.
/// A table is copied into a userdata left on the stack (a list pushes itself), so
/// exactly one value is pushed and the array lives as long as it stays there. A list's
/// items move when the list grows: take them again after anything that may call Lua.
/// Raises when an item is no entity, naming its place.
const ct_entity *ct_bind_check_entity_array(lua_State *L, int arg, uint32_t *count);

/// The same, but a list is copied too: nothing a script does can move the items.
const ct_entity *ct_bind_pin_entity_array(lua_State *L, int arg, uint32_t *count);

/// Argument 'arg' becomes what receives 'count' entities: a new table for nil, a table, or a list,
/// which gets room. Raises otherwise. Pushes one value, which ct_bind_deliver needs on top
/// and pops.
void ct_bind_prepare_out(lua_State *L, int arg, uint32_t count);

/// Writes the entities into it, from 1 on. False, with the error on top, when Lua has no memory for
/// them: the caller undoes what made them. Runs no finalizer.
bool ct_bind_deliver(lua_State *L, int arg, uint32_t count, const ct_entity *entities);

/// Adds 'list' to the module table on top.
void ct_bind_open_list(lua_State *L);

#endif
