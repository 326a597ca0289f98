// The state of a patch, and its steps.
// Longer than 150 lines: five files share it.
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

CT_BEGIN_C

/// A value of an input, in two versions. Texts are references to strings, which are held.
typedef struct ct_patch_value {
    uint32_t input;
    ct_field_type type; ///< CT_FIELD_STRING and CT_FIELD_VALUE: items are ct_strings
    void *old;          ///< NULL: it had none
    void *fresh;        ///< NULL: it is to have none
    bool written;       ///< by this patch, so far
    bool cells; ///< of a component to be added a text is 'fresh'; else these are what counts:
    struct ct_cells *old_cells, *fresh_cells; ///< held
    struct ct_cells *replaced; ///< those that the row had before they were written, held
} ct_patch_value;

typedef enum ct_patch_kind {
    CT_PATCH_ADD,    ///< a component, with all values
    CT_PATCH_SET,    ///< some values of one
    CT_PATCH_LINK,   ///< what one hangs on: the hierarchical input, late ones
    CT_PATCH_REMOVE, ///< one
} ct_patch_kind;

typedef struct ct_patch_step {
    ct_patch_kind kind;
    bool whole;      ///< values are written all together, or none
    bool is_created; ///< it is of one
    bool done;
    ct_manager *manager;
    uint32_t schema; ///< of the manager's inputs: what replaces it meanwhile is another
    uint32_t place;  ///< of the entity among the patch's
    ct_entity entity;
    uint32_t id;           ///< of the component, where there may be several
    ct_component_id given; ///< the same, of one that is to be added
    ct_string held;        ///< the string that one of these is
    uint32_t value_count;
    ct_patch_value *values;
} ct_patch_step;

/// One version as it is spawned in the shadow.
typedef struct ct_patch_side {
    const ct_resource *resource;
    ct_entity *entities; ///< per entity of the resource
    ct_entity *meant;    ///< per the same: the entity of the level that fields refer to
} ct_patch_side;

typedef struct ct_patch {
    ct_level *level;
    ct_world *world;               ///< may end while hooks and the host are at work
    const ct_allocator *allocator; ///< the world's while it was there
    ct_resource *old;
    ct_resource *fresh;
    void *context;
    ct_message *message;
    ct_spawn_options options; ///< the level's
    uint32_t copies;
    ct_entity parent; ///< in the shadow, in place of the parent in the options, or CT_NOBODY
    ct_match match;
    ct_shadow_worlds shadows; ///< of the level's world
    ct_world *shadow;         ///< the world there: both versions are spawned in it, and compared
    ct_patch_side before;     ///< the old resource there
    ct_patch_side after;      ///< the new one
    ct_manager *shadowed; ///< of the shadow: the counterpart of the manager that is compared now

    ct_entity *entities;  ///< per entity of the new resource and copy: its id; see ct_level
    bool *made;           ///< per the same: it is new, and made
    bool *changed;        ///< per the same, at the end: see ct_patch_result
    bool *moved;          ///< the same
    bool *spawned_opaque; ///< per section of the new resource: the host spawns it
    ct_entity *created;   ///< all that are made
    uint32_t created_count;
    ct_entity *removed; ///< all that are to be destroyed
    uint32_t removed_count;
    uint32_t schema; ///< of the manager that is compared now
    void *block;
    size_t block_bytes;

    ct_arena arena;
    ct_patch_step *steps;
    uint32_t step_count;
    uint32_t step_capacity;
    ct_additions additions;
    uint32_t *numbers; ///< per manager: the last of a component before anything was added, or NULL
    bool host_ran;
    bool same_shape; ///< both versions have the same entities in the same order, and parents
    ct_patch_result *result;
} ct_patch;

/// "not enough memory", and CT_ERR_MEMORY.
ct_status ct_patch_fail_memory(const ct_patch *patch);

// Of patch_step.c:

/// A hash that tells a manager's inputs from those of one that replaces it.
uint32_t ct_patch_schema(const ct_manager *manager);

/// Whether the manager of a step is there yet, as it was.
bool ct_patch_has_manager(const ct_patch *patch, const ct_patch_step *step);

/// A new step at the end for the manager that is compared now, or NULL when memory runs out.
ct_patch_step *ct_patch_add_step(ct_patch *patch, ct_patch_kind kind, ct_manager *manager,
                                 uint32_t place);

/// The next value of a step, which counts when 'value_count' grows; NULL when memory runs out.
ct_patch_value *ct_patch_new_value(ct_patch *patch, ct_patch_step *step, uint32_t input);

/// Gives a step the values of a row of the shadow before and after (CT_NO_ROW: none), of inputs
/// first .. end - 1: of two rows those that differ, of links all. CT_OK or CT_ERR_MEMORY.
ct_status ct_patch_read_values(ct_patch *patch, ct_patch_step *step, uint32_t first, uint32_t end,
                               ct_row before, ct_row after);

/// Lets go of all strings that steps hold, and of the steps.
void ct_patch_free_steps(ct_patch *patch);

