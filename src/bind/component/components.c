// The table of built-in managers with methods of their own.
#include "bind/component/components.h"

// A line for each table of methods: TYPE has those of ct_bind_PART_methods, in the file of that
// name.
#define BUILTINS(HAS)                                                                              \
    HAS(transform, transform)                                                                      \
    HAS(transform, transform_links)                                                                \
    HAS(transform, transform_modes)                                                                \
    HAS(debug_name, debug_name)                                                                    \
    HAS(model, model)                                                                              \
    HAS(mesh, mesh)                                                                                \
    HAS(point_mass, point_mass)                                                                    \
    HAS(actor, actor)                                                                              \
    HAS(grid, grid)                                                                                \
    HAS(grid, grid_reader)

#define DECLARE(type, part) extern const ct_bind_method ct_bind_##part##_methods[];
#define ENTER(type, part) {#type, ct_bind_##part##_methods},

BUILTINS(DECLARE)

const ct_bind_builtin ct_bind_builtins[] = {BUILTINS(ENTER){NULL, NULL}};
