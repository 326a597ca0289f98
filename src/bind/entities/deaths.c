// Destruction of entities, and the callbacks of scripts that run on it.
#include "bind/entities/entities.h"

#include "component/debug_name.h"
#include "world/world.h"

#include <string.h>

// ---------------------------------------------------------------- objects

const ct_bind_kind ct_bind_entities_kind = {"EntityManager"};

ct_bind_entities *ct_bind_check_entities(lua_State *L, int arg) {
    ct_bind_entities *entities = ct_bind_check_handle(L, arg, &ct_bind_entities_kind);
    ct_bind_check_not_collected(L, entities);
    return entities;
}

// ---------------------------------------------------------------- listeners

// Limit of nested destroys in destroy callbacks. Lua 5.1 itself stops at 200 C calls.
#define MAX_NESTED 180

void ct_bind_keep_error(const ct_bind_notice *notice) {
    lua_State *L = notice->L;
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1); // nil in the slot means that there was no error
        lua_pushliteral(L, "a destroy callback raised nil");
    }
    if (lua_isnil(L, notice->error_slot))
        lua_replace(L, notice->error_slot);
    else
        lua_pop(L, 1);
}

bool ct_bind_call_listener(const ct_bind_notice *notice, int arguments) {
    if (lua_pcall(notice->L, arguments, 0, 0) == 0) return true;
    ct_bind_keep_error(notice);
    return false;
}

// Pushes the current position in the script, "game.lua:12: ", or "". C functions, such as the
// method that the script has called, have no position and are skipped.
static void push_place(lua_State *L) {
    lua_Debug caller;
    int level = 1;
    luaL_where(L, level);
    while (*lua_tostring(L, -1) == '\0' && lua_getstack(L, level++, &caller)) {
        lua_pop(L, 1);
        luaL_where(L, level);
    }
}

ct_text ct_bind_copy_place(lua_State *L, const ct_bind_entities *entities,
                           char out[CT_BIND_PLACE]) {
    ct_text place = {out, 0};
    out[0] = '\0';
    if (ct_death_trace_of(&entities->core) == NULL) return place;
    push_place(L);
    strncat(out, lua_tostring(L, -1), CT_BIND_PLACE - 1);
    lua_pop(L, 1);
    place.length = (uint32_t)strlen(out);
    if (place.length > 2) out[place.length -= 2] = '\0'; // removes ": " at the end
    return place;
}

// ---------------------------------------------------------------- dead entities

void ct_bind_push_dead(lua_State *L, ct_entity e, const ct_world *world) {
    ct_message message;
    ct_dead_message(ct_world_find(world, CT_DEBUG_NAME), world->entities, e, &message);
    lua_pushstring(L, message.text);
}

void ct_bind_check_alive(lua_State *L, int arg, ct_entity e, const ct_world *world) {
    if (CT_LIKELY(ct_entity_manager_alive(world->entities, e))) return;
    ct_bind_push_dead(L, e, world);
    ct_bind_arg_error(L, arg);
}

// ---------------------------------------------------------------- destroying

// Records the deaths in the trace. Called before the entities die.
static void note_deaths(lua_State *L, const ct_bind_entities *entities, uint32_t count,
                        const ct_entity *items) {
    char text[CT_BIND_PLACE];
    const ct_text place = ct_bind_copy_place(L, entities, text);
    ct_death_trace_note(&entities->core, count, items, place);
}

uint32_t ct_bind_destroy_quietly(lua_State *L, int entities, ct_reason reason, uint32_t count,
                                 const ct_entity *items) {
    entities = ct_bind_absindex(L, entities);
    ct_bind_entities *object = ct_bind_object_at(L, entities);
    ct_bind_check_thawed(L, &object->core);
    // Scripts decide how deeply callbacks destroy, and the C stack belongs to the host.
    if (object->core.dying_count >= MAX_NESTED)
        luaL_error(L, "too many nested destroy callbacks (limit is %d)", MAX_NESTED);
    // Room for the values that the listeners push: nothing may raise from here on.
    luaL_checkstack(L, LUA_MINSTACK, "too many nested destroy callbacks");
    if (CT_UNLIKELY(object->core.trace != NULL)) note_deaths(L, object, count, items);
    lua_pushnil(L);
    ct_bind_notice notice = {L, entities, lua_gettop(L)};
    return ct_entity_manager_destroy_for(&object->core, reason, count, items, &notice);
}

