// cuttle.entity_id and related functions: arithmetic on ids.
#include "bind/value/check.h"

static int entity_id(lua_State *L) {
    return ct_bind_return_whole(L, ct_bind_check_entity(L, 1).id);
}

static int entity_from_id(lua_State *L) {
    return ct_bind_return_entity(
        L, (ct_entity){(uint32_t)ct_bind_check_whole(L, 1, 0, (1u << 30) - 1.0)});
}

static int entity_index(lua_State *L) {
    return ct_bind_return_whole(L, ct_entity_index(ct_bind_check_entity(L, 1)));
}

static int entity_generation(lua_State *L) {
    return ct_bind_return_whole(L, ct_entity_generation(ct_bind_check_entity(L, 1)));
}

static int is_entity(lua_State *L) {
    ct_entity e;
    luaL_checkany(L, 1);
    return ct_bind_return_bool(L, ct_bind_to_entity(L, 1, &e));
}

static int tag(lua_State *L) {
    luaL_checkany(L, 1);
    if (lua_type(L, 1) == LUA_TLIGHTUSERDATA)
        return ct_bind_return_whole(L, (uint32_t)(uintptr_t)lua_touserdata(L, 1) & 3u);
    return ct_bind_return_nil(L);
}

static int entity_tostring(lua_State *L) {
    ct_bind_push_entity_name(L, ct_bind_check_entity(L, 1));
    return 1;
}

// __tostring of all light userdata; upvalue 1 is the previous one.
static int pretty_tostring(lua_State *L) {
    ct_entity e;
    if (ct_bind_to_entity(L, 1, &e)) {
        ct_bind_push_entity_name(L, e);
        return 1;
    }
    if (!lua_isnil(L, lua_upvalueindex(1))) {
        lua_settop(L, 1);
        lua_pushvalue(L, lua_upvalueindex(1));
        lua_insert(L, 1);
        lua_call(L, 1, 1);
        return 1;
    }
    return ct_bind_return_format(L, "%s: %p", luaL_typename(L, 1), lua_topointer(L, 1));
}

// All light userdata of a state share one metatable. It is created if there is none, and only its
// __tostring is changed.
static int pretty_entities(lua_State *L) {
    lua_pushlightuserdata(L, NULL);
    if (!lua_getmetatable(L, -1)) lua_newtable(L);
    lua_getfield(L, -1, "__tostring");
    if (lua_tocfunction(L, -1) == pretty_tostring) return 0;
    lua_pushcclosure(L, pretty_tostring, 1);
    lua_setfield(L, -2, "__tostring");
    lua_setmetatable(L, -2);
    return 0;
}

static const luaL_Reg functions[] = {
    {"entity_id", entity_id},
    {"entity_from_id", entity_from_id},
    {"entity_index", entity_index},
    {"entity_generation", entity_generation},
    {"is_entity", is_entity},
    {"tag", tag},
    {"entity_tostring", entity_tostring},
    {"pretty_entities", pretty_entities},
    {NULL, NULL},
};

void ct_bind_open_entity(lua_State *L) {
    ct_bind_set_functions(L, functions);
    ct_bind_add_whole(L, "ENTITY_INDEX_BITS", CT_ENTITY_INDEX_BITS);
    ct_bind_add_whole(L, "ENTITY_GENERATION_BITS", CT_ENTITY_GENERATION_BITS);
    ct_bind_add_whole(L, "ENTITY_TAG", CT_ENTITY_TAG);
    ct_bind_add_whole(L, "MAX_ENTITIES", CT_MAX_ENTITIES);
    ct_bind_add_whole(L, "NOBODY", CT_NOBODY);
}
