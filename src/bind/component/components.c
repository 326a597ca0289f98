// Table of the built-in managers with additional methods.
#include "bind/component/components.h"

// One line per table of methods: HAS(type, part) adds ct_bind_PART_methods of the file of that name
// to the type.
#define BUILTINS(HAS)                                                                              \
    HAS(transform, transform)                                                                      \
    HAS(transform, transform_links)                                                                \
    HAS(transform, transform_modes)                                                                \
    HAS(transform, transform_watch)                                                                \
    HAS(debug_name, debug_name)                                                                    \
    HAS(model, model)                                                                              \
    HAS(mesh, mesh)                                                                                \
    HAS(point_mass, point_mass)                                                                    \
    HAS(actor, actor)                                                                              \
    HAS(grid, grid)                                                                                \
    HAS(grid, grid_shape)                                                                          \
    HAS(grid, grid_reader)

#define DECLARE(type, part) extern const ct_bind_method ct_bind_##part##_methods[];
#define ENTER(type, part) {#type, ct_bind_##part##_methods},

BUILTINS(DECLARE)

const ct_bind_builtin ct_bind_builtins[] = {BUILTINS(ENTER){NULL, NULL}};
