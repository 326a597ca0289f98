// Methods of managers that LuaJIT compiles: what lua/cuttle/fast.lua is given to make them.
// Must not depend on what a field means.
#ifndef BIND_FIELDS_COMPILED_H
#define BIND_FIELDS_COMPILED_H

#include "bind/manager/manager.h"

/// The method of a field in the table at 'methods' is replaced by one that LuaJIT compiles, where
/// there is a factory and it makes one. The number of the definition is on top of the stack.
void ct_bind_compile_accessor(lua_State *L, int methods, const char *name, const ct_manager *core,
                              uint32_t field, bool sets);

/// The same for other methods of a built-in type.
void ct_bind_compile_own(lua_State *L, int methods, const ct_manager *core);

/// Enters what those methods call.
void ct_bind_open_fields(lua_State *L);

#endif
