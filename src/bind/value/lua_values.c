// Storage of the Lua values of value fields: a table, indexed by the slots of the core's pool.
#include "bind/value/lua_values.h"

#include "storage/value_bytes.h"

#include <string.h>

void ct_bind_open_values(lua_State *L, int world, ct_value_pool *pool) {
    world = ct_bind_absindex(L, world);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    ct_bind_set_own(L, world, "values");
    ct_bind_remember(L, pool);
}

void ct_bind_hold_value(lua_State *L, ct_bind_state *state, ct_value_pool *pool, int index,
                        ct_text *out) {
    ct_value value;
    *out = (ct_text){NULL, 0};
    state->holding = pool;
    if (lua_isnoneornil(L, index)) return;
    lua_pushvalue(L, index);
    ct_bind_check_status(L, ct_value_pool_take(pool, &value), "values");
    ct_bind_recall(L, pool);
    lua_insert(L, -2);
    uint64_t allocations = ct_bind_lua_allocations(state);
    lua_rawseti(L, -2, (int)value.slot);
    ct_bind_uncount(state, allocations);
    lua_pop(L, 1);
    out->length = value.slot;
}

void ct_bind_forget_values(lua_State *L, ct_value_pool *pool) {
    ct_value_pool_release_held(pool);
    if (pool->dropped == 0) return;
    ct_bind_recall(L, pool);
    int table = lua_gettop(L);
    for (uint32_t slot; (slot = ct_value_pool_next_dropped(pool)) != 0;) {
        ct_bind_push_whole(L, slot);
        ct_bind_forget_key(L, table);
    }
    lua_pop(L, 1);
}

static void push_item(lua_State *L, const ct_value_item *item) {
    switch (item->tag) {
    case CT_VALUE_FALSE:
    case CT_VALUE_TRUE: lua_pushboolean(L, item->tag == CT_VALUE_TRUE); break;
    case CT_VALUE_STRING: lua_pushlstring(L, item->text.bytes, item->text.length); break;
    default: ct_bind_push_read(L, item->number);
    }
}

// ct_text -> the value of these bytes, which are valid and do not move
static int decode(lua_State *L) {
    const ct_text *bytes = lua_touserdata(L, 1);
    ct_value_cursor cursor;
    ct_value_item item;
    luaL_checkstack(L, 2 * (int)CT_MAX_VALUE_DEPTH + LUA_MINSTACK, "value is nested too deep");
    ct_value_walk(&cursor, *bytes);
    for (;;) {
        ct_value_step step = ct_value_next(&cursor, &item);
        if (step == CT_VALUE_END || step == CT_VALUE_DAMAGED) return 1;
        if (step == CT_VALUE_BEGIN) {
            lua_createtable(L, (int)item.items, (int)item.pairs);
            continue;
        }
        if (step == CT_VALUE_ITEM) push_item(L, &item);
        if (item.place == CT_VALUE_INDEX) lua_rawseti(L, -2, (int)item.index);
        if (item.place == CT_VALUE_PAIR) lua_rawset(L, -3);
    }
}

// Pushes the value in a slot.
static void push_kept(lua_State *L, const ct_value_pool *pool, ct_value value) {
    ct_bind_recall(L, pool);
    lua_rawgeti(L, -1, (int)value.slot);
    lua_remove(L, -2);
}

// Stores the value on top, which was decoded from the bytes of a slot. A finalizer may have freed
// the slot meanwhile, or decoded the value; the earlier value then replaces this one.
static void keep(lua_State *L, ct_value_pool *pool, ct_value value, uint32_t serial) {
    if (!ct_value_pool_has(pool, value) || pool->slots[value.slot].serial != serial) return;
    if (ct_value_pool_bytes_of(pool, value).bytes == NULL) {
        lua_pop(L, 1);
        push_kept(L, pool, value);
        return;
    }
    ct_bind_recall(L, pool);
    ct_bind_copy_item(L, -1, (int)value.slot, -2);
    lua_pop(L, 1);
    ct_value_pool_decoded(pool, value);
}

static void push_decoded(lua_State *L, ct_value_pool *pool, ct_value value, ct_text bytes) {
    char few[512];
    uint32_t serial = pool->slots[value.slot].serial;
    const ct_allocator *allocator = &ct_bind_state_of(L)->allocator;
    char *copy = bytes.length <= sizeof few ? few : ct_alloc(allocator, bytes.length);
    if (copy == NULL) luaL_error(L, "not enough memory");
    bytes.bytes = memcpy(copy, bytes.bytes, bytes.length);
    // Protected, because an error would leak the copy.
    lua_pushlightuserdata(L, &bytes);
    int problem = ct_bind_call_protected(L, decode, 1, 1);
    if (copy != few) ct_free(allocator, copy, bytes.length);
    if (problem != 0) lua_error(L);
    keep(L, pool, value, serial);
}

void ct_bind_push_value(lua_State *L, ct_value_pool *pool, ct_value value) {
    ct_text bytes = ct_value_pool_bytes_of(pool, value);
    if (bytes.bytes != NULL)
        push_decoded(L, pool, value, bytes);
    else if (ct_value_pool_has(pool, value))
        push_kept(L, pool, value);
    else
        lua_pushnil(L);
}
