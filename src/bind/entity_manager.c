// EntityManager objects: ids, life and death, and the callbacks that hear of deaths.
// Knows nothing of components.
#include "bind/bind.h"

#include "bind/compiled.h"

#include <string.h>

#define NAME "EntityManager"

// Destroys inside destroy callbacks inside destroys ... Lua 5.1 itself stops at 200 C calls.
#define MAX_NESTED 180

// ---------------------------------------------------------------- registry

// registry[entities_key]: address (as a number) -> object, weak, so that an
// error message far from the object can ask for its trace.
static const char entities_key = 0;

static void push_objects(lua_State *L) {
    lua_pushlightuserdata(L, (void *)&entities_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    if (!lua_isnil(L, -1)) return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushlightuserdata(L, (void *)&entities_key);
    lua_pushvalue(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
}

static void remember_object(lua_State *L, const bind_entities *entities) {
    push_objects(L);
    lua_pushnumber(L, (lua_Number)(uintptr_t)entities);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

// Pushes the object of a manager, or nil.
static void push_object(lua_State *L, const bind_entities *entities) {
    push_objects(L);
    lua_pushnumber(L, (lua_Number)(uintptr_t)entities);
    lua_rawget(L, -2);
    lua_remove(L, -2);
}

static bind_entities *self_of(lua_State *L) { return bind_self(L, NAME); }

bind_entities *bind_check_entities(lua_State *L, int arg) {
    bind_entities *entities = lua_touserdata(L, arg);
    push_objects(L);
    lua_pushnumber(L, (lua_Number)(uintptr_t)entities);
    lua_rawget(L, -2);
    bool known = lua_rawequal(L, -1, arg) && entities != NULL && entities->alive;
    lua_pop(L, 2);
    if (known) return entities;
    lua_pushfstring(L, NAME " expected, got %s", bind_type_name(L, arg));
    bind_arg_error(L, arg);
    return NULL;
}

// ---------------------------------------------------------------- creating

static int raise_create(lua_State *L, ct_status status) {
    if (status == CT_ERR_FULL)
        return luaL_error(L, "entity manager is full (%d alive)", (int)CT_MAX_ENTITIES);
    return bind_raise_status(L, status, NAME, CT_MAX_ENTITIES, "alive");
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
        bind_push_entity(L, f->items[i]);
        lua_rawseti(L, 2, (int)i + 1);
    }
    return 0;
}

static int create_many(lua_State *L, bind_entities *entities) {
    uint32_t count = (uint32_t)bind_check_whole(L, 2, 0, CT_MAX_ENTITIES);
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
    bind_entities *entities = self_of(L);
    if (!lua_isnone(L, 2)) return create_many(L, entities);
    ct_entity e;
    ct_status status = ct_entity_manager_create(&entities->core, 1, &e);
    if (status != CT_OK) return raise_create(L, status);
    bind_push_entity(L, e);
    return 1;
}

static int create_list(lua_State *L) {
    bind_entities *entities = self_of(L);
    uint32_t count = (uint32_t)bind_check_whole(L, 2, 0, CT_MAX_ENTITIES);
    bind_list *list = bind_list_new(L);
    bind_list_reserve(L, list, count);
    ct_status status = ct_entity_manager_create(&entities->core, count, list->items);
    if (status != CT_OK) return raise_create(L, status);
    list->count = count;
    return 1;
}

// ---------------------------------------------------------------- destroying

void bind_call_listener(bind_destroy *destroy, int arguments) {
    lua_State *L = destroy->L;
    if (lua_pcall(L, arguments, 0, 0) == 0) return;
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1); // nil in the slot means that nothing went wrong
        lua_pushliteral(L, "a destroy callback raised nil");
    }
    if (lua_isnil(L, destroy->error_slot))
        lua_replace(L, destroy->error_slot);
    else
        lua_pop(L, 1);
}

// With trace: notes where each of these is destroyed, before any dies.
static void note_trace(lua_State *L, int entities, uint32_t count, const ct_entity *items) {
    const bind_entities *object = lua_touserdata(L, entities);
    if (!object->trace) return;
    lua_getfenv(L, entities);
    lua_getfield(L, -1, "trace");
    luaL_where(L, 1);
    for (uint32_t i = 0; i < count; ++i) {
        if (!ct_entity_manager_alive(&object->core, items[i])) continue;
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, (int)items[i].id);
    }
    lua_pop(L, 3);
}

