// State while the state of a level is applied, or its remainder is listed.
#ifndef CT_LEVEL_STATE_APPLY_H
#define CT_LEVEL_STATE_APPLY_H

#include "level/level_internal.h"
#include "level/level_state_internal.h"
#include "storage/cells.h"

/// Marks of steps in ct_level.left: why the last spawn left them out.
typedef enum ct_state_left {
    CT_STATE_APPLIED,
    CT_STATE_LEFT_ENTITY,    ///< the resource does not have the entity
    CT_STATE_LEFT_TYPE,      ///< the component is not defined
    CT_STATE_LEFT_COMPONENT, ///< the entity does not have the component
    CT_STATE_LEFT_VALUE,     ///< some values do not fit: see ct_state_convert
    CT_STATE_LEFT_VALUES     ///< the values are not valid together
} ct_state_left;

/// Where the last search for a component by its order ended. Steps mostly name components in
/// ascending order, so the next search continues there.
typedef struct ct_state_walk {
    const ct_manager *manager; ///< NULL: none
    uint32_t place, order;
    bool added; ///< see CT_STATE_ADDED
    ct_row row;
    uint32_t instance; ///< of the section
} ct_state_walk;

typedef struct ct_state_applying {
    ct_state_reader r;
    ct_level *level;
    ct_world *world;
    const ct_entity *entities; ///< of the level
    ct_scratch memory;
    uint32_t *place_of;    ///< per entity of the state's resource: its entity in the resource
    uint32_t *old_of;      ///< per entity of the resource; NULL: the state is of the same version
    uint32_t old_count;    ///< number of entities in the state's resource
    uint32_t copies;       ///< of the level
    const char *component; ///< name of the table of 'manager'
    ct_manager *manager;   ///< of the present step; NULL: not defined
    ct_state_walk walk;    ///< until rows change
    uint32_t *numbers;     ///< per step: number of the component that it changes, or 0
    bool *dead;            ///< per entity of the level: the state destroys it
    ct_entity *added;      ///< owners of new components of 'hosted' managers
    uint32_t added_count;
    ct_additions *additions;
    void *context;
    ct_message *message;
} ct_state_applying;

/// Matches the entities of the state with those of the level's resource. Returns CT_OK or
/// CT_ERR_MEMORY.
ct_status ct_state_match(ct_state_applying *a);

/// Returns the place in the level of a place in the state, or CT_MATCH_NONE.
uint32_t ct_state_place(const ct_state_applying *a, uint32_t place);

/// Converts a value for the present manager. Items point into the state or 'value'. *out has no
/// items for the changed cells of a SET step. Returns false with the reason in 'message' if
/// the manager has no such input.
bool ct_state_convert(const ct_state_applying *a, ct_state_value *value, uint32_t *input,
                      ct_values *out, ct_message *message);

#endif
