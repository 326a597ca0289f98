// Loops over the rows of several managers with the same owner, and bulk operations between their
// fields.
#include "bind/world/query.h"
#include "storage/bulk.h"

// world:join(manager or name, ...) -> iterator of entity, instance1, instance2, ...
static int join(lua_State *L) { return ct_bind_push_join(L, CT_BIND_LOOP_INSTANCES); }

// world:rows(manager or name, ...) -> iterator of row1, row2, ...
static int rows(lua_State *L) { return ct_bind_push_join(L, CT_BIND_LOOP_ROWS); }

// Returns the manager at 'arg', given as an object or by name, and its field at 'arg' + 1.
static ct_bind_manager *check_column(lua_State *L, int arg, uint32_t *field) {
    ct_bind_push_named_manager(L, 1, arg);
    lua_replace(L, arg);
    ct_bind_manager *manager = ct_bind_object_at(L, arg);
    *field = ct_bind_check_field(L, arg + 1, manager->core);
    return manager;
}

static int write_all(lua_State *L, bool scaled) {
    uint32_t source, field, count;
    ct_message message;
    ct_bind_changing_world(L);
    const ct_bind_manager *from = check_column(L, 2, &source), *to = check_column(L, 4, &field);
    if (scaled) luaL_checktype(L, 6, LUA_TNUMBER);
    if (!ct_bulk_check(to->core, field, from->core, source, scaled, &message))
        return ct_bind_raise_arg(L, 5, "%s", message.text);
    ct_status status =
        scaled ? ct_bulk_add_scaled(to->core, field, from->core, source, lua_tonumber(L, 6), &count)
               : ct_bulk_copy(to->core, field, from->core, source, &count);
    if (status != CT_OK) return ct_bind_manager_fail(L, to, status);
    return ct_bind_return_whole(L, count);
}

// world:copy(from, field, to, field2) -> number of entities
static int copy(lua_State *L) {
    ct_bind_world_self(L);
    lua_settop(L, 5);
    return write_all(L, false);
}

// world:add_scaled(from, field, to, field2, k) -> number of entities
static int add_scaled(lua_State *L) {
    ct_bind_world_self(L);
    return write_all(L, true);
}

static const luaL_Reg world_methods[] = {
    {"join", join}, {"rows", rows}, {"copy", copy}, {"add_scaled", add_scaled}, {NULL, NULL}};

void ct_bind_open_joins(lua_State *L) {
    ct_bind_add_class_methods(L, &ct_bind_world_kind, world_methods);
}
