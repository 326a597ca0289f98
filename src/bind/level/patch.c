// level:patch: conversion of a newer Resource to counts.
#include "bind/level/level.h"
#include "bind/resource/resource.h"
#include "bind/value/push_bytes.h"

bool ct_bind_level_follow(lua_State *L, int level, int resource, ct_patch_result *result,
                          bool *ok) {
    ct_level *core = ((ct_bind_level *)lua_touserdata(L, level))->core;
    ct_resource *next = ct_bind_resource_at(L, resource);
    ct_status status = CT_ERR_MEMORY;
    ct_bind_host_call call;
    ct_message message;
    int top = lua_gettop(L), rooms = top + 3;
    *ok = true;
    ct_bind_push_level_resource(L, level);
    size_t bytes = ct_patch_bytes(core, next);
    void *room = ct_bind_new_room(L, level, resource, bytes);
    if (ct_bind_level_push_needs(L, level, next, &call)) {
        // Finalizers may have patched the level meanwhile; the room still fits the new resource.
        status = ct_level_patch_lent(core, next, room, &call, result, ok, &message);
        if (status != CT_OK) ct_bind_level_push_reason(L, level, resource, &call, status, &message);
    }
    if (status == CT_OK) ct_bind_take_room(L, level, rooms);
    if (status == CT_OK && !*ok) ct_bind_level_push_problem(&call);
    // Keep only the value on top: the message, the error, or the old resource.
    if (status == CT_OK && *ok)
        lua_settop(L, top + 1);
    else
        lua_replace(L, top + 1 + (status == CT_OK));
    lua_settop(L, top + 1 + (status == CT_OK && !*ok));
    return status == CT_OK;
}

static const char *const count_names[] = {"added", "removed", "changed", "moved"};

// Results of a patch, for the table.
typedef struct report {
    const ct_patch_result *result;
    ct_writer left; // of ct_patch_write_left
} report;

// Pushes a table with all fields of the result, which are changed later.
static void push_counts(lua_State *L) {
    lua_createtable(L, 0, 5);
    for (int i = 0; i < 4; ++i) {
        ct_bind_add_whole(L, count_names[i], 0);
    }
    lua_newtable(L);
    lua_setfield(L, -2, "left");
}

// That table, report -> nothing. Only the texts of 'left' need memory.
static int fill_counts(lua_State *L) {
    const report *r = lua_touserdata(L, 2);
    const uint32_t counts[] = {r->result->added, r->result->removed, r->result->changed,
                               r->result->moved};
    for (int i = 0; i < 4; ++i) {
        ct_bind_push_whole(L, counts[i]);
        lua_setfield(L, 1, count_names[i]);
    }
    lua_getfield(L, 1, "left");
    ct_bind_fill_texts(L, 3, &r->left);
    return 0;
}

// Stack: counts, level, resource, and the values of ct_bind_level_follow. The patch is applied at
// this point; if Lua runs out of memory, 'left' is incomplete.
static int return_counts(lua_State *L, ct_patch_result *result, const ct_resource *old, bool ok) {
    const ct_level *level = ((const ct_bind_level *)lua_touserdata(L, 2))->core;
    const ct_world *world = level->levels->world;
    report r = {.result = result};
    int problem = lua_gettop(L);
    ct_writer_init(&r.left, world->allocator, false);
    ct_patch_write_left(result, old, level->resource, &r.left);
    lua_pushvalue(L, 1);
    lua_pushlightuserdata(L, &r);
    (void)ct_bind_call_protected(L, fill_counts, 2, 0);
    ct_writer_free(&r.left);
    ct_patch_result_free(world, result);
    lua_settop(L, ok ? 1 : problem);
    return ok ? 1 : lua_error(L);
}

// level:patch(resource) -> counts, or nil and a message
static int patch(lua_State *L) {
    ct_patch_result result;
    bool ok;
    ct_bind_check_level(L, 1);
    ct_bind_check_resource(L, 2);
    lua_settop(L, 2);
    push_counts(L);
    lua_insert(L, 1);
    if (!ct_bind_level_follow(L, 2, 3, &result, &ok)) return ct_bind_return_failure(L);
    return return_counts(L, &result, ct_bind_resource_at(L, 4), ok);
}

void ct_bind_open_patches(lua_State *L) {
    static const luaL_Reg methods[] = {{"patch", patch}, {NULL, NULL}};
    ct_bind_push_lua_methods(L, "Level");
    ct_bind_set_functions(L, methods);
    lua_pop(L, 1);
}
