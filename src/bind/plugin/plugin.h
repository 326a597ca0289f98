// Functions of the table for plugins, by file; cuttle.h documents them.
#ifndef BIND_PLUGIN_H
#define BIND_PLUGIN_H

#include "bind/world/world.h"

/// Stores the table under the registry key that ct_api_get reads.
void ct_bind_open_plugin_api(lua_State *L);

// levels.c
bool ct_bind_plugin_load(lua_State *L, const void *bytes, size_t count, const char *name);
bool ct_bind_plugin_spawn(lua_State *L, int world, int resource, const ct_level_options *options);
uint32_t ct_bind_plugin_unload(lua_State *L, int level);
bool ct_bind_plugin_restart(lua_State *L, int level);
bool ct_bind_plugin_patch(lua_State *L, int level, int resource, ct_patch_counts *counts);
void ct_bind_plugin_snapshot(lua_State *L, int entities, int old);
void ct_bind_plugin_restore(lua_State *L, int entities, int snapshot);
void ct_bind_plugin_save(lua_State *L, int snapshot);
bool ct_bind_plugin_read_save(lua_State *L, const void *bytes, size_t count);
void ct_bind_plugin_record(lua_State *L, int recorder);
uint64_t ct_bind_plugin_rewind(lua_State *L, int recorder, uint64_t frames);
const ct_level *ct_bind_plugin_check_level(lua_State *L, int arg);

#endif
