// Callback list, ordered by `order`, then by registration. Adding and removing a callback costs
// the same for any number of callbacks.
#ifndef CT_CALLBACKS_H
#define CT_CALLBACKS_H

#include "base/alloc.h"

CT_BEGIN_C

/// Generic function pointer; cast back before the call.
typedef void (*ct_callback_fn)(void);

typedef struct ct_callback {
    ct_callback_fn fn; ///< NULL: removed
    void *user;
    uint32_t token; ///< larger than those of all before it
    uint32_t order; ///< lower ones are called first
} ct_callback;

/// Zeroed: an empty list. Open for reading.
typedef struct ct_callbacks {
    ct_callback *items;
    uint32_t count; ///< of places, with removed ones
    uint32_t capacity;
    uint32_t sorted; ///< places in order, before those added during a walk
    uint32_t gaps;   ///< removed places
    uint32_t walks;  ///< walks in progress: no place moves meanwhile
} ct_callbacks;

/// Adds one; 'token' is larger than all before. CT_OK or CT_ERR_MEMORY. O(callbacks of a higher
/// order), amortised.
ct_status ct_callbacks_add(ct_callbacks *list, const ct_allocator *allocator, ct_callback_fn fn,
                           void *user, uint32_t order, uint32_t token);

/// Removes the callback of a token; returns whether there was one. O(log n) for each order,
/// amortised.
bool ct_callbacks_remove(ct_callbacks *list, uint32_t token);

/// Called around a walk over items[0 .. count - 1], which skips places without a function.
/// Callbacks added meanwhile are at the end, whatever their order.
static inline void ct_callbacks_begin(ct_callbacks *list) { list->walks++; }
void ct_callbacks_end(ct_callbacks *list);

/// The place of a token, or of the first behind it; in a list of one order.
uint32_t ct_callbacks_place(const ct_callbacks *list, uint32_t token);

/// Whether a walk whose next place is 'next' has passed the place of a token.
bool ct_callbacks_passed(const ct_callbacks *list, uint32_t next, uint32_t token);

/// Whether there is one at least.
static inline bool ct_callbacks_any(const ct_callbacks *list) { return list->count > list->gaps; }

/// Frees the list, which is empty afterwards.
void ct_callbacks_free(ct_callbacks *list, const ct_allocator *allocator);

CT_END_C

#endif
