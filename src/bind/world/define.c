// world:define: component managers from a schema written in Lua.
// Knows nothing of how records are stored.
#include "bind/world/define.h"

#include "base/hash.h"
#include "bind/world/managers.h"
#include "component/record.h"
#include "component/record_plugin.h"

#include <ctype.h>
#include <string.h>

#define MAX_NAME 63

// Names that belong to component types of cuttle itself, in this version or another.
static const char *const reserved[] = {"transform", "debug_name", "model",
                                       "mesh",      "point_mass", "actor"};

bool ct_bind_is_identifier(const char *name, size_t length) {
    if (length == 0 || strlen(name) != length || isdigit((unsigned char)name[0])) return false;
    for (size_t i = 0; i < length; ++i) {
        if (!isalnum((unsigned char)name[i]) && name[i] != '_') return false;
    }
    return true;
}

bool ct_bind_may_name_component(lua_State *L, const char *name, size_t length) {
    bool ours = false;
    for (uint32_t i = 0; i < sizeof reserved / sizeof *reserved; ++i)
        ours = ours || strcmp(name, reserved[i]) == 0;
    if (!ct_bind_is_identifier(name, length))
        lua_pushfstring(L, "component name is no identifier: '%s'", name);
    else if (length > MAX_NAME)
        lua_pushliteral(L, "component name is too long (limit is 63)");
    else if (ours)
        lua_pushfstring(L, "%s is a built-in component", name);
    else
        return true;
    return false;
}

static uint32_t identifier_of(const char *name) {
    return ct_hash_fnv1a(CT_FNV1A_START, name, strlen(name));
}

// Whether two components may have these names: their hashes differ, or it is one name; pushes the
// reason if not.
static bool names_differ(lua_State *L, const char *name, const char *other) {
    if (identifier_of(name) != identifier_of(other) || strcmp(name, other) == 0) return true;
    lua_pushfstring(L, "component names '%s' and '%s' have one hash: choose another", name, other);
    return false;
}

bool ct_bind_is_free_name(lua_State *L, const ct_world *world, const char *name) {
    const ct_manager *other = ct_world_find_identifier(world, identifier_of(name));
    return other == NULL || names_differ(L, name, other->name);
}

bool ct_bind_is_free_among(lua_State *L, int index, const char *name) {
    index = ct_bind_absindex(L, index);
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING && !names_differ(L, name, lua_tostring(L, -1))) {
            lua_remove(L, -2);
            return false;
        }
    }
    return true;
}

bool ct_bind_may_name_field(lua_State *L, const char *name, size_t length) {
    if (!ct_bind_is_identifier(name, length) || length > MAX_NAME)
        lua_pushfstring(L, "'%s' is no identifier of at most 63 letters", name);
    else if (strcmp(name, "id") == 0 || strcmp(name, "entity") == 0)
        lua_pushfstring(L, "'%s' is a reserved name", name);
    else
        return true;
    return false;
}

static const char *check_component_name(lua_State *L) {
    size_t length;
    luaL_checktype(L, 2, LUA_TSTRING);
    const char *name = lua_tolstring(L, 2, &length);
    if (!ct_bind_may_name_component(L, name, length)) ct_bind_arg_error(L, 2);
    return name;
}

// ---------------------------------------------------------------- schema

typedef struct schema {
    uint32_t count;
    ct_component_field fields[CT_MAX_RECORD_FIELDS];
    unsigned char presets[CT_MAX_RECORD_FIELDS][CT_MAX_ITEM_BYTES];
} schema;

static int schema_error(lua_State *L, int place, const char *problem) {
    lua_pushfstring(L, "field %d: %s", place, problem);
    return ct_bind_arg_error(L, 3);
}

