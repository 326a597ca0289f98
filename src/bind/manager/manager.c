// Methods of all component managers: lookup, destruction, collection.
#include "bind/manager/manager.h"

#include <string.h>

// ---------------------------------------------------------------- looking up

static bool check_component_id(lua_State *L, int arg, ct_component_id *out) {
    memset(out, 0, sizeof *out);
    if (lua_type(L, arg) == LUA_TSTRING) {
        out->text = ct_bind_to_text(L, arg);
        return out->text.bytes != NULL;
    }
    if (lua_type(L, arg) != LUA_TNUMBER)
        ct_bind_raise_arg(L, arg, "component id expected, got %s", ct_bind_type_name(L, arg));
    double number;
    if (!ct_bind_to_whole(L, arg, 1, CT_LAST_NUMBER, &number)) return false;
    out->number = (uint32_t)number;
    return true;
}

// m:lookup(e [, id]) -> instance or nil
static int lookup(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_manager *core = manager->core;
    ct_entity e = ct_bind_check_entity(L, 2);
    if (lua_isnoneornil(L, 3))
        return ct_bind_push_instance(L, core, ct_store_find(&core->store, e));
    ct_component_id id;
    uint32_t known = check_component_id(L, 3, &id) ? ct_manager_find_id(core, &id) : 0;
    ct_row row = known != 0 ? ct_store_find_id(&core->store, e, known) : (ct_row){CT_NO_ROW};
    return ct_bind_push_instance(L, core, row);
}

// m:lookup_many(list [, out]) -> table of instances; false for an entity without one
static int lookup_many(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    uint32_t count;
    lua_settop(L, 3);
    if (!lua_isnil(L, 3)) luaL_checktype(L, 3, LUA_TTABLE);
    const ct_entity *items = ct_bind_pin_entity_array(L, 2, &count);
    ct_bind_prepare_table(L, 3, count);
    for (uint32_t i = 0; i < count; ++i) {
        ct_row row = ct_store_find(&manager->core->store, items[i]);
        if (row.i == CT_NO_ROW)
            lua_pushboolean(L, 0);
        else
            ct_bind_push_instance(L, manager->core, row);
        lua_rawseti(L, 3, (int)i + 1);
    }
    lua_settop(L, 3);
    return 1;
}

static int push_row(lua_State *L, ct_row found) {
    if (found.i == CT_NO_ROW) return ct_bind_return_nil(L);
    return ct_bind_return_whole(L, found.i);
}

// m:row(target) -> 0-based row, or nil for an entity without one
static int row(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_entity e;
    ct_row found;
    if (ct_bind_to_entity(L, 2, &e))
        found = ct_store_find(&manager->core->store, e);
    else
        found = ct_bind_check_target(L, 2, manager);
    return push_row(L, found);
}

// Returns argument 2 as a row of the manager.
static ct_row check_row(lua_State *L, const ct_bind_manager *manager) {
    double number = ct_bind_check_whole(L, 2, 0, 4294967295.0);
    uint32_t count = ct_store_count(&manager->core->store);
    if (number >= count)
        ct_bind_raise_arg(L, 2, "row %f is outside %s (%d rows)", number, manager->core->name,
                          (int)count);
    return (ct_row){(uint32_t)number};
}

// m:at(row) -> instance
static int at(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    return ct_bind_push_instance(L, manager->core, check_row(L, manager));
}

// m:entity_at(row) -> its owner; nil if the owner is dead or the row is orphaned
static int entity_at(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    const ct_store *store = &manager->core->store;
    ct_entity owner = ct_store_owners(store)[check_row(L, manager).i];
    bool exists = ct_entity_manager_alive_or_dying(store->entities, owner);
    return exists ? ct_bind_return_entity(L, owner) : ct_bind_return_nil(L);
}

// m:row_of_id(id) -> row or nil
static int row_of_id(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row found = ct_store_find(&manager->core->store, (ct_entity){ct_bind_check_id(L, 2)});
    return push_row(L, found);
}

static int has(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row found = ct_store_find(&manager->core->store, ct_bind_check_entity(L, 2));
    return ct_bind_return_bool(L, found.i != CT_NO_ROW);
}

// m:entity(instance) -> its owner, alive or dead; nil if the row is orphaned
static int entity(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row found;
    if (lua_type(L, 2) != LUA_TNUMBER)
        return ct_bind_raise_arg(L, 2, "%s instance expected, got %s", manager->core->name,
                                 ct_bind_type_name(L, 2));
    if (!ct_store_find_instance(&manager->core->store, lua_tonumber(L, 2), &found))
        return ct_bind_raise_stale(L, 2, manager);
    return ct_bind_return_entity(L, ct_store_owners(&manager->core->store)[found.i]);
}

// ---------------------------------------------------------------- several per entity

