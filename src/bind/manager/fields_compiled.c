// Methods that LuaJIT compiles: their descriptions for the factories. They call functions of the
// core with the address of the manager, whose first member is the core. The methods in C handle all
// uncommon cases.
#include "bind/manager/definition.h"

#include "bind/value/compiled.h"
#include "component/transform.h"
#include "storage/manager_keys.h"

// manager_pointer(handle) -> the address of the manager as a string of its bytes, or nil
static int pointer(lua_State *L) {
    const ct_bind_manager *manager = ct_bind_test_handle(L, 1, &ct_bind_manager_kind);
    if (manager == NULL) return 0;
    lua_pushlstring(L, (const char *)&manager, sizeof manager);
    return 1;
}

void ct_bind_open_fields(lua_State *L) {
    ct_bind_add_address(L, "read_number", (void (*)(void))ct_manager_key_number);
    ct_bind_add_address(L, "read_numbers", (void (*)(void))ct_manager_key_numbers);
    ct_bind_add_address(L, "write_numbers", (void (*)(void))ct_manager_key_write);
    ct_bind_add_address(L, "has", (void (*)(void))ct_manager_key_has);
    ct_bind_add_address(L, "lookup", (void (*)(void))ct_manager_key_instance);
    ct_bind_add_address(L, "row_of_id", (void (*)(void))ct_manager_row_of_id);
    ct_bind_add_address(L, "read_pose", (void (*)(void))ct_transform_key_part);
    ct_bind_add_offset(L, "header", sizeof(ct_bind_header));
    ct_bind_add_offset(L, "destroyed", offsetof(ct_bind_manager, destroyed));
    ct_bind_add_offset(L, "definition", offsetof(ct_bind_manager, definition));
    ct_bind_add_offset(L, "changes", offsetof(ct_manager, store.changes));
    ct_bind_add_offset(L, "count", offsetof(ct_manager, store.columns.count));
    ct_bind_push_compiled(L);
    ct_bind_add_function(L, "manager_pointer", pointer);
    lua_pop(L, 1);
}

// Arguments of the factory: the table of methods, the name, whether it is a setter, the number of
// the definition, the number of the field, the number of lanes of an item, and their type ("number"
// or "bool") or the labels of an enum.
void ct_bind_compile_accessor(lua_State *L, int methods, const char *name, const ct_manager *core,
                              uint32_t field, bool sets) {
    int number = lua_gettop(L);
    if (field >= core->field_count) return;
    const ct_field *f = &core->fields[field];
    const ct_field_info *info = ct_field_info_of(f->type);
    if (info->lane > CT_SCALAR_BOOL || !ct_bind_push_maker(L, "accessor")) return;
    lua_pushvalue(L, methods);
    lua_pushstring(L, name);
    lua_pushboolean(L, sets);
    lua_pushvalue(L, number);
    ct_bind_push_whole(L, field);
    ct_bind_push_whole(L, info->lanes);
    if (f->type == CT_FIELD_ENUM)
        ct_bind_push_labels(L, f);
    else
        lua_pushstring(L, info->lane == CT_SCALAR_BOOL ? "bool" : "number");
    lua_call(L, 7, 0);
}

void ct_bind_compile_own(lua_State *L, int methods, const ct_manager *core) {
    int number = lua_gettop(L);
    if (!ct_bind_push_maker(L, "own_methods")) return;
    lua_pushvalue(L, methods);
    lua_pushstring(L, core->name);
    lua_pushvalue(L, number);
    lua_call(L, 3, 0);
}
