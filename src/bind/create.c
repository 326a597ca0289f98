// world:create: entities with their components in one call, all or nothing.
// Knows nothing of any one component.
#include "bind/keeper.h"
#include "bind/manager.h"
#include "bind/world.h"

#include <string.h>

// Components of one type for all new entities: one 'create' of its manager.
typedef struct part {
    ct_bind_manager *manager;
    const ct_manager *parsed_for; // still the manager's core when the work begins
    ct_bind_values *values;
    const ct_bind_keeper *keeper; // NULL, or it takes a part of the values for itself
    bool furnishing;
} part;

typedef struct order {
    ct_bind_world *world;
    uint32_t count;      // entities
    bool single;         // one entity: values are plain
    bool furnishing;     // keepers have work when all components are there
    uint32_t part_count; // components of each
    uint32_t capacity;
    part *parts;
    ct_entity *entities;
} order;

// How many components the table at 'index' asks for: arrays count each of theirs.
static uint32_t count_parts(lua_State *L, int index) {
    uint32_t count = 0;
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        uint32_t length = lua_type(L, -1) == LUA_TTABLE ? ct_bind_rawlen(L, -1) : 0;
        count += length > 0 ? length : 1;
        lua_pop(L, 1);
    }
    return count;
}

static int component_error(lua_State *L, const char *name, int place) {
    if (place > 0)
        lua_pushfstring(L, "%s[%d]: %s", name, place, lua_tostring(L, -1));
    else
        lua_pushfstring(L, "%s: %s", name, lua_tostring(L, -1));
    return ct_bind_arg_error(L, 2);
}

// What room was made for is no longer what there is: a finalizer changed it.
static void check_unchanged(lua_State *L, bool same) {
    if (!same) luaL_argerror(L, 2, "components changed while they were read");
}

// The table on top is one component of a manager. 'anchors' keeps what was parsed, and under
// negative numbers what keepers have taken.
static void add_part(lua_State *L, order *o, ct_bind_manager *manager, int anchors, int place) {
    const char *name = manager->core->name;
    check_unchanged(L, o->part_count < o->capacity);
    const ct_bind_keeper *keeper = ct_bind_keeper_of(manager->core);
    if (keeper != NULL) {
        if (!keeper->split(L, o->count, !o->single)) component_error(L, name, place);
        lua_rawseti(L, anchors, -(int)(o->part_count + 1));
        if (manager->core == NULL) ct_bind_raise_gone(L, manager);
    }
    ct_bind_values *values = o->single ? ct_bind_values_parse_one(L, -1, manager->core)
                                       : ct_bind_values_parse_many(L, -1, manager->core, o->count);
    if (values == NULL) component_error(L, name, place);
    if (manager->core == NULL) ct_bind_raise_gone(L, manager);
    ct_message message;
    const ct_manager *core = manager->core;
    if (core->type->check != NULL && !core->type->check(core, values->values, o->count, &message)) {
        lua_pushstring(L, message.text);
        component_error(L, name, place);
    }
    o->parts[o->part_count++] = (part){manager, core, values, keeper, false};
    lua_rawseti(L, anchors, (int)o->part_count);
}

// components[name] is on top: one table, or an array of them where there may be several.
static void add_component(lua_State *L, order *o, ct_bind_manager *manager, int anchors) {
    if (lua_type(L, -1) != LUA_TTABLE) {
        lua_pushfstring(L, "table of values expected, got %s", ct_bind_type_name(L, -1));
        component_error(L, manager->core->name, 0);
    }
    uint32_t length = ct_bind_rawlen(L, -1);
    if (length == 0 || !manager->core->store.multiple) {
        add_part(L, o, manager, anchors, 0);
        return;
    }
    for (uint32_t i = 0; i < length; ++i) {
        lua_rawgeti(L, -1, (int)i + 1);
        if (manager->core == NULL) ct_bind_raise_gone(L, manager);
        if (lua_type(L, -1) != LUA_TTABLE) {
            lua_pushfstring(L, "table of values expected, got %s", ct_bind_type_name(L, -1));
            component_error(L, manager->core->name, (int)i + 1);
        }
        add_part(L, o, manager, anchors, (int)i + 1);
        lua_pop(L, 1);
    }
}

