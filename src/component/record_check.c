// Checks of component descriptions.
#include "component/record.h"

#include "base/hash.h"
#include "base/message.h"
#include "storage/labels.h"

#include <string.h>

#define MAX_NAME 63u
#define ALL_FLAGS (CT_COMPONENT_MULTIPLE | CT_COMPONENT_ARRAY)

// Limit of own_bytes. It keeps the size of the block within any size_t.
#define MAX_OWN_BYTES (1u << 30)

static bool is_identifier(const char *name, size_t length) {
    static const char letters[] = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return length > 0 && strspn(name, letters) == length && (name[0] < '0' || name[0] > '9');
}

// Shortens the name so that the message has room for the reason.
static bool refuse_name(const char *name, const char *why, ct_message *message) {
    char shown[MAX_NAME + 2] = {0};
    strncpy(shown, name, sizeof shown - 1);
    return ct_message_set(message, "'%s' %s", shown, why);
}

bool ct_component_name_check(const char *name, size_t length, ct_message *message) {
    // The built-in components of all versions of cuttle.
    static const char *const builtins[] = {"transform",  "debug_name", "model", "mesh",
                                           "point_mass", "actor",      "grid"};
    if (!is_identifier(name, length))
        return refuse_name(name, "is not a valid component name (letters, digits, _)", message);
    if (length > MAX_NAME)
        return ct_message_set(message, "component name is too long (limit is %u)", MAX_NAME);
    for (uint32_t i = 0; i < sizeof builtins / sizeof *builtins; ++i) {
        if (strcmp(name, builtins[i]) == 0)
            return ct_message_set(message, "%s is a built-in component", name);
    }
    return true;
}

bool ct_component_names_differ(const char *name, const char *other, ct_message *message) {
    return strcmp(name, other) == 0 ||
           ct_hash_fnv1a(CT_FNV1A_START, name, strlen(name)) !=
               ct_hash_fnv1a(CT_FNV1A_START, other, strlen(other)) ||
           ct_message_set(message, "component names '%s' and '%s' have one hash: choose another",
                          name, other);
}

// The methods of all managers that scripts or plugins define. spec/component/record_spec.lua
// compares the list with a manager.
static const char *const methods[] = {
    "create", "create_many", "lookup",    "lookup_many", "row",       "at",           "entity_at",
    "next",   "row_of_id",   "instances", "id",          "ids",       "has",          "entity",
    "get",    "set",         "read",      "write",       "read_many", "write_many",   "add_many",
    "on_add", "on_remove",   "off_add",   "off_remove",  "destroy",   "destroy_many", "reserve",
    "count",  "each",        "column",    "gc",          "name",      "memory",       "fields",
};

bool ct_component_is_method(const char *name) {
    uint32_t i = 0;
    while (i < sizeof methods / sizeof *methods && strcmp(methods[i], name) != 0)
        i++;
    return i < sizeof methods / sizeof *methods;
}

static bool hidden_check(const ct_component *component, ct_message *message) {
    for (const char *const *name = component->hidden; name != NULL && *name != NULL; ++name) {
        uint32_t f = 0;
        while (f < component->field_count && strcmp(component->fields[f].name, *name) != 0)
            f++;
        if (f < component->field_count) continue;
        ct_message reason;
        refuse_name(*name, "is not a field", &reason);
        return ct_message_set(message, "hidden: %s", reason.text);
    }
    for (uint32_t f = 0; f < component->field_count; ++f) {
        const char *name = component->fields[f].name;
        if (ct_component_is_method(name) && !ct_component_hides(component, name))
            return ct_message_set(message,
                                  "field '%s' has the name of a method of managers; rename it, or "
                                  "pass {hidden = {\"%s\"}} and use read and write",
                                  name, name);
    }
    return true;
}

// Returns whether 'name' is the name of the setter method of field 'other'.
static bool is_setter_of(const char *name, const char *other) {
    return strncmp(name, "set_", 4) == 0 && strcmp(name + 4, other) == 0;
}

