// A compiled entity resource: the format of the blob, and a validated copy of a blob.
// Must not depend on worlds. Longer than 150 lines: a third of it describes the format.
#ifndef CT_RESOURCE_H
#define CT_RESOURCE_H

#include "base/alloc.h"
#include "storage/manager.h"

// The blob (Bitsquid part 4, "Pivot!"). All numbers have the byte order of the target; offsets
// count from the start of the blob.

#define CT_RESOURCE_MAGIC 0x524C5443u ///< the bytes "CTLR" when little-endian
#define CT_RESOURCE_VERSION 2u
#define CT_RESOURCE_NO_NAME 0xFFFFFFFFu
#define CT_RESOURCE_NO_PARENT 0xFFFFFFFFu

/// Maximum number of component types of a resource; bounds the search for duplicate types.
#define CT_MAX_COMPONENT_TYPES 4096u

/// Number of indexes for searches by path (path.h): one for paths of one name, one for paths of
/// two names, and so on.
#define CT_PATH_INDEXES 8u

typedef struct ct_resource_header {
    uint32_t magic;
    uint32_t version;
    uint32_t bytes;    ///< of the whole blob
    uint32_t checksum; ///< CRC-32 of everything after this field
    uint32_t num_entities;
    uint32_t num_component_types;
    uint32_t names;        ///< offset of the names block, which ends the component types
    uint32_t entity_names; ///< offset of the table of names per entity, or 0
    // uint32_t parent_index[num_entities];
    // ct_component_type_data component_types[num_component_types]; each at a multiple of 16
    // char names[]; NUL-terminated; the name of a type with a schema may be followed by its fields
    //               (storage/layout.h)
    // uint32_t entity_name[num_entities]; at a multiple of 4: offsets into the string block, or
    //                                     CT_RESOURCE_NO_NAME
    // the string block of the entity names, as in storage/layout.h
} ct_resource_header;

typedef struct ct_component_type_data {
    uint32_t component_identifier; ///< FNV-1a of the name
    uint32_t name;                 ///< offset of the name, in the names block
    uint32_t schema;               ///< ct_layout_schema, or 0 for opaque data
    uint32_t num_instances;
    uint32_t size; ///< of instance_data, without its last padding
    // uint32_t entity_index[num_instances];
    // padding to 16
    // unsigned char instance_data[size]; as in storage/layout.h. Opaque data: per instance a
    //                                    uint32_t size and that many bytes, without padding
} ct_component_type_data;

/// Name of the section of source ids, which belongs to no component type. Present only if a level
/// has ids; contains the id of each entity and the scope of the id.
#define CT_RESOURCE_IDS "entity.id"

/// All instances of one component type, pointing into the blob.
typedef struct ct_section {
    uint32_t identifier;
    const char *name;
    uint32_t behind_name; ///< bytes of the names block after the name, which may hold the fields
    uint32_t schema;
    uint32_t num_instances;
    uint32_t size;
    const uint32_t *entity_index;
    const unsigned char *data;

    // Column types for which the contents were validated (ct_section_verify): the types and not a
    // hash, so that a collision cannot pass.
    bool verified;
    bool verified_multiple;
    uint8_t verified_count;
    uint8_t verified_types[CT_MAX_COLUMNS];
} ct_section;

/// A validated copy of a blob. The fields may be read.
struct ct_resource {
    unsigned char *blob; ///< 16-byte aligned
    const uint32_t *parent_index;
    ct_section *sections;
    const uint32_t *name_offset; ///< per entity; NULL if no entity has a name
    const unsigned char *name_block;
    const ct_section *ids; ///< NULL if no entity has a source id
    ct_text name;          ///< under which saves refer to the resource: ct_resource_set_name
    uint32_t bytes;
    uint32_t num_entities;
    uint32_t num_component_types;
    uint32_t checksum; ///< of the header

    uint32_t *path_index[CT_PATH_INDEXES]; // see path.h; NULL until the first search
    uint64_t path_seed;
    void *block;
    size_t block_bytes;
    const ct_allocator *allocator;
    uint32_t path_bits;
    uint32_t holders; // number of references: see ct_resource_hold
    bool names_only;  ///< made from a save: it has the entities and their names, no components
    bool freed;       ///< by its owner: nothing may be spawned from it
};