// All keys must be component names; raises with the nearest one.
static void check_names(lua_State *L, const ct_bind_world *world) {
    lua_pushnil(L);
    while (lua_next(L, 2) != 0) {
        lua_pop(L, 1);
        const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
        if (name == NULL) luaL_argerror(L, 2, "components are given by name");
        if (name != NULL && ct_world_find(&world->core, name) == NULL) {
            ct_bind_push_unknown_component(L, &world->core, name);
            ct_bind_arg_error(L, 2);
        }
    }
}

// In spawn order, so that a mesh may look for its entity's transform.
static void parse_components(lua_State *L, order *o, int anchors) {
    check_names(L, o->world);
    for (uint32_t i = 0; o->world->alive && i < o->world->core.manager_count; ++i) {
        // The object first: it keeps the name, whatever a finalizer does now.
        ct_bind_push_manager(L, 1, o->world->core.managers[i]);
        ct_bind_manager *manager = lua_touserdata(L, -1);
        lua_pushstring(L, manager->core->name);
        lua_rawget(L, 2);
        if (manager->core == NULL) ct_bind_raise_gone(L, manager);
        if (!lua_isnil(L, -1)) add_component(L, o, manager, anchors);
        lua_pop(L, 2);
    }
    check_unchanged(L, o->part_count == o->capacity);
}

// ---------------------------------------------------------------- keepers

static void prepare_keepers(lua_State *L, order *o, int anchors) {
    for (uint32_t i = 0; i < o->part_count; ++i) {
        part *p = &o->parts[i];
        if (p->keeper == NULL) continue;
        if (!o->world->alive || p->manager->core == NULL) ct_bind_raise_gone(L, p->manager);
        ct_bind_push_manager(L, 1, p->manager->core);
        lua_rawgeti(L, anchors, -(int)(i + 1));
        p->furnishing = p->keeper->prepare(L, lua_gettop(L) - 1, !lua_isnil(L, -1));
        o->furnishing = o->furnishing || p->furnishing;
        lua_pop(L, 2);
    }
}

// world, anchors, order: runs protected, functions of the script are called
static int furnish(lua_State *L) {
    const order *o = lua_touserdata(L, 3);
    const ct_bind_newborn newborn = {o->entities, NULL, o->count, !o->single};
    for (uint32_t i = 0; i < o->part_count; ++i) {
        const part *p = &o->parts[i];
        if (!p->furnishing) continue;
        if (!o->world->alive) return luaL_error(L, "world is destroyed");
        ct_bind_push_manager(L, 1, p->parsed_for);
        lua_rawgeti(L, 2, -(int)(i + 1));
        p->keeper->furnish(L, 4, &newborn, 5);
        lua_settop(L, 3);
    }
    return 0;
}

// The function 'furnish' is at 7.
static void furnish_all(lua_State *L, order *o) {
    lua_pushvalue(L, 7);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 5);
    lua_pushvalue(L, 6);
    o->world->busy++;
    int problem = ct_bind_call_furnish(L, 3);
    if (problem != 0) ct_bind_undo_entities(L, 1, o->count, o->entities);
    o->world->busy--;
    if (problem != 0) lua_error(L);
}

// ---------------------------------------------------------------- all or nothing

static void undo(order *o, uint32_t parts) {
    // Last part first: its rows are the last ones of its manager, nothing else moves.
    while (parts-- > 0)
        ct_manager_take_back(o->parts[parts].manager->core, o->count);
    ct_entity_manager_take_back(&o->world->entities->core, o->count, o->entities);
}

// Entities, then components type by type. Nothing here calls Lua.
static ct_status carry_out(order *o, uint32_t *failed) {
    *failed = o->part_count;
    ct_status status = ct_entity_manager_create(&o->world->entities->core, o->count, o->entities);
    if (status != CT_OK) return status;
    for (uint32_t i = 0; i < o->part_count; ++i) {
        part *p = &o->parts[i];
        ct_row first;
        status = ct_manager_create(p->manager->core, o->entities, o->count, p->values->values,
                                   p->values->ids, &first);
        if (status == CT_OK) continue;
        *failed = i;
        undo(o, i);
        return status;
    }
    return CT_OK;
}

static int raise_failed(lua_State *L, order *o, uint32_t failed, ct_status status) {
    if (failed == o->part_count) {
        if (status == CT_ERR_FULL)
            return luaL_error(L, "entity manager is full (%d alive)", (int)CT_MAX_ENTITIES);
        return ct_bind_raise_status(L, status, "EntityManager", 0, "");
    }
    const part *p = &o->parts[failed];
    if (status == CT_ERR_EXISTS) {
        lua_pushfstring(L, "%s: two components have one id", p->manager->core->name);
        return ct_bind_arg_error(L, 2);
    }
    return ct_bind_raise_status(L, status, p->manager->core->name, CT_MAX_ROWS, "rows");
}

