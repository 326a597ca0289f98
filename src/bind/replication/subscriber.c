// cuttle.subscriber: conversion of messages to calls of the core.
#include "bind/replication/replication.h"

#include "bind/level/level.h"
#include "bind/value/list.h"
#include "bind/value/options.h"
#include "bind/value/parse_values.h"
#include "bind/value/push_bytes.h"
#include "level/replication/publisher.h"
#include "level/replication/subscriber.h"

// The environment of a Subscriber has the World object as 'world'.
static const ct_bind_kind subscriber_class = {"Subscriber"};

typedef struct subscriber_object {
    ct_bind_header header;
    ct_subscriber core; // 'world' is NULL before it is initialized and after it was collected
    bool used;          // a call is in progress
    bool collected;     // during that call, in a finalizer
} subscriber_object;

static ct_subscriber *self_of(lua_State *L) {
    ct_subscriber *subscriber = &((subscriber_object *)ct_bind_self(L, &subscriber_class))->core;
    if (subscriber->world == NULL) luaL_error(L, "Subscriber was collected");
    if (subscriber->world->destroyed) luaL_error(L, BIND_WORLD_DESTROYED);
    return subscriber;
}

static void raise(lua_State *L, ct_status status, const ct_message *message) {
    if (status == CT_ERR_DATA && message != NULL) luaL_error(L, "%s", message->text);
    if (status == CT_ERR_OVER) luaL_error(L, BIND_WORLD_DESTROYED);
    if (status != CT_OK)
        ct_bind_raise_status(L, status, "entity manager", CT_MAX_ENTITIES, "alive");
}

// world, max_bytes, max_entities, components (or nil) -> Subscriber
static int new_subscriber(lua_State *L) {
    enum { WORLD = 1, MAX_BYTES, MAX_ENTITIES, COMPONENTS, OBJECT };
    ct_bind_check_world(L, WORLD);
    lua_settop(L, COMPONENTS);
    subscriber_object *object =
        ct_bind_object_over(L, &subscriber_class, sizeof *object, WORLD, "world"); // OBJECT
    ct_bind_world *world = ct_bind_check_world(L, WORLD); // a finalizer may have ended it
    const ct_bind_parse g = ct_bind_parse_begin(L, world->state);
    ct_subscriber_options options = {
        .max_bytes = (uint32_t)ct_bind_option_whole(L, MAX_BYTES, 1, INT32_MAX, 1 << 20),
        .max_entities = (uint32_t)ct_bind_option_whole(L, MAX_ENTITIES, 0, CT_MAX_ENTITIES, 65536)};
    if (lua_istable(L, COMPONENTS))
        options.components = ct_bind_read_names(L, &g, COMPONENTS, &options.component_count);
    ct_status status =
        ct_subscriber_init(&object->core, world->core.allocator, &world->core, &options);
    ct_bind_parse_end(&g);
    if (status != CT_OK) {
        object->core.world = NULL;
        raise(L, status, NULL);
    }
    lua_settop(L, OBJECT);
    return 1;
}

static int collect(lua_State *L) {
    subscriber_object *object = ct_bind_self(L, &subscriber_class);
    object->collected = true;
    if (object->used) return 0;
    if (object->core.world != NULL) ct_subscriber_free(&object->core);
    object->core.world = NULL;
    return 0;
}

// Ends a call that 'prepare' has begun.
static void finish(lua_State *L) {
    subscriber_object *object = lua_touserdata(L, 1);
    object->used = false;
    if (object->collected) collect(L);
}

// Begins a call of the core: pushes the World object and the values that the host needs, and fills
// 'call'. Raises if changes are in progress.
static ct_subscriber *prepare(lua_State *L, ct_bind_host_call *call) {
    ct_message message;
    ct_subscriber *subscriber = self_of(L);
    ct_bind_push_own(L, 1, "world");
    int world = lua_gettop(L);
    ct_bind_world *object = ct_bind_check_world(L, world);
    if (&object->core != subscriber->world) ct_bind_raise_replaced(L);
    if (object->entities->restoring) luaL_error(L, CT_FROZEN);
    *call = (ct_bind_host_call){{L, 0, world + 2}, .world = world, .spawners = world + 1};
    ct_bind_prepare_changes(L, world);
    subscriber = self_of(L);
    raise(L, ct_replication_check_idle(subscriber->world, &message), &message);
    ((subscriber_object *)lua_touserdata(L, 1))->used = true;
    return subscriber;
}

// Pushes the reason of a failure: the error of a callback, or the message of the core.
static void push_reason(lua_State *L, const ct_bind_host_call *call, ct_status status,
                        const ct_message *message) {
    if (call->silent != NULL || !lua_isnil(L, call->notice.error_slot))
        ct_bind_level_push_problem(call);
    else if (status == CT_ERR_MEMORY)
        lua_pushliteral(L, "not enough memory");
    else if (status == CT_ERR_OVER)
        lua_pushliteral(L, BIND_WORLD_DESTROYED);
    else
        lua_pushstring(L, message->text);
}

