// cuttle.publisher and its peers: conversion of lists and messages.
#include "bind/replication/replication.h"

#include "base/message.h"
#include "bind/snapshot/snapshot_values.h"
#include "bind/value/list.h"
#include "bind/value/options.h"
#include "bind/value/push_bytes.h"
#include "bind/world/query.h"
#include "level/replication/peer.h"

#include <string.h>

// The environment of a Publisher has the World object as 'world', and the query of the option
// 'where'. That of a Peer has the Publisher as 'publisher'.
static const ct_bind_kind publisher_class = {"Publisher"};
static const ct_bind_kind peer_class = {"Peer"};

typedef struct publisher_object {
    ct_bind_header header;
    ct_publisher core; // 'now' is NULL before it is initialized and after it was collected
} publisher_object;

typedef struct peer_object {
    ct_bind_header header;
    ct_peer core;
} peer_object;

static ct_publisher *check_usable(lua_State *L, ct_publisher *publisher) {
    if (publisher->now == NULL) luaL_error(L, "Publisher was collected");
    if (publisher->world->destroyed) luaL_error(L, BIND_WORLD_DESTROYED);
    return publisher;
}

static ct_publisher *self_of(lua_State *L) {
    return check_usable(L, &((publisher_object *)ct_bind_self(L, &publisher_class))->core);
}

// Raises while a restore runs its callbacks.
static void check_thawed(lua_State *L) {
    ct_bind_push_own(L, 1, "world");
    if (ct_bind_check_world(L, -1)->entities->restoring) luaL_error(L, CT_FROZEN);
    lua_pop(L, 1);
}

// Returns self of a peer's method. The environment keeps the publisher alive.
static ct_peer *peer_of(lua_State *L) {
    ct_peer *peer = &((peer_object *)ct_bind_self(L, &peer_class))->core;
    check_usable(L, peer->publisher);
    return peer;
}

static void raise(lua_State *L, ct_status status, const ct_message *message) {
    if (status == CT_ERR_DATA) luaL_error(L, "%s", message->text);
    if (status == CT_ERR_OVER) luaL_error(L, BIND_WORLD_DESTROYED);
    if (status != CT_OK) ct_bind_raise_status(L, status, "a message", UINT32_MAX, "bytes");
}

// ---------------------------------------------------------------- construction

enum { WORLD = 1, COMPONENTS, KEEP, STEP_COMPONENTS, STEP_FIELDS, STEPS, WHERE, OBJECT };

static void read_steps(lua_State *L, const ct_bind_parse *g, ct_publisher_options *options) {
    const char **components = ct_bind_read_names(L, g, STEP_COMPONENTS, &options->step_count);
    const char **fields = ct_bind_read_names(L, g, STEP_FIELDS, &options->step_count);
    uint32_t count = ct_bind_rawlen(L, STEP_COMPONENTS);
    if (count < options->step_count) options->step_count = count;
    ct_publisher_step *steps =
        ct_bind_parse_take(g, (options->step_count + (size_t)1) * sizeof *steps);
    for (uint32_t i = 0; i < options->step_count; ++i, lua_pop(L, 1)) {
        lua_rawgeti(L, STEPS, (int)i + 1);
        steps[i] = (ct_publisher_step){components[i], fields[i], lua_tonumber(L, -1)};
    }
    options->steps = steps;
}

