// Compiled column views: what they are told, and how they are cut off from what goes.
// Knows nothing of what a view does with an address.
#include "bind/manager/column.h"

#include "bind/value/compiled.h"

static void set_address(lua_State *L, const char *name, const void *address) {
    lua_pushlstring(L, (const char *)&address, sizeof address);
    lua_setfield(L, -2, name);
}

static void set_number(lua_State *L, const char *name, double value) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

// A number under which no view was ever entered.
static double draw_key(lua_State *L) {
    ct_bind_push_compiled(L);
    lua_getfield(L, -1, "last_key");
    double key = lua_tonumber(L, -1) + 1;
    lua_pop(L, 1);
    set_number(L, "last_key", key);
    lua_pop(L, 1);
    return key;
}

// What a compiled view needs to know, as a table. 'data' is where the address of the column
// stands, since that one changes when the manager grows; 'twin' a C view for all but the common
// case; 'direct' says that writing an item has no consequences. Where 'settled' is not
// 'deaths', the column waits for a call of the twin.
static void push_description(lua_State *L, const ct_manager *core, const ct_field *field,
                             double key, int twin) {
    lua_createtable(L, 0, 11);
    lua_pushstring(L, ct_field_info_of(field->type)->name);
    lua_setfield(L, -2, "type");
    lua_pushboolean(L, !field->read_only && core->type->write == NULL);
    lua_setfield(L, -2, "direct");
    lua_pushvalue(L, twin);
    lua_setfield(L, -2, "twin");
    set_number(L, "key", key);
    set_number(L, "offset", field->offset);
    set_number(L, "stride", core->store.columns.width[field->column]);
    set_address(L, "data", &core->store.columns.at[field->column]);
    set_address(L, "count", &core->store.columns.count);
    set_address(L, "epoch", &core->store.epoch);
    if (core->type->settle == NULL) return;
    set_address(L, "settled", &core->settled);
    set_address(L, "deaths", &core->store.entities->tail);
}

// The live view of a key: the addresses are taken away, and what is at 'why' is left instead.
static void cut_off(lua_State *L, int live, double key, int why) {
    lua_pushnumber(L, key);
    lua_pushnumber(L, key);
    lua_rawget(L, live);
    bool present = !lua_isnil(L, -1);
    lua_pop(L, 1);
    lua_pushvalue(L, why);
    if (present)
        lua_rawset(L, live); // an entry there is: nothing is allocated
    else
        lua_pop(L, 2);
}

// The environment of a manager object has a table 'views': field -> compiled view, so that
// asking again makes no new one, and key -> true for each of them.
void ct_bind_detach_views(lua_State *L, int index) {
    const ct_bind_manager *manager = lua_touserdata(L, index);
    int top = lua_gettop(L);
    ct_bind_push_own(L, index, "over"); // the text of 'over', or nil for the usual
    ct_bind_push_live_views(L);
    ct_bind_push_own(L, index, "views");
    CT_ASSERT(manager->over != NULL);
    (void)manager;
    lua_pushnil(L);
    while (lua_next(L, top + 3) != 0) {
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TNUMBER) cut_off(L, top + 2, lua_tonumber(L, -1), top + 1);
    }
    lua_settop(L, top);
}

// The maker enters its addresses among the live views and returns the view.
void ct_bind_compile_view(lua_State *L, int index, const ct_bind_manager *manager, uint32_t field) {
    int twin = lua_gettop(L);
    const ct_field *f = &manager->core->fields[field];
    if (!ct_bind_push_maker(L, "view")) return;
    ct_bind_push_own(L, index, "views"); // twin + 2
    lua_getfield(L, -1, f->name);
    if (lua_isnil(L, -1)) {
        double key = draw_key(L);
        lua_pop(L, 1);
        // Before the addresses are out: whoever ends the manager finds them.
        lua_pushnumber(L, key);
        lua_pushboolean(L, 1);
        lua_rawset(L, twin + 2);
        lua_pushvalue(L, twin + 1);
        push_description(L, manager->core, f, key, twin);
        lua_call(L, 1, 1);
        if (manager->over != NULL) ct_bind_detach_views(L, index);
        if (!lua_isnil(L, -1)) {
            lua_pushvalue(L, -1);
            lua_setfield(L, twin + 2, f->name);
        }
    }
    if (!lua_isnil(L, -1)) lua_replace(L, twin);
    lua_settop(L, twin);
}
