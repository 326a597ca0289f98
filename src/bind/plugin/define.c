// Component types of plugins: a description is checked, and becomes a manager of a world.
// Knows nothing of what their callbacks are for.
#include "bind/world/define.h"
#include "bind/plugin/pin.h"
#include "bind/plugin/plugin.h"
#include "component/record_plugin.h"

#include <string.h>

#define ALL_FLAGS (CT_COMPONENT_MULTIPLE | CT_COMPONENT_ARRAY)

// Of own_bytes. The whole block then is small enough for any size_t.
#define MAX_OWN_BYTES (1u << 30)

static void check_field(lua_State *L, const ct_component *component, uint32_t number) {
    const ct_component_field *field = &component->fields[number];
    const char *of = component->name;
    int place = (int)number + 1;
    if (field->name == NULL) luaL_error(L, "%s: field %d has no name", of, place);
    if (!ct_bind_may_name_field(L, field->name, strlen(field->name)))
        luaL_error(L, "%s: field %d: %s", of, place, lua_tostring(L, -1));
    for (uint32_t other = 0; other < number; ++other) {
        if (strcmp(component->fields[other].name, field->name) == 0)
            luaL_error(L, "%s: field %d: duplicate field '%s'", of, place, field->name);
    }
    if ((unsigned)field->type >= CT_FIELD_TYPE_COUNT)
        luaL_error(L, "%s: %s: unknown type %d", of, field->name, (int)field->type);
    const ct_values preset = {field->preset, 0};
    if (!ct_bind_plugin_items_sound(field->type, &preset, 1))
        luaL_error(L, "%s: %s: its default is no value of its type", of, field->name);
}

// From the reserved members on everything is 0, also what a later version of cuttle.h has added.
static bool is_of_this_version(const ct_component *component) {
    const unsigned char *bytes = (const unsigned char *)component;
    for (size_t i = offsetof(ct_component, reserved); i < component->size; ++i) {
        if (bytes[i] != 0) return false;
    }
    return true;
}

static void check_own(lua_State *L, const ct_component *component) {
    const ct_component whole = ct_plugin_whole(component);
    if (whole.own_bytes > MAX_OWN_BYTES)
        luaL_error(L, "%s: own_bytes is %f (limit is %d)", whole.name, (lua_Number)whole.own_bytes,
                   (int)MAX_OWN_BYTES);
    for (const luaL_Reg *m = whole.methods; m != NULL && m->name != NULL; ++m) {
        if (m->func == NULL) luaL_error(L, "%s: method '%s' is NULL", whole.name, m->name);
    }
}

static void check_description(lua_State *L, const ct_component *component) {
    if (component == NULL) luaL_error(L, "component description expected, got NULL");
    if (component->size < offsetof(ct_component, own_bytes))
        luaL_error(L, "component description has size %d: sizeof(ct_component) expected",
                   (int)component->size);
    if (component->name == NULL) luaL_error(L, "component description has no name");
    if (!ct_bind_may_name_component(L, component->name, strlen(component->name))) lua_error(L);
    if ((component->flags & ~ALL_FLAGS) != 0 || !is_of_this_version(component))
        luaL_error(L, "%s: unknown flags, or reserved members that are not 0", component->name);
    if (component->field_count > CT_MAX_RECORD_FIELDS)
        luaL_error(L, "%s: too many fields (limit is %d)", component->name,
                   (int)CT_MAX_RECORD_FIELDS);
    if (component->field_count > 0 && component->fields == NULL)
        luaL_error(L, "%s: its fields are NULL", component->name);
    for (uint32_t f = 0; f < component->field_count; ++f)
        check_field(L, component, f);
    check_own(L, component);
}

// Data and code of a plugin need not lie in one library, and the description in none.
static void pin(const ct_component *component) {
    const ct_component whole = ct_plugin_whole(component);
    void (*const callbacks[])(void) = {
        (void (*)(void))whole.opened,  (void (*)(void))whole.closed,
        (void (*)(void))whole.created, (void (*)(void))whole.removing,
        (void (*)(void))whole.moved,   (void (*)(void))whole.written,
        (void (*)(void))whole.bytes,   (void (*)(void))whole.validate,
    };
    ct_bind_pin_library(component);
    for (uint32_t i = 0; i < sizeof callbacks / sizeof *callbacks; ++i)
        ct_bind_pin_code(callbacks[i]);
    for (const luaL_Reg *m = whole.methods; m != NULL && m->name != NULL; ++m)
        ct_bind_pin_code((void (*)(void))m->func);
}

static ct_manager *make(const ct_manager_setup *setup, const void *user) {
    return ct_plugin_create(setup, user);
}

void ct_bind_plugin_define(lua_State *L, int world, const ct_component *component) {
    world = ct_bind_absindex(L, world);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    const ct_bind_world *owner = ct_bind_check_world(L, world);
    ct_bind_check_open(L, &owner->core);
    check_description(L, component);
    lua_pushfstring(L, "%s was defined again", component->name);
    int why = lua_gettop(L);
    if (!ct_bind_is_free_name(L, &owner->core, component->name)) lua_error(L);
    ct_manager *old = ct_world_find(&owner->core, component->name);
    if (old != NULL && ct_plugin_description(old) == component) {
        ct_bind_push_manager(L, world, old);
    } else {
        if (old != NULL) ct_bind_check_replaceable(L, old, "by a script");
        pin(component);
        const ct_bind_definition definition = {
            .make = make,
            .user = component,
            .map = (component->flags & CT_COMPONENT_ARRAY) != 0 ? CT_MAP_ARRAY : CT_MAP_HASH,
            .multiple = (component->flags & CT_COMPONENT_MULTIPLE) != 0,
        };
        ct_bind_install_manager(L, world, why, old, &definition);
    }
    lua_replace(L, why);
    lua_settop(L, why);
}

void *ct_bind_plugin_own(const ct_manager *manager, const ct_component *component) {
    if (component == NULL || ct_plugin_description(manager) != component) return NULL;
    return ct_plugin_own(manager);
}
