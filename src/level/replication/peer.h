// Peers: what one receiver was sent, and messages for it.
#ifndef CT_PEER_H
#define CT_PEER_H

#include "level/replication/publisher.h"

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

/// An entity that waits.
typedef struct ct_peer_wait {
    ct_entity entity;
    uint32_t since; ///< first frame in which it waited
} ct_peer_wait;

/// Members may be read. A peer uses its publisher, except when it is freed.
typedef struct ct_peer {
    const ct_allocator *allocator;
    ct_publisher *publisher;
    uint32_t acknowledged; ///< 0: none
    ct_peer_sent *sent;    ///< by frame, those of the last 'keep' frames
    uint32_t sent_count, sent_capacity;
    ct_peer_wait *waits; ///< entities that waited in the newest message, ascending
    uint32_t wait_count, wait_capacity;
    ct_writer message;
} ct_peer;

/// Initializes a peer that has received nothing. Allocates nothing.
void ct_peer_init(ct_peer *peer, ct_publisher *publisher);
void ct_peer_free(ct_peer *peer);

/// Writes a message from the acknowledged frame to the newest one. If 'list' is not NULL, it is for
/// a receiver that is interested only in these entities: an entity that was missing in the list of
/// a message since the acknowledged frame is sent with all values, and one that was in such a list
/// and is not in this one is removed. If 'limit' is not 0, entities that do not fit in so many
/// bytes wait, but at least one is sent: those that have waited longest are first, and removals and
/// new entities are before changes. *bytes is valid until the next call with this peer or its
/// publisher. Statuses as ct_publisher_message; after a failure nothing has changed. O(entities +
/// lists since the acknowledged frame).
ct_status ct_peer_message(ct_peer *peer, const ct_entity *list, uint32_t count, uint32_t limit,
                          ct_text *bytes);

/// Notes that the receiver is at a frame. Returns false if no message of this peer had that frame,
/// or if it is not kept any more.
bool ct_peer_acknowledge(ct_peer *peer, uint32_t frame);

/// Returns the number of entities that waited in the newest message.
static inline uint32_t ct_peer_waiting(const ct_peer *peer) { return peer->wait_count; }

// Records of sent messages (peer_sent.c).

void ct_peer_sent_free(const ct_allocator *allocator, ct_peer_sent *sent);

/// Adds another message of the same frame. After CT_ERR_MEMORY nothing has changed. O(n log n).
ct_status ct_peer_sent_merge(const ct_allocator *allocator, ct_peer_sent *sent,
                             const ct_peer_sent *message);

#endif
