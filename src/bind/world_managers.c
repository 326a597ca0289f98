// The managers of a world as scripts find them: by name, as fields, in spawn order; how their
// objects come and go. Knows nothing of any one component.
#include "bind/column.h"
#include "bind/manager.h"
#include "bind/record.h"
#include "bind/world.h"

void ct_bind_push_managers(lua_State *L, int world) {
    lua_getfenv(L, world);
    lua_getfield(L, -1, "managers");
    lua_remove(L, -2);
}

void ct_bind_push_manager(lua_State *L, int world, const ct_manager *core) {
    ct_bind_push_managers(L, world);
    lua_getfield(L, -1, core->name);
    lua_remove(L, -2);
    // Only a finalizer can ask for one whose object is still being made.
    if (lua_isnil(L, -1)) luaL_error(L, "world is in use");
}

// managers[name] and world.name become the object on top, which stays there: the second, which
// scripts see, at last, when nothing can fail any more. What else is called world.name (a method,
// the entities) keeps its place.
static void enter_object(lua_State *L, int world, const char *name) {
    int object = lua_gettop(L);
    ct_bind_push_managers(L, world);
    ct_bind_push_methods(L, world);
    lua_getfield(L, object + 1, name);
    lua_getfield(L, object + 2, name);
    bool named = lua_isnil(L, -1) || lua_rawequal(L, -1, -2);
    lua_pushvalue(L, object);
    lua_setfield(L, object + 1, name);
    if (named) {
        lua_pushvalue(L, object);
        lua_setfield(L, object + 2, name);
    }
    lua_settop(L, object);
}

typedef struct adoption {
    ct_manager *core;
    ct_bind_manager *object; // once it stands for the core
} adoption;

// world, adoption -> object. Protected: what follows a failure is the caller's.
int ct_bind_adopt(lua_State *L) {
    adoption *a = lua_touserdata(L, 2);
    ct_bind_world *world = lua_touserdata(L, 1);
    ct_bind_manager_new(L, 1, a->core);
    a->object = lua_touserdata(L, -1);
    enter_object(L, 1, a->core->name);
    a->object->next = world->managers;
    world->managers = a->object;
    return 1;
}

bool ct_bind_adopt_manager(lua_State *L, int world, ct_manager *core) {
    world = ct_bind_absindex(L, world);
    ct_bind_world *object = lua_touserdata(L, world);
    adoption a = {core, NULL};
    // Kept ready, since making it now might run a finalizer that ends the manager.
    lua_getfenv(L, world);
    lua_getfield(L, -1, "adopt");
    lua_replace(L, -2);
    lua_pushvalue(L, world);
    lua_pushlightuserdata(L, &a);
    // In the middle of it a finalizer may not end the world, nor replace the manager.
    object->busy++;
    int problem = lua_pcall(L, 2, 1, 0);
    object->busy--;
    if (problem == 0) return true;
    if (a.object != NULL) a.object->core = NULL;
    ct_world_remove(&object->core, core);
    return false;
}

void ct_bind_retire_manager(lua_State *L, int world, int object, const char *why) {
    ct_bind_world *owner = lua_touserdata(L, world);
    ct_bind_manager *manager = lua_touserdata(L, object);
    ct_bind_manager **link = &owner->managers;
    while (*link != manager)
        link = &(*link)->next;
    *link = manager->next;
    ct_bind_detach_views(L, object);
    ct_manager *core = manager->core;
    manager->core = NULL;
    manager->gone = why;
    ct_world_remove(&owner->core, core);
}

void ct_bind_push_named_manager(lua_State *L, int world, int arg) {
    const ct_bind_world *object = lua_touserdata(L, world);
    if (lua_type(L, arg) == LUA_TSTRING) {
        const char *name = lua_tostring(L, arg);
        const ct_manager *core = ct_world_find(&object->core, name);
        if (core != NULL) {
            ct_bind_push_manager(L, world, core);
            return;
        }
        ct_bind_push_unknown_component(L, &object->core, name);
        ct_bind_arg_error(L, arg);
    }
    const void *given = lua_type(L, arg) == LUA_TUSERDATA ? lua_touserdata(L, arg) : NULL;
    for (const ct_bind_manager *m = object->managers; m != NULL && given != NULL; m = m->next) {
        if (m != given) continue;
        lua_pushvalue(L, arg);
        return;
    }
    const ct_bind_manager *other = ct_bind_is_manager(L, arg) ? given : NULL;
    if (other != NULL && other->core == NULL) ct_bind_raise_gone(L, other);
    lua_pushfstring(L, "component manager of this world or its name expected, got %s",
                    ct_bind_type_name(L, arg));
    ct_bind_arg_error(L, arg);
}

void ct_bind_push_unknown_component(lua_State *L, const ct_world *world, const char *name) {
    const char *names[64];
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->manager_count && count < 64; ++i)
        names[count++] = world->managers[i]->name;
    ct_bind_push_unknown(L, "component", name, names, count);
}

// world:manager(name) -> manager or nil
static int manager(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    const ct_manager *core = ct_world_find(&world->core, luaL_checkstring(L, 2));
    if (core == NULL)
        lua_pushnil(L);
    else
        ct_bind_push_manager(L, 1, core);
    return 1;
}

// upvalues: the world, how many were handed out
static int next_manager(lua_State *L) {
    ct_bind_world *world = lua_touserdata(L, lua_upvalueindex(1));
    uint32_t place = (uint32_t)lua_tonumber(L, lua_upvalueindex(2));
    if (!world->alive) return luaL_error(L, "world is destroyed");
    if (place >= world->core.manager_count) return 0;
    lua_pushnumber(L, place + 1.0);
    lua_replace(L, lua_upvalueindex(2));
    const ct_manager *core = world->core.managers[place];
    // The object first: it keeps the name, whatever a finalizer does now.
    lua_settop(L, 0);
    lua_pushvalue(L, lua_upvalueindex(1));
    ct_bind_push_manager(L, 1, core);
    lua_pushstring(L, core->name);
    lua_insert(L, 2);
    return 2;
}

// world:managers() -> iterator of name, manager, in spawn order
static int managers(lua_State *L) {
    ct_bind_world_self(L);
    lua_settop(L, 1);
    lua_pushnumber(L, 0);
    lua_pushcclosure(L, next_manager, 2);
    return 1;
}

const luaL_Reg ct_bind_manager_methods[] = {
    {"manager", manager}, {"managers", managers}, {NULL, NULL}};
