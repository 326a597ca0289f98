// Level objects: what one spawn of a resource brought to life, as scripts see it.
// Knows nothing of how entities are created or destroyed.
#include "bind/level/level.h"

#include "bind/level/resource.h"
#include "bind/value/raised.h"

static const ct_bind_kind level_class = {"Level", NULL};

ct_bind_level *ct_bind_level_new(lua_State *L, int world, int resource, size_t bytes) {
    ct_bind_level *level =
        ct_bind_class_object(L, &level_class, sizeof *level + CT_BLOCK_ALIGNMENT + bytes);
    level->world = lua_touserdata(L, world);
    level->core = ct_block_at(level + 1);
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, world);
    lua_setfield(L, -2, "world");
    lua_pushvalue(L, resource);
    lua_setfield(L, -2, "resource");
    lua_setfenv(L, -2);
    return level;
}

// ---------------------------------------------------------------- spawning

// The table 'levels' of the world's environment keeps a level while it is in the world's list.
static void anchor(lua_State *L, int world, const ct_level *level, int object) {
    lua_getfenv(L, world);
    ct_bind_push_subtable(L, "levels");
    lua_pushlightuserdata(L, (void *)level);
    lua_pushvalue(L, object);
    lua_rawset(L, -3);
    lua_pop(L, 2);
}

// level, world -> what ct_bind_prepare_host pushes
static int prepare(lua_State *L) {
    const ct_bind_level *level = lua_touserdata(L, 1);
    ct_bind_prepare_host(L, 2, level->core);
    anchor(L, 2, level->core, 1);
    return 2;
}

// Pushes what the call needs. False with the message on top, and nothing changed.
static bool push_needs(lua_State *L, int level, ct_bind_host_call *call) {
    int top = lua_gettop(L);
    const ct_bind_level *object = lua_touserdata(L, level);
    *call = (ct_bind_host_call){{L, 0, top + 3}, .world = top + 1, .spawners = top + 2};
    // For the spawn itself too, in which nothing may raise.
    if (!lua_checkstack(L, 2 * LUA_MINSTACK)) {
        lua_pushliteral(L, "too many nested callbacks");
        return false;
    }
    ct_bind_push_own(L, level, "world");
    lua_pushcfunction(L, prepare);
    lua_pushvalue(L, level);
    lua_pushvalue(L, call->world);
    if (lua_pcall(L, 2, 2, 0) != 0) {
        ct_bind_raised_message(L, "a finalizer raised no message");
        return false;
    }
    call->resource = object->core->resource;
    return true;
}

// Pushes what a callback raised that failed.
static void push_problem(const ct_bind_host_call *call) {
    lua_State *L = call->told.L;
    lua_pushvalue(L, call->told.error_slot);
    ct_bind_raised_message(L, call->silent != NULL ? call->silent : "a hook raised no message");
    if (call->at_fault != NULL)
        lua_pushfstring(L, "%s: %s", call->at_fault->name, lua_tostring(L, -1));
}

static void push_reason(lua_State *L, int level, const ct_bind_host_call *call, ct_status status,
                        const ct_message *message) {
    const ct_bind_level *object = lua_touserdata(L, level);
    if (object->world->core.over)
        lua_pushliteral(L, BIND_WORLD_OVER);
    else if (call->silent != NULL || !lua_isnil(L, call->told.error_slot))
        push_problem(call);
    else
        lua_pushstring(L, message->text);
    if (status == CT_ERR_OVER || status == CT_ERR_EXISTS) return;
    ct_bind_push_own(L, level, "resource");
    lua_insert(L, -2);
    ct_bind_name_resource(L, lua_gettop(L) - 1);
}

bool ct_bind_level_act(lua_State *L, int level, ct_bind_level_action *action) {
    int top = lua_gettop(L);
    ct_level *core = ((ct_bind_level *)lua_touserdata(L, level))->core;
    ct_status status = CT_ERR_MEMORY;
    ct_bind_host_call call;
    ct_message message;
    if (push_needs(L, level, &call)) {
        status = action(core, &call, &message);
        if (status != CT_OK) push_reason(L, level, &call, status, &message);
    }
    if (status != CT_OK) lua_replace(L, top + 1);
    lua_settop(L, status == CT_OK ? top : top + 1);
    return status == CT_OK;
}

uint32_t ct_bind_level_unload(lua_State *L, int level) {
    int top = lua_gettop(L);
    uint32_t died;
    ct_level *core = ((ct_bind_level *)lua_touserdata(L, level))->core;
    ct_bind_check_thawed(L, core->levels->world->entities);
    ct_bind_push_own(L, level, "world");
    lua_pushnil(L);
    ct_bind_host_call call = {{L, 0, top + 2}, .world = top + 1};
    if (ct_level_unload(core, &call, &died) != CT_OK) lua_error(L);
    lua_settop(L, top);
    return died;
}

