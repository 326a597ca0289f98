// The table through which the binding and code that LuaJIT compiles know each other.
// Knows nothing of what that code makes.
#include "bind/value/compiled.h"

static const char compiled_key = 0, live_views_key = 0;

void ct_bind_push_compiled(lua_State *L) { ct_bind_push_registered(L, &compiled_key); }

void ct_bind_push_live_views(lua_State *L) { ct_bind_push_registered(L, &live_views_key); }

bool ct_bind_push_maker(lua_State *L, const char *name) {
    ct_bind_push_compiled(L);
    lua_getfield(L, -1, "enabled");
    if (lua_isnil(L, -1)) {
        lua_pop(L, 2);
        return false;
    }
    lua_call(L, 0, 1);
    bool enabled = lua_toboolean(L, -1);
    lua_pop(L, 1);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
    if (enabled && !lua_isnil(L, -1)) return true;
    lua_pop(L, 1);
    return false;
}

void ct_bind_freeze_views(lua_State *L, bool frozen) {
    int top = lua_gettop(L);
    ct_bind_push_compiled(L);
    lua_getfield(L, -1, "freeze_views");
    if (!lua_isnil(L, -1)) {
        lua_pushboolean(L, frozen);
        lua_pcall(L, 1, 0, 0); // without memory views stay as they are: slow, or fast
    }
    lua_settop(L, top);
}

void ct_bind_offer_method(lua_State *L, int index, const char *name) {
    int object = ct_bind_absindex(L, index);
    if (!ct_bind_push_maker(L, name)) return;
    ct_bind_push_methods(L, object);
    lua_insert(L, -2); // methods, factory
    lua_pushvalue(L, object);
    lua_getfield(L, -3, name);
    lua_call(L, 2, 1);
    if (lua_isnil(L, -1))
        lua_pop(L, 1);
    else
        lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void ct_bind_add_address(lua_State *L, const char *name, void (*function)(void)) {
    ct_bind_push_compiled(L);
    ct_bind_push_subtable(L, "addresses");
    lua_pushlstring(L, (const char *)&function, sizeof function);
    lua_setfield(L, -2, name);
    lua_pop(L, 2);
}

void ct_bind_add_offset(lua_State *L, const char *name, size_t offset) {
    ct_bind_push_compiled(L);
    ct_bind_push_subtable(L, "offsets");
    lua_pushnumber(L, (lua_Number)offset);
    lua_setfield(L, -2, name);
    lua_pop(L, 2);
}

// core.take_compiled() -> the table, the first time. Whoever has it could make compiled code read
// any memory: scripts find that it was taken.
static int take_compiled(lua_State *L) {
    ct_bind_push_compiled(L);
    lua_getfield(L, -1, "taken");
    if (!lua_isnil(L, -1)) return 0;
    lua_pushboolean(L, 1);
    lua_setfield(L, -3, "taken");
    lua_pop(L, 1);
    return 1;
}

void ct_bind_open_compiled(lua_State *L) {
    lua_newtable(L);
    ct_bind_push_subtable(L, "live_views");
    ct_bind_register(L, &live_views_key);
    lua_pushinteger(L, CT_COMPILED_LAYOUT);
    lua_setfield(L, -2, "layout");
    ct_bind_register(L, &compiled_key);
    lua_pushcfunction(L, take_compiled);
    lua_setfield(L, -2, "take_compiled");
}
