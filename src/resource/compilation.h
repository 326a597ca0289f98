// Compiles the components of one type into their section of a resource: from what scripts and
// source give (inputs) to columns, bytes and a schema. resource_writer.h makes the resource of
// such sections. Knows nothing of source text, nor of where values come from.
#ifndef CT_COMPILATION_H
#define CT_COMPILATION_H

#include "resource/resource_writer.h"

CT_BEGIN_C

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
/// failure the writer's bytes mean nothing. Calls nobody, keeps nothing. O(bytes).
ct_status ct_instances_compile(ct_writer *writer, const ct_instances_source *source,
                               uint32_t *schema, uint32_t *instance, ct_message *message);

/// The layout of such a section.
ct_layout ct_instances_layout(const ct_instances_source *source);

CT_END_C

#endif
