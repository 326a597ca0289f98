// Pinning of libraries in memory until the process ends.
#ifndef CT_PIN_H
#define CT_PIN_H

#include "base/base.h"

/// Prevents the library (shared object, DLL) with this static object from being unloaded. When a
/// Lua state closes, Lua 5.1 unloads modules before it collects objects that are older than the
/// modules, and such an object may be a world, or have a finalizer that uses one. Does nothing for
/// code and data that are linked statically, or if it fails.
void ct_pin_library(const void *address);

/// Does the same for the library with this function. NULL is allowed.
void ct_pin_code(void (*function)(void));

#endif
