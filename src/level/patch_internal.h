// State and steps of a patch.
// Longer than 150 lines: the patch sources share it.
#ifndef CT_PATCH_INTERNAL_H
#define CT_PATCH_INTERNAL_H

#include "base/arena.h"
#include "component/grid.h"
#include "component/model.h"
#include "component/transform.h"
#include "level/patch.h"
#include "level/shadow_worlds.h"
#include "resource/match.h"
#include "storage/cells.h"
#include "world/hooks/hooks.h"

/// Cells that are held.
typedef struct ct_patch_cells {
    struct ct_cells *old, *next; ///< the cells of both versions
    struct ct_cells *replaced;   ///< the cells of the row before the write, or NULL
} ct_patch_cells;

/// The old and the new value of one input. Texts are references to strings, which are held.
typedef struct ct_patch_value {
    uint32_t input;
    uint8_t type; ///< ct_field_type; items of CT_FIELD_STRING and CT_FIELD_VALUE are ct_strings
    bool written; ///< true if this patch writes the value
    bool cells;   ///< true if cells differ. ADD steps have the new ones in 'next', as text
    void *old;    ///< NULL: the old version has no value
    void *next;   ///< NULL: the new version has no value
    ct_patch_cells *changed; ///< cells of SET steps, or NULL
} ct_patch_value;

typedef enum ct_patch_kind {
    CT_PATCH_ADD,    ///< addition of a component with all values
    CT_PATCH_SET,    ///< change of some values of a component
    CT_PATCH_LINK,   ///< change of the parent or parent node: the hierarchical input, late inputs
    CT_PATCH_REMOVE, ///< removal of a component
} ct_patch_kind;

typedef struct ct_patch_step {
    ct_patch_kind kind;
    bool whole;      ///< true if either all values are written or none
    bool is_created; ///< true if this patch creates the entity
    bool done;
    bool one_way; ///< SET steps: the values are written last, where nothing can fail
    ct_manager *manager;
    uint32_t place; ///< index of the entity in ct_patch.entities
    ct_entity entity;
    uint32_t id;           ///< of the component, in 'multiple' managers
    ct_component_id given; ///< id of the component to add
    ct_string held;        ///< the string of 'id' or 'given', held
    uint32_t value_count;
    ct_patch_value *values;
} ct_patch_step;

/// One version of the resource, spawned in the shadow world.
typedef struct ct_patch_side {
    const ct_resource *resource;
    ct_entity *entities; ///< per entity of the resource
    ct_entity *meant;    ///< per entity of the resource: target of entity fields, in the level
} ct_patch_side;

typedef struct ct_patch {
    ct_level *level;
    ct_world *world; ///< busy: callbacks cannot define components again; only its own finalizer may
                     ///< destroy it meanwhile
    const ct_allocator *allocator; ///< of the world; valid after the world is destroyed
    ct_resource *old;
    ct_resource *next; ///< NULL in a replication, which has no resources
    void *context;
    ct_message *message;
    ct_spawn_options options; ///< options of the level
    uint32_t copies;
    ct_entity parent; ///< counterpart of options.parent in the shadow, or CT_NOBODY
    ct_match match;
    ct_shadow_worlds shadows; ///< shadow of the level's world
    ct_world *shadow;         ///< the shadow world: both versions are spawned in it
    ct_patch_side before;     ///< the old resource in the shadow
    ct_patch_side after;      ///< the new resource in the shadow
    ct_manager *shadowed;     ///< counterpart in the shadow of the compared manager

    ct_entity *entities;  ///< per entity of the new resource and copy: its id; see ct_level
    bool *made;           ///< per entity and copy: true if this patch creates the entity
    bool *changed;        ///< per entity and copy, set at the end: see ct_patch_result
    bool *moved;          ///< per entity and copy, set at the end: see ct_patch_result
    bool *spawned_opaque; ///< per section of the new resource: true if the host spawns it
    ct_entity *created;   ///< all entities that this patch creates
    uint32_t created_count;
    ct_entity *removed; ///< all entities that this patch destroys
    uint32_t removed_count;
    void *block;
    size_t block_bytes;

    ct_arena arena;
    ct_patch_step *steps;
    uint32_t step_count;
    uint32_t step_capacity;
    ct_additions additions;
    uint32_t *numbers; ///< per manager: the last issued component number before the patch, or NULL
    bool host_ran;
    bool
        same_shape; ///< true if both versions have the same entities in the same order, and parents
    ct_patch_result *result;
    ct_reason reason;           ///< CT_REASON_PATCH or CT_REASON_APPLY
    bool forced;                ///< values are written whatever the rows hold (replication)
    void (*finish)(void *user); ///< writes more when nothing else can fail; NULL: nothing
    void *user;
} ct_patch;

