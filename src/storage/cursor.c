// Cursors: places of components in a walk, which stay valid while their rows do.
#include "storage/cursor.h"

#include "storage/manager_access.h"

#include <math.h>

bool ct_cursor_check(ct_cursor *c) {
    ct_row row = ct_cursor_row(c);
    bool same = row.i < ct_store_count(c->store) &&
                ct_store_owners(c->store)[row.i].id == c->loop->entity.id &&
                ct_store_id(c->store, row) == c->id &&
                ct_entity_manager_alive_or_dying(c->entities, c->loop->entity);
    if (same) c->checked = c->entities->structure;
    return same;
}

double ct_cursor_read_lane(ct_cursor *c, uint32_t field, uint32_t lane) {
    double numbers[CT_MAX_ITEM_BYTES / sizeof(float)];
    if (!ct_cursor_is_open(c)) return NAN;
    ct_manager_read_numbers(c->manager, field, ct_cursor_row(c), numbers);
    return numbers[lane];
}

int32_t ct_cursor_write_lane(ct_cursor *c, uint32_t field, uint32_t lane, double value) {
    double numbers[CT_MAX_ITEM_BYTES / sizeof(float)];
    if (!ct_cursor_is_writable(c)) return 0;
    ct_manager_read_numbers(c->manager, field, ct_cursor_row(c), numbers);
    numbers[lane] = value;
    return ct_manager_write_numbers(c->manager, field, ct_cursor_row(c), numbers) == CT_OK;
}

int32_t ct_cursor_write_lanes(ct_cursor *c, uint32_t field, double x, double y, double z,
                              double w) {
    const double numbers[] = {x, y, z, w};
    return ct_cursor_is_writable(c) &&
           ct_manager_write_numbers(c->manager, field, ct_cursor_row(c), numbers) == CT_OK;
}
