// Validation and memory of a compiled resource.
#include "resource/resource.h"

#include "base/hash.h"
#include "base/message.h"
#include "resource/path.h"
#include "storage/entity_map.h"

#include <string.h>

#define ALIGNMENT 16u
#define HEADER_BYTES ((uint32_t)sizeof(ct_resource_header))
#define TYPE_BYTES ((uint32_t)sizeof(ct_component_type_data))

ct_layout ct_resource_ids_layout(void) {
    static const ct_field fields[] = {{.name = "id", .type = CT_FIELD_STRING},
                                      {.name = "scope", .type = CT_FIELD_ENTITY}};
    return (ct_layout){.fields = fields, .field_count = 2};
}

bool ct_section_is_ids(const ct_section *section) {
    return section->schema != 0 && strcmp(section->name, CT_RESOURCE_IDS) == 0;
}

ct_status ct_resource_init(ct_resource *resource, const ct_allocator *allocator, uint32_t bytes) {
    memset(resource, 0, sizeof *resource);
    resource->allocator = allocator;
    if (!ct_size_mul_add(bytes, 1, ALIGNMENT - 1, &resource->block_bytes)) return CT_ERR_MEMORY;
    resource->block = ct_alloc(allocator, resource->block_bytes);
    if (resource->block == NULL) return CT_ERR_MEMORY;
    uintptr_t address = (uintptr_t)resource->block;
    resource->blob = (unsigned char *)resource->block + (0u - address) % ALIGNMENT;
    resource->bytes = bytes;
    resource->name = (ct_text){"", 0};
    resource->path_seed = ct_hash_seed(resource->blob);
    return CT_OK;
}

static void free_sections(ct_resource *resource) {
    if (resource->sections == NULL) return;
    ct_free(resource->allocator, resource->sections,
            resource->num_component_types * sizeof *resource->sections);
    resource->sections = NULL;
}

void ct_resource_free(ct_resource *resource) {
    const ct_allocator *allocator = resource->allocator;
    resource->freed = true;
    if (allocator == NULL || resource->holders > 0) return;
    free_sections(resource);
    ct_path_free(resource);
    ct_free(allocator, resource->block, resource->block_bytes);
    if (resource->name.length > 0)
        ct_free(allocator, (void *)resource->name.bytes, resource->name.length + (size_t)1);
    memset(resource, 0, sizeof *resource);
    resource->freed = true;
}

ct_status ct_resource_set_name(ct_resource *resource, ct_text name) {
    char *copy = NULL;
    if (name.length > 0) {
        copy = ct_alloc(resource->allocator, name.length + (size_t)1);
        if (copy == NULL) return CT_ERR_MEMORY;
        memcpy(copy, name.bytes, name.length);
        copy[name.length] = '\0';
    }
    if (resource->name.length > 0)
        ct_free(resource->allocator, (void *)resource->name.bytes,
                resource->name.length + (size_t)1);
    resource->name = (ct_text){copy != NULL ? copy : "", name.length};
    return CT_OK;
}

void ct_resource_hold(ct_resource *resource) { resource->holders++; }

void ct_resource_release(ct_resource *resource) {
    if (--resource->holders == 0 && resource->freed) ct_resource_free(resource);
}

void ct_resource_ancestors(const uint32_t *parent_index, uint32_t num_entities,
                           const uint32_t *entity_index, uint32_t count, uint32_t *scratch,
                           uint32_t *ancestor) {
    uint32_t next = 0;
    for (uint32_t e = 0; e < num_entities && next < count; ++e) {
        uint32_t parent = parent_index[e];
        scratch[e] = parent == CT_RESOURCE_NO_PARENT ? CT_NO_ROW : scratch[parent];
        if (entity_index[next] != e) continue;
        ancestor[next] = scratch[e];
        scratch[e] = next++;
    }
}

static uint32_t swapped(uint32_t v) {
    return v >> 24 | (v >> 8 & 0xFF00u) | (v << 8 & 0xFF0000u) | v << 24;
}

static bool check_header(const ct_resource_header *header, const ct_resource *resource,
                         ct_message *message) {
    if (header->magic == swapped(CT_RESOURCE_MAGIC)) {
        // The byte order of the resource is the opposite of the host's.
        const char *theirs = ct_host_is_big_endian() ? "little" : "big";
        const char *ours = ct_host_is_big_endian() ? "big" : "little";
        return ct_message_set(message,
                              "the resource was compiled for %s-endian machines: compile it with "
                              "endian = \"%s\" for this one",
                              theirs, ours);
    }
    if (header->magic != CT_RESOURCE_MAGIC)
        return ct_message_set(message, "not an entity resource: it does not begin with CTLR");
    if (header->version != CT_RESOURCE_VERSION)
        return ct_message_set(message,
                              "the resource has format version %u, this library reads version %u: "
                              "compile it again",
                              header->version, CT_RESOURCE_VERSION);
    if (header->bytes != resource->bytes)
        return ct_message_set(message,
                              "the resource is damaged: it was written with %u bytes, there are %u",
                              header->bytes, resource->bytes);
    uint32_t crc = ct_hash_crc32(0, resource->blob + 16, resource->bytes - 16);
    if (header->checksum != crc)
        return ct_message_set(message, "the resource is damaged: its checksum does not fit");
    if (header->num_entities > CT_MAX_ENTITIES)
        return ct_message_set(message, "offset 16: %u entities, %u is the limit",
                              header->num_entities, CT_MAX_ENTITIES);
    if (header->num_component_types > CT_MAX_COMPONENT_TYPES)
        return ct_message_set(message, "offset 20: %u component types, %u is the limit",
                              header->num_component_types, CT_MAX_COMPONENT_TYPES);
    if (header->num_entities > (resource->bytes - HEADER_BYTES) / 4)
        return ct_message_set(message, "offset 16: %u entities do not fit", header->num_entities);
    return true;
}