// Functions of patch_step.c:

/// Appends a step for the compared manager. Returns NULL if memory runs out.
ct_patch_step *ct_patch_add_step(ct_patch *patch, ct_patch_kind kind, ct_manager *manager,
                                 uint32_t place);

/// Sets the id of the component that a step changes or removes, and holds its string.
void ct_patch_set_id(ct_patch *patch, ct_patch_step *step, uint32_t id);

/// Sets the id of the component that a step adds, and holds its string. Returns CT_OK, or the
/// status of ct_string_pool_pin_text.
ct_status ct_patch_give_id(ct_patch *patch, ct_patch_step *step, ct_component_id given);

/// Returns the next unused value of a step. The caller adds it by incrementing 'value_count'.
/// Returns NULL if memory runs out.
ct_patch_value *ct_patch_new_value(ct_patch *patch, ct_patch_step *step, uint32_t input);

/// Adds the values of inputs first .. end - 1 of two shadow rows (CT_NO_ROW: none) to a step.
/// Values that are equal in both rows are left out, except in LINK steps. Returns CT_OK or
/// CT_ERR_MEMORY.
ct_status ct_patch_read_values(ct_patch *patch, ct_patch_step *step, uint32_t first, uint32_t end,
                               ct_row before, ct_row after);

/// Releases all strings and cells of the steps, and frees the steps.
void ct_patch_free_steps(ct_patch *patch);

/// Returns the row of the step's component, or CT_NO_ROW.
ct_row ct_patch_row(const ct_patch_step *step);

/// Does the same if hooks may have removed the manager or the entity.
ct_row ct_patch_find_row(const ct_patch *patch, const ct_patch_step *step);

/// Copies the item of an input to 'item', in the form that steps use. Returns false if the row has
/// none.
bool ct_patch_read_item(ct_manager *manager, uint32_t input, ct_row row, void *item);

/// Returns the text of an item of an input of strings: "#2" for the number 2 of a 'numbered' input,
/// written to 'number'.
ct_text ct_patch_text_of(const ct_manager *manager, uint32_t input, const void *item,
                         ct_message *number);

/// Returns the value of a row in a field of values.
ct_value ct_patch_value_of(const ct_manager *manager, uint32_t input, ct_row row);

/// Returns true if a value is equal to the value of these bytes; without bytes: if it is empty. May
/// call the host.
bool ct_patch_value_is(const ct_patch *patch, const ct_manager *manager, ct_value value,
                       ct_text bytes);

/// Returns true if the row has the value 'item', which is the old or the new item of 'value'. Then
/// copies the row's item to 'item', since 0 and -0 count as equal. Cells are always compared with
/// their old state.
bool ct_patch_holds(const ct_patch *patch, ct_manager *manager, ct_row row,
                    const ct_patch_value *value, void *item);

/// Converts an item of a step for ct_values: returns the item, or 'text' filled with its text.
const void *ct_patch_item(const ct_patch *patch, const ct_patch_value *value, const void *item,
                          ct_text *text);

/// Writes the new items of a step to 'values', by input: those of late inputs, or the others.
/// 'texts' has room for the texts among them. Returns whether there are any.
bool ct_patch_new_items(const ct_patch *patch, const ct_patch_step *step, bool late,
                        ct_values *values, ct_text *texts);

/// Creates 'count' entities in patch->created. Returns CT_OK; CT_ERR_MEMORY or CT_ERR_FULL with the
/// reason in the patch's message.
ct_status ct_patch_create_entities(ct_patch *patch, uint32_t count);

// Functions of patch_cells.c:

/// Returns the cells of a row, which the manager keeps.
ct_cells *ct_patch_cells_of(ct_manager *manager, uint32_t input, ct_row row);

/// Sets the cells of a new value from two shadow rows ('before' may be CT_NO_ROW), and 'cells' to
/// true, if the cells differ. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_patch_read_cells(ct_patch *patch, ct_patch_value *value, ct_row before, ct_row after);

/// Holds cells of both versions in a value of a SET step. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_patch_keep_cells(ct_patch *patch, ct_patch_value *value, ct_cells *old,
                              ct_cells *next);

/// Releases the cells that a value holds.
void ct_patch_free_cells(const ct_patch_value *value);

