// Component types of plugins: checks a description and defines it in a world.
#include "base/pin.h"
#include "bind/plugin/plugin.h"
#include "bind/world/managers.h"
#include "component/record.h"

// Checks the description. Also pins the libraries with the methods.
static void check_description(lua_State *L, const ct_component *component) {
    ct_message message;
    if (!ct_component_check(component, &message)) luaL_error(L, "%s", message.text);
    const luaL_Reg *m = ct_plugin_whole(component).methods;
    for (; m != NULL && m->name != NULL; ++m) {
        if (m->func == NULL) luaL_error(L, "%s: method '%s' is NULL", component->name, m->name);
        ct_pin_code((void (*)(void))m->func);
    }
}

// Pushes the manager object and the list of the dropped fields.
static void define(lua_State *L, int world, const ct_component *component, bool migrate) {
    int top = lua_gettop(L);
    world = ct_bind_absindex(L, world);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    ct_bind_check_world(L, world);
    check_description(L, component);
    ct_plugin_pin(component);
    ct_bind_define_manager(L, world, component, true, migrate);
    lua_insert(L, top + 1);
    lua_insert(L, top + 2);
    lua_settop(L, top + 2);
}

void ct_bind_plugin_define(lua_State *L, int world, const ct_component *component) {
    define(L, world, component, false);
    lua_pop(L, 1);
}

void ct_bind_plugin_define_migrate(lua_State *L, int world, const ct_component *component) {
    define(L, world, component, true);
}
