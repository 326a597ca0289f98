// Level objects of scripts: the entities of one spawn of a resource.
#include "bind/level/level.h"

#include "bind/resource/resource.h"
#include "bind/value/push_bytes.h"
#include "level/level_state.h"

static const ct_bind_kind level_class = {"Level"};

ct_bind_level *ct_bind_level_new(lua_State *L, int world, int resource, size_t bytes) {
    ct_bind_level *level =
        ct_bind_object_new(L, &level_class, sizeof *level + CT_BLOCK_ALIGNMENT + bytes);
    level->world = ct_bind_world_of(L, world);
    level->core = ct_block_at(level + 1);
    lua_createtable(L, 0, 2);
    ct_bind_copy_field(L, -1, "world", world);
    ct_bind_copy_field(L, -1, "resource", resource);
    ct_bind_set_owned(L, -2);
    return level;
}

// ---------------------------------------------------------------- spawning

// Pushes the Resource of the next spawn, and for the other resource of a level from a save also the
// values of ct_bind_new_room. Returns false with the message pushed.
static bool push_source(lua_State *L, int level, ct_resource **source, void **room) {
    const ct_level *core = ((const ct_bind_level *)lua_touserdata(L, level))->core;
    ct_message message;
    *room = NULL;
    *source = core->resource;
    ct_bind_push_level_resource(L, level);
    if (!core->resource->names_only || core->other == NULL) return true;
    *source = core->other;
    lua_pop(L, 1);
    ct_bind_push_own(L, level, "other");
    if (ct_spawner_check_count(core->levels->world, core->other, &core->options, &message) ==
        CT_OK) {
        size_t bytes = ct_patch_bytes(core, core->other);
        *room = ct_bind_new_room(L, level, lua_gettop(L), bytes);
        return true;
    }
    lua_pushstring(L, message.text);
    ct_bind_name_resource(L, lua_gettop(L) - 1);
    return false;
}

