// Writes an entity resource, for any byte order.
// Knows nothing of source text: what it is given was parsed and checked before.
#ifndef CT_RESOURCE_WRITER_H
#define CT_RESOURCE_WRITER_H

#include "resource/resource.h"
#include "resource/writer.h"
#include "storage/manager.h"

/// The instances of one component type.
typedef struct ct_section_source {
    const char *name;
    uint32_t num_instances;       ///< > 0
    const uint32_t *entity_index; ///< ascending; equal neighbours only where the layout is multiple
    const ct_text *opaque;        ///< per instance, for data that only its spawner knows; else NULL

    // where 'opaque' is NULL:
    ct_layout layout;
    const ct_values *columns;   ///< per field of the layout, items as in ct_values; an entity item
                                ///< is an index in the resource
    const ct_component_id *ids; ///< per instance, or NULL; only where the layout is multiple
    const ct_string_pool *presets; ///< that the presets of string fields belong to
} ct_section_source;

typedef struct ct_resource_source {
    uint32_t num_entities;
    const uint32_t *parent_index;             ///< a parent stands before its children
    const ct_text *names;                     ///< per entity, bytes NULL for none
    uint32_t num_component_types;             ///< at most CT_MAX_COMPONENT_TYPES
    const ct_section_source *component_types; ///< in spawn order
} ct_resource_source;

/// What was wrong with the source, and where.
typedef struct ct_write_fault {
    uint32_t section;
    uint32_t instance; ///< or CT_NO_ROW: of no single one
    ct_message message;
} ct_write_fault;

/// Appends the whole resource to an empty writer. The same source gives the same bytes on every
/// host. CT_OK; CT_ERR_MEMORY; CT_ERR_FULL beyond 2^32 - 1 bytes; CT_ERR_DATA with the reason in
/// 'fault': an id that two components of one entity have. After a failure the writer's bytes mean
/// nothing. Cost: O(bytes); explicit ids are compared within their entity.
ct_status ct_resource_write(ct_writer *writer, const ct_resource_source *source,
                            ct_write_fault *fault);

/// Appends the instance_data of one section, without its last padding; the writer stands at a
/// multiple of 16. Statuses as above.
ct_status ct_section_write(ct_writer *writer, const ct_section_source *section,
                           ct_write_fault *fault);

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

#endif
