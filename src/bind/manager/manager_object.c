// Manager objects: their blocks, their handles, their end.
#include "bind/manager/column.h"
#include "bind/manager/definition.h"

#include <string.h>

ct_manager *ct_bind_manager_room(lua_State *L, size_t bytes) {
    size_t own = ct_padded(sizeof(ct_bind_manager));
    void *block = ct_block_at(lua_newuserdata(L, own + bytes + CT_BLOCK_ALIGNMENT));
    memset(block, 0, own + bytes);
    return (ct_manager *)(void *)((unsigned char *)block + own);
}

// The value on top, popped, stays in the memory of the world, whose table is at 'memory'.
static void keep_in(lua_State *L, int memory) {
    lua_pushboolean(L, 1);
    lua_rawset(L, memory);
}

// Texts that a manager of a script or a plugin refers to: why it has ended, and the names of the
// inputs as Lua has them, each string once.
static void keep_texts(lua_State *L, int memory, ct_bind_manager *manager) {
    ct_manager *core = manager->core;
    if (core->spawn_order < CT_SPAWN_ORDER_DEFINED) return;
    manager->again = lua_pushfstring(L, "%s was defined again", core->name);
    keep_in(L, memory);
    if (!core->free) return;
    const char **names = lua_newuserdata(L, core->input_count * sizeof *names + 1);
    keep_in(L, memory);
    for (uint32_t i = 0; i < core->input_count; ++i) {
        lua_pushstring(L, core->inputs[i].name);
        names[i] = lua_tostring(L, -1);
        keep_in(L, memory);
    }
    core->names = names;
}

ct_bind_manager *ct_bind_manager_new(lua_State *L, int world, ct_world *owner) {
    int block = lua_gettop(L), memory = block + 1;
    ct_bind_manager *manager = ct_block_at(lua_touserdata(L, block));
    ct_manager *core = (void *)((unsigned char *)manager + ct_padded(sizeof *manager));
    world = ct_bind_absindex(L, world);
    *manager = (ct_bind_manager){.header = {ct_bind_cookie(), &ct_bind_manager_block},
                                 .core = core,
                                 .world = owner,
                                 .state = ct_bind_state_of(L)};
    ct_bind_push_memory(L, world);
    keep_texts(L, memory, manager);
    lua_pushvalue(L, memory);
    ct_bind_set_owned(L, block);
    lua_pushvalue(L, block);
    ct_bind_rawsetp(L, memory, manager);
    lua_settop(L, block);
    ct_bind_handle *handle = lua_newuserdata(L, sizeof *handle);
    *handle = (ct_bind_handle){{ct_bind_cookie(), &ct_bind_manager_kind}, manager};
    lua_insert(L, block);
    ct_bind_keep(L, block);
    ct_bind_push_owned(L, world);
    ct_bind_set_owned(L, block);
    ct_bind_set_definition(L, block);
    if (core->type->hosted != NULL) {
        manager->attachment = manager->state->above->attachment;
        ct_bind_push_manager_table(L, block);
        ct_bind_remember(L, manager);
    }
    core->object = manager;
    return manager;
}

void ct_bind_manager_over(lua_State *L, int world, ct_bind_manager *manager, const char *why) {
    manager->over = why;
    manager->core->names = NULL;
    ct_bind_detach_views(L, world, manager);
    // What Lua keeps for it, in the environment of a handle.
    ct_bind_push_owned(L, world);
    lua_pushlightuserdata(L, manager);
    ct_bind_forget_key(L, -2);
    lua_pop(L, 1);
}
