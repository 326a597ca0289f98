// Items that LuaJIT compiles: their description for the factory. They call functions of the core;
// if one of these fails, they call the metamethod in C, which raises.
#include "bind/manager/loops.h"

#include "bind/value/compiled.h"
#include "bind/value/values.h"
#include "storage/manager_access.h"

// Pushes a table with the fields of a manager for the factory of items: name, type (for an enum
// with the labels in place of the number), column, and how an item is read and written: "column",
// "direct" (also written in the column) or "call".
static void push_fields(lua_State *L, const ct_manager *core) {
    lua_createtable(L, (int)core->field_count * 4, 0);
    int place = 0, table = lua_gettop(L);
    for (uint32_t f = 0; f < core->field_count; ++f) {
        const ct_field *field = &core->fields[f];
        bool direct = ct_manager_stores(core, field);
        lua_pushstring(L, field->name);
        lua_pushstring(L, ct_field_info_of(field->type)->name);
        ct_bind_push_whole(L, field->column);
        lua_pushstring(L, !ct_manager_loads(core, field) ? "call" : direct ? "direct" : "column");
        if (field->type == CT_FIELD_ENUM) {
            ct_bind_push_labels(L, field);
            lua_replace(L, table + 2);
        }
        for (int i = 4; i > 0; --i)
            lua_rawseti(L, table, place + i);
        place += 4;
    }
}

void ct_bind_compile_item(lua_State *L, ct_cursor *cursor) {
    int object = lua_gettop(L);
    if (!ct_bind_push_maker(L, "item")) return;
    lua_pushvalue(L, object);
    lua_pushlstring(L, (const char *)&cursor, sizeof(void *));
    push_fields(L, cursor->manager);
    lua_call(L, 3, 1);
    if (!lua_isnil(L, -1)) lua_replace(L, object);
    lua_settop(L, object);
}

void ct_bind_open_compiled_items(lua_State *L) {
    ct_bind_add_address(L, "read_lane", (void (*)(void))ct_cursor_read_lane);
    ct_bind_add_address(L, "write_lane", (void (*)(void))ct_cursor_write_lane);
    ct_bind_add_address(L, "write_lanes", (void (*)(void))ct_cursor_write_lanes);
    ct_bind_add_offset(L, "at", offsetof(ct_store, columns.at));
    ct_bind_add_offset(L, "moves", offsetof(ct_store, columns.moves));
}