// subscriber:apply(message) -> frame, or nil and a message
static int apply(lua_State *L) {
    ct_bind_host_call call;
    ct_message reason;
    size_t bytes;
    bool ok = true;
    self_of(L);
    luaL_checktype(L, 2, LUA_TSTRING);
    const char *text = lua_tolstring(L, 2, &bytes);
    lua_settop(L, 2);
    ct_subscriber *subscriber = prepare(L, &call);
    reason.text[0] = '\0';
    ct_status status = ct_subscriber_apply(subscriber, text, bytes, &call, &ok, &reason);
    finish(L);
    if (status != CT_OK) {
        push_reason(L, &call, status, &reason);
        return ct_bind_return_failure(L);
    }
    if (!ok) {
        lua_pushvalue(L, call.notice.error_slot);
        return lua_error(L);
    }
    return ct_bind_return_whole(L, subscriber->frame);
}

// subscriber:put_back([list]) -> number of values
static int put_back(lua_State *L) {
    ct_bind_host_call call;
    ct_message reason;
    const ct_entity *list = NULL;
    uint32_t count = 0, written;
    self_of(L);
    lua_settop(L, 2);
    if (!lua_isnil(L, 2)) list = ct_bind_pin_entity_array(L, 2, &count);
    ct_subscriber *subscriber = prepare(L, &call);
    reason.text[0] = '\0';
    ct_status status = ct_subscriber_put_back(subscriber, list, count, &call, &written, &reason);
    finish(L);
    if (status == CT_OK) return ct_bind_return_whole(L, written);
    bool raised = !lua_isnil(L, call.notice.error_slot);
    push_reason(L, &call, status, &reason);
    if (raised && call.at_fault == NULL) lua_pushvalue(L, call.notice.error_slot);
    return raised ? lua_error(L) : luaL_error(L, "%s", lua_tostring(L, -1));
}

// subscriber:reset([{destroy = true}])
static int reset(lua_State *L) {
    enum { OPTIONS = 2 };
    ct_bind_host_call call;
    ct_message reason;
    bool ok = true;
    self_of(L);
    lua_settop(L, OPTIONS);
    bool destroy = ct_bind_read_flag(L, OPTIONS, "reset");
    ct_subscriber *subscriber = prepare(L, &call);
    ct_status status = ct_subscriber_reset(subscriber, destroy, &call, &ok, &reason);
    finish(L);
    raise(L, status, &reason);
    if (ok) return 0;
    lua_pushvalue(L, call.notice.error_slot);
    return lua_error(L);
}

// subscriber:entity(id) -> local entity, or nil
static int entity(lua_State *L) {
    const ct_subscriber *subscriber = self_of(L);
    ct_entity published;
    if (!ct_bind_to_entity(L, 2, &published)) published.id = ct_bind_check_id(L, 2);
    ct_entity local = ct_subscriber_entity(subscriber, published);
    if (!ct_entity_manager_alive(subscriber->world->entities, local)) local.id = CT_NOBODY;
    return ct_bind_return_entity(L, local);
}

// subscriber:id(entity) -> id of the publisher's entity, or nil
static int id(lua_State *L) {
    const ct_subscriber *subscriber = self_of(L);
    ct_entity published = ct_subscriber_published(subscriber, ct_bind_check_entity(L, 2));
    if (published.id == CT_NOBODY) return ct_bind_return_nil(L);
    return ct_bind_return_whole(L, published.id);
}

// writer -> table of its texts, each of which ends with a zero byte
static int push_texts(lua_State *L) {
    lua_newtable(L);
    ct_bind_fill_texts(L, 2, lua_touserdata(L, 1));
    return 1;
}

// subscriber:fields() -> table of texts
static int fields(lua_State *L) {
    ct_writer notes;
    lua_settop(L, 1);
    const ct_subscriber *subscriber = self_of(L);
    ct_writer_init(&notes, subscriber->allocator, false);
    ct_subscriber_fields(subscriber, &notes);
    ct_status status = notes.status;
    int problem = 0;
    if (status == CT_OK) {
        lua_pushlightuserdata(L, &notes);
        problem = ct_bind_call_protected(L, push_texts, 1, 1);
    }
    ct_writer_free(&notes);
    if (status != CT_OK) raise(L, status, NULL);
    return problem == 0 ? 1 : lua_error(L);
}

static int tostring(lua_State *L) {
    const ct_subscriber *subscriber =
        &((subscriber_object *)ct_bind_self(L, &subscriber_class))->core;
    return ct_bind_return_format(L, "Subscriber (frame %d)", (int)subscriber->frame);
}

void ct_bind_open_subscriber(lua_State *L) {
    static const luaL_Reg methods[] = {
        {"apply", apply}, {"put_back", put_back}, {"reset", reset}, {"entity", entity},
        {"id", id},       {"fields", fields},     {NULL, NULL}};
    ct_bind_class_new(L, &subscriber_class, methods, collect, tostring);
    ct_bind_add_function(L, "subscriber", new_subscriber);
}