/// Returns true if the row still has the old state of at least one changed cell or, if the sizes
/// differ, of all cells.
bool ct_patch_holds_cells(ct_manager *manager, ct_row row, const ct_patch_value *value);

/// Writes the cells that are marked as written in a step, cells that the row has changed only if
/// 'forced'; *any becomes true if there are any. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_patch_write_cells(ct_patch_step *step, ct_row row, bool forced, bool *any);

/// Restores the cells that ct_patch_write_cells replaced. Cannot fail.
void ct_patch_write_cells_back(const ct_patch_step *step, ct_row row);

// Functions of patch_shadow.c:

/// Creates the shadow world. Returns CT_OK or CT_ERR_MEMORY; the caller must call
/// ct_patch_shadow_free in both cases.
ct_status ct_patch_shadow_init(ct_patch *patch);
void ct_patch_shadow_free(ct_patch *patch);

/// Spawns both versions of a copy in the shadow world (only the old one, if patch->next is NULL),
/// in place of the copy before it; the caller has filled 'meant'. Returns CT_OK; CT_ERR_DATA,
/// CT_ERR_FULL or CT_ERR_MEMORY with the reason in the patch's message. Calls no script and not the
/// world's host. O(bytes of both resources).
ct_status ct_patch_shadow_spawn(ct_patch *patch, uint32_t copy);

// Ids of components in 'multiple' managers (patch_step.c):

/// Returns true if an id of a shadow row is a number that was not given.
static inline bool ct_patch_is_issued(uint32_t id) {
    return (id & CT_ID_IS_STRING) == 0 && id > CT_LAST_GIVEN_NUMBER;
}

/// Returns the id that a shadow row was given; the text belongs to the string pool of the shadow.
ct_component_id ct_patch_given_id(const ct_manager *shadowed, ct_row row);

/// Returns the id in the level of the component that corresponds to a row of the old version: the
/// given id, or that of the next candidate from *at_here on; 0 if the component was removed. Must
/// be called once for each row of the old version, in order; *at_here begins at the first row.
uint32_t ct_patch_id_here(ct_manager *manager, ct_manager *shadowed, ct_entity in_before,
                          ct_row row, ct_row *at_here);

// Functions of patch_links.c:

/// One copy of the resource in the level.
typedef struct ct_patch_copy {
    ct_patch *patch;
    uint32_t old_from;  ///< its first entity in the level
    uint32_t next_from; ///< its first entity in patch->entities
} ct_patch_copy;

/// Returns the id of an entity of the old resource, with the top bit set if the id was reissued.
static inline ct_entity ct_patch_old_entity(const ct_patch_copy *p, uint32_t i) {
    const ct_level *level = p->patch->level;
    return level->count > 0 ? level->entities[p->old_from + i] : (ct_entity){CT_NOBODY};
}

/// Returns the id of an entity of the new resource.
static inline ct_entity ct_patch_next_entity(const ct_patch_copy *p, uint32_t j) {
    return p->patch->entities[p->next_from + j];
}

static inline bool ct_patch_is_alive(const ct_patch_copy *p, ct_entity e) {
    return ct_entity_manager_alive(p->patch->world->entities, e);
}

/// Replaces the parents in the values of a step, which are entities of the shadow, by the
/// corresponding entities of the level.
ct_status ct_patch_name_parents(const ct_patch_copy *p, ct_patch_step *step, uint32_t i,
                                uint32_t j);

/// Adds a LINK step if the parent or a late input of a matched entity's component differs.
ct_status ct_patch_plan_link(const ct_patch_copy *p, ct_manager *manager, uint32_t i, uint32_t j,
                             ct_row before, ct_row after);

// Functions of patch_plan.c:

/// Returns the section with a name, or NULL.
const ct_section *ct_patch_section(const ct_resource *resource, const char *name);

/// Matches entities, lists additions and removals, and builds the steps. Creates the new entities
/// and changes nothing else. Returns CT_OK; after a failure ct_patch_free_steps frees everything
/// that is held.
ct_status ct_patch_plan(ct_patch *patch);

// Functions of patch_make.c:

/// Creates the additions and runs hooks. Returns CT_OK; after a failure all additions are rolled
/// back.
ct_status ct_patch_make(ct_patch *patch);

/// Rolls back all additions.
void ct_patch_unmake(ct_patch *patch);

// Functions of patch_apply.c:

/// Writes fields and links. Returns CT_OK, or CT_ERR_MEMORY with nothing written.
ct_status ct_patch_write(ct_patch *patch);

/// Removes components and destroys entities. Returns false if a callback failed.
bool ct_patch_remove(ct_patch *patch);

#endif
