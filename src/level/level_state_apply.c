// Application of states to levels that are being spawned.
#include "level/level_state_apply.h"

#include "base/message.h"
#include "component/grid.h"
#include "storage/manager_access.h"
#include "world/create.h"
#include "world/host.h"

#include <string.h>

static void leave_out(const ct_state_applying *a, ct_state_left left) {
    unsigned char *mark = &a->level->left[a->r.step];
    if (*mark == CT_STATE_APPLIED) *mark = (unsigned char)left;
}

// ---------------------------------------------------------------- rows

// Returns whether the component at a position was spawned without a given id. Instances of the
// section are rows in the same order; those of overrides follow.
static bool is_issued(const ct_state_applying *a, const ct_section *section, ct_state_walk *walk) {
    uint32_t entity = walk->place % a->level->resource->num_entities;
    uint32_t end = section != NULL ? section->num_instances : 0;
    if (walk->instance < end && section->entity_index[walk->instance] == entity)
        return ct_u32_at(section->data, walk->instance) == 0;
    walk->instance = end;
    return (ct_store_id(&a->manager->store, walk->row) & CT_ID_IS_STRING) == 0;
}

// Returns the row of a component by its order among those that were spawned without a given id, or
// with 'added' among those whose ids are numbers; or CT_NO_ROW.
static ct_row row_of_order(ct_state_applying *a, uint32_t place, bool added, uint32_t order) {
    const ct_store *store = &a->manager->store;
    const ct_section *section = NULL;
    ct_state_walk *walk = &a->walk;
    if (!added) section = ct_spawner_section(a->world, a->level->resource, a->manager);
    if (walk->manager != a->manager || walk->place != place || walk->added != added ||
        walk->order > order) {
        *walk = (ct_state_walk){a->manager, place, 0, added, {CT_NO_ROW}, 0};
        walk->row = ct_store_find(store, a->entities[place]);
        if (section != NULL)
            walk->instance = ct_section_find(section, place % a->level->resource->num_entities);
    }
    for (; walk->row.i != CT_NO_ROW; walk->row = ct_store_next(store, walk->row)) {
        bool counts = added ? (ct_store_id(store, walk->row) & CT_ID_IS_STRING) == 0
                            : is_issued(a, section, walk);
        if (counts && walk->order == order) break;
        walk->order += counts;
        walk->instance++;
    }
    return walk->row;
}

// Returns the row of the present step's component, or CT_NO_ROW.
static ct_row find_row(const ct_state_applying *a, ct_entity e) {
    ct_store *store = &a->manager->store;
    if (!store->multiple) return ct_store_find(store, e);
    uint32_t id = a->numbers[a->r.step];
    if (id == 0) {
        const ct_component_id given = {a->r.id_number, a->r.id_text};
        if (a->r.id != CT_STATE_ORDER) id = ct_manager_find_id(a->manager, &given);
    }
    return id != 0 ? ct_store_find_id(store, e, id) : (ct_row){CT_NO_ROW};
}

// Finds the numbers of components that are identified by order, before other steps change it.
static ct_status find_numbers(ct_state_applying *a, uint32_t place) {
    ct_row row = {CT_NO_ROW};
    if (!a->r.multiple) return CT_OK;
    if (a->r.id == CT_STATE_ORDER && a->r.kind != CT_STATE_ADD)
        row = row_of_order(a, place, false, a->r.id_number);
    // A spawner may have added the component of the state. Another version of the resource may have
    // other components before it.
    if (a->r.id == CT_STATE_ADDED && a->r.kind == CT_STATE_ADD && a->old_of == NULL)
        row = row_of_order(a, place, true, a->r.id_order);
    if (row.i != CT_NO_ROW) a->numbers[a->r.step] = ct_store_id(&a->manager->store, row);
    return CT_OK;
}

// ---------------------------------------------------------------- steps

