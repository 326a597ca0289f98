// Methods set_debug_name, debug_name, find and find_all.
#include "bind/component/components.h"

#include "component/debug_name.h"

static ct_text check_text(lua_State *L, int arg) {
    ct_text text = ct_bind_to_text(L, arg);
    if (text.bytes != NULL) return text;
    luaL_checktype(L, arg, LUA_TSTRING);
    luaL_argerror(L, arg, "string is too long (limit 2147483647 bytes)");
    return text;
}

// names:set_debug_name(e, s): creates the component, or changes its name
static int set_debug_name(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_self(L);
    ct_manager *core = manager->core;
    ct_entity e = ct_bind_check_entity(L, 2);
    ct_text text = check_text(L, 3);
    ct_bind_check_alive(L, 2, e, manager->world);
    ct_bind_check_open(L, manager->world);
    ct_row row = ct_store_find(&core->store, e);
    ct_values value = {&text, 0};
    ct_status status = row.i != CT_NO_ROW ? ct_manager_write(core, 0, row, &text)
                                          : ct_bind_create_one(L, manager, e, &value);
    return ct_bind_manager_finish(L, manager, status);
}

// names:debug_name(e) -> string or nil
static int debug_name(lua_State *L) {
    const ct_manager *core = ct_bind_own_self(L)->core;
    ct_row row = ct_store_find(&core->store, ct_bind_check_entity(L, 2));
    if (row.i == CT_NO_ROW) return ct_bind_return_nil(L);
    return ct_bind_push_item(L, core, core->fields, ct_manager_item(core, core->fields, row));
}

// names:find(s) -> living entity or nil; if several have the name, the first that was named
static int find(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_self(L);
    ct_row row = ct_debug_name_find(manager->core, check_text(L, 2), (ct_row){CT_NO_ROW});
    if (row.i == CT_NO_ROW) return ct_bind_return_nil(L);
    return ct_bind_return_entity(L, ct_store_owners(&manager->core->store)[row.i]);
}

// names:find_all(s) -> table of living entities, in order of naming
static int find_all(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_self(L);
    ct_text text = check_text(L, 2);
    lua_newtable(L);
    ct_row row = {CT_NO_ROW};
    // Only raw table writes from here on: they run no finalizers.
    for (int n = 1;; ++n) {
        row = ct_debug_name_find(manager->core, text, row);
        if (row.i == CT_NO_ROW) return 1;
        ct_bind_store_entity(L, -1, n, ct_store_owners(&manager->core->store)[row.i]);
    }
}

const ct_bind_method ct_bind_debug_name_methods[] = {
    {"set_name", ct_bind_set_field, "name"}, // "name" is the name of the manager
    {"set_debug_name", set_debug_name, NULL},
    {"debug_name", debug_name, NULL},
    {"find", find, NULL},
    {"find_all", find_all, NULL},
    {NULL, NULL, NULL},
};
