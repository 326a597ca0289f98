// A world in snapshots and saves: its strings, and its managers one after another.
// Must not depend on entities without a component, nor on levels.
#ifndef CT_WORLD_SAVE_H
#define CT_WORLD_SAVE_H

#include "storage/manager_save.h"
#include "world/world.h"

CT_BEGIN_C

/// Writes all components of the living; 'values' are what the host keeps, or NULL. CT_OK,
/// CT_ERR_MEMORY, CT_ERR_FULL, or CT_ERR_DATA with the reason in 'message'.
ct_status ct_world_write_save(ct_world *world, const char *name, const ct_save_values *values,
                              ct_writer *out, ct_message *message);

/// Reads that into a world that has no components. What did not fit is noted in 'notes': texts with
/// a zero byte behind each, "NAME.component.field: reason". Statuses as above; unless it is CT_OK
/// the world is fit to be freed, and for nothing else.
ct_status ct_world_read_save(ct_world *world, const char *name, ct_reader *in, ct_writer *notes,
                             ct_message *message);

/// A pass over a world (base/state.h), whose components are the saved ones, by name and fields;
/// else RESERVE fails with CT_ERR_DATA. 'name' is for messages. After RESERVE, whatever came of it,
/// and at the end of all passes, 'strings' is released by ct_string_pool_release_numbers.
void ct_world_state(ct_world *world, const char *name, ct_string_numbers *strings, ct_state *state);

CT_END_C

#endif