// Converts the values of the step, without those that do not fit.
static uint32_t convert_all(ct_state_applying *a, ct_values *values) {
    uint32_t count = 0;
    memset(values, 0, ct_manager_all_inputs(a->manager) * sizeof *values);
    for (uint32_t v = 0; v < a->r.value_count; ++v) {
        ct_message unread;
        uint32_t input;
        ct_values value = {NULL, 0};
        if (!ct_state_convert(a, &a->r.values[v], &input, &value, &unread))
            leave_out(a, CT_STATE_LEFT_VALUE);
        else if (value.items != NULL)
            values[input] = value;
        count += value.items != NULL;
    }
    return count;
}

// Writes the changed cells of a value to cells of the same size with one reference.
static ct_status put_changed(ct_cells *cells, const ct_state_value *value) {
    for (uint32_t i = 0; i < value->cell_count; ++i) {
        const unsigned char *at = value->cells + (size_t)i * CT_STATE_CELL_BYTES;
        uint32_t numbers[2];
        ct_reader_copy(at, 4, 2, numbers);
        if (at[8] != 0 && ct_cells_make_flips(cells) != CT_OK) return CT_ERR_MEMORY;
        ct_cells_put(cells, numbers[0], numbers[1], at[8]);
    }
    return CT_OK;
}

// Writes the cells of a value into a grid.
static ct_status put_cells(const ct_state_applying *a, ct_row row, const ct_state_value *value) {
    ct_cells *now = ct_grid_cells(a->manager, row), *next;
    bool whole = value->cell_count == CT_STATE_ALL_CELLS;
    if (!whole && (now->width != value->width || now->height != value->height)) {
        leave_out(a, CT_STATE_LEFT_VALUE);
        return CT_OK;
    }
    if (whole) {
        next = ct_cells_new(a->world->allocator, value->width, value->height, value->text);
        if (next == NULL) return ct_message_out_of_memory(a->message);
    } else {
        next = ct_cells_retain(now);
        if (ct_cells_own(&next) != CT_OK || put_changed(next, value) != CT_OK) {
            ct_cells_release(next);
            return ct_message_out_of_memory(a->message);
        }
    }
    ct_cells_release(ct_grid_swap_cells(a->manager, row, next));
    return CT_OK;
}

// Writes values that are valid together; otherwise they are left out.
static ct_status assign(const ct_state_applying *a, ct_row row, const ct_values *values) {
    ct_message unread;
    ct_status status = CT_ERR_DATA;
    if (ct_manager_check_values(a->manager, values, 1, false, &unread) &&
        ct_manager_check_assign(a->manager, row, values, &unread))
        status = ct_manager_assign(a->manager, row, values);
    if (status == CT_ERR_MEMORY || status == CT_ERR_FULL)
        return ct_message_out_of_memory(a->message);
    if (status != CT_OK) leave_out(a, CT_STATE_LEFT_VALUES);
    return CT_OK;
}

static ct_status set(ct_state_applying *a, uint32_t place) {
    ct_values values[CT_MAX_COLUMNS];
    ct_row row = find_row(a, a->entities[place]);
    ct_status status = CT_OK;
    if (row.i == CT_NO_ROW) {
        leave_out(a, CT_STATE_LEFT_COMPONENT);
        return CT_OK;
    }
    for (uint32_t v = 0; v < a->r.value_count && status == CT_OK; ++v) {
        const ct_state_value *value = &a->r.values[v];
        if (a->r.inputs[value->input].cells && a->manager->type == &ct_grid_type)
            status = put_cells(a, row, value);
    }
    if (status != CT_OK || convert_all(a, values) == 0) return status;
    return assign(a, row, values);
}

