// Methods of managers: one table for each definition of a component.
#include "bind/manager/definition.h"

#include "bind/manager/loops.h"
#include "component/record.h"

#include <string.h>

// Registry key of a table with weak values: description -> metatable. The metatable has the number
// of the definition at 1. Managers with hidden fields have a separate metatable.
static const char definitions_key = 0;

// ---------------------------------------------------------------- description

static void add_text(luaL_Buffer *b, const char *text) {
    luaL_addlstring(b, text, strlen(text) + 1);
}

// Returns the methods of a plugin's component, or NULL.
static const luaL_Reg *plugin_methods(const ct_manager *core) {
    if (ct_plugin_description(core) == NULL) return NULL;
    const ct_component *component = ct_plugin_component(core);
    return component != NULL ? component->methods : NULL;
}

// Pushes the key of the definition; if 'hides', it includes which fields are hidden.
static void push_description(lua_State *L, const ct_manager *core, bool hides) {
    const luaL_Reg *methods = plugin_methods(core);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    add_text(&b, core->name);
    luaL_addlstring(&b, (const char *)&methods, sizeof methods);
    luaL_addchar(&b, core->store.multiple ? 'm' : 'o');
    for (uint32_t f = 0; f < core->field_count; ++f) {
        const ct_field *field = &core->fields[f];
        add_text(&b, field->name);
        luaL_addchar(&b, (char)field->type);
        if (hides) luaL_addchar(&b, field->hidden ? 'h' : 'v');
        luaL_addlstring(&b, (const char *)&field->label_count, sizeof field->label_count);
        for (uint32_t i = 0; field->type == CT_FIELD_ENUM && i < field->label_count; ++i)
            luaL_addlstring(&b, field->labels[i].bytes, field->labels[i].length + 1);
    }
    luaL_pushresult(&b);
}

// ---------------------------------------------------------------- methods

// In these functions the table of methods is at 'methods', and the number on top stays there.

static void add_function(lua_State *L, int methods, const char *name, lua_CFunction function) {
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, function, 1);
    lua_setfield(L, methods, name);
}

static void add_accessor(lua_State *L, int methods, const ct_manager *core, const char *name,
                         lua_CFunction function, uint32_t field, bool sets) {
    lua_pushnumber(L, lua_tonumber(L, -1) + field * CT_BIND_FIELD_STEP);
    lua_pushcclosure(L, function, 1);
    lua_setfield(L, methods, name);
    ct_bind_compile_accessor(L, methods, name, core, field, sets);
}

// Adds FIELD or set_FIELD for a component that a script or a plugin has defined. Keeps an existing
// method of that name.
static void add_field(lua_State *L, int methods, const ct_manager *core, uint32_t field,
                      bool sets) {
    lua_pushfstring(L, "%s%s", sets ? "set_" : "", core->fields[field].name);
    ct_bind_push_raw(L, methods, -1);
    bool taken = !lua_isnil(L, -1);
    lua_pop(L, 1);
    lua_insert(L, -2); // keeps the name on the stack, below the number
    if (!taken)
        add_accessor(L, methods, core, lua_tostring(L, -2),
                     sets ? ct_bind_set_field : ct_bind_get_field, field, sets);
    lua_remove(L, -2);
}

static void add_builtin(lua_State *L, int methods, const ct_manager *core,
                        const ct_bind_method *method) {
    for (; method->name != NULL; ++method) {
        if (method->field == NULL)
            add_function(L, methods, method->name, method->function);
        else
            add_accessor(L, methods, core, method->name, method->function,
                         ct_manager_find_field(core, method->field),
                         strncmp(method->name, "set_", 4) == 0);
    }
}

// Returns whether the type is a built-in type with additional methods.
static bool add_builtins(lua_State *L, int methods, const ct_manager *core) {
    bool found = false;
    for (const ct_bind_builtin *b = ct_bind_state_of(L)->tables->builtins; b->name != NULL; ++b) {
        if (strcmp(b->name, core->name) != 0) continue;
        add_builtin(L, methods, core, b->methods);
        found = true;
    }
    if (!found) return false;
    ct_bind_push_lua_methods(L, core->name);
    ct_bind_pop_into(L, methods);
    return true;
}

static void add_methods(lua_State *L, int methods, const ct_manager *core) {
    ct_bind_push_lua_methods(L, ct_bind_manager_kind.name);
    ct_bind_pop_into(L, methods);
    if (!add_builtins(L, methods, core)) {
        for (uint32_t f = 0; f < core->field_count; ++f) {
            add_field(L, methods, core, f, false);
            add_field(L, methods, core, f, true);
        }
    }
    for (const luaL_Reg *m = plugin_methods(core); m != NULL && m->name != NULL; ++m)
        add_function(L, methods, m->name, m->func);
    ct_bind_compile_own(L, methods, core);
}