static bool field_name_check(const ct_component_field *fields, uint32_t number,
                             ct_message *message) {
    const char *name = fields[number].name;
    if (name == NULL) return ct_message_set(message, "has no name");
    if (!is_identifier(name, strlen(name)) || strlen(name) > MAX_NAME)
        return refuse_name(name, "is not a valid field name (at most 63 letters, digits, _)",
                           message);
    if (strcmp(name, "id") == 0 || strcmp(name, "entity") == 0)
        return ct_message_set(message, "'%s' is a reserved name", name);
    for (uint32_t other = 0; other < number; ++other) {
        if (strcmp(fields[other].name, name) == 0)
            return ct_message_set(message, "duplicate field '%s'", name);
        if (is_setter_of(name, fields[other].name) || is_setter_of(fields[other].name, name))
            return ct_message_set(
                message,
                "'%s' and '%s' cannot both be fields: one is the name of the other's setter",
                fields[other].name, name);
    }
    return true;
}

bool ct_component_fields_check(const ct_component *component, ct_message *message) {
    const ct_component_field *fields = component->fields;
    uint32_t count = component->field_count;
    if (count > CT_MAX_RECORD_FIELDS)
        return ct_message_set(message, "too many fields (limit is %u)", CT_MAX_RECORD_FIELDS);
    if (count > 0 && fields == NULL) return ct_message_set(message, "its fields are NULL");
    for (uint32_t f = 0; f < count; ++f) {
        const ct_component_field *field = &fields[f];
        const ct_field described = {.type = field->type};
        const ct_values preset = {field->preset, 0};
        ct_message reason;
        if (!field_name_check(fields, f, &reason))
            return ct_message_set(message, field->name != NULL ? "field %u: %s" : "field %u %s",
                                  f + 1, reason.text);
        if ((uint32_t)field->type >= CT_FIELD_TYPE_COUNT)
            return ct_message_set(message, "%s: unknown type %u", field->name,
                                  (uint32_t)field->type);
        if (field->type == CT_FIELD_ENUM) {
            if (ct_labels_check(field->preset, &reason)) continue;
            return ct_message_set(message, "%s: %s", field->name, reason.text);
        }
        if (field->type == CT_FIELD_VALUE && field->preset != NULL)
            return ct_message_set(message, "%s: a value has no default (it is nil unless given)",
                                  field->name);
        if (!ct_field_items_valid(&described, &preset, 1))
            return ct_message_set(message, "%s: its default is not a value of its type",
                                  field->name);
    }
    return hidden_check(component, message);
}

// Returns whether all bytes from the reserved members on are 0, including members of later versions
// of cuttle.h.
static bool is_of_this_version(const ct_component *component) {
    const unsigned char *bytes = (const unsigned char *)component;
    for (size_t i = offsetof(ct_component, reserved); i < component->size; ++i) {
        if (bytes[i] != 0) return false;
    }
    return true;
}

bool ct_component_check(const ct_component *component, ct_message *message) {
    if (component == NULL)
        return ct_message_set(message, "component description expected, got NULL");
    if (component->size < offsetof(ct_component, own_bytes))
        return ct_message_set(message,
                              "component description has size %u: sizeof(ct_component) expected",
                              component->size);
    const char *name = component->name;
    if (name == NULL) return ct_message_set(message, "component description has no name");
    if (!ct_component_name_check(name, strlen(name), message)) return false;
    if ((component->flags & ~ALL_FLAGS) != 0 || !is_of_this_version(component))
        return ct_message_set(message, "%s: unknown flags, or reserved members that are not 0",
                              name);
    ct_message reason;
    const ct_component whole = ct_plugin_whole(component);
    if (!ct_component_fields_check(&whole, &reason))
        return ct_message_set(message, "%s: %s", name, reason.text);
    uint32_t own_bytes = whole.own_bytes;
    return own_bytes <= MAX_OWN_BYTES ||
           ct_message_set(message, "%s: own_bytes is %u (limit is %u)", name, own_bytes,
                          MAX_OWN_BYTES);
}

bool ct_component_may_replace(ct_manager *old, bool by_plugin, ct_message *message) {
    ct_store_sweep(&old->store);
    uint32_t rows = ct_store_count(&old->store);
    const char *how = ct_plugin_description(old) != NULL ? "by a plugin"
                      : by_plugin                        ? "by a script"
                                                         : "with other fields";
    const char *way_out = by_plugin || ct_plugin_description(old) != NULL
                              ? ""
                              : ", or keep what fits by {migrate = true}";
    return rows == 0 ||
           ct_message_set(message,
                          "%s is defined %s and has %u row%s: destroy the components first%s",
                          old->name, how, rows, rows == 1 ? "" : "s", way_out);
}
