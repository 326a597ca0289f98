// Tables of options as arguments, parsed by lua/cuttle/options.lua.
#ifndef BIND_OPTIONS_H
#define BIND_OPTIONS_H

#include "bind/value/check.h"

/// Pushes 'count' values, which lua/cuttle/options.lua computes from the options at 'arg' of a
/// function of this name. Returns false and pushes nothing if the options are absent or nil. Raises
/// if they are not a table or are invalid, and if cuttle.core was loaded without the Lua files of
/// cuttle. Scripts and finalizers may run: the caller repeats its earlier checks. Scripts can
/// replace the parser, so the caller checks the values like arguments.
bool ct_bind_read_options(lua_State *L, int arg, const char *name, int count);

/// Returns the only value of such options, a boolean; false without options.
bool ct_bind_read_flag(lua_State *L, int arg, const char *name);

/// Returns the value at 'index' if it is an integer in low .. high (inclusive), else 'otherwise'.
double ct_bind_option_whole(lua_State *L, int index, double low, double high, double otherwise);

#endif
