// The tables of built-in managers with methods of their own, and of those that keep something
// outside: one line for each. Knows nothing of what the methods do.
#include "bind/debug_name.h"
#include "bind/keeper.h"
#include "bind/transform.h"

const bind_builtin bind_builtins[] = {
    {"transform", bind_transform_methods},
    {"debug_name", bind_debug_name_methods},
    {NULL, NULL},
};

const bind_keeper *const bind_keepers[] = {NULL};
