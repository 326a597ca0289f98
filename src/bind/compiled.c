// The table through which the binding and code that LuaJIT compiles know each other.
// Knows nothing of what that code makes.
#include "bind/compiled.h"

static const char compiled_key = 0;

void ct_bind_push_compiled(lua_State *L) {
    lua_pushlightuserdata(L, (void *)&compiled_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
}

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

void ct_bind_offer_method(lua_State *L, int index, const char *name) {
    int object = ct_bind_absindex(L, index);
    if (!ct_bind_push_maker(L, name)) return;
    ct_bind_push_methods(L, object);
    lua_insert(L, -2); // methods, maker
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
    lua_getfield(L, -1, "addresses");
    lua_pushlstring(L, (const char *)&function, sizeof function);
    lua_setfield(L, -2, name);
    lua_pop(L, 2);
}

// The row of the entity with an id: -1 when it has none, -2 when the manager is gone.
static int32_t row_of_id(const ct_bind_manager *manager, uint32_t id) {
    if (manager->core == NULL) return -2;
    return (int32_t)ct_store_find(&manager->core->store, (ct_entity){id}).i;
}

void ct_bind_open_compiled(lua_State *L) {
    ct_bind_push_compiled(L);
    if (lua_isnil(L, -1)) {
        static const char *const tables[] = {"addresses", "offsets", "live_views"};
        lua_pop(L, 1);
        lua_newtable(L);
        for (int i = 0; i < 3; ++i) {
            lua_newtable(L);
            lua_setfield(L, -2, tables[i]);
        }
        // A name that ct_bind_detach_views asks for: kept, so that asking never allocates.
        lua_pushboolean(L, 1);
        lua_setfield(L, -2, "gone");
        lua_pushlightuserdata(L, (void *)&compiled_key);
        lua_pushvalue(L, -2);
        lua_rawset(L, LUA_REGISTRYINDEX);
    }
    lua_pushinteger(L, CT_COMPILED_LAYOUT);
    lua_setfield(L, -2, "layout");
    lua_getfield(L, -1, "offsets");
    lua_pushnumber(L, (lua_Number)offsetof(ct_manager, store.changes));
    lua_setfield(L, -2, "changes");
    lua_pop(L, 1);
    lua_setfield(L, -2, "compiled");
    ct_bind_add_address(L, "row_of_id", (void (*)(void))row_of_id);
}
