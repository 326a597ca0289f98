// Keeps the library that an address belongs to in memory, for good.
// Knows nothing of what is in it.
#ifndef BIND_PIN_H
#define BIND_PIN_H

/// The library (shared object, DLL) with this static object is never unloaded from now on. When a
/// Lua state closes, Lua 5.1 unloads modules before it collects the objects that are older than
/// they are, and a world may be such an object, or a finalizer that uses one. What was linked
/// statically stays anyway: then, as in every other failure, nothing happens.
void ct_bind_pin_library(const void *address);

/// The same for the library with this function. NULL is allowed.
void ct_bind_pin_code(void (*function)(void));

#endif
