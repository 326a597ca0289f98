// Manager objects: blocks, handles, end.
#include "bind/manager/column.h"
#include "bind/manager/definition.h"

// Pushes the table that the block of a world keeps; replaces a shared table by a separate one.
static void push_memory(lua_State *L, int world) {
    ct_bind_push_block(L, world);
    ct_bind_push_owned(L, -1);
    int block = lua_gettop(L) - 1;
    lua_rawgeti(L, -1, 2);
    if (lua_isnil(L, -1)) {
        lua_createtable(L, 2, 8);
        lua_rawgeti(L, block + 1, 1);
        lua_rawseti(L, -2, 1);
        ct_bind_copy_item(L, -1, 2, block);
        lua_pushvalue(L, -1);
        ct_bind_set_owned(L, block);
        lua_replace(L, block + 1);
    }
    lua_settop(L, block + 1);
}

// Adds the block of a manager that a script or a plugin defined to the memory of the world, and the
// names of its inputs as Lua strings, which are interned. ct_bind_retire_manager removes them.
static void keep_block(lua_State *L, int world, int block, ct_bind_manager *manager) {
    ct_manager *core = manager->core;
    push_memory(L, world);
    int memory = lua_gettop(L);
    lua_pushvalue(L, memory);
    ct_bind_set_owned(L, block);
    lua_pushvalue(L, block);
    ct_bind_rawsetp(L, memory, manager);
    if (!core->unchecked) return;
    uint32_t count = core->input_count;
    lua_createtable(L, (int)count + 1, 0);
    const char **names = lua_newuserdata(L, count * sizeof *names + 1);
    lua_rawseti(L, -2, (int)count + 1);
    for (uint32_t i = 0; i < count; ++i) {
        lua_pushstring(L, core->inputs[i].name);
        names[i] = lua_tostring(L, -1);
        lua_rawseti(L, -2, (int)i + 1);
    }
    ct_bind_rawsetp(L, memory, core);
    core->names = names;
}

ct_bind_manager *ct_bind_manager_new(lua_State *L, int world, ct_manager *core) {
    int block = lua_gettop(L);
    ct_bind_manager *manager = (void *)((unsigned char *)core - ct_padded(sizeof(ct_bind_manager)));
    world = ct_bind_absindex(L, world);
    *manager = (ct_bind_manager){
        .core = core, .world = ct_bind_object_at(L, world), .state = ct_bind_state_of(L)};
    if (core->spawn_order >= CT_SPAWN_ORDER_DEFINED) keep_block(L, world, block, manager);
    lua_settop(L, block);
    ct_bind_handle_new(L, &ct_bind_manager_kind, manager);
    ct_bind_push_owned(L, world);
    ct_bind_set_owned(L, block);
    ct_bind_set_definition(L, block);
    return manager;
}

void ct_bind_manager_destroyed(lua_State *L, ct_bind_manager *manager, const char *why) {
    manager->destroyed = why;
    manager->core->names = NULL;
    ct_bind_detach_views(L, manager);
    ct_bind_recall(L, manager->world);
    lua_pushlightuserdata(L, manager);
    if (lua_istable(L, -2))
        ct_bind_forget_key(L, -2);
    else
        lua_pop(L, 1);
    lua_pop(L, 1);
}
