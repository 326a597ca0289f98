// Modes in which world poses of transforms are computed (batches, deferred mode), and the order of
// rows.
#include "bind/component/components.h"

#include "component/transform.h"

static int raise_memory(lua_State *L, ct_status status) {
    return ct_bind_raise_status(L, status, "transform", CT_MAX_ROWS, "rows");
}

// m:batch(fn) -> the results of fn. The batch ends even if fn raises; a coroutine cannot yield
// inside it.
static int batch(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_changing(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    ct_bind_check_nesting(L);
    ct_status status = ct_transform_begin_batch(manager->core);
    if (status != CT_OK) return raise_memory(L, status);
    manager->world->busy++;
    int problem = ct_bind_call_nested(L, NULL, 0, LUA_MULTRET);
    manager->world->busy--;
    ct_transform_end_batch(manager->core);
    return problem != 0 ? lua_error(L) : lua_gettop(L) - 1;
}

static bool check_deferred(lua_State *L, int arg) {
    bool deferred = ct_bind_is_word(L, arg, "deferred");
    if (deferred || ct_bind_is_word(L, arg, "immediate")) return deferred;
    const char *got = lua_type(L, arg) == LUA_TSTRING
                          ? lua_pushfstring(L, "\"%s\"", lua_tostring(L, arg))
                          : ct_bind_type_name(L, arg);
    ct_bind_raise_arg(L, arg, "\"immediate\" or \"deferred\" expected, got %s", got);
    CT_NEVER(false);
}

// m:set_mode(mode)
static int set_mode(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_changing(L);
    bool deferred = check_deferred(L, 2);
    if (ct_transform_in_batch(manager->core)) return luaL_error(L, "set_mode: not inside a batch");
    if (!deferred) {
        ct_transform_set_immediate(manager->core);
        return 0;
    }
    ct_status status = ct_transform_set_deferred(manager->core);
    return status != CT_OK ? raise_memory(L, status) : 0;
}

// m:propagate()
static int propagate(lua_State *L) {
    ct_transform_propagate(ct_bind_own_changing(L)->core);
    return 0;
}

// m:dirty_count()
static int dirty_count(lua_State *L) {
    return ct_bind_return_whole(L, ct_transform_dirty_count(ct_bind_own_self(L)->core));
}

// m:sort()
static int sort(lua_State *L) {
    ct_status status = ct_transform_sort(ct_bind_own_changing(L)->core);
    return status != CT_OK ? raise_memory(L, status) : 0;
}

const ct_bind_method ct_bind_transform_modes_methods[] = {
    {"batch", batch, NULL},         {"set_mode", set_mode, NULL},
    {"propagate", propagate, NULL}, {"dirty_count", dirty_count, NULL},
    {"sort", sort, NULL},           {NULL, NULL, NULL},
};
