// Publishers: what changed in a world from one frame to another, as messages for subscribers.
#ifndef CT_PUBLISHER_H
#define CT_PUBLISHER_H

#include "base/message.h"
#include "component/transform.h"
#include "level/replication/mirror.h"
#include "storage/manager_save.h"
#include "world/world.h"

// A publisher records the published components of a world, frame by frame. A message describes the
// changes from a recorded frame, its base, to the newest one. All values in it are complete, so a
// subscriber at any frame from the base on can apply it. The transport may lose, duplicate, delay
// and reorder messages.

typedef struct ct_publisher_options {
    const char *const *components; ///< 1 to CT_MAX_PUBLISHED different names
    uint32_t component_count;
    const ct_publisher_step *steps;
    uint32_t step_count;
    uint32_t keep; ///< number of recorded frames that can be the base of a message, at least 1
} ct_publisher_options;

/// Removal of a component, or of an entity (type CT_MIRROR_NONE).
typedef struct ct_removal_record {
    ct_entity entity;
    uint32_t frame;
    uint32_t type;
    uint32_t id;     ///< holds its string
    uint32_t before; ///< of a component: number of the removal before it of the same entity
} ct_removal_record;

/// Columns of a manager as of the newest frame, to find rows that changed.
typedef struct ct_watched {
    ct_manager *manager; ///< not used between calls
    uint16_t columns[CT_MAX_COLUMNS];
    uint32_t places[CT_MAX_COLUMNS]; ///< offset of the column's copy, in bytes per row
    uint32_t column_count, row_bytes;
    unsigned char *copy;
    uint32_t count, capacity;
    bool always; ///< all rows are compared by value: there are values of the host, or cells
    bool texts;  ///< strings of the world are compared by number while none is freed
} ct_watched;

/// State of a publisher for one definition of the components.
typedef struct ct_publication {
    ct_published published;
    ct_mirror mirror;
    ct_watched watched[CT_MAX_PUBLISHED]; ///< by type
    uint32_t watched_count;
    ct_removal_record *removals; ///< in the order of frames; number 'forgotten' and following
    uint32_t removal_count, removal_capacity;
    uint32_t forgotten;      ///< number of removals before them
    ct_attached_node *nodes; ///< of transforms at the newest frame, ascending by owner
    uint32_t node_count, node_capacity;
    uint32_t deaths, freed_strings, restores; ///< counters of the world at the newest frame
    uint32_t first;                           ///< first frame that can be a base
} ct_publication;

/// Members may be read.
typedef struct ct_publisher {
    const ct_allocator *allocator;
    ct_world *world;
    ct_scratch memory; ///< holds the options
    ct_publisher_options options;
    ct_publication *now;
    uint64_t session;
    uint32_t frame;    ///< newest recorded frame; 0: none
    ct_writer text;    ///< the components as they are defined now
    ct_writer message; ///< the last result of ct_publisher_message
    uint32_t message_base, message_frame;
} ct_publisher;

/// Returns CT_OK if no callback, batch, spawn or restore is running; CT_ERR_OVER if the world is
/// destroyed; or CT_ERR_DATA with the reason in 'message'.
static inline ct_status ct_replication_check_idle(const ct_world *world, ct_message *message) {
    if (world->destroyed || world->entities->destroyed) return CT_ERR_OVER;
    const char *reason = ct_world_refuses(world);
    if (world->entities->dying_count > 0 && reason == NULL) reason = "an entity is being destroyed";
    if ((world->busy > 0 || world->entities->callbacks > 0) && reason == NULL)
        reason = "the world is in use";
    if (reason != NULL) ct_message_set(message, "%s", reason);
    return reason == NULL ? CT_OK : CT_ERR_DATA;
}

/// Initializes a publisher. Copies the options. Returns CT_OK; CT_ERR_MEMORY; or CT_ERR_DATA with
/// the reason in 'message': an unknown or repeated component, a step for a field that does not
/// exist or has no float or double lanes.
ct_status ct_publisher_init(ct_publisher *publisher, const ct_allocator *allocator, ct_world *world,
                            const ct_publisher_options *options, ct_message *message);

/// Frees all memory. The world may have ended before.
void ct_publisher_free(ct_publisher *publisher);

/// Records the current state as the next frame. If 'matches' is not NULL, only these entities are
/// published; else all entities with a published component. 'values' are values that the host keeps
/// (NULL: none). After a component was defined again, later messages are full until the subscriber
/// has one of the new frames. Returns CT_OK; CT_ERR_MEMORY; CT_ERR_FULL; CT_ERR_OVER if the world
/// is destroyed; or CT_ERR_DATA with the reason in 'message' if a value cannot be published, a
/// component is not defined any more, or changes are in progress. After a failure nothing has
/// changed. About one comparison of the published columns, plus 0.1 us for each changed row.
ct_status ct_publisher_frame(ct_publisher *publisher, const ct_entity *matches,
                             uint32_t match_count, const ct_save_values *values,
                             ct_message *message);

/// Sets marks[slot] to 1 for each value that ct_publisher_frame reads with these matches. 'marks'
/// has a byte for each slot of the pool of the world. O(matches, or rows with values).
void ct_publisher_mark_values(const ct_publisher *publisher, const ct_entity *matches,
                              uint32_t match_count, unsigned char *marks);

/// Returns whether a frame can be the base of a message.
static inline bool ct_publisher_keeps(const ct_publisher *publisher, uint32_t base) {
    return base != 0 && base >= publisher->now->first && base <= publisher->frame &&
           publisher->frame - base < publisher->options.keep;
}

/// Returns the matrix of the node to which a transform was attached at the newest frame, relative
/// to its parent, or NULL. O(log attached transforms).
const float *ct_publication_node(const ct_publication *publication, ct_entity owner);

/// Writes a message with all changes from 'base' to the newest frame. If 'base' is not kept, the
/// message is full: it contains everything. A second call for the same frames returns the same
/// bytes. *bytes is valid until the next call with this publisher. Returns CT_OK, CT_ERR_MEMORY or
/// CT_ERR_FULL; CT_ERR_DATA if no frame was recorded. O(entities), about 2 ns each, plus the bytes.
ct_status ct_publisher_message(ct_publisher *publisher, uint32_t base, ct_text *bytes);

#endif
