// What comes back of a world with a snapshot: strings, and managers one after another.
#include "world/state.h"

#include "base/message.h"

// How a component is told from another of its name.
typedef struct header {
    uint32_t identifier, fields, columns, name_bytes;
} header;

static uint32_t hash_text(uint32_t hash, const char *text) {
    return ct_hash_fnv1a(hash, text, strlen(text) + 1);
}

// Of names, types and labels, in order.
static uint32_t hash_fields(const ct_manager *manager) {
    uint32_t hash = hash_text(CT_FNV1A_START, manager->store.multiple ? "multiple" : "");
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        const ct_field *field = &manager->fields[f];
        hash = hash_text(hash, field->name);
        hash = hash_text(hash, ct_field_info_of(field->type)->name);
        for (uint32_t i = 0; i < field->label_count; ++i)
            hash = hash_text(hash, field->labels[i].bytes);
    }
    return hash;
}

static header header_of(const ct_manager *manager) {
    return (header){manager->identifier, hash_fields(manager), manager->store.columns.column_count,
                    (uint32_t)strlen(manager->name) + 1};
}

static void refuse(ct_state *state, const char *component, const char *world, const char *why) {
    if (!ct_state_require(state, CT_ERR_DATA))
        ct_message_set(state->message, "component '%s' of world '%s' %s", component, world, why);
}

// The manager at a place, or the one that was saved there; NULL if that is not there as it was.
static ct_manager *walk_manager(const ct_world *world, const char *world_name, uint32_t place,
                                ct_state *state) {
    bool restores = ct_state_restores(state);
    ct_manager *manager = restores ? NULL : world->managers[place];
    header h = {0, 0, 0, 0};
    if (manager != NULL) h = header_of(manager);
    ct_state_values(state, &h, sizeof h);
    char *name = ct_state_piece(state, h.name_bytes);
    if (manager != NULL && name != NULL) memcpy(name, manager->name, h.name_bytes);
    if (!restores || name == NULL) return manager;
    manager = ct_world_find(world, name);
    if (state->pass == CT_STATE_COMMIT) return manager;
    header now = h;
    if (manager != NULL) now = header_of(manager);
    if (manager == NULL)
        refuse(state, name, world_name, "is not defined");
    else if (now.fields != h.fields || now.columns != h.columns)
        refuse(state, name, world_name, "was defined with other fields");
    return state->status == CT_OK ? manager : NULL;
}

// Some manager of the world is none of those that were saved.
static void refuse_newer(const ct_world *world, const char *name, ct_state *state) {
    refuse(state, world->managers[world->manager_count - 1]->name, name,
           "was not defined when the snapshot was taken");
}

void ct_world_state(ct_world *world, const char *name, ct_string_numbers *strings,
                    ct_state *state) {
    world->gc_next = ct_state_number(state, world->gc_next);
    ct_string_pool_state(&world->strings, state, strings);
    uint32_t count = ct_state_number(state, world->manager_count);
    for (uint32_t i = 0; i < count && state->status == CT_OK; ++i) {
        ct_manager *manager = walk_manager(world, name, i, state);
        if (manager != NULL) ct_manager_state(manager, state);
    }
    if (state->status == CT_OK) ct_value_pool_state(&world->values, state);
    if (state->status == CT_OK && count < world->manager_count) refuse_newer(world, name, state);
}
