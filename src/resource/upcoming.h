// What rows will be made of that a spawn will create, known before it: the slot 'reserve' of a type
// asks for it. Knows nothing of what is done with it.
#ifndef CT_UPCOMING_H
#define CT_UPCOMING_H

#include "resource/spawner.h"

CT_BEGIN_C

/// The section of a resource as a manager reads it.
typedef struct ct_section_view {
    ct_manager *manager;
    const ct_section *section; ///< or NULL
    bool readable;             ///< its layout is as follows; if it is not, the spawn will say why
    ct_field fields[CT_MAX_COLUMNS];
    ct_layout layout;
    ct_layout_places places;
} ct_section_view;

/// Finds it.
void ct_section_view_find(ct_section_view *view, const ct_world *world, const ct_resource *resource,
                          ct_manager *manager);

/// The text at an offset of the strings of a section whose layout is known.
ct_text ct_section_view_text(const ct_section_view *view, uint32_t offset);

/// That an override leads to an entity, behind those before it that do.
typedef struct ct_override_hit {
    uint32_t override;
    uint32_t next; ///< 1 + the place of the next one; of the last, that of the first
} ct_override_hit;

/// First the values of the section's instances, then of what overrides make of them.
typedef struct ct_upcoming {
    ct_need need; ///< all but 'rows'
    const ct_allocator *allocator;
    const ct_resource *resource;
    const ct_spawn_options *options;
    const ct_section_view *view;
    uint32_t instance; ///< the next one
    uint32_t override;
    uint32_t entity; ///< the last one that the override has led to
    uint32_t *last;  ///< by entity: 1 + the place of the last that leads to it, or 0
    ct_override_hit *hits;
    uint32_t hit_count;
    uint32_t hit_capacity;
    ct_text texts[CT_MAX_COLUMNS];
    ct_values values[CT_MAX_COLUMNS];
} ct_upcoming;

/// Begins before the first; indexes of all overrides' paths were made. 'view' and 'options' stay.
/// Cost: where the manager has overrides, O(entities + those that they lead to), then O(1) for each
/// step and for each override up to it that leads to the same entity. CT_OK or CT_ERR_MEMORY; ended
/// either way.
ct_status ct_upcoming_begin(ct_upcoming *upcoming, const ct_world *world,
                            const ct_resource *resource, const ct_spawn_options *options,
                            const ct_section_view *view);

void ct_upcoming_end(ct_upcoming *upcoming);

CT_END_C

#endif
