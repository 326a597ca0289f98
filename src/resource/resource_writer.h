// Compiles components into sections, and writes resources of such, for any byte order.
// Must not depend on source text: the arguments were parsed and checked before.
#ifndef CT_RESOURCE_WRITER_H
#define CT_RESOURCE_WRITER_H

#include "base/writer.h"
#include "resource/resource.h"
#include "storage/manager.h"

CT_BEGIN_C

/// The instances of one component type, ready to be put in place.
typedef struct ct_section_source {
    const char *name;
    uint32_t schema;              ///< ct_layout_schema, or 0 for opaque data
    uint32_t num_instances;       ///< > 0
    const uint32_t *entity_index; ///< ascending; equal neighbours only where the layout is multiple
    const unsigned char *data;    ///< instance_data, in the writer's byte order
    uint32_t size;
    ct_text fields; ///< ct_layout_text_write of that layout, or none: then only a type of just
                    ///< these fields will take the instances
} ct_section_source;

typedef struct ct_resource_source {
    uint32_t num_entities;
    const uint32_t *parent_index;             ///< a parent stands before its children
    const ct_text *names;                     ///< per entity, bytes NULL for none
    uint32_t num_component_types;             ///< at most CT_MAX_COMPONENT_TYPES
    const ct_section_source *component_types; ///< in spawn order
} ct_resource_source;

/// Appends the whole resource to an empty writer. The same source gives the same bytes on every
/// host. CT_OK; CT_ERR_MEMORY; CT_ERR_FULL beyond 2^32 - 1 bytes, and then the writer's bytes mean
/// nothing. O(bytes).
ct_status ct_resource_write(ct_writer *writer, const ct_resource_source *source);

/// Values of all instances of one component type.
typedef struct ct_columns_source {
    const char *name;
    uint32_t num_instances;
    const uint32_t *entity_index;
    ct_layout layout;
    const ct_values *columns;      ///< per field of the layout, items as in ct_values; an entity
                                   ///< item is an index in the resource
    const ct_component_id *ids;    ///< per instance, or NULL; only where the layout is multiple
    const ct_string_pool *presets; ///< that the presets of string fields belong to
} ct_columns_source;

/// Appends them to an empty writer as instance_data, without the last padding. CT_OK;
/// CT_ERR_MEMORY; CT_ERR_FULL beyond 2^31 - 1 bytes of strings or 2^32 - 1 in all; CT_ERR_DATA when
/// two components of an entity have one id, with the reason in 'message' and the later one in
/// *instance. Cost: O(bytes); explicit ids are compared within their entity.
ct_status ct_columns_write(ct_writer *writer, const ct_columns_source *source, uint32_t *instance,
                           ct_message *message);

/// Collects strings, each once: the string block of a section or of the entity names.
typedef struct ct_string_block {
    ct_string_pool pool;
    uint32_t *offset; // by string of the pool; 0xFFFFFFFF: not written yet
    uint32_t offset_capacity;
    ct_writer bytes;
} ct_string_block;

void ct_string_block_init(ct_string_block *block, const ct_allocator *allocator, bool swap);
void ct_string_block_free(ct_string_block *block);

/// The offset of a text in the block, where it is now. CT_OK, CT_ERR_MEMORY or CT_ERR_FULL.
ct_status ct_string_block_add(ct_string_block *block, ct_text text, uint32_t *offset);

/// The instances of one component type, told by their inputs.
typedef struct ct_instances_source {
    const ct_manager *manager; ///< what the type is like; its rows are not looked at
    uint32_t num_instances;
    const uint32_t *entity_index;
    /// Per instance the values of all of the manager's inputs, as in ct_manager_create of one; an
    /// entity item is an index in the resource. What is required is given.
    const ct_values *const *values;
    /// Where values[i] is NULL, of all inputs only this is given: as the item at lone + i *
    /// lone_bytes. So many instances that tell little take little memory.
    uint32_t lone_input;
    const unsigned char *lone;
    uint32_t lone_bytes;
    const ct_component_id *ids; ///< per instance, or NULL; only in a 'multiple' manager
    uint32_t num_entities;
    const uint32_t *parent_index; ///< of all entities; not looked at where the type does not bake
    bool late; ///< their late inputs are meant, which have a section of their own
} ct_instances_source;

/// Appends the instances to an empty writer as instance_data, without the last padding, and puts
/// the schema into *schema. CT_OK; CT_ERR_DATA with the reason in 'message' and the instance at
/// fault, or CT_NO_ROW, in *instance; CT_ERR_MEMORY, CT_ERR_FULL as ct_columns_write. After a
/// failure the writer's bytes mean nothing. O(bytes).
ct_status ct_instances_compile(ct_writer *writer, const ct_instances_source *source,
                               uint32_t *schema, uint32_t *instance, ct_message *message);

/// The layout of such a section.
ct_layout ct_instances_layout(const ct_instances_source *source);

CT_END_C

#endif
