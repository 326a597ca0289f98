// What comes back of a manager with a snapshot: its rows with their strings, and what its type
// keeps.
#include "storage/manager.h"

// Strings of rows that came back from a snapshot: their numbers are those of now.
static void renumber(const ct_state *state, ct_string *strings, uint32_t count) {
    for (uint32_t i = 0; !state->same_strings && i < count; ++i)
        strings[i].ref = state->strings[strings[i].ref];
}

static void retain_ids(ct_manager *manager, const ct_state *state) {
    uint32_t *ids = ct_store_u32(&manager->store, CT_COLUMN_ID);
    for (uint32_t row = 0; row < ct_store_count(&manager->store); ++row) {
        ct_string string = {ids[row] & ~CT_ID_IS_STRING};
        if ((ids[row] & CT_ID_IS_STRING) == 0) continue;
        renumber(state, &string, 1);
        ct_string_pool_retain(manager->strings, string, 1);
        ids[row] = CT_ID_IS_STRING | string.ref;
    }
}

static void retain_rows(ct_manager *manager, const ct_state *state) {
    uint32_t count = ct_store_count(&manager->store);
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        if (manager->fields[f].type != CT_FIELD_STRING) continue;
        ct_string *column = ct_manager_item(manager, &manager->fields[f], (ct_row){0});
        renumber(state, column, count);
        ct_string_pool_retain_all(manager->strings, column, count);
    }
    if (manager->store.multiple) retain_ids(manager, state);
}

void ct_manager_state(ct_manager *manager, ct_state *state) {
    const ct_manager_type *type = manager->type;
    if (!ct_state_restores(state)) ct_manager_flush_deaths(manager);
    if (state->pass == CT_STATE_COMMIT)
        ct_manager_release_rows(manager, (ct_row){0}, ct_store_count(&manager->store));
    ct_store_state(&manager->store, state);
    if (state->pass == CT_STATE_COMMIT) {
        retain_rows(manager, state);
        manager->deaths_seen = manager->store.entities->tail;
    }
    if (type->state != NULL) type->state(manager, state);
}
