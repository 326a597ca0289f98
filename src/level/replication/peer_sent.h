// Records of the messages that a peer was sent.
// Must not depend on messages.
#ifndef CT_PEER_SENT_H
#define CT_PEER_SENT_H

#include "base/alloc.h"

CT_BEGIN_C

typedef struct ct_peer_list {
    ct_entity *items; ///< ascending ids
    uint32_t count, capacity;
} ct_peer_list;

enum {
    CT_SENT_EVERY,  ///< entities in the list of each message, unless 'every'
    CT_SENT_ANY,    ///< entities in the list of a message
    CT_SENT_WAITED, ///< entities that had no room in a message
    CT_SENT_LISTS
};

/// The messages of one frame.
typedef struct ct_peer_sent {
    uint32_t frame;
    bool every; ///< all messages were for all entities; true without messages
    bool any;   ///< a message was for all entities
    bool full;  ///< a message was full: the receiver removes entities that waited in it
    ct_peer_list lists[CT_SENT_LISTS];
} ct_peer_sent;

void ct_peer_sent_free(const ct_allocator *allocator, ct_peer_sent *sent);

/// Adds another message of the same frame. After CT_ERR_MEMORY nothing has changed. O(n log n).
ct_status ct_peer_sent_merge(const ct_allocator *allocator, ct_peer_sent *sent,
                             const ct_peer_sent *message);

CT_END_C

#endif
