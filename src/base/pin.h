// Keeps the library that an address belongs to in memory until the process ends.
// Must not depend on what is in it.
#ifndef CT_PIN_H
#define CT_PIN_H

#include "base/base.h"

CT_BEGIN_C

/// Never unloads the library (shared object, DLL) with this static object from now on. When a Lua
/// state closes, Lua 5.1 unloads modules before it collects the objects that are older than they
/// are, and a world may be such an object, or a finalizer that uses one. Code and data that were
/// linked statically stay anyway: then, as after every other failure, nothing happens.
void ct_pin_library(const void *address);

/// The same for the library with this function. NULL is allowed.
void ct_pin_code(void (*function)(void));

CT_END_C

#endif
