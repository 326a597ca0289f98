// Levels of a save as Level objects.
#ifndef BIND_SAVE_LEVELS_H
#define BIND_SAVE_LEVELS_H

#include "bind/snapshot/snapshot_values.h"
#include "level/save_levels.h"

/// Creates a Level object for each level of a save, before the state is restored, and adds it to
/// the table 'saved' and to the levels that its world keeps. A resource is looked up by its name in
/// the table at 'resources', unless that is not a table, then among the levels of the worlds.
/// Returns CT_OK, or the status of ct_saved_resource_make with the reason in 'message'. May run
/// finalizers.
ct_status ct_bind_make_levels(lua_State *L, const ct_bind_restoration *back,
                              ct_saved_levels *levels, int resources, ct_message *message);

#endif
