// Lookup of tables by address, for callbacks of the core.
#include "bind/value/object.h"

// registry[addresses_key]: address as a number -> table, weak values registry[dying_key], if weak
// values are cleared first: table -> address, weak keys
static const char addresses_key = 0, dying_key = 0;

// Finds the table of an object in finalization with a linear search, which is acceptable because
// finalizers are rare.
static void recall_dying(lua_State *L, const void *address) {
    ct_bind_push_registered(L, &dying_key);
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) { // stack: nil, tables, table, address
        bool same = lua_touserdata(L, -1) == address;
        lua_pop(L, 1);
        if (!same) continue;
        lua_replace(L, -3);
        break;
    }
    lua_pop(L, 1);
}

void ct_bind_expect(lua_State *L, const void *address) {
    if (!CT_BIND_WEAK_VALUES_CLEARED_FIRST) return;
    ct_bind_push_registered(L, &dying_key);
    lua_pushvalue(L, -2);
    lua_pushlightuserdata(L, (void *)address);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

// Stores the table on top, and removes all earlier tables of this address.
static void remember_dying(lua_State *L, const void *address) {
    ct_bind_push_registered(L, &dying_key);
    for (;;) {
        lua_pushnil(L);
        recall_dying(L, address);
        if (lua_isnil(L, -1)) break;
        lua_pushnil(L);
        lua_rawset(L, -3);
    }
    lua_pop(L, 2);
    ct_bind_expect(L, address);
}

void ct_bind_remember(lua_State *L, const void *address) {
    if (CT_BIND_WEAK_VALUES_CLEARED_FIRST) remember_dying(L, address);
    ct_bind_push_registered(L, &addresses_key);
    lua_pushnumber(L, (lua_Number)(uintptr_t)address);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 2);
}

void ct_bind_recall(lua_State *L, const void *address) {
    ct_bind_push_registered(L, &addresses_key);
    lua_pushnumber(L, (lua_Number)(uintptr_t)address);
    lua_rawget(L, -2);
    lua_remove(L, -2);
    if (CT_BIND_WEAK_VALUES_CLEARED_FIRST && lua_isnil(L, -1)) recall_dying(L, address);
}

// Created once: a script may load the module twice, and older objects must stay valid.
void ct_bind_open_address_table(lua_State *L) {
    ct_bind_push_registered(L, &addresses_key);
    bool exists = lua_istable(L, -1);
    lua_pop(L, 1);
    if (exists) return;
    ct_bind_push_weak_table(L, "v");
    ct_bind_register(L, &addresses_key);
    if (!CT_BIND_WEAK_VALUES_CLEARED_FIRST) return;
    ct_bind_push_weak_table(L, "k");
    ct_bind_register(L, &dying_key);
}
