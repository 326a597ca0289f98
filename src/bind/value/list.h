// cuttle.list: a packed array of entities, to pass thousands of entities in one call.
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

/// Returns argument 'arg' if it is a list, else NULL.
ct_bind_list *ct_bind_test_list(lua_State *L, int arg);

/// Pushes a new empty list.
ct_bind_list *ct_bind_list_new(lua_State *L);

/// Returns argument 'arg', a list that receives results; replaces nil by a new list, and raises for
/// other types.
ct_bind_list *ct_bind_prepare_list(lua_State *L, int arg);

/// Allocates room for 'count' items. Raises "not enough memory" and leaves the list unchanged; also
/// raises if the list was collected, which only a finalizer can observe.
void ct_bind_list_reserve(lua_State *L, ct_bind_list *list, uint32_t count);

/// Replaces the content of the list by these entities. Runs no finalizer; raises like
/// ct_bind_list_reserve.
void ct_bind_list_fill(lua_State *L, ct_bind_list *list, uint32_t count, const ct_entity *entities);

/// Returns argument 'arg' (a Lua array of entities, or a cuttle.list) as a C array. Copies a table
/// into a userdata; pushes that userdata, or the list. The array is valid while the value is on the
/// stack, but the items of a list move when it grows: call the function again after anything that
/// may call Lua. Raises, with the position, if an item is not an entity.
const ct_entity *ct_bind_check_entity_array(lua_State *L, int arg, uint32_t *count);

/// The same, but also copies a list, so that scripts cannot move the items. Not NULL for an empty
/// list.
const ct_entity *ct_bind_pin_entity_array(lua_State *L, int arg, uint32_t *count);

/// Prepares argument 'arg' to receive 'count' entities: replaces nil by a new table, accepts a
/// table, and reserves room in a list. Raises for other types.
void ct_bind_prepare_out(lua_State *L, int arg, uint32_t count);

/// Writes the entities to the destination, from position 1. Returns false, with the error on top,
/// if Lua is out of memory; the caller then destroys the entities. Runs no finalizer.
bool ct_bind_deliver(lua_State *L, int arg, uint32_t count, const ct_entity *entities);

/// Stores an entity in the table at index 'table', raw under a number; 0xFFFFFFFF: nil.
static inline void ct_bind_store_entity(lua_State *L, int table, int place, ct_entity e) {
    ct_bind_push_entity(L, e);
    lua_rawseti(L, ct_bind_below(table), place);
}

/// Writes the entities to the table at 'table', from position 1.
void ct_bind_fill_entities(lua_State *L, int table, uint32_t count, const ct_entity *entities);

/// Adds 'list' to the module table on top.
void ct_bind_open_list(lua_State *L);

#endif
