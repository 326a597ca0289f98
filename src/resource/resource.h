// A compiled entity resource: the format of the blob, and a checked copy of one.
// Must not depend on worlds. Longer than 150 lines: a third of it draws the format.
#ifndef CT_RESOURCE_H
#define CT_RESOURCE_H

#include "base/alloc.h"
#include "storage/manager.h"

CT_BEGIN_C

// The blob (Bitsquid part 4, "Pivot!"). All numbers have the byte order of the
// target, offsets count from the blob's start.

#define CT_RESOURCE_MAGIC 0x524C5443u ///< the bytes "CTLR" when little-endian
#define CT_RESOURCE_VERSION 2u
#define CT_RESOURCE_NO_NAME 0xFFFFFFFFu
#define CT_RESOURCE_NO_PARENT 0xFFFFFFFFu

/// Component types a resource may hold: a bound for the search for a type that stands in it twice.
#define CT_MAX_COMPONENT_TYPES 4096u

/// Indexes for searches by path (path.h): one for paths of one name, one for those of two, and so
/// on.
#define CT_PATH_INDEXES 8u

typedef struct ct_resource_header {
    uint32_t magic;
    uint32_t version;
    uint32_t bytes;    ///< of the whole blob
    uint32_t checksum; ///< CRC-32 of everything behind this field
    uint32_t num_entities;
    uint32_t num_component_types;
    uint32_t names;        ///< offset of the names block, which the component types end at
    uint32_t entity_names; ///< offset of a table of names per entity, 0 for none
    // uint32_t parent_index[num_entities];
    // ct_component_type_data component_types[num_component_types]; each at a multiple of 16
    // char names[]; NUL-terminated; behind that of a type with a schema may be its fields
    //               (storage/layout.h)
    // uint32_t entity_name[num_entities]; at a multiple of 4: offsets into what follows, or
    //                                     CT_RESOURCE_NO_NAME
    // the string block of the entity names, as in storage/layout.h
} ct_resource_header;

typedef struct ct_component_type_data {
    uint32_t component_identifier; ///< FNV-1a of the name
    uint32_t name;                 ///< offset of the name, in the names block
    uint32_t schema;               ///< ct_layout_schema, or 0 for opaque data
    uint32_t num_instances;
    uint32_t size; ///< of instance_data, its last padding apart
    // uint32_t entity_index[num_instances];
    // padding to 16
    // unsigned char instance_data[size]; as in storage/layout.h. Opaque data: per instance a
    //                                    uint32_t size and that many bytes, without padding
} ct_component_type_data;

/// What the section of source ids is called: it is of no component type. Only levels that have ids
/// have it; which entity has which, and within what they count.
#define CT_RESOURCE_IDS "entity.id"

/// All instances of one component type, as they lie in the blob.
typedef struct ct_section {
    uint32_t identifier;
    const char *name;
    uint32_t behind_name; ///< bytes of the names block behind the name, where its fields may be
    uint32_t schema;
    uint32_t num_instances;
    uint32_t size;
    const uint32_t *entity_index;
    const unsigned char *data;

    // What the contents were found sound for (ct_section_verify): the types of the
    // columns, not a hash of them, so that no collision can pass for the same.
    bool verified;
    bool verified_multiple;
    uint8_t verified_count;
    uint8_t verified_types[CT_MAX_COLUMNS];
} ct_section;

/// A checked blob in memory of its own. Open for reading.
struct ct_resource {
    unsigned char *blob; ///< 16-byte aligned
    uint32_t bytes;
    uint32_t num_entities;
    uint32_t num_component_types;
    const uint32_t *parent_index;
    ct_section *sections;
    const uint32_t *name_offset; ///< per entity; NULL when no entity has a name
    const unsigned char *name_block;
    const ct_section *ids; ///< NULL when no entity has a source id

    uint32_t *path_index[CT_PATH_INDEXES]; // see path.h; NULL until the first search of its kind
    uint32_t path_bits;
    uint64_t path_seed;
    void *block;
    size_t block_bytes;
    const ct_allocator *allocator;
    uint32_t holders; // see ct_resource_hold
    bool over;        ///< it was freed: nothing may be spawned of it
};

/// Takes memory for a blob of 'bytes' bytes (> 0), which the caller then writes to
/// resource->blob and has checked by ct_resource_check. CT_OK, or CT_ERR_MEMORY with
/// nothing held; ct_resource_free is allowed after both.
ct_status ct_resource_init(ct_resource *resource, const ct_allocator *allocator, uint32_t bytes);

/// Frees everything when the last reference is removed; 'over' is set at once. The struct stays
/// where it is until 'holders' is 0: spawned levels, and snapshots that have them, hold their
/// resources. A zeroed resource is allowed.
void ct_resource_free(ct_resource *resource);

/// Adds or removes a reference, which keeps the memory even if a callback frees the resource.
/// Cannot fail.
void ct_resource_hold(ct_resource *resource);
void ct_resource_release(ct_resource *resource);

/// How the section of source ids lies: of each entity that has one the id, and as 'scope' the root
/// of the prefab instance within which it counts, or CT_NOBODY.
ct_layout ct_resource_ids_layout(void);

/// Whether a section is that of source ids.
bool ct_section_is_ids(const ct_section *section);

/// A type whose layout is the same in every world.
typedef struct ct_known_layout {
    const char *name; ///< NULL ends the list
    ct_layout layout;
} ct_known_layout;

/// Believes no byte of the blob before it was looked at: magic, byte order, version, length and
/// checksum first, then every count, offset and index, and the contents of the types whose
/// layouts are in 'layouts'. CT_OK, and the fields above are filled; CT_ERR_DATA with the reason
/// in 'message', CT_ERR_MEMORY. A few passes over the bytes; allocates a few words per component
/// type, and while it works 8 bytes per entity. No recursion.
ct_status ct_resource_check(ct_resource *resource, const ct_known_layout *layouts,
                            ct_message *message);

/// Makes sure that the contents of a section are sound for a layout: sizes, NaNs, bools, entity
/// indices, strings, component ids. Costs a pass the first time, nothing for the same column types
/// afterwards. CT_OK, CT_ERR_DATA with the reason, or CT_ERR_MEMORY (only entities with more
/// than 64 components of the type need some). The schema is the caller's to compare.
ct_status ct_section_verify(ct_section *section, const ct_layout *layout, uint32_t num_entities,
                            const ct_allocator *allocator, ct_message *message);

/// The first instance of an entity in a section, or the number of instances. O(log instances).
uint32_t ct_section_find(const ct_section *section, uint32_t entity);

/// The layout of a section's instances, for a manager of its name: its own, or one whose fields it
/// has among its own (ct_layout_fit), with 'fields', of CT_MAX_COLUMNS. False with the reason.
bool ct_section_layout(const ct_section *section, const ct_manager *manager, ct_field *fields,
                       ct_layout *out, ct_message *message);

/// Whether the labels of a verified section are those of a layout's fields, in whichever order.
/// False with the first that is not in 'message'. A pass over the enum fields each time: worlds may
/// differ in labels.
bool ct_section_check_labels(const ct_section *section, const ct_layout *layout,
                             ct_message *message);

/// Finds, for each of 'count' instances of one type, the number of the nearest ancestor's instance,
/// which is lower than its own, or CT_NO_ROW. Parents stand before their children, entity_index
/// ascends strictly; 'scratch' has room for num_entities. O(num_entities).
void ct_resource_ancestors(const uint32_t *parent_index, uint32_t num_entities,
                           const uint32_t *entity_index, uint32_t count, uint32_t *scratch,
                           uint32_t *ancestor);

CT_END_C

#endif