/// The row that a step is about, or CT_NO_ROW.
ct_row ct_patch_row(const ct_patch_step *step);

/// Copies an item of an input, as steps have it, to 'item'. False when the row has none.
bool ct_patch_read_item(ct_manager *manager, uint32_t input, ct_row row, void *item);

/// Whether a row has 'item', what a value was before or is to be; then that is, of 0 and -0, the
/// one that it has. Of cells only what they were can be asked.
bool ct_patch_holds(const ct_patch *patch, ct_manager *manager, ct_row row,
                    const ct_patch_value *value, void *item);

/// An item of a step as ct_values have it: itself, or for texts *text.
const void *ct_patch_item(const ct_patch *patch, const ct_patch_value *value, const void *item,
                          ct_text *text);

// Of patch_cells.c:

/// Gives a new value the cells of a row of the shadow before (CT_NO_ROW: none) and after, if they
/// differ: then it is one of 'cells'. CT_OK or CT_ERR_MEMORY.
ct_status ct_patch_read_cells(ct_patch *patch, ct_patch_value *value, ct_row before, ct_row after);

/// Lets go of those that a value holds.
void ct_patch_free_cells(const ct_patch_value *value);

/// Whether some cell of a row that differs has what it had before; where the sizes differ, all.
bool ct_patch_holds_cells(ct_manager *manager, ct_row row, const ct_patch_value *value);

/// Writes the cells of a step that were chosen; whether there are any. CT_OK, or CT_ERR_MEMORY.
ct_status ct_patch_write_cells(ct_patch_step *step, ct_row row, bool *any);

/// Writes back what they were. Cannot fail.
void ct_patch_write_cells_back(const ct_patch_step *step, ct_row row);

// Of patch_shadow.c:

/// Makes the shadow. CT_OK or CT_ERR_MEMORY; ct_patch_shadow_free is called after both.
ct_status ct_patch_shadow_init(ct_patch *patch);
void ct_patch_shadow_free(ct_patch *patch);

/// Spawns both versions of one copy there; 'meant' is filled. CT_OK; CT_ERR_DATA, CT_ERR_FULL or
/// CT_ERR_MEMORY with the reason in the patch's message. No script and no host is called.
/// O(bytes of both resources).
ct_status ct_patch_shadow_spawn(ct_patch *patch);

/// Removes both again. Cannot fail.
void ct_patch_shadow_clear(ct_patch *patch);

// Of patch_opaque.c:

/// Finds the sections that the host spawns, and the entities whose opaque data differs. CT_OK, or
/// CT_ERR_MEMORY with the reason in the patch's message.
ct_status ct_patch_find_left(ct_patch *patch);

// Of patch_links.c:

/// One copy of the level.
typedef struct ct_patch_copy {
    ct_patch *patch;
    uint32_t old_from;   ///< its first entity, in the level
    uint32_t fresh_from; ///< the same in patch->entities
} ct_patch_copy;

/// The id of an entity of the old resource, with the top bit set if the id was issued again.
static inline ct_entity ct_patch_old_entity(const ct_patch_copy *p, uint32_t i) {
    const ct_level *level = p->patch->level;
    return level->count > 0 ? level->entities[p->old_from + i] : (ct_entity){CT_NOBODY};
}

/// The id of an entity of the new resource.
static inline ct_entity ct_patch_fresh_entity(const ct_patch_copy *p, uint32_t j) {
    return p->patch->entities[p->fresh_from + j];
}

static inline bool ct_patch_lives(const ct_patch_copy *p, ct_entity e) {
    return ct_entity_manager_alive(p->patch->world->entities, e);
}

/// The input that names the parent, or the number of inputs without late ones.
uint32_t ct_patch_hierarchy(const ct_manager *manager);

/// Parents among the values of a step are entities of the shadow: each is replaced by that of the
/// level.
ct_status ct_patch_name_parents(const ct_patch_copy *p, ct_patch_step *step, uint32_t i,
                                uint32_t j);

/// A step, if what the component of a matched entity hangs on differs.
ct_status ct_patch_plan_link(const ct_patch_copy *p, ct_manager *manager, uint32_t i, uint32_t j,
                             ct_row before, ct_row after);

// Of patch_plan.c:

/// The section of a name, or NULL.
const ct_section *ct_patch_section(const ct_resource *resource, const char *name);

/// Matches entities, lists additions and removals, and builds the steps. Only creates the entities
/// that are added. CT_OK; else nothing is held but what ct_patch_free_steps frees.
ct_status ct_patch_plan(ct_patch *patch);

// Of patch_make.c:

/// Makes what is new and tells hooks. CT_OK; else it is as if nothing had been made.
ct_status ct_patch_make(ct_patch *patch);

/// Takes all that is new back.
void ct_patch_unmake(ct_patch *patch);

// Of patch_apply.c:

/// Writes fields and links. CT_OK; CT_ERR_MEMORY: nothing is written.
ct_status ct_patch_write(ct_patch *patch);

/// Removes components and destroys entities. Whether no callback failed.
bool ct_patch_remove(ct_patch *patch);

CT_END_C

#endif