// order, out: writes the entities into the table. Protected, since it may run out of memory.
static int fill_table(lua_State *L) {
    const order *o = lua_touserdata(L, 1);
    for (uint32_t i = 0; i < o->count; ++i) {
        ct_bind_push_entity(L, o->entities[i]);
        lua_rawseti(L, 2, (int)i + 1);
    }
    return 0;
}

static int deliver(lua_State *L, order *o, int order_index) {
    ct_bind_list *list = ct_bind_test_list(L, 4);
    if (list != NULL) {
        if (o->count > 0) memcpy(list->items, o->entities, o->count * sizeof *o->entities);
        list->count = o->count;
        lua_settop(L, 4);
        return 1;
    }
    // The function was pushed before anything was created.
    lua_pushvalue(L, order_index);
    lua_pushvalue(L, 4);
    if (lua_pcall(L, 2, 0, 0) != 0) {
        if (o->furnishing)
            ct_bind_undo_entities(L, 1, o->count, o->entities);
        else
            undo(o, o->part_count);
        return lua_error(L);
    }
    lua_settop(L, 4);
    return 1;
}

// Argument 4 becomes the table or list that receives the entities.
static void check_out(lua_State *L, uint32_t count) {
    if (lua_isnil(L, 4)) {
        lua_createtable(L, (int)count, 0);
        lua_replace(L, 4);
        return;
    }
    ct_bind_list *list = ct_bind_test_list(L, 4);
    if (list != NULL) {
        ct_bind_list_reserve(L, list, count);
        return;
    }
    if (lua_type(L, 4) == LUA_TTABLE) return;
    lua_pushfstring(L, "table or cuttle.list expected, got %s", ct_bind_type_name(L, 4));
    ct_bind_arg_error(L, 4);
}

// A userdata with room for the components of the table at 2.
static order *new_order(lua_State *L, ct_bind_world *world, uint32_t count, bool single) {
    uint32_t capacity = count_parts(L, 2);
    order *o =
        lua_newuserdata(L, sizeof *o + capacity * sizeof(part) + (size_t)count * sizeof(ct_entity));
    memset(o, 0, sizeof *o);
    o->world = world;
    o->count = count;
    o->capacity = capacity;
    o->single = single;
    o->parts = (part *)(void *)(o + 1);
    o->entities = (ct_entity *)(void *)(o->parts + capacity);
    return o;
}

// world:create(components [, n [, out]]) -> entity, or out
static int create(lua_State *L) {
    ct_bind_world *world = ct_bind_self(L, "world");
    if (!world->alive) return luaL_error(L, "world is destroyed");
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 4);
    bool single = lua_isnil(L, 3);
    ct_entity one;
    if (single && ct_bind_create_one(L, world, &one)) {
        ct_bind_push_entity(L, one);
        return 1;
    }
    uint32_t count = single ? 1 : (uint32_t)ct_bind_check_whole(L, 3, 0, CT_MAX_ENTITIES);
    lua_newtable(L);                               // 5: keeps the parsed values
    order *o = new_order(L, world, count, single); // 6
    // However many components there are, one at a time lies on the stack: what was parsed is kept
    // by the table.
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    parse_components(L, o, 5);
    if (!single) check_out(L, count);
    prepare_keepers(L, o, 5);
    lua_pushcfunction(L, furnish); // 7
    lua_pushcfunction(L, fill_table);
    // Parsing and making tables may have run finalizers: is all as it was?
    if (!world->alive) return luaL_error(L, "world is destroyed");
    for (uint32_t i = 0; i < o->part_count; ++i) {
        const ct_bind_manager *manager = o->parts[i].manager;
        if (manager->core == NULL || manager->core != o->parts[i].parsed_for)
            return ct_bind_raise_gone(L, o->parts[i].manager);
    }
    uint32_t failed;
    ct_status status = carry_out(o, &failed);
    if (status != CT_OK) return raise_failed(L, o, failed, status);
    if (o->furnishing) furnish_all(L, o);
    if (!single) return deliver(L, o, 6);
    ct_bind_push_entity(L, o->entities[0]);
    return 1;
}

const luaL_Reg ct_bind_create_methods[] = {{"create", create}, {NULL, NULL}};
