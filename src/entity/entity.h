// An entity is a 30-bit number: its parts, and how it travels in a pointer, are in cuttle.h.
// Knows nothing of who is alive.
#ifndef CT_ENTITY_H
#define CT_ENTITY_H

#include "base/base.h"

#endif
