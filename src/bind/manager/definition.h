// The methods of managers: one table for each definition of a component.
// Must not depend on any one component.
#ifndef BIND_DEFINITION_H
#define BIND_DEFINITION_H

#include "bind/manager/manager.h"

// A definition is what decides about the methods of a manager: the built-in type, or the name, the
// fields with their labels and whether an entity may have several. Managers of one definition, in
// whatever worlds, share one metatable, and so one function for each method. A definition exists as
// long as a manager has it.
//
// Methods that all managers have are the same functions in every definition. Those of one
// definition are closures over its number: called with a manager of another definition they raise,
// since its fields are others.

/// Gives the manager with the handle at 'index' the methods of its definition. Again when other
/// fields are hidden. May run finalizers.
void ct_bind_set_definition(lua_State *L, int index);

/// Makes what the above needs.
void ct_bind_open_definitions(lua_State *L);

// ---------------------------------------------------------------- compiled methods
// (fields_compiled.c)

/// The method of a field in the table at 'methods' is replaced by one that LuaJIT compiles, where
/// there is a factory and it makes one. The number of the definition is on top of the stack.
void ct_bind_compile_accessor(lua_State *L, int methods, const char *name, const ct_manager *core,
                              uint32_t field, bool sets);

/// The same for other methods of a built-in type.
void ct_bind_compile_own(lua_State *L, int methods, const ct_manager *core);

/// Enters what those methods call.
void ct_bind_open_fields(lua_State *L);

#endif
