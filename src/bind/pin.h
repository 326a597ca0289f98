// Keeps the library that an address belongs to in memory, for good.
// Knows nothing of what is in it.
#ifndef BIND_PIN_H
#define BIND_PIN_H

/// The library (shared object, DLL) with this function or static object is never unloaded from now
/// on. When a Lua state closes, Lua 5.1 unloads modules before it collects the objects that are
/// older than they are, and a world may be such an object. What was linked statically stays anyway:
/// then, as in every other failure, nothing happens.
void ct_bind_pin_library(const void *address);

#endif
