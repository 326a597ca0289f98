// Methods of the mesh manager, with static data that instances share.
#include "bind/component/components.h"

#include "component/mesh.h"

// meshes:define_resource(name, desc): keeps the table 'desc', which replaces an earlier one
static int define_resource(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_changing(L);
    ct_text name = ct_bind_check_resource_name(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_settop(L, 3);
    ct_bind_keep_resource(L);
    return ct_bind_finish_resource(L, ct_mesh_add_name(manager->core, name), "mesh");
}

const ct_bind_method ct_bind_mesh_methods[] = {
    CT_BIND_FIELD("resource", "set_resource"),      CT_BIND_FIELD("color", "set_color"),
    CT_BIND_FIELD("visible", "set_visible"),        {"define_resource", define_resource, NULL},
    {"resource_data", ct_bind_resource_data, NULL}, {NULL, NULL, NULL},
};
