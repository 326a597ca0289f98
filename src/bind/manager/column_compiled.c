// Compiled column views: their description for the factory, and their detachment at the manager's
// end.
#include "bind/manager/column.h"

#include "bind/value/compiled.h"
#include "storage/manager_access.h"

#include <string.h>

// Pushes the arguments of the factory of views: the type of the field (for an enum with the number
// of labels), its ct_column_window, whether an item can be written without side effects, the key,
// and a C view for uncommon cases.
static void push_description(lua_State *L, ct_manager *core, uint32_t field, double key,
                             int c_view) {
    const ct_column_window window = ct_manager_window(core, field);
    const ct_field *f = &core->fields[field];
    if (f->type == CT_FIELD_ENUM)
        lua_pushfstring(L, "enum %d", (int)f->label_count);
    else
        lua_pushstring(L, ct_field_info_of(f->type)->name);
    lua_pushlstring(L, (const char *)&window, sizeof window);
    lua_pushboolean(L, core->fields[field].in_place ||
                           (!core->fields[field].read_only && core->type->write == NULL));
    ct_bind_push_whole(L, key);
    lua_pushvalue(L, c_view);
}

// Replaces the addresses of the live view of a key by the text at 'why'.
static void detach_view(lua_State *L, int live, double key, int why) {
    ct_bind_push_whole(L, key);
    lua_pushvalue(L, why);
    ct_bind_replace_value(L, live);
}

// Pushes the table 'views' of the table that Lua keeps for the manager, or nil: field -> compiled
// view, so that each is created once; key -> true for each view; 0 -> the error message after the
// component was defined again.
static void push_views(lua_State *L, const ct_bind_manager *manager) {
    ct_bind_recall_manager_table(L, manager);
    if (lua_isnil(L, -1)) return;
    lua_getfield(L, -1, "views");
    lua_remove(L, -2);
}

void ct_bind_detach_views(lua_State *L, const ct_bind_manager *manager) {
    int top = lua_gettop(L);
    CT_ASSERT(manager->destroyed != NULL);
    push_views(L, manager);
    if (lua_istable(L, top + 1)) {
        ct_bind_push_live_views(L);
        lua_rawgeti(L, top + 1, 0);
        if (strcmp(manager->destroyed, BIND_DEFINED_AGAIN) != 0) {
            lua_pop(L, 1);
            lua_pushnil(L); // the default text
        }
        for (lua_pushnil(L); lua_next(L, top + 1) != 0;) {
            lua_pop(L, 1);
            if (lua_type(L, -1) == LUA_TNUMBER && lua_tonumber(L, -1) > 0)
                detach_view(L, top + 2, lua_tonumber(L, -1), top + 3);
        }
    }
    lua_settop(L, top);
}

// The factory adds its addresses to the live views and returns the view.
void ct_bind_compile_view(lua_State *L, const ct_bind_manager *manager, uint32_t field) {
    int c_view = lua_gettop(L);
    const ct_field *f = &manager->core->fields[field];
    if (f->computed || !ct_bind_push_maker(L, "view")) return;
    ct_bind_push_manager_table(L, manager);
    ct_bind_push_subtable(L, "views");
    lua_remove(L, -2); // c_view + 2
    lua_getfield(L, -1, f->name);
    if (lua_isnil(L, -1)) {
        double key = ++manager->state->views;
        lua_pop(L, 1);
        lua_pushfstring(L, BIND_DEFINED_AGAIN, manager->core->name);
        lua_rawseti(L, c_view + 2, 0);
        // Before the factory gets the addresses, so that the end of the manager finds the key.
        ct_bind_push_whole(L, key);
        lua_pushboolean(L, 1);
        lua_rawset(L, c_view + 2);
        lua_pushvalue(L, c_view + 1);
        push_description(L, manager->core, field, key, c_view);
        lua_call(L, 5, 1);
        if (manager->destroyed != NULL) ct_bind_detach_views(L, manager);
        if (!lua_isnil(L, -1)) {
            ct_bind_copy_field(L, c_view + 2, f->name, -1);
        }
    }
    if (!lua_isnil(L, -1)) lua_replace(L, c_view);
    lua_settop(L, c_view);
}
