// core.define: component managers from a schema that Lua has taken apart; how a new manager takes
// the place of an old one. Knows nothing of how records are stored.
#include "bind/world/define.h"

#include "base/message.h"
#include "bind/world/managers.h"
#include "component/record_check.h"
#include "component/record_plugin.h"

#include <string.h>

// ---------------------------------------------------------------- schema

// Indices in core.define, and above them what it needs.
enum { WORLD = 1, NAME, NAMES, TYPES, DEFAULTS, MULTIPLE, ARRAY, WHY, READ, STRINGS };

typedef struct schema {
    ct_component component;
    ct_component_field fields[CT_MAX_RECORD_FIELDS];
    unsigned char presets[CT_MAX_RECORD_FIELDS][CT_MAX_ITEM_BYTES];
} schema;

// The field at a place of the arrays, whose strings the table at STRINGS keeps from now on. Runs no
// finalizer when it succeeds; false with the reason in 'message'.
static bool read_field(lua_State *L, schema *s, int place, ct_message *message) {
    ct_component_field *field = &s->fields[place - 1];
    unsigned char *preset = s->presets[place - 1];
    ct_message why;
    size_t length;
    for (int array = DEFAULTS; array >= NAMES; --array)
        lua_rawgeti(L, array, place);
    if (lua_type(L, -1) != LUA_TSTRING || lua_type(L, -2) != LUA_TSTRING)
        return ct_message_set(message, "field %u: name and type expected", (uint32_t)place);
    field->name = lua_tolstring(L, -1, &length);
    if (strlen(field->name) != length) field->name = ""; // with a NUL it is no name either
    field->type = ct_field_type_find(lua_tostring(L, -2), &why);
    if (field->type == CT_FIELD_TYPE_COUNT)
        return ct_message_set(message, "%s: %s", field->name, why.text);
    lua_rawseti(L, STRINGS, 2 * place);
    lua_pop(L, 1);
    if (lua_isnil(L, -1)) return true;
    const ct_field described = {.name = field->name, .type = field->type};
    if (!ct_bind_value_to_item(L, -1, &described, preset))
        return ct_message_set(message, "%s: default: %s", field->name, lua_tostring(L, -1));
    field->preset = preset;
    lua_rawseti(L, STRINGS, 2 * place - 1);
    return true;
}

static bool read_fields(lua_State *L, schema *s, ct_message *message) {
    uint32_t length = ct_bind_rawlen(L, NAMES);
    s->component.fields = s->fields;
    s->component.field_count = length;
    for (uint32_t i = 0; i < length && i < CT_MAX_RECORD_FIELDS; ++i) {
        if (!read_field(L, s, (int)i + 1, message)) return false;
        lua_settop(L, STRINGS);
    }
    return ct_component_fields_check(s->fields, length, message);
}

// ---------------------------------------------------------------- define

void ct_bind_install_manager(lua_State *L, int world, int why, ct_manager *old,
                             const ct_component *component, bool plugin) {
    ct_bind_world *owner = lua_touserdata(L, world);
    ct_message message;
    if (old != NULL && !ct_component_may_replace(old, plugin, &message))
        luaL_error(L, "%s", message.text);
    // A compilation may be reading the old one, or a spawn writing to it.
    if (old != NULL && owner->core.busy > 0) luaL_error(L, "world is in use");
    int retired = lua_gettop(L) + 1;
    if (old != NULL) {
        ct_bind_push_manager(L, world, old);
        lua_pushvalue(L, why);
        ct_bind_set_own(L, retired, "over");
    }
    ct_bind_begin_lending(L, world);
    ct_manager_setup setup = ct_world_setup(
        &owner->core, (component->flags & CT_COMPONENT_ARRAY) != 0 ? CT_MAP_ARRAY : CT_MAP_HASH,
        (component->flags & CT_COMPONENT_MULTIPLE) != 0);
    ct_manager *manager = plugin ? ct_plugin_create(&setup, component)
                                 : ct_record_create(&setup, component->name, component->fields,
                                                    component->field_count);
    if (manager == NULL) luaL_error(L, owner->core.over ? BIND_WORLD_OVER : "not enough memory");
    // Lending may have run a finalizer that defined it.
    if (ct_world_find(&owner->core, manager->name) != old) {
        ct_manager_destroy(manager);
        luaL_error(L, "world is in use");
    }
    uint32_t order = old != NULL ? old->spawn_order : owner->core.next_spawn_order;
    if (ct_world_add(&owner->core, manager, order) != CT_OK) {
        ct_manager_destroy(manager);
        luaL_error(L, owner->core.over ? BIND_WORLD_OVER : "not enough memory");
    }
    // The new object first: making it may run out of memory, ending the old one cannot.
    if (!ct_bind_adopt_manager(L, world, manager)) lua_error(L);
    if (old != NULL) ct_bind_retire_manager(L, world, retired, lua_tostring(L, why));
}

// What is wrong with an argument of world:define.
static int refuse(lua_State *L, int argument, const ct_message *message) {
    lua_pushnil(L);
    lua_pushnumber(L, argument);
    lua_pushstring(L, message->text);
    return 3;
}

// core.define(world, name, names, types, defaults, multiple, array) -> manager; or nil, the number
// of an argument of world:define, which is in lua/cuttle/define.lua, and what is wrong with it
static int define(lua_State *L) {
    const ct_bind_world *world = ct_bind_check_world(L, WORLD);
    size_t length;
    ct_message message;
    ct_bind_check_open(L, &world->core);
    const char *name = luaL_checklstring(L, NAME, &length);
    for (int array = NAMES; array <= DEFAULTS; ++array)
        luaL_checktype(L, array, LUA_TTABLE);
    lua_settop(L, ARRAY);
    if (!ct_component_name_check(name, length, &message)) return refuse(L, 1, &message);
    lua_pushfstring(L, "%s was defined again", name);
    schema *s = memset(lua_newuserdata(L, sizeof *s), 0, sizeof *s);
    // A finalizer may empty the arrays before the manager has copied its strings.
    lua_createtable(L, 2 * (int)CT_MAX_RECORD_FIELDS, 0);
    if (!read_fields(L, s, &message)) return refuse(L, 2, &message);
    s->component.name = name;
    s->component.flags = (lua_toboolean(L, MULTIPLE) ? CT_COMPONENT_MULTIPLE : 0) |
                         (lua_toboolean(L, ARRAY) ? CT_COMPONENT_ARRAY : 0);
    if (!ct_world_name_check(&world->core, name, &message)) return refuse(L, 1, &message);
    ct_manager *old = ct_world_find(&world->core, name);
    if (old != NULL && ct_record_is_like(old, &s->component)) {
        ct_bind_push_manager(L, WORLD, old);
        if (ct_record_set_presets(old, s->fields) != CT_OK) luaL_error(L, "not enough memory");
        return 1;
    }
    ct_bind_install_manager(L, WORLD, WHY, old, &s->component, false);
    return 1;
}

void ct_bind_open_define(lua_State *L) {
    lua_pushcfunction(L, define);
    lua_setfield(L, -2, "define");
}
