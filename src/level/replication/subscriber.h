// Subscribers: entities and components of a world that follow the messages of a publisher.
#ifndef CT_SUBSCRIBER_H
#define CT_SUBSCRIBER_H

#include "level/replication/mirror.h"
#include "world/world.h"

typedef struct ct_subscriber_options {
    uint32_t max_bytes;            ///< of a message
    uint32_t max_entities;         ///< in a message, and in all
    const char *const *components; ///< names that a message may contain; NULL: all
    uint32_t component_count;
} ct_subscriber_options;

/// Data that a subscriber received from one session.
typedef struct ct_reception {
    ct_published published;
    ct_mirror mirror;
    uint64_t session;
} ct_reception;

/// Members may be read.
typedef struct ct_subscriber {
    const ct_allocator *allocator;
    ct_world *world;
    ct_scratch memory; ///< holds the options
    ct_subscriber_options options;
    ct_reception *now;    ///< NULL: nothing was received
    uint32_t frame;       ///< the frame it is at; 0: none
    uint32_t restores;    ///< counter of the entity manager at the last reset
    bool unlinked;        ///< a link could not be made yet: its parent waits, or is below the child
    ct_entity_map locals; ///< from the index of a local entity to its place in 'ids'
    ct_entity *local_ids; ///< local entities by place in the mirror
    uint32_t local_capacity;
    ct_generation_wrap_listener watch; ///< forgets dead local entities whose ids will be reissued
} ct_subscriber;

/// Initializes a subscriber that has received nothing. Copies the options. The struct must not move
/// until it is freed, because the entity manager keeps its address. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_subscriber_init(ct_subscriber *subscriber, const ct_allocator *allocator,
                             ct_world *world, const ct_subscriber_options *options);

/// Frees all memory. The received entities stay. The world may have ended before.
void ct_subscriber_free(ct_subscriber *subscriber);

/// Applies a message, which may be any bytes. It is applied if its base is at or before the frame
/// of the subscriber and its frame is newer, or if it is full and of another session. A message
/// that is not newer does nothing. First everything is checked, then entities and components are
/// created and their hooks run, then values are written; then nothing can fail any more, and
/// components and entities are removed. Components are created and removed with CT_REASON_APPLY.
/// Returns CT_OK; CT_ERR_MEMORY, CT_ERR_FULL, CT_ERR_OVER, or CT_ERR_DATA with the reason in
/// 'message' and nothing changed ("" if the host failed). Sets *ok to false if a callback of a
/// removal failed; the message is applied in either case. O(bytes of the message).
ct_status ct_subscriber_apply(ct_subscriber *subscriber, const void *bytes, size_t count,
                              void *context, bool *ok, ct_message *message);

/// Writes the received values where the world differs from them, of all received entities if
/// 'list' is NULL, and creates removed components and entities again. *written becomes the number
/// of values. Statuses as ct_subscriber_apply. O(received values).
ct_status ct_subscriber_put_back(ct_subscriber *subscriber, const ct_entity *list, uint32_t count,
                                 void *context, uint32_t *written, ct_message *message);

/// Forgets everything: the next message must be full. With 'destroy', destroys the received
/// entities. Returns CT_OK; CT_ERR_MEMORY with nothing changed; or CT_ERR_DATA with the reason in
/// 'message' if a call is running. Sets *ok to false if a callback failed.
ct_status ct_subscriber_reset(ct_subscriber *subscriber, bool destroy, void *context, bool *ok,
                              ct_message *message);

/// Returns the local entity for an entity of the publisher, or CT_NOBODY; and the reverse.
ct_entity ct_subscriber_entity(const ct_subscriber *subscriber, ct_entity published);
ct_entity ct_subscriber_published(const ct_subscriber *subscriber, ct_entity local);

/// Writes the differences between the components of the publisher and those of the world: texts,
/// each followed by a zero byte.
void ct_subscriber_fields(const ct_subscriber *subscriber, ct_writer *out);

#endif
