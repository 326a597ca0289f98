// Items: objects with the fields of the current component of a loop as members.
// Must not depend on how a loop finds its rows.
#ifndef BIND_ITEMS_H
#define BIND_ITEMS_H

#include "bind/manager/manager.h"

typedef struct ct_bind_item ct_bind_item;

/// Pushes a new item for components of the manager object at 'manager'. It keeps the memory of the
/// manager alive, but not its world, and refers to no component yet.
ct_bind_item *ct_bind_item_new(lua_State *L, int manager);

/// Returns the item at 'index', or NULL.
ct_bind_item *ct_bind_test_item(lua_State *L, int index);

/// Makes the item refer to the component in this row until the row is removed or moved. CT_NO_ROW:
/// to none.
void ct_bind_item_set(ct_bind_item *item, ct_row row);

/// Creates the classes of items and of their vectors.
void ct_bind_open_items(lua_State *L);

#endif
