// Components described by a plugin: columns as records have them, and callbacks around them.
// Knows nothing of Lua, nor of how a plugin was found; nor of the other components.
#ifndef CT_RECORD_PLUGIN_H
#define CT_RECORD_PLUGIN_H

#include "component/record.h"

CT_BEGIN_C

/// A manager for components of a plugin, which is told of all that cuttle.h promises. Names and
/// presets are copied, the description itself stays known by its address. ct_component_check found
/// it sound. NULL when memory runs out or 'opened' says so.
ct_manager *ct_plugin_create(const ct_manager_setup *setup, const ct_component *description);

/// A description with all members of this version: those beyond its 'size' are 0.
ct_component ct_plugin_whole(const ct_component *description);

/// Keeps the libraries with the description and its callbacks in memory, but not those with its
/// methods. Data and code of a plugin need not be in one library, and the description in none.
void ct_plugin_pin(const ct_component *description);

/// Whether something is kept for rows beside their fields. All members are of this version.
bool ct_plugin_keeps_own(const ct_component *component);

/// The address of the description a manager was made from, or NULL when no plugin made it.
const ct_component *ct_plugin_description(const ct_manager *manager);

/// A copy of it that has all members of this version: what the plugin's lacks is 0.
const ct_component *ct_plugin_component(const ct_manager *manager);

/// The block of own_bytes. Both are for managers that a plugin made.
void *ct_plugin_own(const ct_manager *manager);

CT_END_C

#endif
