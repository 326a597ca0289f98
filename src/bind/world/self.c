// Checks of world, manager and query arguments.
#include "bind/world/query.h"

const ct_bind_kind ct_bind_world_kind = {"world"};
const ct_bind_kind ct_bind_query_kind = {"Query"};

ct_bind_world *ct_bind_world_self(lua_State *L) {
    ct_bind_world *world = ct_bind_self_handle(L, &ct_bind_world_kind);
    if (CT_UNLIKELY(world->core.destroyed)) luaL_error(L, BIND_WORLD_DESTROYED);
    return world;
}

ct_bind_world *ct_bind_changing_world(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    ct_bind_check_thawed(L, &world->entities->core);
    return world;
}

ct_bind_world *ct_bind_check_world(lua_State *L, int arg) {
    ct_bind_world *world = ct_bind_check_handle(L, arg, &ct_bind_world_kind);
    if (world->core.destroyed) luaL_error(L, BIND_WORLD_DESTROYED);
    return world;
}

void ct_bind_push_world_entities(lua_State *L, int world) {
    const ct_bind_world *object = ct_bind_check_handle(L, world, &ct_bind_world_kind);
    ct_bind_push_own_handle(L, world, "entities", &ct_bind_entities_kind, object->entities);
}

void ct_bind_push_levels(lua_State *L, int world) {
    ct_bind_push_own(L, world, "levels");
    bool needed = ct_bind_world_of(L, world)->levels.youngest != NULL;
    if (CT_UNLIKELY(needed && !lua_istable(L, -1))) ct_bind_raise_replaced(L);
}

int ct_bind_call_busy(lua_State *L, int arguments, int world, lua_CFunction body) {
    ct_bind_world *object = ct_bind_check_world(L, world);
    lua_settop(L, arguments);
    object->core.busy++;
    int problem = ct_bind_call_protected(L, body, arguments, LUA_MULTRET);
    object->core.busy--;
    return problem != 0 ? lua_error(L) : lua_gettop(L);
}

void ct_bind_push_manager(lua_State *L, int world, const ct_manager *core) {
    static const char *const tables[] = {"__index", "unnamed"};
    const ct_bind_world *object = ct_bind_world_of(L, world);
    if (object->core.destroyed) luaL_error(L, BIND_WORLD_DESTROYED);
    // Only a finalizer can request a manager while its object is being created.
    if (core->object == NULL) luaL_error(L, "world is in use");
    for (int i = 0; i < 2; ++i) {
        ct_bind_push_own(L, world, tables[i]);
        if (!lua_istable(L, -1)) break;
        lua_getfield(L, -1, core->name);
        lua_remove(L, -2);
        if (ct_bind_test_handle(L, -1, &ct_bind_manager_kind) == core->object) return;
        lua_pop(L, 1);
    }
    ct_bind_raise_replaced(L);
}

void ct_bind_push_named_manager(lua_State *L, int world, int arg) {
    const ct_bind_world *object = ct_bind_world_of(L, world);
    if (lua_type(L, arg) == LUA_TSTRING) {
        const char *name = ct_bind_check_name(L, arg, arg);
        const ct_manager *core = ct_world_find(&object->core, name);
        if (core != NULL) {
            ct_bind_push_manager(L, world, core);
            return;
        }
        ct_bind_push_unknown_component(L, &object->core, name);
        ct_bind_arg_error(L, arg);
    }
    const ct_bind_manager *given = ct_bind_test_handle(L, arg, &ct_bind_manager_kind);
    if (given != NULL && given->destroyed != NULL) ct_bind_raise_destroyed(L, given);
    if (given != NULL && given->world == &object->core) {
        lua_pushvalue(L, arg);
        return;
    }
    ct_bind_raise_arg(L, arg, "component manager of this world or its name expected, got %s",
                      ct_bind_type_name(L, arg));
}

void ct_bind_keep_managers(lua_State *L, int object, int table) {
    int blocks = lua_gettop(L) + 1;
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
        ct_bind_push_block(L, -1);
        lua_rawseti(L, blocks, (int)ct_bind_rawlen(L, blocks) + 1);
    }
    ct_bind_keep(L, object);
}

void ct_bind_push_unknown_component(lua_State *L, const ct_world *world, const char *name) {
    ct_nearest nearest = ct_nearest_begin(name);
    for (uint32_t i = 0; i < world->manager_count && i < 64; ++i)
        ct_nearest_offer(&nearest, world->managers[i]->name);
    ct_bind_push_unknown(L, "component", name, &nearest);
}

// Returns the role of the manager or name at 'arg', and removes "!" or "?" before the name.
static ct_query_role take_role(lua_State *L, int arg) {
    const char *name = lua_type(L, arg) == LUA_TSTRING ? ct_bind_check_name(L, arg, arg) : "";
    ct_query_role role = *name == '!'   ? CT_QUERY_EXCLUDED
                         : *name == '?' ? CT_QUERY_OPTIONAL
                                        : CT_QUERY_REQUIRED;
    if (role == CT_QUERY_REQUIRED) return role;
    if (arg == 2) ct_bind_raise_arg(L, arg, "the first manager is plain: no '%s'", name);
    lua_pushstring(L, name + 1);
    lua_replace(L, arg);
    return role;
}

uint32_t ct_bind_check_parts(lua_State *L, int count, ct_query_role *roles) {
    if (count < 1) luaL_argerror(L, 2, "component manager or name expected");
    if (count > (int)CT_MAX_JOINED)
        luaL_error(L, "too many managers in a join (%d, limit is %d)", count, (int)CT_MAX_JOINED);
    for (int arg = 2; arg <= count + 1; ++arg) {
        roles[arg - 2] = take_role(L, arg);
        ct_bind_push_named_manager(L, 1, arg);
        lua_replace(L, arg);
    }
    return (uint32_t)count;
}

void ct_bind_query_check(lua_State *L, const ct_bind_query *q) {
    for (uint32_t i = 0; i < q->matches.part_count; ++i)
        if (q->managers[i]->destroyed != NULL) ct_bind_raise_destroyed(L, q->managers[i]);
    if (CT_UNLIKELY(q->matches.link == NULL)) luaL_error(L, "Query was collected");
    ct_bind_check_thawed(L, &q->world->entities->core);
}

ct_bind_query *ct_bind_query_self(lua_State *L) {
    ct_bind_query *q = ct_bind_self(L, &ct_bind_query_kind);
    ct_bind_query_check(L, q);
    return q;
}

ct_query *ct_bind_query_refresh(lua_State *L, ct_bind_query *q) {
    bool plain = CT_LIKELY(q->source == NULL);
    ct_bind_check_status(L, plain ? ct_query_refresh(&q->matches) : ct_bind_query_select(L, q),
                         "query");
    return &q->matches;
}