// Creates the component. If there is one already, because a spawner or another version of the
// resource has it, its values are written.
static ct_status add(ct_state_applying *a, uint32_t place) {
    ct_manager *manager = a->manager;
    ct_values values[CT_MAX_COLUMNS];
    ct_message unread;
    ct_row row;
    const ct_entity e = a->entities[place];
    ct_component_id id = {a->r.id_number, a->r.id_text};
    bool exists = find_row(a, e).i != CT_NO_ROW, own = a->numbers[a->r.step] != 0;
    if (exists && (!manager->store.multiple || id.text.bytes != NULL || own)) {
        a->r.kind = CT_STATE_SET;
        return set(a, place);
    }
    if (exists) id.number = 0; // the spawn has issued the number
    convert_all(a, values);
    if (!ct_manager_check_values(manager, values, 1, true, &unread)) {
        leave_out(a, CT_STATE_LEFT_VALUES);
        return CT_OK;
    }
    ct_status status =
        ct_manager_create(manager, &e, 1, values, manager->store.multiple ? &id : NULL, &row);
    if (status == CT_ERR_DATA) {
        leave_out(a, CT_STATE_LEFT_VALUES);
        return CT_OK;
    }
    if (status == CT_ERR_FULL) ct_manager_full_message(manager, a->message);
    if (status != CT_OK)
        return status == CT_ERR_FULL ? status : ct_message_out_of_memory(a->message);
    if (manager->shape->hosted != NULL) a->added[a->added_count++] = e;
    if (a->additions == NULL || ct_additions_note(a->additions, manager, 1) == CT_OK) return CT_OK;
    return ct_message_out_of_memory(a->message);
}

// Removes the parent, so that no link closes a cycle with an old one.
static ct_status unlink(ct_state_applying *a, uint32_t place) {
    static const ct_entity no_entity = {CT_NOBODY};
    ct_values values[CT_MAX_COLUMNS];
    ct_row row = find_row(a, a->entities[place]);
    uint32_t parent = ct_manager_hierarchy(a->manager);
    if (row.i == CT_NO_ROW || parent == a->manager->input_count) return CT_OK;
    memset(values, 0, ct_manager_all_inputs(a->manager) * sizeof *values);
    values[parent].items = &no_entity;
    return assign(a, row, values);
}

static ct_status remove_one(ct_state_applying *a, uint32_t place) {
    ct_row row = find_row(a, a->entities[place]);
    if (row.i != CT_NO_ROW) ct_manager_remove(a->manager, row);
    return CT_OK;
}

// ---------------------------------------------------------------- passes

typedef struct pass {
    unsigned kinds; // bits of ct_state_kind
    ct_status (*act)(ct_state_applying *a, uint32_t place);
} pass;

#define KIND(name) (1u << CT_STATE_##name)

static ct_status run(ct_state_applying *a, const pass *p) {
    ct_status status = CT_OK;
    ct_state_begin(&a->r, a->level->options.state);
    a->component = NULL;
    while (status == CT_OK && ct_state_next(&a->r)) {
        uint32_t place = ct_state_place(a, a->r.place);
        if (!(p->kinds >> a->r.kind & 1) || a->r.kind == CT_STATE_DEAD) continue;
        if (a->component != a->r.component)
            a->manager = ct_world_find(a->world, a->component = a->r.component);
        if (place == CT_MATCH_NONE ||
            !ct_entity_manager_alive(a->world->entities, a->entities[place]))
            leave_out(a, CT_STATE_LEFT_ENTITY);
        else if (a->manager == NULL || a->manager->store.multiple != a->r.multiple)
            leave_out(a, CT_STATE_LEFT_TYPE);
        else
            status = p->act(a, place);
    }
    return status;
}

static ct_status change(ct_state_applying *a) {
    static const pass passes[] = {{KIND(LINK), unlink}, {KIND(SET), set}, {KIND(LINK), set}};
    const ct_world *world = a->world;
    ct_status status = CT_OK;
    uint32_t begun = 0;
    for (; begun < world->manager_count && status == CT_OK; ++begun)
        status = ct_manager_begin_batch(world->managers[begun]);
    if (status != CT_OK) begun--; // the last manager has not begun
    for (uint32_t i = 0; i < 3 && status == CT_OK; ++i)
        status = run(a, &passes[i]);
    while (begun-- > 0)
        ct_manager_end_batch(world->managers[begun], NULL);
    return status == CT_ERR_MEMORY ? ct_message_out_of_memory(a->message) : status;
}