// world, components, keep, step components, step fields, steps, where -> Publisher, or nil, message
static int new_publisher(lua_State *L) {
    ct_message message;
    ct_bind_check_world(L, WORLD);
    lua_settop(L, WHERE);
    luaL_checktype(L, COMPONENTS, LUA_TTABLE);
    for (int i = STEP_COMPONENTS; i <= STEPS; ++i)
        luaL_checktype(L, i, LUA_TTABLE);
    const ct_bind_query *where = ct_bind_test(L, WHERE, &ct_bind_query_kind);
    if (where != NULL && where->world != ct_bind_check_world(L, WORLD))
        return ct_bind_return_message(L, "where: a query of this world expected");
    publisher_object *object =
        ct_bind_object_over(L, &publisher_class, sizeof *object, WORLD, "world"); // OBJECT
    lua_pushvalue(L, WHERE);
    ct_bind_set_own(L, OBJECT, "where");
    ct_bind_list_new(L);
    ct_bind_set_own(L, OBJECT, "matches");
    ct_bind_world *world = ct_bind_check_world(L, WORLD); // a finalizer may have ended it
    const ct_bind_parse g = ct_bind_parse_begin(L, world->state);
    ct_publisher_options options = {.keep =
                                        (uint32_t)ct_bind_option_whole(L, KEEP, 1, 1000000, 64)};
    options.components = ct_bind_read_names(L, &g, COMPONENTS, &options.component_count);
    read_steps(L, &g, &options);
    ct_status status =
        ct_publisher_init(&object->core, world->core.allocator, &world->core, &options, &message);
    ct_bind_parse_end(&g);
    if (status == CT_ERR_DATA) return ct_bind_return_message(L, message.text);
    raise(L, status, &message);
    lua_settop(L, OBJECT);
    return 1;
}

static int collect(lua_State *L) {
    ct_publisher *publisher = &((publisher_object *)ct_bind_self(L, &publisher_class))->core;
    if (publisher->now != NULL) ct_publisher_free(publisher);
    return 0;
}

// ---------------------------------------------------------------- frames

// Pushes the list of the entities that the query 'where' matches, or nil.
static void push_matches(lua_State *L) {
    ct_bind_push_own(L, 1, "where");
    if (lua_isnil(L, -1)) return;
    lua_getfield(L, -1, "list");
    lua_insert(L, -2);
    ct_bind_push_own(L, 1, "matches");
    if (ct_bind_test_list(L, -1) == NULL) ct_bind_raise_replaced(L);
    lua_call(L, 2, 1);
}

// Returns the entities of the list at 'index'; NULL if there is no list.
static const ct_entity *matches_at(lua_State *L, int index, uint32_t *count) {
    static const ct_entity none = {CT_NOBODY};
    const ct_bind_list *matches = ct_bind_test_list(L, index);
    *count = matches != NULL ? matches->count : 0;
    if (matches == NULL) return NULL;
    return matches->count > 0 ? matches->items : &none;
}

// Pushes a block with a byte for each slot of values; a finalizer may add values meanwhile.
static unsigned char *push_marks(lua_State *L, const ct_value_pool *pool) {
    int top = lua_gettop(L);
    for (;;) {
        size_t slots = pool->count;
        unsigned char *marks = lua_newuserdata(L, slots + 1);
        memset(marks, 0, slots + 1);
        if (pool->count <= slots) return marks;
        lua_settop(L, top);
    }
}

// publisher:frame() -> number of the frame
static int frame(lua_State *L) {
    enum { MATCHES = 2 };
    ct_publisher *publisher = self_of(L);
    ct_bind_state *state = ct_bind_state_of(L);
    ct_message message, reason;
    uint32_t slot, count;
    check_thawed(L);
    lua_settop(L, 1);
    push_matches(L);
    unsigned char *marks = push_marks(L, &publisher->world->values);
    publisher = self_of(L);
    ct_bind_recall(L, &publisher->world->values);
    const ct_bind_parse g = ct_bind_parse_begin(L, state);
    ct_save_values values = {.reason = NULL};
    const ct_entity *matches = matches_at(L, MATCHES, &count);
    ct_publisher_mark_values(publisher, matches, count, marks);
    if (!ct_bind_encode_values(&g, marks, &values, &slot)) {
        // The core finds the place of the value.
        ct_message_set(&reason, "%s", lua_tostring(L, -1));
        values = (ct_save_values){.refused = slot, .reason = reason.text};
        publisher = self_of(L);
        matches = matches_at(L, MATCHES, &count);
    }
    ct_status status = ct_publisher_frame(publisher, matches, count, &values, &message);
    ct_arena_reset(g.arena);
    raise(L, status, &message);
    return ct_bind_return_whole(L, publisher->frame);
}

// ---------------------------------------------------------------- messages