static const char *read_field_name(lua_State *L, const schema *s, int place) {
    lua_rawgeti(L, -1, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
        schema_error(L, place, "name expected ({name, type, default})");
    size_t length;
    const char *name = lua_tolstring(L, -1, &length);
    lua_pop(L, 1); // the schema table keeps the string
    if (!ct_bind_may_name_field(L, name, length)) schema_error(L, place, lua_tostring(L, -1));
    for (uint32_t f = 0; f < s->count; ++f) {
        if (strcmp(s->fields[f].name, name) == 0)
            schema_error(L, place, lua_pushfstring(L, "duplicate field '%s'", name));
    }
    return name;
}

static ct_field_type read_field_type(lua_State *L, const char *name) {
    lua_rawgeti(L, -1, 2);
    if (lua_type(L, -1) != LUA_TSTRING) {
        lua_pushfstring(L, "%s: type expected, got %s", name, ct_bind_type_name(L, -1));
        ct_bind_arg_error(L, 3);
    }
    const char *type_name = lua_tostring(L, -1);
    ct_field_type type = ct_field_type_find(type_name);
    if (type == CT_FIELD_TYPE_COUNT) {
        const char *names[CT_FIELD_TYPE_COUNT];
        for (int t = 0; t < CT_FIELD_TYPE_COUNT; ++t)
            names[t] = ct_field_info_of((ct_field_type)t)->name;
        ct_bind_push_unknown(L, "type", type_name, names, CT_FIELD_TYPE_COUNT);
        lua_pushfstring(L, "%s: %s", name, lua_tostring(L, -1));
        ct_bind_arg_error(L, 3);
    }
    lua_pop(L, 1);
    return type;
}

// The {name, type, default} on top.
static void read_field(lua_State *L, schema *s, int place) {
    if (lua_type(L, -1) != LUA_TTABLE) schema_error(L, place, "{name, type, default} expected");
    if (s->count == CT_MAX_RECORD_FIELDS) luaL_argerror(L, 3, "too many fields (limit is 60)");
    ct_component_field *field = &s->fields[s->count];
    field->name = read_field_name(L, s, place);
    field->type = read_field_type(L, field->name);
    lua_rawgeti(L, -1, 3);
    if (!lua_isnil(L, -1)) {
        ct_field description = {.name = field->name, .type = field->type};
        if (!ct_bind_value_to_item(L, -1, &description, s->presets[s->count])) {
            lua_pushfstring(L, "%s: default: %s", field->name, lua_tostring(L, -1));
            ct_bind_arg_error(L, 3);
        }
        field->preset = s->presets[s->count];
    }
    lua_pop(L, 1);
    if (ct_bind_rawlen(L, -1) > 3)
        luaL_error(
            L, "bad argument #2 to 'define' (%s: {name, type, default} expected, got %d values)",
            field->name, (int)ct_bind_rawlen(L, -1));
    s->count++;
}

// Pushes a userdata with the schema at argument 3. Its strings stay the table's.
static schema *read_schema(lua_State *L) {
    luaL_checktype(L, 3, LUA_TTABLE);
    schema *s = lua_newuserdata(L, sizeof *s);
    memset(s, 0, sizeof *s);
    uint32_t length = ct_bind_rawlen(L, 3);
    uint32_t keys = 0;
    lua_pushnil(L);
    while (lua_next(L, 3) != 0) {
        lua_pop(L, 1);
        keys++;
    }
    if (keys != length) luaL_argerror(L, 3, "array of {name, type, default} expected");
    for (uint32_t i = 0; i < length; ++i) {
        lua_rawgeti(L, 3, (int)i + 1);
        read_field(L, s, (int)i + 1);
        lua_pop(L, 1);
    }
    return s;
}

// ---------------------------------------------------------------- define

static void read_options(lua_State *L, bool *multiple, ct_map_kind *map) {
    static const char *const options[] = {"multiple", "lookup"};
    *multiple = false;
    *map = CT_MAP_HASH;
    if (!ct_bind_check_options(L, 4, options, 2)) return;
    lua_getfield(L, 4, "multiple");
    if (!lua_isnil(L, -1) && !lua_isboolean(L, -1))
        luaL_argerror(L, 4, "multiple: boolean expected");
    *multiple = lua_toboolean(L, -1);
    lua_getfield(L, 4, "lookup");
    const char *lookup = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    if (!lua_isnil(L, -1) && strcmp(lookup, "hash") != 0 && strcmp(lookup, "array") != 0)
        luaL_argerror(L, 4, "lookup: \"hash\" or \"array\" expected");
    if (strcmp(lookup, "array") == 0) *map = CT_MAP_ARRAY;
    lua_pop(L, 2);
}

static bool same_fields(const ct_manager *manager, const schema *s, bool multiple) {
    if (!ct_record_is_plain(manager)) return false;
    if (manager->field_count != s->count || manager->store.multiple != multiple) return false;
    for (uint32_t f = 0; f < s->count; ++f) {
        if (manager->fields[f].type != s->fields[f].type ||
            strcmp(manager->fields[f].name, s->fields[f].name) != 0)
            return false;
    }
    return true;
}

// The manager of that name there is: true when it serves, with its object pushed.
static bool reuse(lua_State *L, ct_manager *manager, const schema *s, bool multiple) {
    if (same_fields(manager, s, multiple)) {
        ct_bind_push_manager(L, 1, manager);
        if (ct_record_set_presets(manager, s->fields) != CT_OK) luaL_error(L, "not enough memory");
        return true;
    }
    ct_bind_check_replaceable(L, manager, "with other fields");
    return false;
}

void ct_bind_check_replaceable(lua_State *L, ct_manager *manager, const char *how) {
    ct_store_sweep(&manager->store);
    uint32_t rows = ct_store_count(&manager->store);
    if (ct_plugin_description(manager) != NULL) how = "by a plugin";
    if (rows > 0) luaL_error(L, "%s is defined %s and has %d rows", manager->name, how, (int)rows);
}

void ct_bind_install_manager(lua_State *L, int world, int why, ct_manager *old,
                             const ct_bind_definition *definition) {
    ct_bind_world *owner = lua_touserdata(L, world);
    // A compilation may be reading the old one, or a spawn writing to it.
    if (old != NULL && owner->core.busy > 0) luaL_error(L, "world is in use");
    int retired = lua_gettop(L) + 1;
    if (old != NULL) {
        ct_bind_push_manager(L, world, old);
        lua_pushvalue(L, why);
        ct_bind_set_own(L, retired, "over");
    }
    ct_bind_begin_lending(L, world);
    ct_manager_setup setup = ct_world_setup(&owner->core, definition->map, definition->multiple);
    ct_manager *manager = definition->make(&setup, definition->user);
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

typedef struct named_schema {
    const char *name;
    const schema *s;
} named_schema;

static ct_manager *make_record(const ct_manager_setup *setup, const void *user) {
    const named_schema *n = user;
    return ct_record_create(setup, n->name, n->s->fields, n->s->count);
}

// world:define(name, schema [, options]) -> manager
static int define(lua_State *L) {
    const ct_bind_world *world = ct_bind_world_self(L);
    bool multiple;
    ct_map_kind map;
    ct_bind_check_open(L, &world->core);
    const char *name = check_component_name(L);
    lua_settop(L, 4);
    read_options(L, &multiple, &map);
    lua_pushfstring(L, "%s was defined again", name); // 5
    const schema *s = read_schema(L);                 // 6
    if (!ct_bind_is_free_name(L, &world->core, name)) ct_bind_arg_error(L, 2);
    ct_manager *old = ct_world_find(&world->core, name);
    if (old != NULL && reuse(L, old, s, multiple)) return 1;
    const named_schema user = {name, s};
    const ct_bind_definition definition = {make_record, &user, map, multiple};
    ct_bind_install_manager(L, 1, 5, old, &definition);
    return 1;
}

const luaL_Reg ct_bind_define_methods[] = {{"define", define}, {NULL, NULL}};