void bind_push_trace(lua_State *L, const ct_entity_manager *core, ct_entity e) {
    const bind_entities *entities = (const bind_entities *)(const void *)core;
    int top = lua_gettop(L);
    const char *where = NULL;
    if (entities->trace) {
        push_object(L, entities);
        lua_getfenv(L, -1);
    }
    if (entities->trace && lua_istable(L, -1)) {
        lua_getfield(L, -1, "trace");
        lua_rawgeti(L, -1, (int)e.id);
        where = lua_tostring(L, -1);
    }
    // luaL_where says "file:line: ", or nothing for a call from C.
    if (where != NULL && where[0] != '\0')
        lua_pushfstring(L, ", destroyed at %s", luaL_gsub(L, where, ": ", ""));
    else
        lua_pushliteral(L, "");
    lua_insert(L, top + 1);
    lua_settop(L, top + 1);
}

static void *refuse(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    (void)user, (void)block, (void)old_bytes, (void)new_bytes;
    return NULL;
}

static void end_entities(bind_entities *entities) {
    // Other finalizers may still create: what they got nobody would free.
    static const ct_allocator no_memory = {refuse, NULL};
    ct_entity_manager_free(&entities->core);
    entities->core.allocator = &no_memory;
    entities->alive = false;
}

uint32_t bind_destroy_now(const bind_destroy *destroy, uint32_t count, const ct_entity *items) {
    bind_entities *entities = lua_touserdata(destroy->L, destroy->entities);
    uint32_t died =
        ct_entity_manager_destroy(&entities->core, count, items, (bind_destroy *)destroy);
    if (CT_UNLIKELY(entities->collected) && entities->core.dying == NULL && entities->alive)
        end_entities(entities);
    return died;
}

uint32_t bind_destroy_quietly(lua_State *L, int entities, uint32_t count, const ct_entity *items) {
    entities = bind_absindex(L, entities);
    bind_entities *object = lua_touserdata(L, entities);
    // The C stack is the host's, and how deep callbacks destroy is the script's choice.
    if (object->core.dying_count >= MAX_NESTED)
        luaL_error(L, "too many nested destroy callbacks (limit is %d)", MAX_NESTED);
    // Room for all that the listeners push: past this point nothing may raise.
    luaL_checkstack(L, LUA_MINSTACK, "too many nested destroy callbacks");
    note_trace(L, entities, count, items);
    lua_pushnil(L);
    const bind_destroy destroy = {L, entities, lua_gettop(L)};
    return bind_destroy_now(&destroy, count, items);
}

uint32_t bind_destroy_entities(lua_State *L, int entities, uint32_t count, const ct_entity *items) {
    uint32_t died = bind_destroy_quietly(L, entities, count, items);
    if (!lua_isnil(L, -1)) lua_error(L);
    lua_pop(L, 1);
    return died;
}

// entities:destroy(e) -> boolean; entities:destroy(list) -> how many died
static int destroy(lua_State *L) {
    bind_entities *entities = self_of(L);
    ct_entity e;
    if (bind_to_entity(L, 2, &e)) {
        lua_pushboolean(L, bind_destroy_entities(L, 1, 1, &e) != 0);
        return 1;
    }
    if (lua_type(L, 2) == LUA_TLIGHTUSERDATA || lua_gettop(L) < 2) bind_check_entity(L, 2);
    uint32_t count;
    bool undisturbed = entities->core.listener_count == 0 && !entities->trace;
    const ct_entity *items =
        undisturbed ? bind_check_entity_array(L, 2, &count) : bind_pin_entity_array(L, 2, &count);
    lua_pushnumber(L, bind_destroy_entities(L, 1, count, items));
    return 1;
}

// ---------------------------------------------------------------- callbacks

// A registered function: the listener's user. Lies in a userdata that the
// manager's environment keeps under 'token', the function under -token.
typedef struct callback {
    uint32_t token;
} callback;

static void run_callback(void *user, void *context, ct_entity e) {
    const callback *c = user;
    bind_destroy *destroying = context;
    lua_State *L = destroying->L;
    // Only raw reads up to the protected call: nothing here can raise.
    lua_getfenv(L, destroying->entities);
    lua_rawgeti(L, -1, -(int)c->token);
    lua_replace(L, -2);
    bind_push_entity(L, e);
    bind_call_listener(destroying, 1);
}