// Destroys the dead entities of the state, and those that are new below them in the resource.
static ct_status destroy_dead(ct_state_applying *a, bool user_code_ran) {
    const ct_resource *resource = a->level->resource;
    ct_entity_manager *entities = a->world->entities;
    ct_entity *dead = ct_scratch_take(&a->memory, (a->level->count + (size_t)1) * sizeof *dead);
    uint32_t count = 0;
    if (dead == NULL) return ct_message_out_of_memory(a->message);
    for (uint32_t i = 0; i < a->level->count; ++i) {
        uint32_t entity = i % resource->num_entities, above = resource->parent_index[entity];
        if (a->old_of != NULL && a->old_of[entity] == CT_MATCH_NONE &&
            above != CT_RESOURCE_NO_PARENT && a->dead[i - entity + above])
            a->dead[i] = true;
        if (a->dead[i] && ct_entity_manager_alive(entities, a->entities[i]))
            dead[count++] = a->entities[i];
    }
    // Nothing below this line can fail.
    if (user_code_ran) {
        ct_spawner_undo(a->world, a->context, count, dead);
    } else {
        ct_world_remove_entities(a->world, count, dead);
        ct_entity_manager_discard(entities, count, dead);
    }
    return CT_OK;
}

static ct_status apply(ct_state_applying *a, bool user_code_ran) {
    static const pass numbers = {~0u, find_numbers};
    static const pass additions = {KIND(ADD), add}, removals = {KIND(REMOVE), remove_one};
    ct_status status = run(a, &numbers);
    if (status == CT_OK) status = run(a, &additions);
    if (status == CT_OK) status = change(a);
    if (status == CT_OK) status = run(a, &removals);
    return status == CT_OK ? destroy_dead(a, user_code_ran) : status;
}

// Makes the host create its data for added components.
static ct_status notify_host(const ct_state_applying *a) {
    const ct_host *host = a->world->host;
    if (host == NULL || host->added == NULL) return CT_OK;
    a->message->text[0] = '\0';
    for (uint32_t m = 0; m < a->world->manager_count; ++m) {
        ct_manager *manager = a->world->managers[m]; // only one type has 'hosted'
        if (manager->shape->hosted != NULL)
            return host->added(a->context, manager, a->added_count, a->added) ? CT_OK : CT_ERR_DATA;
    }
    return CT_OK;
}

// Allocates the arrays of the application.
static ct_status prepare(ct_state_applying *a) {
    size_t steps = a->r.step_count, count = a->level->count;
    a->numbers = ct_scratch_take(&a->memory, (steps + 1) * sizeof *a->numbers);
    a->added = ct_scratch_take(&a->memory, (steps + 1) * sizeof *a->added);
    a->dead = ct_scratch_take(&a->memory, count + 1);
    if (a->numbers == NULL || a->added == NULL || a->dead == NULL) return CT_ERR_MEMORY;
    memset(a->numbers, 0, steps * sizeof *a->numbers);
    memset(a->dead, 0, count);
    memset(a->level->left, CT_STATE_APPLIED, steps);
    ct_status status = ct_state_match(a);
    ct_state_begin(&a->r, a->level->options.state);
    while (status == CT_OK && ct_state_next(&a->r)) {
        uint32_t place = ct_state_place(a, a->r.place);
        if (a->r.kind == CT_STATE_DEAD && place != CT_MATCH_NONE) a->dead[place] = true;
    }
    return status;
}

ct_status ct_level_state_apply(ct_spawn_finish *finish, ct_message *message) {
    ct_level *level = finish->user;
    if (level->options.state.bytes == NULL) return CT_OK;
    ct_state_applying a = {.level = level,
                           .world = level->levels->world,
                           .entities = finish->spawn->entity_lookup,
                           .additions = finish->additions,
                           .context = finish->context,
                           .message = message};
    ct_state_begin(&a.r, level->options.state);
    ct_scratch_init(&a.memory, a.world->allocator);
    ct_status status = prepare(&a);
    if (status == CT_OK)
        status = apply(&a, finish->user_code_ran);
    else
        ct_message_out_of_memory(a.message);
    if (status == CT_OK && a.added_count > 0) {
        finish->user_code_ran = true;
        status = notify_host(&a);
    }
    ct_scratch_free(&a.memory);
    return status;
}