// Pushes a copy of a message as a string.
static int return_bytes(lua_State *L, const ct_allocator *allocator, ct_status status,
                        ct_text text) {
    ct_writer copy;
    if (status == CT_ERR_DATA) return luaL_error(L, "no frame was recorded");
    ct_writer_init(&copy, allocator, false);
    if (status == CT_OK) ct_writer_bytes(&copy, text.bytes, text.length);
    ct_bind_push_bytes(L, &copy, status == CT_OK ? copy.status : status, "a message", 0);
    return 1;
}

// Returns the number of a frame, which may be any number that a receiver sent; 0 if it is not one.
static uint32_t check_frame(lua_State *L, int arg) {
    luaL_checktype(L, arg, LUA_TNUMBER);
    double number;
    return ct_bind_to_whole(L, arg, 0, UINT32_MAX, &number) ? (uint32_t)number : 0;
}

// publisher:message(base) -> string
static int message(lua_State *L) {
    ct_text text = {NULL, 0};
    ct_publisher *publisher = self_of(L);
    ct_status status = ct_publisher_message(publisher, check_frame(L, 2), &text);
    return return_bytes(L, publisher->allocator, status, text);
}

// publisher:peer() -> Peer
static int new_peer(lua_State *L) {
    lua_settop(L, 1);
    self_of(L);
    peer_object *object = ct_bind_object_new(L, &peer_class, sizeof *object); // 2
    lua_createtable(L, 0, 1);
    ct_bind_set_owned(L, 2);
    lua_pushvalue(L, 1);
    ct_bind_set_own(L, 2, "publisher");
    ct_peer_init(&object->core, self_of(L));
    lua_settop(L, 2);
    return 1;
}

static int collect_peer(lua_State *L) {
    peer_object *object = ct_bind_self(L, &peer_class);
    if (object->core.publisher != NULL) ct_peer_free(&object->core);
    return 0;
}

// peer:message([list [, limit]]) -> string
static int peer_message(lua_State *L) {
    enum { LIST = 2, LIMIT };
    const ct_entity *list = NULL;
    uint32_t count = 0;
    ct_text text = {NULL, 0};
    double limit = 0;
    peer_of(L);
    lua_settop(L, LIMIT);
    if (!lua_isnil(L, LIMIT)) limit = ct_bind_check_whole(L, LIMIT, 1, UINT32_MAX);
    if (!lua_isnil(L, LIST)) list = ct_bind_pin_entity_array(L, LIST, &count);
    ct_peer *peer = peer_of(L);
    ct_status status = ct_peer_message(peer, list, count, (uint32_t)limit, &text);
    return return_bytes(L, peer->allocator, status, text);
}

// peer:waiting() -> number of entities
static int waiting(lua_State *L) { return ct_bind_return_whole(L, ct_peer_waiting(peer_of(L))); }

// peer:acknowledge(frame) -> whether a message of the peer had that frame
static int acknowledge(lua_State *L) {
    ct_peer *peer = peer_of(L);
    return ct_bind_return_bool(L, ct_peer_acknowledge(peer, check_frame(L, 2)));
}

static int tostring(lua_State *L) {
    const ct_publisher *publisher = &((publisher_object *)ct_bind_self(L, &publisher_class))->core;
    return ct_bind_return_format(L, "Publisher (frame %d)", (int)publisher->frame);
}

static int peer_tostring(lua_State *L) {
    const ct_peer *peer = &((peer_object *)ct_bind_self(L, &peer_class))->core;
    return ct_bind_return_format(L, "Peer (acknowledged %d)", (int)peer->acknowledged);
}

void ct_bind_open_replication(lua_State *L) {
    static const luaL_Reg methods[] = {
        {"frame", frame}, {"message", message}, {"peer", new_peer}, {NULL, NULL}};
    static const luaL_Reg peer_methods[] = {{"message", peer_message},
                                            {"waiting", waiting},
                                            {"acknowledge", acknowledge},
                                            {NULL, NULL}};
    ct_bind_class_new(L, &publisher_class, methods, collect, tostring);
    ct_bind_class_new(L, &peer_class, peer_methods, collect_peer, peer_tostring);
    ct_bind_add_function(L, "publisher", new_publisher);
    ct_bind_open_subscriber(L);
}
