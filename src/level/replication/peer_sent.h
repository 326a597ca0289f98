// Records of the messages that a peer was sent.
#ifndef CT_PEER_SENT_H
#define CT_PEER_SENT_H

#include "level/replication/peer_list.h"

CT_BEGIN_C

/// The messages of one frame.
typedef struct ct_peer_sent {
    uint32_t frame;
    bool every;            ///< all messages were for all entities
    bool any;              ///< a message was for all entities
    bool full;             ///< a message was full: the receiver removes entities that waited in it
    ct_peer_list in_every; ///< entities in the list of each message, unless 'every'
    ct_peer_list in_any;   ///< entities in the list of a message
    ct_peer_list waited;   ///< entities that had no room in a message
} ct_peer_sent;

void ct_peer_sent_free(const ct_allocator *allocator, ct_peer_sent *sent);

/// Copies a record. After CT_ERR_MEMORY there is nothing to free.
ct_status ct_peer_sent_copy(const ct_allocator *allocator, ct_peer_sent *to,
                            const ct_peer_sent *from);

/// Adds another message of the same frame. After CT_ERR_MEMORY nothing has changed.
ct_status ct_peer_sent_merge(const ct_allocator *allocator, ct_peer_sent *sent,
                             const ct_peer_sent *message);

CT_END_C

#endif
