// Loops over rows, of one manager and of several.
// Knows nothing of fields.
#ifndef BIND_LOOPS_H
#define BIND_LOOPS_H

#include "bind/manager/manager.h"
#include "storage/query.h"

/// each and instances.
extern const luaL_Reg ct_bind_loop_methods[];

/// Pushes an iterator over the rows of 'count' managers, whose objects are at 'first' ... on the
/// stack, in these roles; 'bare': rows instead of entity and instances.
int ct_bind_push_join(lua_State *L, int first, uint32_t count, const ct_query_role *roles,
                      bool bare);

typedef struct ct_bind_loop ct_bind_loop;

/// What a step returns: entity and instances, rows, or items.
typedef enum ct_bind_loop_kind {
    CT_BIND_LOOP_INSTANCES,
    CT_BIND_LOOP_ROWS,
    CT_BIND_LOOP_ITEMS
} ct_bind_loop_kind;

// A loop that is used again and again: for ... in STEP, LOOP, where STEP is what ct_bind_push_step
// pushes.

/// Pushes a loop over 'count' managers, whose objects are at 'first' ... and are kept by it.
ct_bind_loop *ct_bind_loop_new(lua_State *L, int first, uint32_t count);

/// The loop at 'index', or NULL.
ct_bind_loop *ct_bind_test_loop(lua_State *L, int index);

/// Begins the loop on top of the stack, in these roles. Allocates only at the first time.
void ct_bind_loop_begin(lua_State *L, ct_bind_loop *loop, uint32_t count,
                        const ct_query_role *roles, ct_bind_loop_kind kind);

/// Whether a step may follow: the loop has begun and has not come to its end.
bool ct_bind_loop_is_open(const ct_bind_loop *loop);

/// Closes a loop that was left by break, return or an error: no slot of the coroutine's stack holds
/// it any more. O(slots of the stack).
void ct_bind_loop_close_lost(lua_State *L, ct_bind_loop *loop);

/// Pushes the step function of such loops.
void ct_bind_push_step(lua_State *L);

/// Raises "rows moved during the loop", or why the manager is over.
int ct_bind_raise_moved(lua_State *L, const ct_bind_manager *manager);

/// Makes the classes of loops and items, and enters what compiled loops call (compiled.h).
void ct_bind_open_loops(lua_State *L);

#endif
