// Items: objects whose members are the fields of the component that a loop has reached.
// Must not depend on how a loop finds its rows.
#ifndef BIND_ITEMS_H
#define BIND_ITEMS_H

#include "bind/manager/manager.h"

typedef struct ct_bind_item ct_bind_item;

/// Pushes a new item for components of the manager object at 'manager'. It keeps the memory of the
/// manager, not its world, and has no component yet.
ct_bind_item *ct_bind_item_new(lua_State *L, int manager);

/// The item at 'index', or NULL.
ct_bind_item *ct_bind_test_item(lua_State *L, int index);

/// The item is the component in this row, until the row is removed or moved; CT_NO_ROW: none.
void ct_bind_item_set(ct_bind_item *item, ct_row row);

/// Makes the classes of items and of their vectors.
void ct_bind_open_items(lua_State *L);

#endif
