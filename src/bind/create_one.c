// The short way of world:create for one entity with plain values: no allocation in Lua.
// Knows nothing of any one component, nor how to explain a mistake: then the long way does.
#include "bind/keeper.h"
#include "bind/manager.h"
#include "bind/world.h"

enum { MAX_PARTS = 16 };

typedef struct part {
    ct_bind_manager *manager;
    const ct_bind_values *values;
} part;

typedef struct order {
    part parts[MAX_PARTS]; // in spawn order
    uint32_t count;
    ct_bind_arena arena;
} order;

static void add_part(order *o, ct_bind_manager *manager, const ct_bind_values *values) {
    uint32_t place = o->count++;
    uint32_t spawn_order = manager->core->spawn_order;
    for (; place > 0 && o->parts[place - 1].manager->core->spawn_order > spawn_order; --place)
        o->parts[place] = o->parts[place - 1];
    o->parts[place] = (part){manager, values};
}

// One component's table is at 'index'.
static bool take_component(lua_State *L, order *o, ct_bind_manager *manager, int index) {
    const ct_manager *core = manager->core;
    ct_message message;
    if (o->count == MAX_PARTS || lua_type(L, index) != LUA_TTABLE) return false;
    const ct_bind_keeper *keeper = ct_bind_keeper_of(core);
    if (keeper != NULL && keeper->wanted(manager)) return false;
    const ct_bind_values *values = ct_bind_values_parse_quickly(L, index, core, &o->arena);
    if (values == NULL) return false;
    if (core->type->check != NULL && !core->type->check(core, values->values, 1, &message))
        return false;
    add_part(o, manager, values);
    return true;
}

// The value on top belongs to the manager: a table, or an array of them where there may be several.
static bool take_components(lua_State *L, order *o, ct_bind_manager *manager) {
    int index = lua_gettop(L);
    uint32_t length = lua_type(L, index) == LUA_TTABLE ? ct_bind_rawlen(L, index) : 0;
    if (length == 0 || !manager->core->store.multiple) return take_component(L, o, manager, index);
    for (uint32_t i = 0; i < length; ++i) {
        lua_rawgeti(L, index, (int)i + 1);
        if (!take_component(L, o, manager, index + 1)) return false;
        lua_pop(L, 1);
    }
    return true;
}

// Reads the table at index 2; the managers by name are at index 'managers'.
static bool read_components(lua_State *L, order *o, int managers) {
    lua_pushnil(L);
    while (lua_next(L, 2) != 0) {
        lua_pushvalue(L, -2);
        lua_rawget(L, managers);
        ct_bind_manager *manager = lua_touserdata(L, -1);
        lua_pop(L, 1);
        if (manager == NULL || manager->core == NULL) return false;
        if (!take_components(L, o, manager)) return false;
        lua_pop(L, 1);
    }
    return true;
}

// Carries the order out, all or nothing.
static ct_status carry_out(const order *o, ct_entity_manager *entities, ct_entity *out) {
    ct_status status = ct_entity_manager_create(entities, 1, out);
    if (status != CT_OK) return status;
    for (uint32_t i = 0; i < o->count; ++i) {
        const part *p = &o->parts[i];
        ct_row row;
        status =
            ct_manager_create(p->manager->core, out, 1, p->values->values, p->values->ids, &row);
        if (status == CT_OK) continue;
        while (i-- > 0)
            ct_manager_take_back(o->parts[i].manager->core, 1);
        ct_entity_manager_take_back(entities, 1, out);
        return status;
    }
    return CT_OK;
}

bool ct_bind_create_one(lua_State *L, ct_bind_world *world, ct_entity *out) {
    ct_bind_room room;
    order o;
    int top = lua_gettop(L);
    o.count = 0;
    o.arena = (ct_bind_arena){room.bytes, room.bytes + sizeof room.bytes};
    ct_bind_push_managers(L, 1);
    bool read = read_components(L, &o, top + 1);
    lua_settop(L, top);
    if (!read) return false;
    ct_status status = carry_out(&o, &world->entities->core, out);
    // Memory that is there for the long way was not there for this one: that needs no explanation.
    if (status == CT_ERR_MEMORY) ct_bind_raise_status(L, status, "world", 0, "");
    return status == CT_OK;
}
