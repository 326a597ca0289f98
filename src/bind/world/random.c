// The random numbers of a world.
#include "bind/world/world.h"

#include <math.h>

// world:random() -> number in [0, 1); world:random(n) -> integer in [1, n]; world:random(m, n) ->
// integer in [m, n]
static int random_number(lua_State *L) {
    ct_world *world = &ct_bind_changing_world(L)->core;
    int count = lua_gettop(L) - 1;
    double low = 1, high = 0;
    if (count > 2) return luaL_error(L, "wrong number of arguments");
    if (count == 2) low = ct_bind_check_whole(L, 2, -CT_BIND_LARGEST_WHOLE, CT_BIND_LARGEST_WHOLE);
    if (count > 0)
        high = ct_bind_check_whole(L, 1 + count, -CT_BIND_LARGEST_WHOLE, CT_BIND_LARGEST_WHOLE);
    if (count > 0 && high < low) ct_bind_raise_arg(L, 1 + count, "interval is empty");
    if (high - low >= CT_BIND_LARGEST_WHOLE) ct_bind_raise_arg(L, 3, "interval is too large");
    double number = ct_random_fraction(&world->random);
    if (count > 0) number = low + fmin(floor(number * (high - low + 1)), high - low);
    return ct_bind_return_number(L, number);
}

// world:randomseed(n)
static int seed(lua_State *L) {
    ct_world *world = &ct_bind_changing_world(L)->core;
    ct_random_seed(&world->random, (uint64_t)ct_bind_check_whole(L, 2, 0, CT_BIND_LARGEST_WHOLE));
    return 0;
}

static const luaL_Reg world_methods[] = {
    {"random", random_number}, {"randomseed", seed}, {NULL, NULL}};

void ct_bind_open_random(lua_State *L) {
    ct_bind_add_class_methods(L, &ct_bind_world_kind, world_methods);
}
