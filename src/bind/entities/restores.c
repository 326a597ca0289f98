// Restore callbacks of scripts. The environment of the EntityManager object has them in a table
// 'on_restore', by token.
#include "bind/entities/entities.h"

void ct_bind_notify_restored(const ct_bind_notice *notice, ct_bind_entities *entities) {
    lua_State *L = notice->L;
    ct_callbacks *list = &entities->restored;
    uint32_t youngest = entities->restore_token;
    ct_callbacks_begin(list);
    for (uint32_t i = 0; i < list->count; ++i) {
        if (list->items[i].fn == NULL || list->items[i].token > youngest) continue;
        ct_bind_push_own(L, notice->entities, "on_restore");
        lua_rawgeti(L, -1, (int)list->items[i].token);
        lua_remove(L, -2);
        ct_bind_call_listener(notice, 0);
    }
    ct_callbacks_end(list);
}

static void nothing(void) {}

// entities:on_restore(fn) -> token
static int on_restore(lua_State *L) {
    ct_bind_entities *entities = ct_bind_self_handle(L, &ct_bind_entities_kind);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    ct_bind_check_not_collected(L, entities);
    lua_settop(L, 2);
    ct_bind_push_owned(L, 1);
    ct_bind_push_subtable(L, "on_restore");
    uint32_t token = entities->restore_token + 1;
    ct_bind_copy_item(L, -1, (int)token, 2);
    ct_bind_check_status(
        L, ct_callbacks_add(&entities->restored, entities->core.allocator, nothing, NULL, 0, token),
        "callbacks");
    return ct_bind_return_whole(L, entities->restore_token = token);
}

// entities:off_restore(token) -> whether it was registered
static int off_restore(lua_State *L) {
    ct_bind_entities *entities = ct_bind_self_handle(L, &ct_bind_entities_kind);
    double token = ct_bind_check_whole(L, 2, 1, 2147483647.0);
    bool known = ct_callbacks_remove(&entities->restored, (uint32_t)token);
    if (known) {
        ct_bind_push_own(L, 1, "on_restore");
        lua_pushnil(L);
        lua_rawseti(L, -2, (int)token);
    }
    return ct_bind_return_bool(L, known);
}

const luaL_Reg ct_bind_restore_methods[] = {
    {"on_restore", on_restore}, {"off_restore", off_restore}, {NULL, NULL}};