static bool check_parents(const ct_resource *resource, ct_message *message) {
    for (uint32_t i = 0; i < resource->num_entities; ++i) {
        uint32_t parent = resource->parent_index[i];
        if (CT_UNLIKELY(parent >= i && parent != CT_RESOURCE_NO_PARENT))
            return ct_message_set(message, "offset %u: the parent of entity %u does not precede it",
                                  HEADER_BYTES + i * 4, i + 1);
    }
    return true;
}

static bool check_entity_names(ct_resource *resource, uint32_t at, ct_message *message) {
    if (at == 0) return true;
    uint32_t table = resource->num_entities * 4;
    if (at % 4 != 0 || at > resource->bytes || table > resource->bytes - at)
        return ct_message_set(message, "offset 28: the names of entities do not fit");
    resource->name_offset = (const uint32_t *)(const void *)(resource->blob + at);
    resource->name_block = resource->blob + at + table;
    for (uint32_t i = 0; i < resource->num_entities; ++i) {
        if (resource->name_offset[i] != CT_RESOURCE_NO_NAME &&
            ct_resource_entity_name(resource, i).bytes == NULL)
            return ct_message_set(message,
                                  "offset %u: the name of entity %u is outside of the resource",
                                  at + i * 4, i + 1);
    }
    return true;
}

// Entities ascend, so checking the last one is enough.
static bool check_entity_index(const ct_section *section, uint32_t num_entities, uint32_t at,
                               ct_message *message) {
    uint32_t falls = 0, n = section->num_instances;
    for (uint32_t i = 1; i < n; ++i)
        falls += section->entity_index[i] < section->entity_index[i - 1];
    if (falls != 0)
        return ct_message_set(message, "offset %u: the entities of %s are not in ascending order",
                              at, section->name);
    if (n > 0 && section->entity_index[n - 1] >= num_entities)
        return ct_message_set(message, "offset %u: %s belongs to entity %u of %u", at,
                              section->name, section->entity_index[n - 1] + 1, num_entities);
    return true;
}

static bool check_opaque(const ct_section *section, ct_message *message) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < section->num_instances; ++i) {
        uint32_t size;
        if (section->size - at < 4)
            return ct_message_set(message, "%s: the data of instance %u does not fit",
                                  section->name, i + 1);
        memcpy(&size, section->data + at, 4);
        if (size > section->size - at - 4)
            return ct_message_set(message, "%s: the data of instance %u does not fit",
                                  section->name, i + 1);
        at += 4 + size;
    }
    if (at != section->size)
        return ct_message_set(message, "%s: data after its last instance", section->name);
    return true;
}

static bool check_name(const ct_resource *resource, const ct_resource_header *header, uint32_t name,
                       uint32_t at, ct_section *out, ct_message *message) {
    uint32_t end = header->entity_names != 0 ? header->entity_names : resource->bytes;
    const unsigned char *nul = NULL;
    if (name >= header->names && name < end) nul = memchr(resource->blob + name, 0, end - name);
    if (nul == NULL)
        return ct_message_set(
            message, "offset %u: the name of a component type is outside of the resource", at);
    out->name = (const char *)resource->blob + name;
    out->behind_name = end - name - (uint32_t)(nul - (resource->blob + name)) - 1;
    size_t length = (size_t)(nul - (resource->blob + name));
    if (length == 0 || ct_hash_fnv1a(CT_FNV1A_START, out->name, length) != out->identifier)
        return ct_message_set(message,
                              "offset %u: a component type whose name and identifier differ", at);
    return true;
}

