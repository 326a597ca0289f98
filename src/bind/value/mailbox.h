// Entities as arguments of functions that LuaJIT compiles.
#ifndef BIND_MAILBOX_H
#define BIND_MAILBOX_H

#include "bind/value/object.h"
#include "storage/manager_keys.h"

// Compiled code calls functions of the core directly, but it cannot convert a light userdata to a
// C value. Therefore it stores the entity into a table, the mailbox, and the function reads it
// there.

// LuaJIT writes a light userdata with two stores of different width. A read of all eight bytes
// behind them waits until both have reached the cache, which costs more than the call. Two reads of
// four bytes do not wait. Therefore the words of the slots are accessed directly where that works;
// lua_rawgeti reads all other values.
typedef struct ct_bind_mailbox {
    const volatile uint32_t *id;   ///< word of the slot IN that has the entity, or NULL: not found
    const volatile uint32_t *type; ///< the other word of the slot,
    uint32_t entity_type;          ///< and its value for entities
    uint32_t id_shift;             ///< of the first word in the eight bytes of a slot, 0 or 32
    bool has_doubles;              ///< the words of a slot with a double are the double
    volatile uint64_t *out;        ///< the slot OUT, if 'id' is not NULL
    lua_State *thread;             ///< has only the table on its stack
} ct_bind_mailbox;

/// Adds 'open_mailbox' to the table on top.
void ct_bind_add_mailbox(lua_State *L);

/// Does the same as ct_bind_posted_key, if an entity is not found by the words of its slot.
int64_t ct_bind_posted_other_key(const ct_bind_mailbox *mailbox);

/// Returns the key (storage/manager_keys.h) of the entity or instance in the mailbox, or
/// CT_KEY_OF_NOTHING for any other value. Allocates nothing and does not raise.
static inline int64_t ct_bind_posted_key(const ct_bind_mailbox *mailbox) {
    if (CT_UNLIKELY(mailbox->id == NULL || *mailbox->type != mailbox->entity_type))
        return ct_bind_posted_other_key(mailbox);
    uint32_t word = *mailbox->id;
    if (CT_UNLIKELY((word & 3u) != CT_ENTITY_TAG)) return CT_KEY_OF_NOTHING;
    return ct_key_of_entity((ct_entity){word >> 2});
}

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
