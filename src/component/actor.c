// Actor manager: two fields, and a column with the numbers of the host's bodies.
#include "component/actor.h"

#include "base/message.h"

#include <string.h>

typedef struct actor_manager {
    ct_manager manager;
    uint32_t last_body; // the number that was assigned last
    bool is_copy;       // this manager is a copy; the bodies belong to the original
} actor_manager;

enum { COLUMN_SHAPE = CT_COLUMN_OWNER + 1, COLUMN_MASS, COLUMN_BODY };

static const ct_field fields[] = {
    {.name = "shape", .type = CT_FIELD_STRING, .column = COLUMN_SHAPE},
    {.name = "mass", .type = CT_FIELD_FLOAT, .column = COLUMN_MASS},
};

static uint32_t *bodies(const ct_manager *actors) {
    return ct_store_u32(&actors->store, COLUMN_BODY);
}

uint32_t ct_actor_body(const ct_manager *actors, ct_row row) { return bodies(actors)[row.i]; }

void ct_actor_set_body(ct_manager *actors, ct_row row, uint32_t body) {
    bodies(actors)[row.i] = body;
}

uint32_t ct_actor_number_body(ct_manager *actors, ct_row row) {
    uint32_t *last = &((actor_manager *)(void *)actors)->last_body;
    if (++*last == 0) *last = 1; // 0 means no body
    ct_actor_set_body(actors, row, *last);
    return *last;
}

ct_row ct_actor_find(const ct_manager *actors, ct_entity e, uint32_t body) {
    ct_row row = ct_store_find(&actors->store, e);
    if (row.i != CT_NO_ROW && ct_actor_body(actors, row) != body) row.i = CT_NO_ROW;
    return row;
}

static ct_status created(ct_manager *actors, ct_row first, uint32_t count) {
    memset(bodies(actors) + first.i, 0, count * sizeof(uint32_t));
    return CT_OK;
}

static void removing(ct_manager *actors, ct_row first, uint32_t count) {
    for (uint32_t row = first.i; row < first.i + count; ++row)
        CT_ASSERT(bodies(actors)[row] == 0); // otherwise the body would never be freed
    (void)actors;
}

// Keeps the larger 'last_body' on a restore, so that no body number is assigned twice.
static void state(ct_manager *manager, ct_state *state) {
    actor_manager *actors = (actor_manager *)(void *)manager;
    uint32_t last = ct_state_number(state, actors->last_body);
    if (state->pass == CT_STATE_COMMIT && last > actors->last_body) actors->last_body = last;
    if (state->pass != CT_STATE_COMMIT || !actors->is_copy) return;
    for (uint32_t row = 0; row < ct_store_count(&manager->store); ++row)
        bodies(manager)[row] = 0;
}

static ct_status copy_resources(ct_manager *manager, const ct_manager *from) {
    (void)from;
    ((actor_manager *)(void *)manager)->is_copy = true;
    return CT_OK;
}

static bool validate(const ct_manager *actors, ct_message *message) {
    const ct_store *store = &actors->store;
    for (uint32_t row = 0; row < ct_store_count(store); ++row) {
        if (bodies(actors)[row] != 0 &&
            !ct_entity_manager_alive_or_dying(store->entities, ct_store_owners(store)[row]))
            return ct_message_set(message, CT_ACTOR ": row %u of a dead entity has a body", row);
    }
    return true;
}

static const ct_manager_shape shape = {
    .name = CT_ACTOR,
    .bytes = sizeof(actor_manager),
    .widths = (const uint16_t[]){4, 4, 4},
    .column_count = 3,
    .fields = fields,
    .field_count = 2,
    .hosted = "body",
    .layout = {.fields = fields, .field_count = 2},
};

const ct_manager_type ct_actor_type = {
    .shape = &shape,
    .fill = ct_manager_fill_columns,
    .created = created,
    .removing = removing,
    .state = state,
    .copy_resources = copy_resources,
    .validate = validate,
};
