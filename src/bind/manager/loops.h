// Loops over the rows of one or several managers.
// Must not depend on fields.
#ifndef BIND_LOOPS_H
#define BIND_LOOPS_H

#include "bind/manager/manager.h"
#include "storage/query.h"

/// each and instances.
extern const luaL_Reg ct_bind_loop_methods[];

/// Pushes an iterator over the rows of 'count' managers in these roles. The manager objects are at
/// 'first', 'first' + 1, ... on the stack. If 'bare', it returns rows instead of entity and
/// instances.
int ct_bind_push_join(lua_State *L, int first, uint32_t count, const ct_query_role *roles,
                      bool bare);

typedef struct ct_bind_loop ct_bind_loop;

/// Results of a step: entity and instances, rows, or items.
typedef enum ct_bind_loop_kind {
    CT_BIND_LOOP_INSTANCES,
    CT_BIND_LOOP_ROWS,
    CT_BIND_LOOP_ITEMS
} ct_bind_loop_kind;

// A reusable loop: for ... in STEP, LOOP, where ct_bind_push_step pushes STEP.

/// Pushes a loop over 'count' managers, and keeps the manager objects alive, which are at 'first',
/// 'first' + 1, ...
ct_bind_loop *ct_bind_loop_new(lua_State *L, int first, uint32_t count);

/// Returns the loop at 'index', or NULL.
ct_bind_loop *ct_bind_test_loop(lua_State *L, int index);

/// Begins the loop on top of the stack in these roles. Allocates the first time only.
void ct_bind_loop_begin(lua_State *L, ct_bind_loop *loop, uint32_t count,
                        const ct_query_role *roles, ct_bind_loop_kind kind);

/// Restricts a loop that has just begun to the rows of the first manager in 'matches'. 'bits' has
/// ct_loop_chosen_bytes of that manager, and must be kept by the loop.
void ct_bind_loop_choose(ct_bind_loop *loop, const ct_query *matches, uint32_t *bits);

/// Checks that the loop has begun and has not ended, so that a step may follow.
bool ct_bind_loop_is_open(const ct_bind_loop *loop);

/// Closes the loop if no slot of the coroutine's stack contains it, because break, return or an
/// error has left it. O(slots of the stack).
void ct_bind_loop_close_lost(lua_State *L, ct_bind_loop *loop);

/// Pushes the step function of reusable loops.
void ct_bind_push_step(lua_State *L);

/// Raises "rows moved during the loop", or the reason if the manager has ended.
int ct_bind_raise_moved(lua_State *L, const ct_bind_manager *manager);

/// Creates the classes of loops and items, and registers the functions that compiled loops call
/// (compiled.h).
void ct_bind_open_loops(lua_State *L);

#endif
