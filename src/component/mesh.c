// Meshes: names of static resources, checked against those that are known.
// Knows nothing of the other components, nor of what a resource holds.
#include "component/mesh.h"

#include "base/message.h"
#include "base/nearest.h"

#include <string.h>

enum { COLUMN_RESOURCE = CT_COLUMN_ID + 1, COLUMN_COLOR, COLUMN_VISIBLE };
enum { FIELD_RESOURCE, FIELD_COLOR, FIELD_VISIBLE, FIELD_COUNT };

typedef struct meshes {
    ct_manager base;
    unsigned char *known; // by string: 1 when it is a resource's name, of which a reference is held
    uint32_t known_capacity;
} meshes;

static const unsigned char shown = 1;

// A view may not write a resource: it asks nobody whether the name is known.
static const ct_field fields[FIELD_COUNT] = {
    {.name = "resource",
     .type = CT_FIELD_STRING,
     .column = COLUMN_RESOURCE,
     .read_only = true,
     .required = true},
    {.name = "color", .type = CT_FIELD_COLOR, .column = COLUMN_COLOR},
    {.name = "visible", .type = CT_FIELD_BOOL, .column = COLUMN_VISIBLE, .preset = &shown},
};

static bool knows_string(const meshes *m, ct_string string) {
    return string.ref < m->known_capacity && m->known[string.ref] != 0;
}

bool ct_mesh_knows(const ct_manager *manager, ct_text name) {
    return knows_string((const meshes *)(const void *)manager,
                        ct_string_pool_find(manager->strings, name));
}

ct_status ct_mesh_add_name(ct_manager *manager, ct_text name) {
    meshes *m = (meshes *)(void *)manager;
    ct_string string;
    CT_ASSERT(name.length > 0);
    if (ct_mesh_knows(manager, name)) return CT_OK;
    ct_status status = ct_string_pool_intern(manager->strings, name, &string);
    if (status != CT_OK) return status;
    uint32_t old = m->known_capacity;
    status = ct_array_reserve(manager->store.allocator, (void **)&m->known, &m->known_capacity,
                              string.ref + 1, sizeof *m->known);
    if (status != CT_OK) {
        ct_string_pool_release(manager->strings, string);
        return status;
    }
    memset(m->known + old, 0, m->known_capacity - old);
    m->known[string.ref] = 1;
    return CT_OK;
}

bool ct_mesh_refuse(const ct_manager *manager, ct_text name, ct_message *message) {
    const meshes *m = (const meshes *)(const void *)manager;
    const char *nearest = NULL;
    uint32_t best = ct_nearest_limit(name.bytes);
    for (uint32_t ref = 1; ref < m->known_capacity; ++ref) {
        if (m->known[ref] == 0) continue;
        const char *known = ct_string_pool_text(manager->strings, (ct_string){ref}).bytes;
        uint32_t distance = ct_edit_distance(name.bytes, known);
        if (distance >= best) continue;
        best = distance;
        nearest = known;
    }
    // Cut off: the rest of the message must fit, and one that is far too long is near to none.
    char shown_name[81] = {0};
    strncpy(shown_name, name.bytes, sizeof shown_name - 1);
    if (nearest == NULL) return ct_message_set(message, "unknown mesh resource '%s'", shown_name);
    return ct_message_set(message, "unknown mesh resource '%s' (did you mean '%s'?)", shown_name,
                          nearest);
}

static bool check(const ct_manager *manager, const ct_values *values, uint32_t count,
                  ct_message *message) {
    const unsigned char *item = values[FIELD_RESOURCE].items;
    uint32_t stride = values[FIELD_RESOURCE].stride;
    if (item == NULL) return true;
    if (stride == 0 && count > 1) count = 1;
    for (uint32_t i = 0; i < count; ++i, item += stride) {
        ct_text name;
        ct_message why;
        memcpy(&name, item, sizeof name);
        if (ct_mesh_knows(manager, name)) continue;
        ct_mesh_refuse(manager, name, &why);
        return ct_message_set(message, "resource: %s", why.text);
    }
    return true;
}

// Names of a resource's instances, by their offsets; neighbours are often alike, so that a few
// remembered ones save most of the hashing.
static bool admits(const ct_manager *manager, const ct_spawn *spawn, ct_message *message) {
    enum { REMEMBERED = 64 };
    ct_layout layout = {manager->layout, manager->layout_count, true};
    ct_layout_places places;
    uint32_t known[REMEMBERED];
    if (!ct_layout_place(&layout, spawn->num_instances, &places)) return false;
    memset(known, 0xFF, sizeof known); // no offset: they are multiples of 4
    const unsigned char *item = spawn->data + places.field[FIELD_RESOURCE];
    for (uint32_t i = 0; i < spawn->num_instances; ++i, item += 4) {
        uint32_t offset;
        ct_text name;
        ct_message why;
        memcpy(&offset, item, sizeof offset);
        if (known[offset / 4 % REMEMBERED] == offset) continue;
        memcpy(&name.length, spawn->data + places.strings + offset, sizeof name.length);
        name.bytes = (const char *)spawn->data + places.strings + offset + 4;
        if (!ct_mesh_knows(manager, name)) {
            ct_mesh_refuse(manager, name, &why);
            return ct_message_set(message, CT_MESH ": resource of instance %u: %s", i + 1,
                                  why.text);
        }
        known[offset / 4 % REMEMBERED] = offset;
    }
    return true;
}

static void release(ct_manager *manager) {
    meshes *m = (meshes *)(void *)manager;
    for (uint32_t ref = 1; ref < m->known_capacity; ++ref) {
        if (m->known[ref] != 0) ct_string_pool_release(manager->strings, (ct_string){ref});
    }
    ct_free(manager->store.allocator, m->known, m->known_capacity);
    m->known = NULL;
    m->known_capacity = 0;
}

static size_t bytes(const ct_manager *manager) {
    return ((const meshes *)(const void *)manager)->known_capacity;
}

static bool validate(const ct_manager *manager, ct_message *message) {
    const meshes *m = (const meshes *)(const void *)manager;
    for (uint32_t row = 0; row < ct_store_count(&manager->store); ++row) {
        const ct_string *name = ct_manager_item(manager, &fields[FIELD_RESOURCE], (ct_row){row});
        if (!knows_string(m, *name))
            return ct_message_set(message, CT_MESH ": the resource of row %u is not known", row);
    }
    return true;
}

static const ct_manager_type mesh_type = {
    .check = check,
    .admits = admits,
    .fill = ct_manager_fill_columns,
    .release = release,
    .bytes = bytes,
    .validate = validate,
};

ct_manager *ct_mesh_create(const ct_manager_setup *setup) {
    static const uint16_t widths[] = {4, 16, 1};
    meshes *m = ct_alloc_zero(setup->allocator, sizeof *m);
    if (m == NULL) return NULL;
    ct_manager_init(&m->base, sizeof *m, &mesh_type, CT_MESH, setup, widths, 3, fields,
                    FIELD_COUNT);
    return &m->base;
}

ct_layout ct_mesh_layout(void) { return (ct_layout){fields, FIELD_COUNT, true}; }
