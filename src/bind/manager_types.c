// The tables of built-in managers with methods of their own, and of those that keep something
// outside: one line for each. Knows nothing of what the methods do.
#include "bind/actor.h"
#include "bind/bodies.h"
#include "bind/debug_name.h"
#include "bind/mesh.h"
#include "bind/model.h"
#include "bind/point_mass.h"
#include "bind/transform.h"

// clang-format off
const ct_bind_builtin ct_bind_builtins[] = {
    {"transform", ct_bind_transform_methods},
    {"debug_name", ct_bind_debug_name_methods},
    {"model", ct_bind_model_methods},
    {"mesh", ct_bind_mesh_methods},
    {"point_mass", ct_bind_point_mass_methods},
    {"actor", ct_bind_actor_methods},
    {NULL, NULL},
};
// clang-format on

const ct_bind_keeper *const ct_bind_keepers[] = {&ct_bind_bodies_keeper, NULL};
