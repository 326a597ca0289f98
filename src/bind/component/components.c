// The tables of built-in managers with methods of their own, and of those that keep something
// outside. Knows nothing of what the methods do.
#include "bind/component/components.h"

#include "bind/component/bodies.h"

const ct_bind_builtin ct_bind_builtins[] = {
    {"transform", ct_bind_transform_methods},
    {"transform", ct_bind_transform_links_methods},
    {"transform", ct_bind_transform_modes_methods},
    {"debug_name", ct_bind_debug_name_methods},
    {"model", ct_bind_model_methods},
    {"mesh", ct_bind_mesh_methods},
    {"point_mass", ct_bind_point_mass_methods},
    {"actor", ct_bind_actor_methods},
    {NULL, NULL},
};

const ct_bind_attachment *const ct_bind_all_attachments[] = {&ct_bind_bodies, NULL};
