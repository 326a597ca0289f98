// cuttle.list: a packed array of entities, to pass thousands of entities in one call.
#include "bind/value/list.h"

#include "bind/value/compiled.h"
#include "bind/value/mailbox.h"

#include <string.h>

static const ct_bind_kind list_class = {"cuttle.list"};

ct_bind_list *ct_bind_test_list(lua_State *L, int arg) { return ct_bind_test(L, arg, &list_class); }

static ct_bind_list *check_list(lua_State *L) { return ct_bind_self(L, &list_class); }

ct_bind_list *ct_bind_list_new(lua_State *L) {
    return ct_bind_object_new(L, &list_class, sizeof(ct_bind_list));
}

ct_bind_list *ct_bind_prepare_list(lua_State *L, int arg) {
    ct_bind_list *list = ct_bind_test_list(L, arg);
    if (list != NULL) return list;
    if (!lua_isnil(L, arg))
        ct_bind_raise_arg(L, arg, "cuttle.list expected, got %s", ct_bind_type_name(L, arg));
    list = ct_bind_list_new(L);
    lua_replace(L, arg);
    return list;
}

void ct_bind_list_reserve(lua_State *L, ct_bind_list *list, uint32_t count) {
    // Memory that a finalizer allocates after the list was collected would leak.
    if (count > list->capacity && list->collected) luaL_error(L, "cuttle.list was collected");
    ct_bind_check_status(L,
                         ct_array_reserve(&ct_bind_state_of(L)->allocator, (void **)&list->items,
                                          &list->capacity, count, sizeof *list->items),
                         "list");
}

void ct_bind_list_fill(lua_State *L, ct_bind_list *list, uint32_t count,
                       const ct_entity *entities) {
    ct_bind_list_reserve(L, list, count);
    if (count > 0) memcpy(list->items, entities, (size_t)count * sizeof *entities);
    list->count = count;
}

static int list_gc(lua_State *L) {
    ct_bind_list *list = check_list(L);
    ct_free(&ct_bind_state_of(L)->allocator, list->items, list->capacity * sizeof *list->items);
    list->items = NULL;
    list->count = list->capacity = 0;
    list->collected = true;
    return 0;
}

// Reads the entities of a table raw. Raises with the position of an item that is not an entity.
static void read_table(lua_State *L, int arg, ct_entity *out, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        lua_rawgeti(L, arg, (int)i + 1);
        if (!ct_bind_to_entity(L, -1, &out[i]))
            ct_bind_raise_arg(L, arg, "[%d]: entity expected, got %s", (int)i + 1,
                              ct_bind_type_name(L, -1));
        lua_pop(L, 1);
    }
}

const ct_entity *ct_bind_check_entity_array(lua_State *L, int arg, uint32_t *count) {
    ct_bind_list *list = ct_bind_test_list(L, arg);
    if (list != NULL) {
        lua_pushvalue(L, arg);
        *count = list->count;
        return list->items;
    }
    if (lua_type(L, arg) != LUA_TTABLE)
        ct_bind_raise_arg(L, arg, "list of entities expected, got %s", ct_bind_type_name(L, arg));
    *count = ct_bind_rawlen(L, arg);
    ct_entity *items = lua_newuserdata(L, (size_t)*count * sizeof *items + 1);
    read_table(L, arg, items, *count);
    return items;
}

const ct_entity *ct_bind_pin_entity_array(lua_State *L, int arg, uint32_t *count) {
    const ct_bind_list *list = ct_bind_test_list(L, arg);
    if (list == NULL) return ct_bind_check_entity_array(L, arg, count);
    *count = list->count;
    ct_entity *copy = lua_newuserdata(L, (size_t)*count * sizeof *copy + 1);
    // A finalizer may have changed the list just now.
    if (list->count < *count) *count = list->count;
    if (*count > 0) memcpy(copy, list->items, (size_t)*count * sizeof *copy);
    return copy;
}

// ---------------------------------------------------------------- destinations of results

void ct_bind_fill_entities(lua_State *L, int table, uint32_t count, const ct_entity *entities) {
    for (uint32_t i = 0; i < count; ++i)
        ct_bind_store_entity(L, table, (int)i + 1, entities[i]);
}

typedef struct results {
    const ct_entity *entities;
    uint32_t count;
} results;

// fill_table(results, table)
static int fill_table(lua_State *L) {
    const results *r = lua_touserdata(L, 1);
    ct_bind_fill_entities(L, 2, r->count, r->entities);
    return 0;
}

void ct_bind_prepare_out(lua_State *L, int arg, uint32_t count) {
    ct_bind_list *list = ct_bind_test_list(L, arg);
    if (list != NULL)
        ct_bind_list_reserve(L, list, count);
    else if (lua_isnil(L, arg) || lua_istable(L, arg))
        ct_bind_prepare_table(L, arg, count);
    else
        ct_bind_raise_arg(L, arg, "table or cuttle.list expected, got %s",
                          ct_bind_type_name(L, arg));
}

bool ct_bind_deliver(lua_State *L, int arg, uint32_t count, const ct_entity *entities) {
    ct_bind_list *list = ct_bind_test_list(L, arg);
    if (list == NULL) {
        const results r = {entities, count};
        lua_pushlightuserdata(L, (void *)&r);
        lua_pushvalue(L, arg);
        return ct_bind_call_protected(L, fill_table, 2, 0) == 0;
    }
    ct_bind_list_fill(L, list, count, entities); // the room is reserved
    return true;
}