// Checks the section at offset 'at', and sets *end to the offset of its end.
static bool check_section(const ct_resource *resource, const ct_resource_header *header,
                          uint64_t at, ct_section *out, uint64_t *end, ct_message *message) {
    ct_component_type_data type;
    if (at + TYPE_BYTES > header->names)
        return ct_message_set(message, "offset 20: %u component types do not fit",
                              header->num_component_types);
    memcpy(&type, resource->blob + at, sizeof type);
    memset(out, 0, sizeof *out);
    out->identifier = type.component_identifier;
    out->schema = type.schema;
    out->num_instances = type.num_instances;
    out->size = type.size;
    if (!check_name(resource, header, type.name, (uint32_t)at, out, message)) return false;
    if (type.num_instances > CT_MAX_ROWS)
        return ct_message_set(message, "%s: %u instances, %u is the limit", out->name,
                              type.num_instances, CT_MAX_ROWS);
    uint64_t data = at + TYPE_BYTES + (uint64_t)type.num_instances * 4;
    data = (data + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    *end = data + type.size;
    if (*end > header->names)
        return ct_message_set(message, "%s: its %u instances do not fit", out->name,
                              type.num_instances);
    out->entity_index = (const uint32_t *)(const void *)(resource->blob + at + TYPE_BYTES);
    out->data = resource->blob + data;
    return check_entity_index(out, resource->num_entities, (uint32_t)at + TYPE_BYTES, message) &&
           (type.schema != 0 || check_opaque(out, message));
}

static bool check_twice(const ct_resource *resource, uint32_t count, ct_message *message) {
    const ct_section *last = &resource->sections[count];
    for (uint32_t i = 0; i < count; ++i) {
        if (resource->sections[i].identifier == last->identifier)
            return ct_message_set(message, "%s: duplicate component type", last->name);
    }
    return true;
}

static bool check_sections(ct_resource *resource, const ct_resource_header *header,
                           ct_message *message) {
    uint64_t at = HEADER_BYTES + (uint64_t)resource->num_entities * 4;
    uint32_t names_end = header->entity_names != 0 ? header->entity_names : resource->bytes;
    if (header->names < at || header->names > names_end || names_end > resource->bytes)
        return ct_message_set(message, "offset 24: the names are outside of the resource");
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        at = (at + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
        if (!check_section(resource, header, at, &resource->sections[i], &at, message) ||
            !check_twice(resource, i, message))
            return false;
    }
    return true;
}

// Runs the additional check of a type, which may depend on the hierarchy.
static ct_status check_more(const ct_resource *resource, const ct_section *section,
                            const ct_layout *layout, ct_message *message) {
    ct_layout_places places;
    size_t count = (size_t)resource->num_entities + section->num_instances;
    if (layout->check == NULL || section->num_instances == 0) return CT_OK;
    if (!ct_layout_place(layout, section->num_instances, &places)) return CT_ERR_DATA;
    uint32_t *scratch = ct_alloc(resource->allocator, count * sizeof *scratch);
    if (scratch == NULL) return CT_ERR_MEMORY;
    uint32_t *ancestor = scratch + resource->num_entities;
    ct_resource_ancestors(resource->parent_index, resource->num_entities, section->entity_index,
                          section->num_instances, scratch, ancestor);
    bool ok = layout->check(section->data, &places, section->num_instances, ancestor, message);
    ct_free(resource->allocator, scratch, count * sizeof *scratch);
    return ok ? CT_OK : CT_ERR_DATA;
}

// Checks the types with a known layout, which must have been compiled for that layout.
static ct_status check_known(ct_resource *resource, const ct_builtin_layout *layouts,
                             ct_message *message) {
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        ct_section *section = &resource->sections[i];
        const ct_builtin_layout *known = layouts;
        while (known->name != NULL && strcmp(known->name, section->name) != 0)
            known++;
        // Opaque data under a known name is for a spawner that a script registered.
        if (known->name == NULL || section->schema == 0) continue;
        if (section->schema != ct_layout_schema(&known->layout)) {
            ct_message_set(message,
                           "%s: the resource was compiled for other fields: compile it again",
                           section->name);
            return CT_ERR_DATA;
        }
        ct_status status = ct_section_verify(section, &known->layout, resource->num_entities,
                                             resource->allocator, message);
        if (status == CT_OK) status = check_more(resource, section, &known->layout, message);
        if (status != CT_OK) return status;
        if (ct_section_is_ids(section)) resource->ids = section;
    }
    return CT_OK;
}

ct_status ct_resource_check(ct_resource *resource, const ct_builtin_layout *layouts,
                            ct_message *message) {
    ct_resource_header header;
    if (resource->bytes < HEADER_BYTES) {
        ct_message_set(message, "not an entity resource: %u bytes are less than its header",
                       resource->bytes);
        return CT_ERR_DATA;
    }
    memcpy(&header, resource->blob, sizeof header);
    if (!check_header(&header, resource, message)) return CT_ERR_DATA;
    resource->num_entities = header.num_entities;
    resource->checksum = header.checksum;
    resource->parent_index = (const uint32_t *)(const void *)(resource->blob + HEADER_BYTES);
    resource->num_component_types = header.num_component_types;
    if (header.num_component_types > 0) {
        size_t bytes = header.num_component_types * sizeof *resource->sections;
        resource->sections = ct_alloc(resource->allocator, bytes);
        if (resource->sections == NULL) return CT_ERR_MEMORY;
    }
    if (!check_parents(resource, message) || !check_sections(resource, &header, message) ||
        !check_entity_names(resource, header.entity_names, message))
        return CT_ERR_DATA;
    return check_known(resource, layouts, message);
}
