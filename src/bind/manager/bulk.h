// One field of many rows, read into a table or written from values of a script.
// Must not depend on how the rows were found.
#ifndef BIND_BULK_H
#define BIND_BULK_H

#include "bind/manager/manager.h"

/// Writes the value at 'arg', in a form of create_many, to a writable field of these rows
/// (CT_NO_ROW is skipped), in order. Ends the gathering. All or nothing; raises what is wrong with
/// the value. Pushes 'count' and returns 1.
int ct_bind_write_rows(lua_State *L, const ct_bind_gather *g, const ct_bind_manager *manager,
                       uint32_t field, uint32_t count, const ct_row *rows, int arg);

/// Argument 'arg' as the name of a field, or of a part of the pose of a transform such as
/// world_position, which has a number behind those of the fields; raises with the nearest name.
/// *lanes: how many values it has.
uint32_t ct_bind_check_readable(lua_State *L, int arg, const ct_manager *core, uint32_t *lanes);

/// The same for a field that can be written; of the parts of a pose only local_angle can.
uint32_t ct_bind_check_writable(lua_State *L, int arg, const ct_manager *core);

/// Appends the values of such a field in a row behind item *place of the table at 'table': false
/// for no entity, nil and a row that is CT_NO_ROW. Creating strings may run finalizers.
void ct_bind_read_row(lua_State *L, int table, int *place, ct_manager *manager, uint32_t field,
                      uint32_t lanes, ct_row row);

#endif
