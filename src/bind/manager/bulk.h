// Reading one field of many rows into a table, and writing it from values of a script.
#ifndef BIND_BULK_H
#define BIND_BULK_H

#include "bind/manager/manager.h"

/// Writes the value at 'arg', in a form of create_many, to a writable field of these rows in order;
/// CT_NO_ROW is skipped. Ends the parse. Writes all or nothing: raises if the value is invalid.
/// Pushes 'count' and returns 1.
int ct_bind_write_rows(lua_State *L, const ct_bind_parse *g, const ct_bind_manager *manager,
                       uint32_t field, uint32_t count, const ct_row *rows, int arg);

/// Returns the number of the field that argument 'arg' names. The name may also be a part of the
/// pose of a transform, such as world_position; the numbers of these parts follow the fields.
/// Stores the number of values in *lanes. Raises with the nearest name.
uint32_t ct_bind_check_readable(lua_State *L, int arg, const ct_manager *core, uint32_t *lanes);

/// The same for a writable field; local_angle is the only writable part of a pose.
uint32_t ct_bind_check_writable(lua_State *L, int arg, const ct_manager *core);

/// Appends the values of such a field in a row after item *place of the table at 'table'. Stores
/// false for no entity, for nil, and for each lane of CT_NO_ROW. Creating strings may run
/// finalizers.
void ct_bind_read_row(lua_State *L, int table, int *place, ct_manager *manager, uint32_t field,
                      uint32_t lanes, ct_row row);

#endif
