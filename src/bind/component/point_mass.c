// Methods of the point_mass manager.
#include "bind/component/components.h"

#include "component/point_mass.h"

// masses:simulate(dt), in seconds. dt may be 0 or negative. Raises if dt is NaN or too large for a
// float, because every row would become infinite or NaN.
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
    CT_BIND_FIELD("mass", "set_mass"),
    CT_BIND_FIELD("position", "set_position"),
    CT_BIND_FIELD("velocity", "set_velocity"),
    CT_BIND_FIELD("acceleration", "set_acceleration"),
    {"simulate", simulate, NULL},
    {NULL, NULL, NULL},
};
