// core.define: component managers from a schema that Lua has parsed, and the creation of their
// objects.

#include "world/define.h"
#include "base/message.h"
#include "bind/manager/definition.h"
#include "bind/world/managers.h"
#include "component/record.h"
#include "storage/labels.h"
#include "storage/migration.h"

#include <string.h>

// ---------------------------------------------------------------- schema

// Stack indices in core.define.
enum { WORLD = 1, NAME, NAMES, TYPES, DEFAULTS, LABELS, HIDDEN, MULTIPLE, ARRAY, MIGRATE };

typedef struct schema {
    ct_component component;
    ct_component_field fields[CT_MAX_RECORD_FIELDS];
    unsigned char presets[CT_MAX_RECORD_FIELDS][CT_MAX_ITEM_BYTES];
    ct_enum enums[CT_MAX_RECORD_FIELDS];
    const char *hidden[CT_MAX_RECORD_FIELDS + 1];
} schema;

// Stack indices of a field's labels, default, type and name.
enum { ITS_LABELS = -4, ITS_DEFAULT, ITS_TYPE, ITS_NAME, ITS_VALUES = 4 };

// Reads the default on the stack as an item; leaves the item unchanged if there is none.
static bool read_default(lua_State *L, const ct_field *described, void *item, ct_message *message) {
    return lua_isnil(L, ITS_DEFAULT) || ct_bind_value_to_item(L, ITS_DEFAULT, described, item) ||
           ct_message_set(message, "%s: default: %s", described->name, lua_tostring(L, -1));
}

// Reads the labels on the stack, one string with a zero byte after each, and the default.
static bool read_enum(lua_State *L, const char *name, ct_enum *out, ct_message *message) {
    ct_text labels[CT_MAX_LABELS];
    unsigned char number = 0;
    ct_message reason;
    ct_text all = ct_bind_to_text(L, ITS_LABELS);
    *out = (ct_enum){0};
    if (all.length > 0 && all.bytes[all.length - 1] == '\0') out->labels = all.bytes;
    if (!ct_labels_check(out, &reason)) return ct_message_set(message, "%s: %s", name, reason.text);
    const ct_field described = {.name = name,
                                .type = CT_FIELD_ENUM,
                                .labels = labels,
                                .label_count = ct_labels_split(out->labels, labels)};
    if (!read_default(L, &described, &number, message)) return false;
    out->preset = number;
    return true;
}

// Reads the field at a position of the arrays. Leaves the values on the stack, which keeps them
// alive until the manager has copied them: a finalizer may empty the arrays. Runs no finalizer on
// success. Returns false with the reason in 'message' otherwise.
static bool read_field(lua_State *L, schema *s, int place, ct_message *message) {
    ct_component_field *field = &s->fields[place - 1];
    unsigned char *preset = s->presets[place - 1];
    ct_message why;
    size_t length;
    for (int array = LABELS; array >= NAMES; --array)
        lua_rawgeti(L, array, place);
    if (lua_type(L, ITS_NAME) != LUA_TSTRING || lua_type(L, ITS_TYPE) != LUA_TSTRING)
        return ct_message_set(message, "field %u: name and type expected", (uint32_t)place);
    field->name = lua_tolstring(L, ITS_NAME, &length);
    if (strlen(field->name) != length) field->name = ""; // a name with a NUL is invalid, too
    const char *type = lua_tolstring(L, ITS_TYPE, &length);
    field->type = ct_field_type_find(strlen(type) == length ? type : "", &why);
    if (field->type == CT_FIELD_TYPE_COUNT)
        return ct_message_set(message, "%s: %s", field->name, why.text);
    if (field->type == CT_FIELD_ENUM) {
        field->preset = &s->enums[place - 1];
        return read_enum(L, field->name, &s->enums[place - 1], message);
    }
    const ct_field described = {.name = field->name, .type = field->type};
    if (!lua_isnil(L, ITS_DEFAULT)) field->preset = preset;
    if (field->type == CT_FIELD_VALUE) return true; // a default is reported with the other errors
    return read_default(L, &described, preset, message);
}

static bool read_fields(lua_State *L, schema *s, ct_message *message) {
    uint32_t length = ct_bind_rawlen(L, NAMES), hidden = 0;
    s->component.fields = s->fields;
    s->component.field_count = length;
    s->component.hidden = s->hidden;
    for (uint32_t i = 0; i < length && i < CT_MAX_RECORD_FIELDS; ++i) {
        if (!read_field(L, s, (int)i + 1, message)) return false;
        lua_rawgeti(L, HIDDEN, (int)i + 1);
        if (lua_toboolean(L, -1)) s->hidden[hidden++] = s->fields[i].name;
        lua_pop(L, 1);
    }
    return ct_component_fields_check(&s->component, message);
}

