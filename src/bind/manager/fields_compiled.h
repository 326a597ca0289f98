// Getters and setters of fields that LuaJIT compiles, by entity or instance.
// Knows nothing of what a field means.
#ifndef BIND_FIELDS_COMPILED_H
#define BIND_FIELDS_COMPILED_H

#include "bind/manager/manager.h"

/// Has the method of a field of the manager object at 'index' compiled, if the field is numbers, or
/// a bool: by the factory "getter" or "setter", which gets its number, how many numbers an item is,
/// and whether it is a bool.
void ct_bind_offer_field(lua_State *L, int index, const char *method, const char *factory,
                         const ct_manager *core, uint32_t field);

/// Enters what those methods call.
void ct_bind_open_fields(lua_State *L);

#endif
