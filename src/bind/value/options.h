// Tables of options as arguments, read by a list of what there is.
// Knows nothing of what the options are for.
#ifndef BIND_OPTIONS_H
#define BIND_OPTIONS_H

#include "bind/value/check.h"

typedef enum ct_bind_option_type {
    CT_BIND_BOOLEAN, ///< into a bool
    CT_BIND_INTEGER, ///< into a double: low .. high, both included
    CT_BIND_WORD,    ///< into a uint32_t: the place among the words
    CT_BIND_TEXT     ///< into high + 1 chars: low .. high bytes, none of them zero
} ct_bind_option_type;

typedef struct ct_bind_option {
    const char *name;
    ct_bind_option_type type;
    void *into;           ///< stays as it is when the option is not given
    const char *expected; ///< for messages: "integer in [1, 100]"; NULL: the name of the type
    double low, high;
    const char *const *words; ///< end with NULL
} ct_bind_option;

/// Reads the options table at 'arg', or none or nil: whether there is one. Raises for any other
/// value, for keys that are not in the list (with the nearest one) and for values that do not fit:
/// "NAME: boolean expected, got number". Calls no metamethods; finalizers may run.
bool ct_bind_read_options(lua_State *L, int arg, const ct_bind_option *options, uint32_t count);

#endif
