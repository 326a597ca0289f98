// Compilation of components into sections, and of sections into resources, for any byte order.
#ifndef CT_RESOURCE_WRITER_H
#define CT_RESOURCE_WRITER_H

#include "base/writer.h"
#include "resource/resource.h"
#include "storage/manager.h"

/// The compiled instances of one component type.
typedef struct ct_section_source {
    const char *name;
    uint32_t schema;              ///< ct_layout_schema, or 0 for opaque data
    uint32_t num_instances;       ///< > 0
    const uint32_t *entity_index; ///< ascending; equal neighbours only if the layout is multiple
    const unsigned char *data;    ///< instance_data, in the writer's byte order
    uint32_t size;
    ct_text fields; ///< ct_layout_text_write of that layout, or empty: then only a type with
                    ///< exactly these fields accepts the instances
} ct_section_source;

typedef struct ct_resource_source {
    uint32_t num_entities;
    const uint32_t *parent_index;             ///< parents precede their children
    const ct_text *names;                     ///< per entity; bytes NULL for none
    uint32_t num_component_types;             ///< at most CT_MAX_COMPONENT_TYPES
    const ct_section_source *component_types; ///< in spawn order
} ct_resource_source;

/// Appends the whole resource to an empty writer. Equal sources give equal bytes on every host.
/// Returns CT_OK; CT_ERR_MEMORY; CT_ERR_FULL beyond 2^32 - 1 bytes, when the bytes of the writer
/// are invalid. O(bytes).
ct_status ct_resource_write(ct_writer *writer, const ct_resource_source *source);

/// Values of all instances of one component type.
typedef struct ct_columns_source {
    const char *name;
    uint32_t num_instances;
    const uint32_t *entity_index;
    ct_layout layout;
    const ct_values *columns;      ///< per field of the layout, items as in ct_values; an entity
                                   ///< item is an index in the resource
    const ct_component_id *ids;    ///< per instance, or NULL; only if the layout is multiple
    const ct_string_pool *presets; ///< pool of the default values of string fields
} ct_columns_source;

/// Appends the instances to an empty writer as instance_data, without the last padding. Returns
/// CT_OK; CT_ERR_MEMORY; CT_ERR_FULL beyond 2^31 - 1 bytes of strings or 2^32 - 1 in all;
/// CT_ERR_DATA if two components of an entity have the same id, with the reason in 'message' and
/// the later component in *instance. O(bytes); explicit ids are compared within their entity.
ct_status ct_columns_write(ct_writer *writer, const ct_columns_source *source, uint32_t *instance,
                           ct_message *message);

/// A block of unique strings, of a section or of the entity names.
typedef struct ct_string_block {
    ct_string_pool pool;
    uint32_t *offset; // by string of the pool; 0xFFFFFFFF: not written yet
    uint32_t offset_capacity;
    ct_writer bytes;
} ct_string_block;

void ct_string_block_init(ct_string_block *block, const ct_allocator *allocator, bool swap);
void ct_string_block_free(ct_string_block *block);

/// Adds a text to the block, unless the block contains it, and sets *offset to its offset. Returns
/// CT_OK, CT_ERR_MEMORY or CT_ERR_FULL.
ct_status ct_string_block_add(ct_string_block *block, ct_text text, uint32_t *offset);

/// The instances of one component type, described by their inputs.
typedef struct ct_instances_source {
    const ct_manager *manager; ///< describes the type; its rows are not read
    uint32_t num_instances;
    const uint32_t *entity_index;
    /// Per instance the values of all inputs of the manager, as in ct_manager_create; an entity
    /// item is an index in the resource. Required values are present.
    const ct_values *const *values;
    /// If values[i] is NULL, instance i has a value for 'lone_input' only, at lone + i *
    /// lone_bytes. This saves memory for many instances with few values.
    uint32_t lone_input;
    const unsigned char *lone;
    uint32_t lone_bytes;
    const ct_component_id *ids; ///< per instance, or NULL; only in a 'multiple' manager
    uint32_t num_entities;
    const uint32_t *parent_index; ///< of all entities; read only if the type bakes
    bool late;                    ///< compiles the late inputs, which have a separate section
} ct_instances_source;

/// Appends the instances to an empty writer as instance_data, without the last padding, and sets
/// *schema. Returns CT_OK; CT_ERR_DATA with the reason in 'message' and the instance that caused
/// it, or CT_NO_ROW, in *instance; CT_ERR_MEMORY and CT_ERR_FULL as ct_columns_write. After a
/// failure the bytes of the writer are invalid. O(bytes).
ct_status ct_instances_compile(ct_writer *writer, const ct_instances_source *source,
                               uint32_t *schema, uint32_t *instance, ct_message *message);

/// Returns the layout of such a section.
ct_layout ct_instances_layout(const ct_instances_source *source);

#endif
