// Values of published components by entity, as the publisher last recorded them and as a
// subscriber last received them.
// Must not depend on worlds, messages and peers.
#ifndef CT_MIRROR_H
#define CT_MIRROR_H

#include "level/replication/published.h"
#include "storage/cells.h"
#include "storage/entity_map.h"
#include "storage/id_index.h"

#define CT_MIRROR_NONE UINT32_MAX

/// Item of a field with cells.
typedef struct ct_mirror_cells {
    ct_cells *cells;  ///< held
    uint32_t *stamps; ///< of the publisher: the frame of the last change of each cell; NULL: that
                      ///< of the field
} ct_mirror_cells;

typedef struct ct_mirror_entity {
    uint32_t since;   ///< frame at which the entity was first recorded
    uint32_t changed; ///< frame of the newest change of a value or component
    uint32_t lost;    ///< of a publisher: number of the newest removal of a component
    uint32_t first;   ///< first component: by type, and of one type in the order of creation
    ct_entity local;  ///< of a subscriber: the entity in its world
} ct_mirror_entity;

typedef struct ct_mirror_component {
    uint32_t place;    ///< of its entity; CT_MIRROR_NONE: unused
    uint32_t next;     ///< next component of the entity, or next unused one
    uint32_t previous; ///< previous component of the entity and type, or CT_MIRROR_NONE
    uint32_t last;     ///< of the first component of a type: the last one
    uint32_t type;
    uint32_t id;      ///< as in CT_COLUMN_ID, with strings of the mirror
    uint32_t created; ///< frame at which the component was first recorded
    uint32_t row;     ///< of its items and stamps
    uint64_t present; ///< a bit for each field with an item
} ct_mirror_component;

/// Items and stamps of the components of one type.
typedef struct ct_mirror_rows {
    unsigned char *items; ///< item_bytes for each row; the first bytes of a free row are the next
                          ///< free row
    uint32_t *stamps;     ///< field_count for each row
    uint32_t used, capacity, stamp_capacity, key_capacity;
    uint32_t free, free_count;
    struct ct_mirror_key *keys; ///< of a 'multiple' type, for each row
    ct_table index;             ///< from keys to rows
} ct_mirror_rows;

typedef struct ct_mirror {
    const ct_allocator *allocator;
    const ct_published *published;
    bool stamped; ///< rows have stamps
    ct_string_pool strings;
    ct_entity_map map; ///< from the index of an entity to its place
    ct_entity *ids;    ///< by place; entities have consecutive places from 0 on
    ct_mirror_entity *entities;
    uint32_t count, id_capacity, entity_capacity;
    ct_mirror_component *components;
    uint32_t component_used, component_capacity;
    uint32_t free_component, free_components;
    ct_mirror_rows rows[CT_MAX_PUBLISHED];
} ct_mirror;

/// Initializes an empty mirror of components that 'published' describes. Allocates nothing.
void ct_mirror_init(ct_mirror *mirror, const ct_allocator *allocator, const ct_published *published,
                    bool stamped);
void ct_mirror_free(ct_mirror *mirror);

/// Returns the place of an entity, or CT_MIRROR_NONE.
static inline uint32_t ct_mirror_find(const ct_mirror *mirror, ct_entity e) {
    uint32_t place = ct_entity_map_find(&mirror->map, mirror->ids, ct_entity_index(e));
    return place != CT_NO_ROW && mirror->ids[place].id == e.id ? place : CT_MIRROR_NONE;
}

/// Returns the place of the entity with an index, or CT_MIRROR_NONE.
static inline uint32_t ct_mirror_find_index(const ct_mirror *mirror, uint32_t index) {
    uint32_t place = ct_entity_map_find(&mirror->map, mirror->ids, index);
    return place != CT_NO_ROW ? place : CT_MIRROR_NONE;
}

/// Returns the first component of a type of the entity at a place, or CT_MIRROR_NONE. O(types).
uint32_t ct_mirror_first_of(const ct_mirror *mirror, uint32_t place, uint32_t type);

/// Returns the component of a type and id of the entity at a place, or CT_MIRROR_NONE. O(types).
uint32_t ct_mirror_find_component(const ct_mirror *mirror, uint32_t place, uint32_t type,
                                  uint32_t id);

/// Returns the component of an entity, type and id, or CT_MIRROR_NONE.
uint32_t ct_mirror_find_of(const ct_mirror *mirror, ct_entity e, uint32_t type, uint32_t id);

static inline unsigned char *ct_mirror_items(const ct_mirror *mirror,
                                             const ct_mirror_component *component) {
    return mirror->rows[component->type].items +
           (size_t)component->row * mirror->published->types[component->type].item_bytes;
}

static inline uint32_t *ct_mirror_stamps(const ct_mirror *mirror,
                                         const ct_mirror_component *component) {
    return mirror->rows[component->type].stamps +
           (size_t)component->row * mirror->published->types[component->type].field_count;
}

/// Makes room for these entities, and for added[t] more components of each type t. Returns CT_OK or
/// CT_ERR_MEMORY. Nothing else changes.
ct_status ct_mirror_reserve(ct_mirror *mirror, const ct_entity *entities, uint32_t count,
                            const uint32_t *added);

/// Adds an entity without components. No entity with its index is present, and room is reserved.
uint32_t ct_mirror_add(ct_mirror *mirror, ct_entity e, uint32_t since);

/// Removes an entity and its components. The last entity moves to its place. Cannot fail.
void ct_mirror_remove(ct_mirror *mirror, uint32_t place);

/// Adds a component behind the others of its type, without items. Room is reserved. Takes over a
/// reference to the string in 'id'.
uint32_t ct_mirror_add_component(ct_mirror *mirror, uint32_t place, uint32_t type, uint32_t id,
                                 uint32_t created);

/// Removes a component. Cannot fail.
void ct_mirror_remove_component(ct_mirror *mirror, uint32_t component);

/// Replaces an item, or its absence, of a component. Takes over the references of 'item', which is
/// NULL for a field without an item.
void ct_mirror_put(ct_mirror *mirror, ct_mirror_component *component, uint32_t field,
                   const void *item);

/// Returns whether two items are equal: bits of numbers, contents of cells.
bool ct_mirror_same(const ct_published_field *field, const void *one, const void *other);

/// Releases what the items of these fields refer to.
void ct_mirror_release(ct_mirror *mirror, const ct_published_type *type, const unsigned char *items,
                       uint64_t fields);

/// Returns the id of a component as a number or text.
ct_component_id ct_mirror_given(const ct_mirror *mirror, uint32_t id);

/// Releases the string of a component id.
void ct_mirror_release_id(ct_mirror *mirror, uint32_t id);

#endif
