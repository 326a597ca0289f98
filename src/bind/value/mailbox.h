// Entities as arguments of functions that LuaJIT compiles.
#ifndef BIND_MAILBOX_H
#define BIND_MAILBOX_H

#include "bind/value/object.h"

// Compiled code calls functions of the core directly, but it cannot convert a light userdata to a
// C value. Therefore it stores the entity into a table, the mailbox, and the function reads it
// there.

typedef struct ct_bind_mailbox ct_bind_mailbox;

/// Adds 'open_mailbox' to the table on top.
void ct_bind_add_mailbox(lua_State *L);

/// Stores the key (storage/manager_keys.h) of the entity or instance in the mailbox in *key.
/// Returns false for any other value. Allocates nothing and does not raise.
bool ct_bind_posted_key(const ct_bind_mailbox *mailbox, int64_t *key);

/// Stores an entity in the mailbox for compiled code. Returns the number of its slot, with which
/// the caller reads it. Allocates nothing and does not raise.
int32_t ct_bind_post_entity(const ct_bind_mailbox *mailbox, ct_entity e);

/// Returns whether the caller will read what is posted: a debug hook could use the slot before.
bool ct_bind_can_post(const ct_bind_mailbox *mailbox);

#endif
