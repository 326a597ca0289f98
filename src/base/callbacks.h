// Callback list, ordered by `order`, then by registration. The cost of adding and removing does not
// depend on the number of callbacks.
#ifndef CT_CALLBACKS_H
#define CT_CALLBACKS_H

#include "base/alloc.h"

/// Generic function pointer; cast back before the call.
typedef void (*ct_callback_fn)(void);

typedef struct ct_callback {
    ct_callback_fn fn; ///< NULL: removed
    void *user;
    uint32_t token; ///< larger than the tokens of earlier callbacks
    uint32_t order; ///< lower ones are called first
} ct_callback;

/// List of callbacks, empty if zeroed. Members may be read directly.
typedef struct ct_callbacks {
    ct_callback *items;
    uint32_t count; ///< number of items, including removed ones
    uint32_t capacity;
    uint32_t sorted; ///< number of items in order, before the items added during a walk
    uint32_t gaps;   ///< number of removed items
    uint32_t walks;  ///< walks in progress; meanwhile no item moves
} ct_callbacks;

/// Adds a callback; 'token' must be larger than all earlier ones. Returns CT_OK or CT_ERR_MEMORY.
/// Amortised O(callbacks of a higher order).
ct_status ct_callbacks_add(ct_callbacks *list, const ct_allocator *allocator, ct_callback_fn fn,
                           void *user, uint32_t order, uint32_t token);

/// Removes the callback with a token. Returns whether it existed. Amortised O(log n) per order.
bool ct_callbacks_remove(ct_callbacks *list, uint32_t token);

/// Begin and end a walk over items[0 .. count - 1], which must skip items without a function.
/// Callbacks added during the walk are at the end, regardless of their order.
static inline void ct_callbacks_begin(ct_callbacks *list) { list->walks++; }
void ct_callbacks_end(ct_callbacks *list);

/// Returns the index of a token, or of the first larger one, in a list with one order.
uint32_t ct_callbacks_place(const ct_callbacks *list, uint32_t token);

/// Returns whether a walk with the next index 'next' has passed the item of a token.
bool ct_callbacks_passed(const ct_callbacks *list, uint32_t next, uint32_t token);

/// Returns whether the list has a callback.
static inline bool ct_callbacks_any(const ct_callbacks *list) { return list->count > list->gaps; }

/// Frees the list. It is empty afterwards.
void ct_callbacks_free(ct_callbacks *list, const ct_allocator *allocator);

#endif
