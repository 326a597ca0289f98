// Tables that callbacks of the core find by the address of what they stand for.
#include "bind/value/object.h"

// registry[addresses_key]: address, as a number -> table, weak
// registry[dying_key], if weak values go first: table, weak -> address
static const char addresses_key = 0, dying_key = 0;

// What an object that dies has is looked for among all there is: seldom, as finalizers are few.
static void recall_dying(lua_State *L, const void *address) {
    ct_bind_push_registered(L, &dying_key);
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) { // nil, tables, table, address
        bool same = lua_touserdata(L, -1) == address;
        lua_pop(L, 1);
        if (!same) continue;
        lua_replace(L, -3);
        break;
    }
    lua_pop(L, 1);
}

void ct_bind_expect(lua_State *L, const void *address) {
    if (!CT_BIND_WEAK_VALUES_GO_FIRST) return;
    ct_bind_push_registered(L, &dying_key);
    lua_pushvalue(L, -2);
    lua_pushlightuserdata(L, (void *)address);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

// The table on top, in place of all others that were remembered or expected.
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
    if (CT_BIND_WEAK_VALUES_GO_FIRST) remember_dying(L, address);
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
    if (CT_BIND_WEAK_VALUES_GO_FIRST && lua_isnil(L, -1)) recall_dying(L, address);
}

// Made once: a script may load the module twice, and older objects stay valid.
void ct_bind_open_recall(lua_State *L) {
    ct_bind_push_registered(L, &addresses_key);
    bool exists = lua_istable(L, -1);
    lua_pop(L, 1);
    if (exists) return;
    ct_bind_push_weak_table(L, "v");
    ct_bind_register(L, &addresses_key);
    if (!CT_BIND_WEAK_VALUES_GO_FIRST) return;
    ct_bind_push_weak_table(L, "k");
    ct_bind_register(L, &dying_key);
}
