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

/// Slots for the arguments of compiled code: the target, and the values of create.
enum { CT_BIND_SLOT_TARGET = 1, CT_BIND_SLOT_VALUES = 3 };

/// Index of a value that was pushed on the stack of the mailbox.
enum { CT_BIND_POSTED = 2 };

/// Pushes the value in a slot on the stack of the mailbox, which has 20 places; returns it.
/// Compiled code keeps the stack of its thread in registers. The caller pops the value. Allocates
/// nothing and does not raise.
lua_State *ct_bind_push_posted(const ct_bind_mailbox *mailbox, int slot);

/// Stores an entity in the mailbox for compiled code. Returns the number of its slot, with which
/// the caller reads it. Allocates nothing and does not raise.
int32_t ct_bind_post_entity(const ct_bind_mailbox *mailbox, ct_entity e);

/// Returns whether the caller will read what is posted: a debug hook could use the slot before.
bool ct_bind_can_post(const ct_bind_mailbox *mailbox);

#endif
