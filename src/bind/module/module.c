// luaopen_cuttle_core: fills the module table with the parts of all folders of the binding.
#include "base/pin.h"
#include "bind/component/components.h"
#include "bind/level/level.h"
#include "bind/level/world_host.h"
#include "bind/manager/column.h"
#include "bind/manager/definition.h"
#include "bind/manager/loops.h"
#include "bind/plugin/plugin.h"
#include "bind/replication/replication.h"
#include "bind/resource/resource.h"
#include "bind/snapshot/snapshot.h"
#include "bind/value/compiled.h"
#include "bind/value/lua_values.h"
#include "bind/value/parse_values.h"
#include "cuttle_lua.h"

static const ct_bind_tables tables = {
    .builtins = ct_bind_builtins,
    .attachment = &ct_bind_bodies,
    .host = &ct_bind_host,
};

static const char module_key = 0;

// A second call in the same state returns the same table, so that earlier objects keep their
// classes.
static bool push_opened(lua_State *L) {
    ct_bind_push_registered(L, &module_key);
    if (lua_istable(L, -1)) return true;
    lua_pop(L, 1);
    return false;
}

int luaopen_cuttle_core(lua_State *L) {
    ct_bind_check_version(L);
    if (push_opened(L)) return 1;
    // Before objects exist: finalizers of scripts call the module even after Lua has unloaded it.
    ct_pin_library(&module_key);
    ct_bind_state_of(L)->tables = &tables;
    lua_newtable(L);
#if defined(CT_TEST) && CT_TEST
    ct_bind_open_testing(L); // before any allocation
#endif
    ct_bind_open_address_table(L);
    ct_bind_open_objects(L);
    ct_bind_open_protected(L);
    ct_bind_open_finalizers(L);
    ct_bind_open_parser(L);
    ct_bind_open_compiled(L);
    ct_bind_open_entity(L);
    ct_bind_open_list(L);
    ct_bind_open_entity_manager(L);
    ct_bind_open_definitions(L);
    ct_bind_open_column(L);
    ct_bind_open_loops(L);
    ct_bind_open_world(L);
    ct_bind_open_models(L);
    ct_bind_open_grids(L);
    ct_bind_open_transforms(L);
    ct_bind_open_resource(L);
    ct_bind_open_compile(L);
    ct_bind_open_schema(L);
    ct_bind_open_messages(L);
    ct_bind_open_summary(L);
    ct_bind_open_bytes(L);
    ct_bind_open_file(L);
    ct_bind_open_spawners(L);
    ct_bind_open_spawn(L);
    ct_bind_open_recorder(L);
    ct_bind_open_replication(L);
    ct_bind_open_plugin_api(L);
    lua_pushliteral(L, CT_VERSION);
    lua_setfield(L, -2, "VERSION");
    lua_pushvalue(L, -1);
    ct_bind_register(L, &module_key);
    return 1;
}
