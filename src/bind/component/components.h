// The tables of built-in managers with methods of their own, and of those that keep something
// outside. Knows nothing of what the methods do.
#ifndef BIND_COMPONENTS_H
#define BIND_COMPONENTS_H

#include "bind/world/attachment.h"

extern const ct_bind_builtin ct_bind_builtins[];                  ///< ends with a name of NULL
extern const ct_bind_attachment *const ct_bind_all_attachments[]; ///< ends with NULL

#endif