// ---------------------------------------------------------------- methods

ct_level *ct_bind_check_level(lua_State *L, int arg) {
    const ct_bind_level *level = ct_bind_check_class(L, arg, &level_class);
    if (level->world->core.over) luaL_error(L, BIND_WORLD_OVER);
    return level->core;
}

static const ct_level *check_level(lua_State *L) { return ct_bind_check_level(L, 1); }

static const ct_level *check_with_resource(lua_State *L) {
    const ct_level *level = check_level(L);
    if (level->resource->over) luaL_error(L, "resource is gone");
    return level;
}

static int count(lua_State *L) {
    lua_pushnumber(L, check_level(L)->count);
    return 1;
}

// A place, counted from 1: any whole number.
static double check_place(lua_State *L) {
    return ct_bind_check_whole(L, 2, -9007199254740991.0, 9007199254740991.0);
}

static int entity(lua_State *L) {
    const ct_level *level = check_level(L);
    double place = check_place(L);
    if (place >= 1 && place <= level->count)
        ct_bind_push_entity(L, ct_level_entity(level, (uint32_t)place - 1));
    else
        lua_pushnil(L);
    return 1;
}

// level:copy_range(k) -> first, count: where the entities of a copy are; nil when there is none
static int copy_range(lua_State *L) {
    const ct_level *level = check_level(L);
    double copy = check_place(L);
    uint32_t copies = ct_level_copies(level);
    if (copy < 1 || copy > copies) {
        lua_pushnil(L);
        return 1;
    }
    uint32_t count = level->count / copies;
    lua_pushnumber(L, (copy - 1) * count + 1);
    lua_pushnumber(L, count);
    return 2;
}

static int roots(lua_State *L) {
    const ct_level *level = check_with_resource(L);
    int pushed = 0;
    lua_newtable(L);
    for (uint32_t i = 0; i < level->count && !level->resource->over; ++i) {
        if (!ct_level_is_root(level, i)) continue;
        ct_bind_push_entity(L, ct_level_entity(level, i));
        lua_rawseti(L, -2, ++pushed);
    }
    return 1;
}

static int list(lua_State *L) {
    const ct_level *level = check_level(L);
    ct_bind_list *out = ct_bind_list_new(L);
    ct_bind_list_reserve(L, out, level->count);
    for (uint32_t i = 0; i < level->count; ++i)
        out->items[i] = ct_level_entity(level, i);
    out->count = level->count;
    return 1;
}

// level:find(path) -> the first living entity of that path, in the resource's order, or nil
static int find(lua_State *L) {
    const ct_level *level = check_with_resource(L);
    ct_entity found;
    luaL_checktype(L, 2, LUA_TSTRING);
    ct_status status = ct_level_find(level, ct_bind_to_text(L, 2), &found);
    if (status != CT_OK) return luaL_error(L, "not enough memory");
    ct_bind_push_entity(L, found);
    return 1;
}

// level:skipped() -> how many instances of each component type were left out
static int skipped(lua_State *L) {
    const ct_level *level = check_with_resource(L);
    lua_newtable(L);
    for (uint32_t i = 0; !level->resource->over && i < level->resource->num_component_types; ++i) {
        const ct_section *section = &level->resource->sections[i];
        if (!level->skipped[i]) continue;
        lua_pushnumber(L, (double)section->num_instances * ct_level_copies(level));
        lua_setfield(L, -2, section->name);
    }
    return 1;
}

// level:unload() -> how many died
static int unload(lua_State *L) {
    check_level(L);
    lua_pushnumber(L, ct_bind_level_unload(L, 1));
    return 1;
}

// level:restart() -> level, or nil and a message
static int restart(lua_State *L) {
    check_level(L);
    lua_settop(L, 1);
    return ct_bind_level_act(L, 1, ct_level_restart) ? 1 : ct_bind_return_failure(L);
}

static int tostring(lua_State *L) {
    const ct_bind_level *level = ct_bind_check_class(L, 1, &level_class);
    lua_pushfstring(L, "Level (%d entities)", (int)level->core->count);
    return 1;
}

static const luaL_Reg methods[] = {
    {"count", count},     {"entity", entity}, {"copy_range", copy_range}, {"list", list},
    {"roots", roots},     {"find", find},     {"skipped", skipped},       {"unload", unload},
    {"restart", restart}, {NULL, NULL},
};

void ct_bind_open_level(lua_State *L) {
    ct_bind_class_new(L, &level_class, methods, NULL, tostring);
}
