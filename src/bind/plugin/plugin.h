// What the files that make up the table of functions for plugins tell one another: cuttle.h is
// their manual. Knows nothing of any one plugin.
#ifndef BIND_PLUGIN_H
#define BIND_PLUGIN_H

#include "bind/world/world.h"

/// Puts the table where ct_api_get finds it.
void ct_bind_open_plugin_api(lua_State *L);

// plugin_define.c
void ct_bind_plugin_define(lua_State *L, int world, const ct_component *component);
void *ct_bind_plugin_own(const ct_manager *manager, const ct_component *component);

// plugin_rows.c
uint32_t ct_bind_plugin_count(const ct_manager *manager);
ct_row ct_bind_plugin_find(const ct_manager *manager, ct_entity e);
void ct_bind_plugin_find_many(const ct_manager *manager, uint32_t count, const ct_entity *entities,
                              ct_row *out);
ct_row ct_bind_plugin_next(const ct_manager *manager, ct_row row);
const ct_entity *ct_bind_plugin_owners(const ct_manager *manager);
ct_row ct_bind_plugin_check_row(lua_State *L, int arg, ct_manager *manager);
ct_row ct_bind_plugin_check_live_row(lua_State *L, int arg, ct_manager *manager);
void ct_bind_plugin_push_instance(lua_State *L, ct_manager *manager, ct_row row);
uint32_t ct_bind_plugin_find_field(const ct_manager *manager, const char *name);
void *ct_bind_plugin_column(ct_manager *manager, uint32_t field, uint32_t *stride);
ct_text ct_bind_plugin_text(const ct_manager *manager, uint32_t field, ct_row row);
ct_status ct_bind_plugin_add(ct_manager *manager, uint32_t count, const ct_entity *owners,
                             const ct_values *values, ct_row *first);
ct_status ct_bind_plugin_remove(ct_manager *manager, ct_row row);
ct_status ct_bind_plugin_write(ct_manager *manager, uint32_t field, ct_row row, const void *item);
uint32_t ct_bind_plugin_gc(ct_manager *manager, bool all);

/// Whether 'count' items may stand in a column of that type: no NaN but the quiet one, no bool but
/// 0 and 1, no entity of more than 30 bits but nobody. Strings may.
bool ct_bind_plugin_items_sound(ct_field_type type, const ct_values *values, uint32_t count);

// plugin_transforms.c
const float *ct_bind_plugin_world_matrix(ct_manager *transforms, ct_row row);
ct_status ct_bind_plugin_local_pose(ct_manager *transforms, ct_row row, ct_pose *out);
ct_status ct_bind_plugin_set_local_pose(ct_manager *transforms, ct_row row, const ct_pose *pose);
ct_status ct_bind_plugin_link(ct_manager *transforms, ct_row child, ct_row parent, bool keep_world);
ct_row ct_bind_plugin_parent(ct_manager *transforms, ct_row row);

#endif