// m:next(instance) -> the next instance of the same entity, or nil
static int next_instance(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row found = ct_bind_check_target(L, 2, manager);
    return ct_bind_push_instance(L, manager->core, ct_store_next(&manager->core->store, found));
}

static void push_id(lua_State *L, const ct_manager *manager, ct_row found) {
    uint32_t id = ct_store_id(&manager->store, found);
    if ((id & CT_ID_IS_STRING) == 0) {
        ct_bind_push_whole(L, id);
        return;
    }
    ct_bind_push_string(L, manager->strings, (ct_string){id & ~CT_ID_IS_STRING});
}

static void check_multiple(lua_State *L, const ct_bind_manager *manager) {
    if (!manager->core->store.multiple)
        luaL_error(L, "%s has no component ids (one per entity)", manager->core->name);
}

// m:id(instance) -> string or number
static int id(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    check_multiple(L, manager);
    push_id(L, manager->core, ct_bind_check_target(L, 2, manager));
    return 1;
}

// m:ids(e) -> list of ids in creation order
static int ids(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    check_multiple(L, manager);
    ct_entity e = ct_bind_check_entity(L, 2);
    lua_newtable(L);
    ct_row found = {CT_NO_ROW};
    uint32_t changes = 0;
    for (uint32_t n = 0;; ++n) {
        // Creating a string may run finalizers: 'found' is still valid if no row was removed or
        // moved and the owner is alive.
        const ct_store *store = &manager->core->store;
        bool same = found.i != CT_NO_ROW && store->changes == changes &&
                    ct_entity_manager_alive_or_dying(store->entities, e);
        found = same ? ct_store_next(store, found) : ct_store_find_nth(store, e, n);
        if (found.i == CT_NO_ROW) return 1;
        changes = store->changes;
        push_id(L, manager->core, found);
        lua_rawseti(L, -2, (int)n + 1);
    }
}

// ---------------------------------------------------------------- destroying, collecting

// m:destroy(target) -> number of removed components
static int destroy(lua_State *L) {
    ct_bind_manager *manager = ct_bind_changing_manager(L);
    ct_entity e;
    uint32_t removed = 1;
    if (ct_bind_to_entity(L, 2, &e))
        removed = ct_bind_destroy_all(L, manager, 1, &e);
    else
        ct_bind_destroy_row(L, manager, ct_bind_check_target(L, 2, manager));
    return ct_bind_return_whole(L, removed);
}

ct_bind_gc ct_bind_check_gc(lua_State *L, int arg, uint32_t *limit) {
    double number;
    if (lua_isnoneornil(L, arg)) return CT_BIND_GC_DEATHS;
    if (ct_bind_is_word(L, arg, "all")) return CT_BIND_GC_ALL;
    if (!ct_bind_to_whole(L, arg, 0, CT_BIND_LARGEST_WHOLE, &number))
        luaL_argerror(L, arg, "nothing, \"all\" or a limit (an integer from 0 on) expected");
    *limit = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
    return CT_BIND_GC_SOME;
}

// m:gc(["all" or limit]) -> number of removed rows
static int gc(lua_State *L) {
    ct_store *store = &ct_bind_changing_manager(L)->core->store;
    uint32_t limit;
    ct_bind_gc kind = ct_bind_check_gc(L, 2, &limit);
    return ct_bind_return_whole(L, kind == CT_BIND_GC_DEATHS ? ct_store_gc(store)
                                   : kind == CT_BIND_GC_ALL  ? ct_store_sweep(store)
                                                             : ct_store_gc_some(store, limit));
}

// m:reserve(n)
static int reserve(lua_State *L) {
    ct_manager *manager = ct_bind_changing_manager(L)->core;
    uint32_t rows = (uint32_t)ct_bind_check_whole(L, 2, 0, CT_MAX_ROWS);
    ct_status status = ct_manager_reserve(manager, rows);
    return status == CT_OK ? 0 : ct_bind_raise_status(L, status, manager->name, rows, "rows");
}

static int count(lua_State *L) {
    return ct_bind_return_whole(L, ct_store_count(&ct_bind_manager_self(L)->core->store));
}

static int name(lua_State *L) {
    return ct_bind_return_text(L, ct_bind_manager_self(L)->core->name);
}

static int memory(lua_State *L) {
    return ct_bind_return_whole(L, ct_manager_bytes(ct_bind_manager_self(L)->core));
}

const luaL_Reg ct_bind_common_methods[] = {
    {"lookup", lookup},
    {"lookup_many", lookup_many},
    {"row", row},
    {"at", at},
    {"entity_at", entity_at},
    {"row_of_id", row_of_id},
    {"next", next_instance},
    {"id", id},
    {"ids", ids},
    {"has", has},
    {"entity", entity},
    {"destroy", destroy},
    {"count", count},
    {"gc", gc},
    {"reserve", reserve},
    {"name", name},
    {"memory", memory},
    {NULL, NULL},
};