uint32_t ct_bind_destroy_entities(lua_State *L, int entities, uint32_t count,
                                  const ct_entity *items) {
    uint32_t died = ct_bind_destroy_quietly(L, entities, CT_REASON_DESTROY, count, items);
    if (!lua_isnil(L, -1)) lua_error(L);
    lua_pop(L, 1);
    return died;
}

// entities:destroy(e) -> boolean; entities:destroy(list) -> number of destroyed entities
static int destroy(lua_State *L) {
    ct_bind_entities *entities = ct_bind_self_handle(L, &ct_bind_entities_kind);
    ct_entity e;
    if (ct_bind_to_entity(L, 2, &e))
        return ct_bind_return_bool(L, ct_bind_destroy_entities(L, 1, 1, &e) != 0);
    bool list = lua_type(L, 2) == LUA_TTABLE || ct_bind_test_list(L, 2) != NULL;
    if (!list) ct_bind_check_entity(L, 2);
    uint32_t count;
    bool unobserved = entities->core.listeners.count == 0 && entities->core.trace == NULL;
    const ct_entity *items = unobserved ? ct_bind_check_entity_array(L, 2, &count)
                                        : ct_bind_pin_entity_array(L, 2, &count);
    return ct_bind_return_whole(L, ct_bind_destroy_entities(L, 1, count, items));
}

// ---------------------------------------------------------------- callbacks

// The environment of the EntityManager has each function under its token, which is also the 'user'
// of the listener.
static void run_callback(void *user, void *context, ct_entity e) {
    ct_bind_notice *destroying = context;
    lua_State *L = destroying->L;
    // Only raw reads before the protected call, so nothing here can raise.
    ct_bind_push_owned(L, destroying->entities);
    lua_rawgeti(L, -1, (int)(uintptr_t)user);
    lua_replace(L, -2);
    ct_bind_push_entity(L, e);
    ct_bind_state *state = ct_bind_state_of(L);
    state->callbacks++;
    ct_bind_call_listener(destroying, 1);
    state->callbacks--;
}

// entities:on_destroy(fn) -> token
static int on_destroy(lua_State *L) {
    ct_bind_entities *entities = ct_bind_self_handle(L, &ct_bind_entities_kind);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    ct_bind_check_not_collected(L, entities);
    lua_settop(L, 2);
    ct_bind_push_owned(L, 1);
    // The entry in the table is created before the listener is added to the core.
    uint32_t token = entities->core.next_token + 1;
    ct_bind_copy_item(L, 3, (int)token, 2);
    ct_bind_check_status(L,
                         ct_entity_manager_listen(&entities->core, run_callback,
                                                  (void *)(uintptr_t)token, 0, &token),
                         "callbacks");
    return ct_bind_return_whole(L, token);
}

// entities:off_destroy(token) -> whether it was registered
static int off_destroy(lua_State *L) {
    ct_bind_entities *entities = ct_bind_self_handle(L, &ct_bind_entities_kind);
    double token = ct_bind_check_whole(L, 2, 1, 2147483647.0);
    lua_settop(L, 2);
    ct_bind_push_owned(L, 1);
    lua_rawgeti(L, 3, (int)token);
    bool known = !lua_isnil(L, -1) && ct_entity_manager_unlisten(&entities->core, (uint32_t)token);
    // The function may be running; its call keeps it alive.
    lua_pushnil(L);
    if (known) lua_rawseti(L, 3, (int)token);
    return ct_bind_return_bool(L, known);
}

const luaL_Reg ct_bind_death_methods[] = {
    {"destroy", destroy}, {"on_destroy", on_destroy}, {"off_destroy", off_destroy}, {NULL, NULL}};
