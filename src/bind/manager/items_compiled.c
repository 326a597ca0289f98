// Items that LuaJIT compiles: their description for the factory, and functions of the core that
// they call without the Lua API.
#include "bind/manager/items.h"

#include "bind/value/compiled.h"
#include "bind/value/values.h"
#include "storage/manager_access.h"

#include <math.h>

// Functions of the core for items that LuaJIT compiles, without the Lua API. If one of them fails,
// compiled code calls the metamethod in C, which raises.

// Reads a lane of a field of numbers, bools or labels; returns NaN on failure.
static double read_lane(ct_bind_cursor *c, uint32_t field, uint32_t lane) {
    double numbers[CT_MAX_ITEM_BYTES / sizeof(float)];
    if (!ct_bind_cursor_is_open(c)) return NAN;
    ct_manager_read_numbers(c->manager->core, field, ct_bind_cursor_row(c), numbers);
    return numbers[lane];
}

// The next functions return 1 on success, else 0.
static int32_t write_lane(ct_bind_cursor *c, uint32_t field, uint32_t lane, double value) {
    double numbers[CT_MAX_ITEM_BYTES / sizeof(float)];
    if (!ct_bind_cursor_is_writable(c)) return 0;
    ct_manager_read_numbers(c->manager->core, field, ct_bind_cursor_row(c), numbers);
    numbers[lane] = value;
    return ct_manager_write_numbers(c->manager->core, field, ct_bind_cursor_row(c), numbers) ==
           CT_OK;
}

static int32_t write_lanes(ct_bind_cursor *c, uint32_t field, double x, double y, double z,
                           double w) {
    const double numbers[] = {x, y, z, w};
    return ct_bind_cursor_is_writable(c) &&
           ct_manager_write_numbers(c->manager->core, field, ct_bind_cursor_row(c), numbers) ==
               CT_OK;
}

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

void ct_bind_compile_item(lua_State *L, ct_bind_cursor *cursor) {
    int object = lua_gettop(L);
    if (!ct_bind_push_maker(L, "item")) return;
    lua_pushvalue(L, object);
    lua_pushlstring(L, (const char *)&cursor, sizeof(void *));
    push_fields(L, cursor->manager->core);
    lua_call(L, 3, 1);
    if (!lua_isnil(L, -1)) lua_replace(L, object);
    lua_settop(L, object);
}

void ct_bind_open_compiled_items(lua_State *L) {
    ct_bind_add_address(L, "read_lane", (void (*)(void))read_lane);
    ct_bind_add_address(L, "write_lane", (void (*)(void))write_lane);
    ct_bind_add_address(L, "write_lanes", (void (*)(void))write_lanes);
    ct_bind_add_offset(L, "at", offsetof(ct_store, columns.at));
    ct_bind_add_offset(L, "moves", offsetof(ct_store, columns.moves));
}
