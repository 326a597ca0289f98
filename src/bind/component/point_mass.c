// simulate.
// Knows nothing of other managers.
#include "bind/component/components.h"

#include "component/point_mass.h"

// masses:simulate(dt): dt in seconds. Steps of 0 and backwards are taken; one that is no number, or
// too large for a float, would leave nothing but infinities and NaNs in every row.
static int simulate(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_changing(L);
    float dt = ct_bind_check_float(L, 2);
    if (dt - dt != 0)
        return ct_bind_raise_arg(L, 2, "finite number of seconds expected, got %f",
                                 lua_tonumber(L, 2));
    ct_point_mass_simulate(manager->core, dt);
    return 0;
}

const ct_bind_method ct_bind_point_mass_methods[] = {
    {"mass", ct_bind_get_field, "mass"},
    {"set_mass", ct_bind_set_field, "mass"},
    {"position", ct_bind_get_field, "position"},
    {"set_position", ct_bind_set_field, "position"},
    {"velocity", ct_bind_get_field, "velocity"},
    {"set_velocity", ct_bind_set_field, "velocity"},
    {"acceleration", ct_bind_get_field, "acceleration"},
    {"set_acceleration", ct_bind_set_field, "acceleration"},
    {"simulate", simulate, NULL},
    {NULL, NULL, NULL},
};