// ---------------------------------------------------------------- metatables

static int tostring(lua_State *L) {
    const ct_bind_manager *manager = ct_bind_self_handle(L, &ct_bind_manager_kind);
    if (manager->destroyed != NULL)
        return ct_bind_return_format(L, "component manager (%s)", ct_bind_push_reason(L, manager));
    return ct_bind_return_format(L, "%s manager (%d rows)", manager->core->name,
                                 (int)ct_store_count(&manager->core->store));
}

static bool has_hidden(const ct_manager *core) {
    for (uint32_t f = 0; f < core->field_count; ++f) {
        if (core->fields[f].hidden) return true;
    }
    return false;
}

// Pops the number of a definition and, below it, the table of its methods; pushes their metatable.
static void push_metatable(lua_State *L) {
    lua_insert(L, -2);
    ct_bind_push_metatable(L, "cuttle", NULL, tostring);
    lua_insert(L, -2);
    lua_rawseti(L, -2, 1);
}

static void make(lua_State *L, const ct_manager *core) {
    lua_newtable(L);
    ct_bind_push_whole(L, ++ct_bind_state_of(L)->definitions);
    add_methods(L, lua_gettop(L) - 1, core);
    push_metatable(L);
}

static void remove_method(lua_State *L, int methods, const char *prefix, const char *name) {
    lua_pushfstring(L, "%s%s", prefix, name);
    if (ct_component_is_method(lua_tostring(L, -1))) {
        lua_pop(L, 1);
        return;
    }
    lua_pushnil(L);
    lua_rawset(L, methods);
}

// Pushes a metatable with the same number and functions as the one on top, which stays, but without
// the accessors of hidden fields.
static void make_hiding(lua_State *L, const ct_manager *core) {
    int metatable = lua_gettop(L), methods = metatable + 1;
    lua_newtable(L);
    lua_getfield(L, metatable, "__index");
    ct_bind_pop_into(L, methods);
    for (uint32_t f = 0; f < core->field_count; ++f) {
        if (!core->fields[f].hidden) continue;
        remove_method(L, methods, "", core->fields[f].name);
        remove_method(L, methods, "set_", core->fields[f].name);
    }
    lua_rawgeti(L, metatable, 1);
    push_metatable(L);
    ct_bind_copy_item(L, -1, 2, metatable); // each of its metatables keeps a definition alive
}

// Pushes the metatable for a description; creates it the first time. If 'hides', the metatable of
// the definition is on top and stays there.
static void push_known(lua_State *L, const ct_manager *core, bool hides) {
    int top = lua_gettop(L), definitions = top + 1, description = top + 2;
    ct_bind_push_registered(L, &definitions_key);
    push_description(L, core, hides);
    ct_bind_push_raw(L, definitions, description);
    if (lua_isnil(L, -1)) {
        if (hides) {
            lua_pushvalue(L, top);
            make_hiding(L, core);
        } else {
            make(L, core);
        }
        // A finalizer may have created it meanwhile.
        ct_bind_push_raw(L, definitions, description);
        if (lua_isnil(L, -1)) {
            lua_pop(L, 1);
            ct_bind_copy_raw(L, definitions, description, -1);
        }
    }
    lua_replace(L, definitions);
    lua_settop(L, definitions);
}

void ct_bind_set_definition(lua_State *L, int index) {
    ct_bind_manager *manager = ct_bind_object_at(L, index);
    int top = lua_gettop(L);
    index = ct_bind_absindex(L, index);
    push_known(L, manager->core, false);
    if (has_hidden(manager->core)) push_known(L, manager->core, true);
    lua_rawgeti(L, -1, 1);
    manager->definition = (uint32_t)lua_tonumber(L, -1);
    lua_pop(L, 1);
    lua_setmetatable(L, index);
    lua_settop(L, top);
}

void ct_bind_open_definitions(lua_State *L) {
    static const luaL_Reg *const common[] = {
        ct_bind_common_methods, ct_bind_component_create_methods,
        ct_bind_hook_methods,   ct_bind_loop_methods,
        ct_bind_field_methods,  ct_bind_bulk_methods};
    ct_bind_push_weak_table(L, "v");
    ct_bind_register(L, &definitions_key);
    for (size_t i = 0; i < sizeof common / sizeof *common; ++i)
        ct_bind_add_class_methods(L, &ct_bind_manager_kind, common[i]);
    ct_bind_open_fields(L);
}