// entities:on_destroy(fn) -> token
static int on_destroy(lua_State *L) {
    bind_entities *entities = self_of(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_getfenv(L, 1);
    callback *c = lua_newuserdata(L, sizeof *c);
    // Both places in the table exist before the core knows the listener.
    uint32_t token = entities->core.next_token + 1;
    lua_rawseti(L, 3, (int)token);
    lua_pushvalue(L, 2);
    lua_rawseti(L, 3, -(int)token);
    c->token = token;
    ct_status status = ct_entity_manager_listen(&entities->core, run_callback, c, 0, &token);
    if (status != CT_OK) return bind_raise_status(L, status, "callbacks", 0, "");
    lua_pushnumber(L, token);
    return 1;
}

// entities:off_destroy(token) -> whether it was registered
static int off_destroy(lua_State *L) {
    bind_entities *entities = self_of(L);
    double token = bind_check_whole(L, 2, 1, 2147483647.0);
    lua_settop(L, 2);
    lua_getfenv(L, 1);
    lua_rawgeti(L, 3, (int)token);
    bool known = !lua_isnil(L, -1) && ct_entity_manager_unlisten(&entities->core, (uint32_t)token);
    // The function may be running: its own call keeps it.
    lua_pushnil(L);
    if (known) lua_rawseti(L, 3, -(int)token);
    lua_pushnil(L);
    if (known) lua_rawseti(L, 3, (int)token);
    lua_pushboolean(L, known);
    return 1;
}

// ---------------------------------------------------------------- asking

static int alive(lua_State *L) {
    bind_entities *entities = self_of(L);
    lua_pushboolean(L, ct_entity_manager_alive(&entities->core, bind_check_entity(L, 2)));
    return 1;
}

static int alive_id(lua_State *L) {
    bind_entities *entities = self_of(L);
    lua_pushboolean(L, ct_entity_manager_alive(&entities->core, (ct_entity){bind_check_id(L, 2)}));
    return 1;
}

static int count(lua_State *L) {
    lua_pushnumber(L, ct_entity_manager_count(&self_of(L)->core));
    return 1;
}

// upvalues: the manager, the next index to look at
static int next_living(lua_State *L) {
    const bind_entities *entities = lua_touserdata(L, lua_upvalueindex(1));
    uint32_t index = (uint32_t)lua_tonumber(L, lua_upvalueindex(2));
    ct_entity e = ct_entity_manager_next(&entities->core, index);
    if (e.id == CT_NOBODY) return 0;
    lua_pushnumber(L, ct_entity_index(e) + 1.0);
    lua_replace(L, lua_upvalueindex(2));
    bind_push_entity(L, e);
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
    bind_entities *entities = self_of(L);
    if (!entities->alive) return 0;
    if (entities->core.dying != NULL)
        entities->collected = true;
    else
        end_entities(entities);
    return 0;
}

static const luaL_Reg methods[] = {
    {"create", create},     {"create_list", create_list}, {"destroy", destroy},
    {"alive", alive},       {"alive_id", alive_id},       {"count", count},
    {"each", each},         {"on_destroy", on_destroy},   {"off_destroy", off_destroy},
    {"validate", validate}, {"memory", memory},           {NULL, NULL},
};

// cuttle.entity_manager([{minimum_free_indices =, trace =}])
static int entity_manager(lua_State *L) {
    static const char *const options[] = {"minimum_free_indices", "trace"};
    uint32_t minimum = CT_MINIMUM_FREE_INDICES;
    bool trace = false;
    lua_settop(L, 1);
    if (bind_check_options(L, 1, options, 2)) {
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
    bind_entities *entities = bind_object_new(L, sizeof *entities, methods, gc, tostring);
    ct_entity_manager_init(&entities->core, &bind_state_of(L)->allocator, minimum);
    entities->alive = true;
    lua_getfenv(L, -1);
    lua_newtable(L);
    lua_setfield(L, -2, "trace");
    lua_pop(L, 1);
    entities->trace = trace;
    remember_object(L, entities);
    bind_offer_method(L, -1, "alive_id");
    return 1;
}

void bind_open_entity_manager(lua_State *L) {
    lua_pushcfunction(L, entity_manager);
    lua_setfield(L, -2, "entity_manager");
}