/// Allocates memory for a blob of 'bytes' bytes (> 0). The caller then writes the blob to
/// resource->blob and calls ct_resource_check. Returns CT_OK, or CT_ERR_MEMORY with nothing
/// allocated; ct_resource_free is allowed after both.
ct_status ct_resource_init(ct_resource *resource, const ct_allocator *allocator, uint32_t bytes);

/// Copies the name under which saves refer to the resource; without a call it is "". Returns CT_OK,
/// or CT_ERR_MEMORY with the name unchanged.
ct_status ct_resource_set_name(ct_resource *resource, ct_text name);

/// Frees everything when the last reference is removed; sets 'freed' at once. The struct must
/// stay in place until 'holders' is 0: spawned levels, and snapshots that contain them, hold their
/// resources. A zeroed resource is allowed.
void ct_resource_free(ct_resource *resource);

/// Adds or removes a reference, which keeps the memory even if a callback frees the resource.
/// Cannot fail.
void ct_resource_hold(ct_resource *resource);
void ct_resource_release(ct_resource *resource);

/// Returns the layout of the section of source ids: for each entity with an id, the id, and as
/// 'scope' the root of the prefab instance in which the id is unique, or CT_NOBODY.
ct_layout ct_resource_ids_layout(void);

/// Returns true if a section is the section of source ids.
bool ct_section_is_ids(const ct_section *section);

/// A type with the same layout in every world.
typedef struct ct_builtin_layout {
    const char *name; ///< NULL ends the list
    ct_layout layout;
} ct_builtin_layout;

/// Validates the blob, which may contain any bytes: first magic, byte order, version, length and
/// checksum, then every count, offset and index, and the contents of the types in 'layouts'.
/// Returns CT_OK with the fields of the resource set; CT_ERR_DATA with the reason in 'message';
/// CT_ERR_MEMORY. A few passes over the bytes; allocates a few words per component type, and 8
/// bytes per entity temporarily. No recursion.
ct_status ct_resource_check(ct_resource *resource, const ct_builtin_layout *layouts,
                            ct_message *message);

/// Checks that the contents of a section are valid for a layout: sizes, NaNs, bools, entity
/// indices, strings, component ids. The first call takes one pass; later calls with the same
/// column types are free. Returns CT_OK, CT_ERR_DATA with the reason, or CT_ERR_MEMORY (only
/// entities with more than 64 components of the type need memory). The caller compares the schema.
ct_status ct_section_verify(ct_section *section, const ct_layout *layout, uint32_t num_entities,
                            const ct_allocator *allocator, ct_message *message);

/// Returns the first instance of an entity in a section, or the number of instances. O(log
/// instances).
uint32_t ct_section_find(const ct_section *section, uint32_t entity);

/// Sets 'out' to the layout of a section's instances for the manager of the same name: the layout
/// of the manager, or other compiled fields that fit the manager, which are written to 'fields'
/// (room for CT_MAX_COLUMNS). The manager must have each of these, with the same type, in any
/// order, and require no other. Returns false with the reason in 'message'.
bool ct_section_layout(const ct_section *section, const ct_manager *manager, ct_field *fields,
                       ct_layout *out, ct_message *message);

/// Checks that the fields of a layout have all labels of a validated section, in any order.
/// Returns false with the first unknown label in 'message'. Takes a pass over the enum fields at
/// each call, because worlds may differ in labels.
bool ct_section_check_labels(const ct_section *section, const ct_layout *layout,
                             ct_message *message);

/// Computes, for each of 'count' instances of one type, the instance number of the nearest
/// ancestor, which is lower than its own, or CT_NO_ROW. Parents must precede their children, and
/// entity_index must ascend strictly; 'scratch' has room for num_entities. O(num_entities).
void ct_resource_ancestors(const uint32_t *parent_index, uint32_t num_entities,
                           const uint32_t *entity_index, uint32_t count, uint32_t *scratch,
                           uint32_t *ancestor);

#endif
