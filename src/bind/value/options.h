// Tables of options as arguments, read by lua/cuttle/options.lua.
// Knows nothing of what the options are for.
#ifndef BIND_OPTIONS_H
#define BIND_OPTIONS_H

#include "bind/value/check.h"

/// Pushes 'count' values, which lua/cuttle/options.lua makes of the options at 'arg' of a function
/// of this name; false, with nothing pushed, for none or nil. Raises for what is no table, for what
/// is wrong with the options, and when cuttle.core was loaded without the rest of cuttle. Scripts
/// and finalizers may run: whatever was asked before is asked again. Scripts can make the values
/// anything: they are looked at like arguments.
bool ct_bind_read_options(lua_State *L, int arg, const char *name, int count);

/// The value at 'index' if it is a whole number in low .. high, both included; else 'otherwise'.
double ct_bind_option_whole(lua_State *L, int index, double low, double high, double otherwise);

#endif
