// m:write_many, m:read_many and m:destroy_many: many entities in one call.
#include "bind/manager/bulk.h"

#include "bind/value/list.h"
#include "storage/bulk.h"

// The rows of living entities, in the arena. Raises for the first that has none.
static const ct_row *gather_rows(const ct_bind_gather *g, const ct_bind_manager *manager,
                                 const ct_entity *owners, uint32_t count) {
    const ct_store *store = &manager->core->store;
    ct_row *rows = ct_bind_gather_take(g, count * sizeof *rows);
    for (uint32_t i = 0; i < count; ++i) {
        bool alive = ct_entity_manager_alive(store->entities, owners[i]);
        rows[i] = alive ? ct_store_find(store, owners[i]) : (ct_row){CT_NO_ROW};
        if (CT_LIKELY(rows[i].i != CT_NO_ROW)) continue;
        ct_bind_gather_end(g);
        if (!alive) ct_bind_raise_dead(g->L, 2, manager, owners[i], i + 1);
        ct_bind_raise_no_row(g->L, 2, manager, owners[i], i + 1);
    }
    return rows;
}

int ct_bind_write_rows(lua_State *L, const ct_bind_gather *g, const ct_bind_manager *manager,
                       uint32_t field, uint32_t count, const ct_row *rows, int arg) {
    ct_manager *core = manager->core;
    uint32_t at;
    ct_values values;
    ct_message message;
    if (!ct_bind_gather_field(g, arg, core, &core->fields[field], count, &values))
        return ct_bind_arg_error(L, arg);
    bool sound = ct_bulk_check_values(core, field, count, &values, &at, &message);
    ct_status status = sound ? ct_bulk_write(core, field, count, rows, &values) : CT_OK;
    ct_bind_gather_end(g);
    if (!sound && at > 0) ct_bind_raise_arg(L, arg, "[%d]: %s", (int)at + 1, message.text);
    if (!sound) ct_bind_raise_arg(L, arg, "%s", message.text);
    if (status != CT_OK) return ct_bind_manager_fail(L, manager, status);
    return ct_bind_return_whole(L, count);
}

// m:write_many(list, field, values) -> how many were written
static int write_many(lua_State *L) {
    ct_bind_manager *manager = ct_bind_changing_manager(L);
    uint32_t field = ct_bind_check_field(L, 3, manager->core), count;
    lua_settop(L, 4);
    const ct_entity *owners = ct_bind_pin_entity_array(L, 2, &count);
    const ct_bind_gather g = ct_bind_gather_begin(L, manager->state);
    const ct_row *rows = gather_rows(&g, manager, owners, count);
    return ct_bind_write_rows(L, &g, manager, field, count, rows, 4);
}

void ct_bind_read_row(lua_State *L, int table, int *place, ct_manager *manager, uint32_t field,
                      ct_row row) {
    const ct_field *f = &manager->fields[field];
    int lanes = ct_field_info_of(f->type)->lanes, top = lua_gettop(L);
    if (row.i == CT_NO_ROW)
        lua_settop(L, top + lanes);
    else
        ct_bind_push_item(L, manager, f, ct_manager_read(manager, field, row));
    for (int lane = 1; lane <= lanes; ++lane) {
        if (lua_isnil(L, top + lane))
            lua_pushboolean(L, false);
        else
            lua_pushvalue(L, top + lane);
        lua_rawseti(L, table, ++*place);
    }
    lua_settop(L, top);
}

// m:read_many(list, field [, out]) -> out, the values one behind the other
static int read_many(lua_State *L) {
    enum { RESULT = 4 };
    ct_bind_manager *manager = ct_bind_manager_self(L);
    uint32_t field = ct_bind_check_field(L, 3, manager->core), count;
    int lanes = ct_field_info_of(manager->core->fields[field].type)->lanes, place = 0;
    lua_settop(L, RESULT);
    const ct_entity *owners = ct_bind_pin_entity_array(L, 2, &count);
    ct_bind_prepare_table(L, RESULT, count * (uint32_t)lanes);
    luaL_checkstack(L, lanes + LUA_MINSTACK, "too many results");
    for (uint32_t i = 0; i < count; ++i) {
        // Each row is looked up on its own: making a string may run finalizers.
        ct_row row = ct_store_find(&manager->core->store, owners[i]);
        ct_bind_read_row(L, RESULT, &place, manager->core, field, row);
    }
    lua_settop(L, RESULT);
    return 1;
}

// m:destroy_many(list) -> how many components were removed
static int destroy_many(lua_State *L) {
    ct_bind_manager *manager = ct_bind_changing_manager(L);
    uint32_t count;
    const ct_entity *owners = ct_bind_pin_entity_array(L, 2, &count);
    return ct_bind_return_whole(L, ct_bind_destroy_all(L, manager, count, owners));
}

const luaL_Reg ct_bind_bulk_methods[] = {{"write_many", write_many},
                                         {"read_many", read_many},
                                         {"destroy_many", destroy_many},
                                         {NULL, NULL}};
