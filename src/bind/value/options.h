// Tables of options as arguments, read by a list of what there is.
// Knows nothing of what the options are for.
#ifndef BIND_OPTIONS_H
#define BIND_OPTIONS_H

#include "bind/value/values.h"

typedef enum ct_bind_option_type {
    CT_BIND_BOOLEAN, ///< into a bool
    CT_BIND_INTEGER, ///< into a double: low .. high, both included
    CT_BIND_WORD,    ///< into a uint32_t: the place among the words
    CT_BIND_TEXT,    ///< into high + 1 chars: low .. high bytes, none of them zero
    CT_BIND_ENTITY,  ///< into a ct_entity
    CT_BIND_TABLE,   ///< nowhere: the caller looks at it
    CT_BIND_ITEM     ///< into an item of the type 'item'
} ct_bind_option_type;

typedef struct ct_bind_option {
    const char *name;
    ct_bind_option_type type;
    void *into;           ///< stays as it is when the option is not given
    const char *expected; ///< of a text or a word, for messages; or NULL: what the type says
    double low, high;
    const char *const *words; ///< end with NULL
    ct_field_type item;
    bool uniform; ///< of an item: one number may stand for all
} ct_bind_option;

/// Reads the options table at 'arg', or none or nil: a bit for each option that was given. Raises
/// for any other value, for keys that are not in the list (with the nearest one) and for values
/// that do not fit: "NAME: boolean expected, got number". Metamethods and finalizers may run:
/// whatever was asked before is asked again.
uint32_t ct_bind_read_options(lua_State *L, int arg, const ct_bind_option *options, uint32_t count);

#endif
