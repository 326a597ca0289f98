// EntityManager objects: making one, creating entities, asking who is alive.
// Knows nothing of components.
#include "bind/compiled.h"
#include "bind/deaths.h"

#define NAME "EntityManager"

// ---------------------------------------------------------------- registry

// registry[entities_key]: address (as a number) -> object, weak, so that an
// error message far from the object can ask for its trace.
static const char entities_key = 0;

static void push_objects(lua_State *L) {
    lua_pushlightuserdata(L, (void *)&entities_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    if (!lua_isnil(L, -1)) return;
    lua_pop(L, 1);
    ct_bind_push_weak_table(L);
    lua_pushlightuserdata(L, (void *)&entities_key);
    lua_pushvalue(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
}

static void remember_object(lua_State *L, const ct_bind_entities *entities) {
    push_objects(L);
    lua_pushnumber(L, (lua_Number)(uintptr_t)entities);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

// Pushes the object of a manager, or nil.
void ct_bind_push_entities(lua_State *L, const ct_bind_entities *entities) {
    push_objects(L);
    lua_pushnumber(L, (lua_Number)(uintptr_t)entities);
    lua_rawget(L, -2);
    lua_remove(L, -2);
}

static ct_bind_entities *self_of(lua_State *L) { return ct_bind_self(L, NAME); }

ct_bind_entities *ct_bind_check_entities(lua_State *L, int arg) {
    ct_bind_entities *entities = lua_touserdata(L, arg);
    push_objects(L);
    lua_pushnumber(L, (lua_Number)(uintptr_t)entities);
    lua_rawget(L, -2);
    bool known = lua_rawequal(L, -1, arg) && entities != NULL && entities->alive;
    lua_pop(L, 2);
    if (known) return entities;
    lua_pushfstring(L, NAME " expected, got %s", ct_bind_type_name(L, arg));
    ct_bind_arg_error(L, arg);
    return NULL;
}

// ---------------------------------------------------------------- creating

static int raise_create(lua_State *L, ct_status status) {
    if (status == CT_ERR_FULL)
        return luaL_error(L, "entity manager is full (%d alive)", (int)CT_MAX_ENTITIES);
    return ct_bind_raise_status(L, status, NAME, CT_MAX_ENTITIES, "alive");
}

typedef struct fill {
    const ct_entity *items;
    uint32_t count;
} fill;

// fill, table: writes the entities into the table. Runs protected: growing the
// table may run out of memory when the entities are alive already.
static int fill_table(lua_State *L) {
    const fill *f = lua_touserdata(L, 1);
    for (uint32_t i = 0; i < f->count; ++i) {
        ct_bind_push_entity(L, f->items[i]);
        lua_rawseti(L, 2, (int)i + 1);
    }
    return 0;
}

static int create_many(lua_State *L, ct_bind_entities *entities) {
    uint32_t count = (uint32_t)ct_bind_check_whole(L, 2, 0, CT_MAX_ENTITIES);
    lua_settop(L, 3);
    if (lua_isnil(L, 3)) {
        lua_createtable(L, (int)count, 0);
        lua_replace(L, 3);
    }
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_pushcfunction(L, fill_table);
    fill *f = lua_newuserdata(L, sizeof *f + (size_t)count * sizeof(ct_entity));
    ct_entity *items = (ct_entity *)(void *)(f + 1);
    *f = (fill){items, count};
    lua_pushvalue(L, 3);

    ct_status status = ct_entity_manager_create(&entities->core, count, items);
    if (status != CT_OK) return raise_create(L, status);
    if (lua_pcall(L, 2, 0, 0) != 0) {
        ct_entity_manager_take_back(&entities->core, count, items);
        return lua_error(L);
    }
    return 1;
}

// entities:create() -> entity; entities:create(n [, out]) -> table
static int create(lua_State *L) {
    ct_bind_entities *entities = self_of(L);
    if (!lua_isnone(L, 2)) return create_many(L, entities);
    ct_entity e;
    ct_status status = ct_entity_manager_create(&entities->core, 1, &e);
    if (status != CT_OK) return raise_create(L, status);
    ct_bind_push_entity(L, e);
    return 1;
}

static int create_list(lua_State *L) {
    ct_bind_entities *entities = self_of(L);
    uint32_t count = (uint32_t)ct_bind_check_whole(L, 2, 0, CT_MAX_ENTITIES);
    ct_bind_list *list = ct_bind_list_new(L);
    ct_bind_list_reserve(L, list, count);
    ct_status status = ct_entity_manager_create(&entities->core, count, list->items);
    if (status != CT_OK) return raise_create(L, status);
    list->count = count;
    return 1;
}

// ---------------------------------------------------------------- asking

static int alive(lua_State *L) {
    ct_bind_entities *entities = self_of(L);
    lua_pushboolean(L, ct_entity_manager_alive(&entities->core, ct_bind_check_entity(L, 2)));
    return 1;
}

static int alive_id(lua_State *L) {
    ct_bind_entities *entities = self_of(L);
    lua_pushboolean(L,
                    ct_entity_manager_alive(&entities->core, (ct_entity){ct_bind_check_id(L, 2)}));
    return 1;
}

static int count(lua_State *L) {
    lua_pushnumber(L, ct_entity_manager_count(&self_of(L)->core));
    return 1;
}

// upvalues: the manager, the next index to look at
static int next_living(lua_State *L) {
    const ct_bind_entities *entities = lua_touserdata(L, lua_upvalueindex(1));
    uint32_t index = (uint32_t)lua_tonumber(L, lua_upvalueindex(2));
    ct_entity e = ct_entity_manager_next(&entities->core, index);
    if (e.id == CT_NOBODY) return 0;
    lua_pushnumber(L, ct_entity_index(e) + 1.0);
    lua_replace(L, lua_upvalueindex(2));
    ct_bind_push_entity(L, e);
    return 1;
}

static int each(lua_State *L) {
    self_of(L);
    lua_settop(L, 1);
    lua_pushnumber(L, 0);
    lua_pushcclosure(L, next_living, 2);
    return 1;
}

static int validate(lua_State *L) {
    ct_message message;
    if (ct_entity_manager_validate(&self_of(L)->core, &message)) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, message.text);
    return 2;
}

static int memory(lua_State *L) {
    lua_pushnumber(L, (lua_Number)ct_entity_manager_bytes(&self_of(L)->core));
    return 1;
}

static int tostring(lua_State *L) {
    lua_pushfstring(L, NAME " (%d alive)", (int)ct_entity_manager_count(&self_of(L)->core));
    return 1;
}

static int gc(lua_State *L) {
    ct_bind_entities *entities = self_of(L);
    if (!entities->alive) return 0;
    if (entities->core.dying != NULL)
        entities->collected = true;
    else
        ct_bind_end_entities(entities);
    return 0;
}

static const luaL_Reg methods[] = {
    {"create", create},     {"create_list", create_list},
    {"alive", alive},       {"alive_id", alive_id},
    {"count", count},       {"each", each},
    {"validate", validate}, {"memory", memory},
    {NULL, NULL},
};

// cuttle.entity_manager([{minimum_free_indices =, trace =}])
static int entity_manager(lua_State *L) {
    static const char *const options[] = {"minimum_free_indices", "trace"};
    uint32_t minimum = CT_MINIMUM_FREE_INDICES;
    bool trace = false;
    lua_settop(L, 1);
    if (ct_bind_check_options(L, 1, options, 2)) {
        lua_getfield(L, 1, "minimum_free_indices");
        if (!lua_isnil(L, -1)) {
            double value = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
            if (!(value >= 0 && value < CT_MAX_ENTITIES) || value != (uint32_t)value)
                return luaL_argerror(
                    L, 1, "minimum_free_indices: whole number from 0 to 4194303 expected");
            minimum = (uint32_t)value;
        }
        lua_getfield(L, 1, "trace");
        if (!lua_isnil(L, -1) && !lua_isboolean(L, -1))
            return luaL_argerror(L, 1, "trace: boolean expected");
        trace = lua_toboolean(L, -1);
    }
    ct_bind_entities *entities = ct_bind_object_new(L, sizeof *entities, methods, gc, tostring);
    ct_entity_manager_init(&entities->core, &ct_bind_state_of(L)->allocator, minimum);
    entities->alive = true;
    lua_getfenv(L, -1);
    lua_newtable(L);
    lua_setfield(L, -2, "trace");
    lua_pop(L, 1);
    entities->trace = trace;
    remember_object(L, entities);
    ct_bind_add_methods(L, -1, ct_bind_death_methods);
    ct_bind_offer_method(L, -1, "alive_id");
    return 1;
}

void ct_bind_open_entity_manager(lua_State *L) {
    lua_pushcfunction(L, entity_manager);
    lua_setfield(L, -2, "entity_manager");
}
