// simulate.
// Knows nothing of other managers.
#include "bind/world/world.h"

#include "component/point_mass.h"

// masses:simulate(dt): dt in seconds. Steps of 0 and backwards are taken; one that is no number, or
// too large for a float, would leave nothing but infinities and NaNs in every row.
static int simulate(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    float dt = ct_bind_check_float(L, 2);
    if (dt - dt != 0) {
        lua_pushfstring(L, "finite number of seconds expected, got %f", lua_tonumber(L, 2));
        return ct_bind_arg_error(L, 2);
    }
    ct_point_mass_simulate(manager->core, dt);
    return 0;
}

const luaL_Reg ct_bind_point_mass_methods[] = {{"simulate", simulate}, {NULL, NULL}};
