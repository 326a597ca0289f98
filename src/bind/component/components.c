// The tables of built-in managers with methods of their own, and of those that keep something
// outside. Knows nothing of what the methods do.
#include "bind/component/components.h"

#include "bind/component/bodies.h"

// A line for each: TYPE has its methods in ct_bind_TYPE_methods, in a file of its own.
#define BUILTINS(HAS)                                                                              \
    HAS(transform)                                                                                 \
    HAS(debug_name)                                                                                \
    HAS(model)                                                                                     \
    HAS(mesh)                                                                                      \
    HAS(point_mass)                                                                                \
    HAS(actor)

#define DECLARE(type) extern const luaL_Reg ct_bind_##type##_methods[];
#define ENTER(type) {#type, ct_bind_##type##_methods},

BUILTINS(DECLARE)

const ct_bind_builtin ct_bind_builtins[] = {BUILTINS(ENTER){NULL, NULL}};

const ct_bind_attachment *const ct_bind_all_attachments[] = {&ct_bind_bodies, NULL};
