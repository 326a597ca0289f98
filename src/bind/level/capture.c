// world:capture: living entities as a compiled resource.
#include "level/capture.h"

#include "bind/level/level.h"
#include "bind/value/list.h"
#include "bind/value/options.h"
#include "bind/value/push_bytes.h"

// Stack indices of the arguments and of the values for the core call.
enum { LIST = 2, OPTIONS, ENTITIES, ERROR };

static void check_alive(lua_State *L, const ct_world *world, const ct_entity *list,
                        uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (ct_entity_manager_alive(world->entities, list[i])) continue;
        ct_bind_push_dead(L, list[i], world);
        ct_bind_raise_arg(L, LIST, "[%d]: %s", (int)i + 1, lua_tostring(L, -1));
    }
}

// world:capture(list [, options]) -> blob
static int capture(lua_State *L) {
    ct_writer out;
    ct_message message;
    uint32_t count;
    ct_bind_world_self(L);
    lua_settop(L, OPTIONS);
    bool lenient = ct_bind_read_flag(L, OPTIONS, "capture");
    luaL_checkstack(L, 2 * LUA_MINSTACK, "too many nested callbacks");
    const ct_entity *list = ct_bind_pin_entity_array(L, LIST, &count);
    lua_settop(L, ENTITIES);
    lua_pushnil(L); // slot for the error
    ct_world *world = &ct_bind_world_self(L)->core;
    ct_bind_check_thawed(L, world->entities);
    check_alive(L, world, list, count);
    ct_bind_host_call call = {{L, 0, ERROR}, .world = 1};
    ct_writer_init(&out, world->allocator, false);
    ct_status status = ct_capture(world, list, count, lenient, &call, &out, &message);
    if (status == CT_ERR_DATA) {
        ct_writer_free(&out);
        if (!lua_isnil(L, ERROR)) {
            ct_bind_level_push_problem(&call);
            return ct_bind_raise_arg(L, LIST, "%s: %s", message.text, lua_tostring(L, -1));
        }
        return ct_bind_raise_arg(L, LIST, "%s", message.text);
    }
    ct_bind_push_bytes(L, &out, status, "a resource", 0);
    return 1;
}

static const luaL_Reg methods[] = {{"capture", capture}, {NULL, NULL}};

void ct_bind_open_capture(lua_State *L) {
    ct_bind_add_class_methods(L, &ct_bind_world_kind, methods);
}
