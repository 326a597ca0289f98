// The table of built-in managers with methods of their own: one line for each.
// Knows nothing of what the methods do.
#include "bind/debug_name.h"
#include "bind/transform.h"

const bind_builtin bind_builtins[] = {
    {"transform", bind_transform_methods},
    {"debug_name", bind_debug_name_methods},
    {NULL, NULL},
};