bool ct_bind_level_act(lua_State *L, int level, ct_bind_level_action *action) {
    int top = lua_gettop(L);
    ct_level *core = ((ct_bind_level *)lua_touserdata(L, level))->core;
    ct_status status = CT_ERR_MEMORY;
    ct_bind_host_call call;
    ct_message message;
    ct_resource *source;
    void *room;
    bool ready;
    do { // a finalizer may patch the level meanwhile
        lua_settop(L, top);
        ready = push_source(L, level, &source, &room) &&
                ct_bind_level_push_needs(L, level, source, &call);
    } while (ready && source != core->resource && source != core->other);
    if (ready) {
        status = room != NULL ? ct_level_restart_lent(core, room, &call, &message)
                              : action(core, &call, &message);
        if (status == CT_OK && room != NULL) ct_bind_take_room(L, level, top + 3);
        if (status != CT_OK) {
            ct_bind_level_push_reason(L, level, top + 1, &call, status, &message);
        } else if (call.silent != NULL) { // a callback for an old entity failed
            ct_bind_level_push_problem(&call);
            lua_error(L);
        }
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
    ct_bind_push_level_world(L, level);
    lua_pushnil(L);
    ct_bind_host_call call = {{L, 0, top + 2}, .world = top + 1};
    if (ct_level_unload(core, &call, &died) != CT_OK) lua_error(L);
    lua_settop(L, top);
    return died;
}

// ---------------------------------------------------------------- methods

ct_level *ct_bind_check_level(lua_State *L, int arg) {
    const ct_bind_level *level = ct_bind_check(L, arg, &level_class);
    if (level->world->core.destroyed) luaL_error(L, BIND_WORLD_DESTROYED);
    return level->core;
}

static const ct_level *check_level(lua_State *L) { return ct_bind_check_level(L, 1); }

static const ct_level *check_with_resource(lua_State *L) {
    const ct_level *level = check_level(L);
    if (level->resource->freed) luaL_error(L, "resource is gone");
    return level;
}

static int count(lua_State *L) { return ct_bind_return_whole(L, check_level(L)->count); }

// level:name() -> the name of its spawn, or of its resource
static int name(lua_State *L) {
    ct_text text = ct_level_name(check_level(L));
    return ct_bind_return_bytes(L, text.bytes, text.length);
}

// core.level_is_from_save(level) -> boolean
static int is_from_save(lua_State *L) { return ct_bind_return_bool(L, check_level(L)->from_save); }

// Checks a place, counted from 1: any whole number.
static double check_place(lua_State *L) {
    return ct_bind_check_whole(L, 2, -CT_BIND_LARGEST_WHOLE, CT_BIND_LARGEST_WHOLE);
}

static int entity(lua_State *L) {
    const ct_level *level = check_level(L);
    double place = check_place(L);
    if (place >= 1 && place <= level->count)
        return ct_bind_return_entity(L, ct_level_entity(level, (uint32_t)place - 1));
    return ct_bind_return_nil(L);
}

// level:copy_range(k) -> place of the first entity of copy k, number of entities; nil if there is
// no such copy
static int copy_range(lua_State *L) {
    const ct_level *level = check_with_resource(L);
    double copy = check_place(L);
    uint32_t copies = ct_level_copies(level);
    if (copy < 1 || copy > copies) return ct_bind_return_nil(L);
    uint32_t count = level->count / copies;
    ct_bind_push_whole(L, (copy - 1) * count + 1);
    ct_bind_push_whole(L, count);
    return 2;
}

static int roots(lua_State *L) {
    const ct_level *level = check_with_resource(L);
    int pushed = 0;
    lua_newtable(L);
    for (uint32_t i = 0; i < level->count && !level->resource->freed; ++i) {
        if (!ct_level_is_root(level, i)) continue;
        ct_bind_store_entity(L, -1, ++pushed, ct_level_entity(level, i));
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

// level:find(path) -> the first living entity that matches the path, in the order of the resource,
// or nil
static int find(lua_State *L) {
    const ct_level *level = check_with_resource(L);
    ct_entity found;
    luaL_checktype(L, 2, LUA_TSTRING);
    ct_status status = ct_level_find(level, ct_bind_to_text(L, 2), &found);
    if (status != CT_OK) return luaL_error(L, "not enough memory");
    return ct_bind_return_entity(L, found);
}

// level:skipped() -> the number of instances that were left out, per component type
static int skipped(lua_State *L) {
    const ct_level *level = check_with_resource(L);
    lua_newtable(L);
    for (uint32_t i = 0; !level->resource->freed && i < level->resource->num_component_types; ++i) {
        const ct_section *section = &level->resource->sections[i];
        if (!level->skipped[i]) continue;
        ct_bind_push_whole(L, (double)section->num_instances * ct_level_copies(level));
        lua_setfield(L, -2, section->name);
    }
    return 1;
}

// level:unload() -> number of destroyed entities
static int unload(lua_State *L) {
    check_level(L);
    return ct_bind_return_whole(L, ct_bind_level_unload(L, 1));
}

// level:release(e) -> level
static int release(lua_State *L) {
    ct_level *level = ct_bind_check_level(L, 1);
    const ct_world *world = level->levels->world;
    ct_entity e = ct_bind_check_entity(L, 2);
    ct_message message;
    ct_bind_check_thawed(L, world->entities);
    ct_bind_check_alive(L, 2, e, world);
    ct_status status = ct_level_remove_entity(level, e, &message);
    if (status == CT_ERR_DATA) return ct_bind_raise_arg(L, 2, "%s", message.text);
    if (status != CT_OK) return luaL_error(L, "%s", message.text);
    lua_settop(L, 1);
    return 1;
}

// level:restart() -> level, or nil and a message
static int restart(lua_State *L) {
    check_level(L);
    lua_settop(L, 1);
    return ct_bind_level_act(L, 1, ct_level_restart) ? 1 : ct_bind_return_failure(L);
}

// level:save() -> string, or nil and a message
static int save(lua_State *L) {
    ct_level *level = ct_bind_check_level(L, 1);
    const ct_allocator *allocator = level->levels->world->allocator;
    ct_writer out;
    ct_message message;
    lua_settop(L, 1);
    luaL_checkstack(L, 2 * LUA_MINSTACK, "too many nested callbacks");
    ct_bind_push_level_world(L, 1);
    lua_pushnil(L); // slot for the error
    ct_bind_host_call call = {{L, 0, 3}, .world = 2};
    ct_writer_init(&out, allocator, false);
    ct_status status = ct_level_save(level, &call, &out, &message);
    if (status == CT_OK) {
        ct_bind_push_bytes(L, &out, status, "a state", 0);
        return 1;
    }
    ct_writer_free(&out);
    if (lua_isnil(L, 3)) return ct_bind_return_message(L, message.text);
    ct_bind_level_push_problem(&call);
    return luaL_error(L, "%s: %s", message.text, lua_tostring(L, -1));
}

// core.level_left(level) -> texts, each followed by a zero byte
static int left(lua_State *L) {
    const ct_level *level = check_with_resource(L);
    ct_writer notes;
    ct_writer_init(&notes, level->levels->world->allocator, false);
    ct_bind_push_bytes(L, &notes, ct_level_left(level, &notes), "a list", 0);
    return 1;
}

static int tostring(lua_State *L) {
    const ct_bind_level *level = ct_bind_check(L, 1, &level_class);
    return ct_bind_return_format(L, "Level (%d entities)", (int)level->core->count);
}

static const luaL_Reg methods[] = {
    {"count", count},     {"entity", entity}, {"copy_range", copy_range},
    {"list", list},       {"roots", roots},   {"find", find},
    {"skipped", skipped}, {"unload", unload}, {"restart", restart},
    {"release", release}, {"save", save},     {"name", name},
    {NULL, NULL},
};

void ct_bind_open_level(lua_State *L) {
    ct_bind_class_new(L, &level_class, methods, NULL, tostring);
    ct_bind_add_function(L, "level_left", left);
    ct_bind_add_function(L, "level_is_from_save", is_from_save);
}
