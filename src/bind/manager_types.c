// The tables of built-in managers with methods of their own, and of those that keep something
// outside: one line for each. Knows nothing of what the methods do.
#include "bind/actor.h"
#include "bind/bodies.h"
#include "bind/debug_name.h"
#include "bind/mesh.h"
#include "bind/point_mass.h"
#include "bind/transform.h"

// clang-format off
const bind_builtin bind_builtins[] = {
    {"transform", bind_transform_methods},
    {"debug_name", bind_debug_name_methods},
    {"mesh", bind_mesh_methods},
    {"point_mass", bind_point_mass_methods},
    {"actor", bind_actor_methods},
    {NULL, NULL},
};
// clang-format on

const bind_keeper *const bind_keepers[] = {&bind_bodies_keeper, NULL};