// ---------------------------------------------------------------- methods

static int list_count(lua_State *L) { return ct_bind_return_whole(L, check_list(L)->count); }

static bool has_place(const ct_bind_list *list, double place) {
    return place >= 1 && place <= list->count && place == (uint32_t)place;
}

static uint32_t check_place(lua_State *L, const ct_bind_list *list) {
    double place = lua_type(L, 2) == LUA_TNUMBER ? lua_tonumber(L, 2) : 0;
    if (CT_LIKELY(has_place(list, place))) return (uint32_t)place - 1;
    place = ct_bind_check_whole(L, 2, -CT_BIND_LARGEST_WHOLE, CT_BIND_LARGEST_WHOLE);
    return (uint32_t)ct_bind_raise_arg(L, 2, "place %f is outside the list (count %d)", place,
                                       (int)list->count);
}

static int list_get(lua_State *L) {
    ct_bind_list *list = check_list(L);
    return ct_bind_return_entity(L, list->items[check_place(L, list)]);
}

static int list_set(lua_State *L) {
    ct_bind_list *list = check_list(L);
    uint32_t place = check_place(L, list);
    list->items[place] = ct_bind_check_entity(L, 3);
    return 0;
}

static int list_add(lua_State *L) {
    ct_bind_list *list = check_list(L);
    ct_entity e = ct_bind_check_entity(L, 2);
    if (list->count == UINT32_MAX) return luaL_error(L, "list is full (4294967295 entities)");
    if (list->count == list->capacity) ct_bind_list_reserve(L, list, list->count + 1);
    list->items[list->count++] = e;
    return 0;
}

static int list_clear(lua_State *L) {
    check_list(L)->count = 0;
    return 0;
}

// step of a loop (list, number of returned items)
static int list_next(lua_State *L) {
    const ct_bind_list *list = ct_bind_step_value(L, 1);
    uint32_t *done = ct_bind_step_value(L, 2);
    if (*done >= list->count) return 0;
    return ct_bind_return_entity(L, list->items[(*done)++]);
}

static int list_each(lua_State *L) {
    check_list(L);
    lua_settop(L, 1);
    *(uint32_t *)lua_newuserdata(L, sizeof(uint32_t)) = 0;
    ct_bind_push_iterator(L, "list");
    return 1;
}

static int list_totable(lua_State *L) {
    ct_bind_list *list = check_list(L);
    lua_createtable(L, (int)list->count, 0);
    // The count is read each time: creating the table may have run finalizers.
    for (uint32_t i = 0; i < list->count; ++i)
        ct_bind_store_entity(L, -1, (int)i + 1, list->items[i]);
    return 1;
}

static int list_tostring(lua_State *L) {
    return ct_bind_return_format(L, "cuttle.list (%d entities)", (int)check_list(L)->count);
}

static int new_list(lua_State *L) {
    uint32_t count;
    lua_settop(L, 1);
    // Created first, because the creation may run finalizers.
    ct_bind_list *list = ct_bind_list_new(L);
    if (lua_isnil(L, 1)) return 1;
    const ct_entity *items = ct_bind_check_entity_array(L, 1, &count);
    ct_bind_list_fill(L, list, count, items);
    lua_settop(L, 2);
    return 1;
}

static const luaL_Reg methods[] = {
    {"count", list_count}, {"get", list_get},   {"set", list_set},         {"add", list_add},
    {"clear", list_clear}, {"each", list_each}, {"totable", list_totable}, {NULL, NULL},
};

// ---------------------------------------------------------------- compiled code

// Each returns -1 if the method in C must do it.

static int32_t posted_count(const ct_bind_mailbox *mailbox, const ct_bind_list *list) {
    (void)mailbox;
    return list->count <= INT32_MAX ? (int32_t)list->count : -1;
}

static int32_t posted_clear(const ct_bind_mailbox *mailbox, ct_bind_list *list) {
    (void)mailbox;
    list->count = 0;
    return 0;
}

// Adds the entity in the mailbox.
static int32_t posted_append(const ct_bind_mailbox *mailbox, ct_bind_list *list) {
    int64_t key = ct_bind_posted_key(mailbox);
    if (list->count == list->capacity || key >= 0) return -1;
    list->items[list->count++] = ct_entity_of_key(key);
    return 0;
}

// Returns the slot of the mailbox that has the entity.
static int32_t post_item(const ct_bind_mailbox *mailbox, const ct_bind_list *list, double place) {
    if (!has_place(list, place) || !ct_bind_can_post(mailbox)) return -1;
    return ct_bind_post_entity(mailbox, list->items[(uint32_t)place - 1]);
}

void ct_bind_open_list(lua_State *L) {
    ct_bind_add_step(L, "list", list_next);
    ct_bind_class_new(L, &list_class, methods, list_gc, list_tostring);
    ct_bind_add_pointer(L, "list_pointer", &list_class, false);
    ct_bind_add_address(L, "posted_count", (void (*)(void))posted_count);
    ct_bind_add_address(L, "posted_clear", (void (*)(void))posted_clear);
    ct_bind_add_address(L, "posted_append", (void (*)(void))posted_append);
    ct_bind_add_address(L, "post_item", (void (*)(void))post_item);
    ct_bind_add_function(L, "list", new_list);
}
