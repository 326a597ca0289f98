// Snapshots and saves of a world: its strings and its managers.
#ifndef CT_WORLD_SAVE_H
#define CT_WORLD_SAVE_H

#include "storage/manager_save.h"
#include "world/world.h"

/// Writes all components of living entities. 'values' are the values of the host, or NULL. Returns
/// CT_OK, CT_ERR_MEMORY, CT_ERR_FULL, or CT_ERR_DATA with the reason in 'message'.
ct_status ct_world_write_save(ct_world *world, const char *name, const ct_save_values *values,
                              ct_writer *out, ct_message *message);

/// Reads a save into a world without components. Data that does not fit is reported in 'notes':
/// zero-terminated texts "NAME.component.field: reason". Statuses as ct_world_write_save. Unless it
/// returns CT_OK, the world can only be freed.
ct_status ct_world_read_save(ct_world *world, const char *name, ct_reader *in, ct_writer *notes,
                             ct_message *message);

/// Runs one pass of a state over a world (base/state.h). The world must have the saved components,
/// by name and fields; else RESERVE fails with CT_ERR_DATA. 'name' is for messages. After RESERVE,
/// even if it failed, and after the last pass, release 'strings' with
/// ct_string_pool_release_numbers.
void ct_world_state(ct_world *world, const char *name, ct_string_numbers *strings, ct_state *state);

#endif
