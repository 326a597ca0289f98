// world:define: component managers from a schema written in Lua; how a new manager takes the place
// of an old one. Knows nothing of how records are stored.
#include "bind/world/define.h"

#include "bind/value/options.h"
#include "bind/world/managers.h"
#include "component/record_check.h"
#include "component/record_plugin.h"

#include <string.h>

bool ct_bind_is_free_among(lua_State *L, int index, const char *name, ct_message *message) {
    bool free = true;
    index = ct_bind_absindex(L, index);
    for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
        if (lua_type(L, -2) == LUA_TSTRING && free)
            free = ct_component_names_differ(name, lua_tostring(L, -2), message);
    }
    return free;
}

// ---------------------------------------------------------------- schema

// Indices in world:define(name, schema [, options]), and above them what it needs.
enum { NAME = 2, SCHEMA, OPTIONS, WHY, READ, STRINGS };

typedef struct schema {
    ct_component component;
    ct_component_field fields[CT_MAX_RECORD_FIELDS];
    unsigned char presets[CT_MAX_RECORD_FIELDS][CT_MAX_ITEM_BYTES];
} schema;

// The string on top, which the table at STRINGS keeps from now on; one with a NUL is no name, as ""
// is none.
static const char *keep_name(lua_State *L, int place) {
    size_t length;
    const char *name = lua_tolstring(L, -1, &length);
    lua_rawseti(L, STRINGS, place);
    return strlen(name) == length ? name : "";
}

// The {name, type, default} on top. Runs no finalizer unless it raises.
static void read_field(lua_State *L, schema *s, int place) {
    ct_component_field *field = &s->fields[place - 1];
    int entry = lua_gettop(L);
    if (lua_type(L, entry) != LUA_TTABLE)
        luaL_argerror(L, SCHEMA,
                      lua_pushfstring(L, "field %d: {name, type, default} expected", place));
    for (int i = 3; i >= 1; --i)
        lua_rawgeti(L, entry, i);
    if (lua_type(L, -1) != LUA_TSTRING)
        luaL_argerror(L, SCHEMA,
                      lua_pushfstring(L, "field %d: name expected ({name, type, default})", place));
    field->name = keep_name(L, 2 * place);
    if (lua_type(L, -1) != LUA_TSTRING)
        luaL_argerror(
            L, SCHEMA,
            lua_pushfstring(L, "%s: type expected, got %s", field->name, ct_bind_type_name(L, -1)));
    ct_message message;
    field->type = ct_field_type_find(lua_tostring(L, -1), &message);
    if (field->type == CT_FIELD_TYPE_COUNT)
        luaL_argerror(L, SCHEMA, lua_pushfstring(L, "%s: %s", field->name, message.text));
    if (ct_bind_rawlen(L, entry) > 3)
        luaL_argerror(L, SCHEMA,
                      lua_pushfstring(L, "%s: {name, type, default} expected, got %d values",
                                      field->name, (int)ct_bind_rawlen(L, entry)));
    lua_pop(L, 1);
    if (lua_isnil(L, -1)) return;
    field->preset = s->presets[place - 1];
    const ct_field described = {.name = field->name, .type = field->type};
    if (!ct_bind_value_to_item(L, -1, &described, s->presets[place - 1]))
        luaL_argerror(L, SCHEMA,
                      lua_pushfstring(L, "%s: default: %s", field->name, lua_tostring(L, -1)));
    lua_rawseti(L, STRINGS, 2 * place - 1);
}

// Reads the schema into the userdata at READ.
static void read_schema(lua_State *L, schema *s) {
    ct_component *component = &s->component;
    uint32_t keys = 0, length = ct_bind_rawlen(L, SCHEMA);
    for (lua_pushnil(L); lua_next(L, SCHEMA) != 0; lua_pop(L, 1))
        keys++;
    if (keys != length) luaL_argerror(L, SCHEMA, "array of {name, type, default} expected");
    for (uint32_t i = 0; i < length && i < CT_MAX_RECORD_FIELDS; ++i) {
        lua_rawgeti(L, SCHEMA, (int)i + 1);
        read_field(L, s, (int)i + 1);
        lua_settop(L, STRINGS);
    }
    component->fields = s->fields;
    component->field_count = length;
    ct_message message;
    if (!ct_component_fields_check(s->fields, length, &message))
        luaL_argerror(L, SCHEMA, message.text);
}

// ---------------------------------------------------------------- define

// The flags of the options at argument 4.
static uint32_t read_options(lua_State *L) {
    static const char *const maps[] = {"hash", "array", NULL};
    bool multiple = false;
    uint32_t map = 0;
    const ct_bind_option options[] = {
        {"multiple", CT_BIND_BOOLEAN, &multiple, NULL, 0, 0, NULL},
        {"lookup", CT_BIND_WORD, &map, "\"hash\" or \"array\"", 0, 0, maps}};
    ct_bind_read_options(L, 4, options, 2);
    return (multiple ? CT_COMPONENT_MULTIPLE : 0) | (map == 1 ? CT_COMPONENT_ARRAY : 0);
}

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
    ct_manager *manager =
        plugin ? ct_plugin_create(&setup, component) : ct_record_create(&setup, component);
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

// world:define(name, schema [, options]) -> manager
static int define(lua_State *L) {
    const ct_bind_world *world = ct_bind_world_self(L);
    size_t length;
    ct_message message;
    ct_bind_check_open(L, &world->core);
    luaL_checktype(L, NAME, LUA_TSTRING);
    const char *name = lua_tolstring(L, NAME, &length);
    if (!ct_component_name_check(name, length, &message)) luaL_argerror(L, NAME, message.text);
    lua_settop(L, OPTIONS);
    uint32_t flags = read_options(L);
    luaL_checktype(L, SCHEMA, LUA_TTABLE);
    lua_pushfstring(L, "%s was defined again", name);
    schema *s = memset(lua_newuserdata(L, sizeof *s), 0, sizeof *s);
    // A finalizer may empty the schema before the manager has copied its strings.
    lua_createtable(L, 2 * (int)CT_MAX_RECORD_FIELDS, 0);
    read_schema(L, s);
    s->component.name = name;
    s->component.flags = flags;
    if (!ct_world_name_check(&world->core, name, &message)) luaL_argerror(L, NAME, message.text);
    ct_manager *old = ct_world_find(&world->core, name);
    if (old != NULL && ct_record_is_like(old, &s->component)) {
        ct_bind_push_manager(L, 1, old);
        if (ct_record_set_presets(old, s->fields) != CT_OK) luaL_error(L, "not enough memory");
        return 1;
    }
    ct_bind_install_manager(L, 1, WHY, old, &s->component, false);
    return 1;
}

const luaL_Reg ct_bind_define_methods[] = {{"define", define}, {NULL, NULL}};
