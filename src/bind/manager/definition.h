// Methods of managers: one table for each definition of a component.
// Must not depend on any one component.
#ifndef BIND_DEFINITION_H
#define BIND_DEFINITION_H

#include "bind/manager/manager.h"

// A definition determines the methods of a manager: the built-in type, or the name, the fields with
// their labels, and whether an entity may have several rows. Managers of one definition, also in
// different worlds, share a metatable and therefore have one function per method. A definition
// exists while a manager has it.
//
// Methods that all managers have are the same functions in every definition. The other methods are
// closures over the number of the definition, and raise for a manager of another definition, which
// has other fields.

/// Gives the manager with the handle at 'index' the methods of its definition. Called again when
/// the hidden fields change. May run finalizers.
void ct_bind_set_definition(lua_State *L, int index);

/// Creates the table of definitions.
void ct_bind_open_definitions(lua_State *L);

// (fields_compiled.c)

/// Replaces the method of a field in the table at 'methods' by one that LuaJIT compiles, if a
/// factory exists and creates one. The number of the definition is on top of the stack.
void ct_bind_compile_accessor(lua_State *L, int methods, const char *name, const ct_manager *core,
                              uint32_t field, bool sets);

/// The same for other methods of a built-in type.
void ct_bind_compile_own(lua_State *L, int methods, const ct_manager *core);

/// Registers the functions that compiled methods call.
void ct_bind_open_fields(lua_State *L);

#endif