// ---------------------------------------------------------------- define

// definition -> list of the dropped fields
static int push_dropped(lua_State *L) {
    const ct_definition *made = lua_touserdata(L, 1);
    ct_message message;
    uint32_t place = 0;
    lua_newtable(L);
    while (made->migrates &&
           ct_migration_dropped(made->replaced, made->manager, &place, &message)) {
        ct_bind_store_string(L, 2, (int)ct_bind_rawlen(L, 2) + 1, message.text);
    }
    return 1;
}

// Creates the object of the manager in the block on top, ends the manager that it replaces, and
// pushes the list of dropped fields and the object. The new object is created first, because that
// may run out of memory, and ending the old one cannot fail. Returns false with the error on top.
static bool take_place(lua_State *L, int world, ct_definition *made) {
    int old = lua_gettop(L); // below the block
    if (made->replaced != NULL) {
        ct_bind_push_manager(L, world, made->replaced);
        lua_insert(L, old);
    }
    lua_pushlightuserdata(L, made);
    if (ct_bind_call_protected(L, push_dropped, 1, 1) != 0) return false;
    lua_insert(L, -2);
    if (!ct_bind_adopt_managers(L, world, made->manager)) return false;
    if (made->replaced == NULL) return true;
    ct_world_migrate(made);
    ct_bind_retire_manager(L, world, old);
    return true;
}

void ct_bind_define_manager(lua_State *L, int world, const ct_component *component, bool by_plugin,
                            bool migrate) {
    ct_bind_world *owner = ct_bind_world_of(L, world);
    ct_definition made;
    ct_message message;
    ct_bind_begin_lending(L, owner, NULL);
    ct_status status =
        ct_world_define(&owner->core, component, by_plugin, migrate, &made, &message);
    if (status != CT_OK) luaL_error(L, "%s", message.text);
    if (!made.is_new) {
        lua_newtable(L);
        ct_bind_push_manager(L, world, made.manager);
        if (!by_plugin) ct_bind_set_definition(L, -1);
        return;
    }
    // Finalizers may run, but they cannot end the world or add rows for which no room is reserved.
    owner->core.busy++;
    if (made.migrates) owner->core.ending = CT_WORLD_DEFINING;
    bool taken = take_place(L, world, &made);
    if (made.migrates) owner->core.ending = 0;
    owner->core.busy--;
    if (taken) return;
    ct_world_remove(&owner->core, made.manager);
    lua_error(L);
}

// Returns the error of an argument of world:define.
static int refuse(lua_State *L, int argument, const ct_message *message) {
    lua_pushnil(L);
    ct_bind_push_whole(L, argument);
    lua_pushstring(L, message->text);
    return 3;
}

// core.define(world, name, names, types, defaults, labels, hidden, multiple, array, migrate) ->
// manager, and if 'migrate' a list of the dropped fields; or nil, the number of the invalid
// argument of world:define (lua/cuttle/define.lua), and the message
static int define(lua_State *L) {
    const ct_bind_world *world = ct_bind_check_world(L, WORLD);
    size_t length;
    ct_message message;
    const char *name = luaL_checklstring(L, NAME, &length);
    for (int array = NAMES; array <= HIDDEN; ++array)
        luaL_checktype(L, array, LUA_TTABLE);
    lua_settop(L, MIGRATE);
    if (!ct_component_name_check(name, length, &message)) return refuse(L, 1, &message);
    schema *s = memset(lua_newuserdata(L, sizeof *s), 0, sizeof *s);
    luaL_checkstack(L, ITS_VALUES * (int)CT_MAX_RECORD_FIELDS + LUA_MINSTACK, "too many fields");
    if (!read_fields(L, s, &message)) return refuse(L, 2, &message);
    s->component.name = name;
    s->component.flags = (lua_toboolean(L, MULTIPLE) ? CT_COMPONENT_MULTIPLE : 0) |
                         (lua_toboolean(L, ARRAY) ? CT_COMPONENT_ARRAY : 0);
    if (!ct_world_name_check(&world->core, name, &message)) return refuse(L, 1, &message);
    bool migrate = lua_toboolean(L, MIGRATE);
    ct_bind_define_manager(L, WORLD, &s->component, false, migrate);
    lua_insert(L, -2);
    if (!migrate) lua_pop(L, 1);
    return migrate ? 2 : 1;
}

void ct_bind_open_define(lua_State *L) { ct_bind_add_function(L, "define", define); }
