// Loops over the rows of one or several managers.
#ifndef BIND_LOOPS_H
#define BIND_LOOPS_H

#include "bind/manager/manager.h"
#include "storage/cursor.h"
#include "storage/walk.h"

/// each and instances.
extern const luaL_Reg ct_bind_loop_methods[];

/// Results of a step: entity and instances, rows, or items.
typedef enum ct_bind_loop_kind {
    CT_BIND_LOOP_INSTANCES,
    CT_BIND_LOOP_ROWS,
    CT_BIND_LOOP_ITEMS,
    CT_BIND_LOOP_KINDS
} ct_bind_loop_kind;

/// Managers of a loop, with their roles.
typedef struct ct_bind_loop_setup {
    ct_bind_loop_kind kind;
    uint32_t count;
    ct_bind_manager *const *managers;
    const ct_query_role *roles;
    ct_query *matches; ///< of these managers, or NULL
    bool chooses;      ///< the loop opens when ct_bind_loop_choose has chosen its rows
    int object; ///< index of the object that a loop keeps, whose block keeps the managers and
                ///< matches
} ct_bind_loop_setup;

/// Begins a loop and pushes its iterator. The table at 'pool' keeps the iterators of ended loops of
/// this setup, so that beginning one allocates nothing. When many loops are open, those that break,
/// return or an error has left are ended: no slot of the stack of their coroutine has the iterator.
/// Raises if a manager has ended. Returns 1.
int ct_bind_push_loop(lua_State *L, int pool, const ct_bind_loop_setup *setup);

/// Restricts a loop that has just begun to the rows of the first manager in 'matches', and opens
/// it. Its object is at index 'loop', below the iterator. 'bits' has ct_loop_chosen_bytes of that
/// manager, and must be kept by the loop.
void ct_bind_loop_choose(lua_State *L, int loop, const ct_query *matches, uint32_t *bits);

/// Raises "rows moved during the loop", or the reason if the manager has ended.
int ct_bind_raise_moved(lua_State *L, const ct_bind_manager *manager);

// Items (items.c)

// Objects with the fields of the current component of a loop as members.

/// Pushes a new item for a cursor, which is in the block at index 'block'.
void ct_bind_push_new_item(lua_State *L, ct_cursor *cursor, int block);

/// Creates the classes of items and of their vectors.
void ct_bind_open_items(lua_State *L);

/// Replaces the new item on top by one that LuaJIT compiles, if a factory exists and creates one
/// (items_compiled.c).
void ct_bind_compile_item(lua_State *L, ct_cursor *cursor);

/// Registers the functions that compiled items call.
void ct_bind_open_compiled_items(lua_State *L);

/// Creates the classes of loops and items, and registers the functions that compiled loops call
/// (compiled.h).
void ct_bind_open_loops(lua_State *L);

#endif
