// Recording of a frame: the rows that may have changed, and their values.
#ifndef CT_RECORD_FRAME_H
#define CT_RECORD_FRAME_H

#include "level/replication/publisher.h"

/// Values of one component as they are now.
typedef struct ct_recorded {
    ct_entity entity;
    uint32_t type;
    uint32_t id;          ///< holds its string
    uint32_t component;   ///< number of the component in the mirror, or CT_MIRROR_NONE
    uint64_t present;     ///< a bit for each field with an item
    unsigned char *items; ///< hold their strings and cells
} ct_recorded;

/// A row of a published manager.
typedef struct ct_recorded_row {
    uint32_t type, row;
} ct_recorded_row;

/// Work of one call of ct_publisher_frame, until it is committed.
typedef struct ct_recording {
    ct_publisher *publisher;
    ct_scratch memory;
    const ct_save_values *values;
    ct_message *message;
    uint32_t frame;
    unsigned char *admitted; ///< by entity index: 1 if the entity is published; NULL: all are
    unsigned char *visited;  ///< by entity index: number of the pass that visited the entity last
    const ct_entity *matches;
    uint32_t match_count;
    ct_recorded_row *rows; ///< rows that may have changed
    uint32_t row_count, row_capacity;
    ct_recorded *items;
    uint32_t item_count, item_capacity;
    ct_removal_record *removed; ///< entities, then components
    uint32_t removed_count, removed_capacity;
} ct_recording;

/// Finds the rows that may have changed, and makes room for the copies of columns. Returns CT_OK or
/// CT_ERR_MEMORY.
ct_status ct_watched_scan(ct_recording *recording);

/// Lists the columns of a manager that are compared.
void ct_watched_init(ct_watched *watched, ct_manager *manager);
void ct_watched_free(ct_watched *watched, const ct_allocator *allocator);

/// Returns whether a row may belong to another component than at the last frame.
bool ct_watched_has_replaced(const ct_watched *watched, uint32_t row);

/// Copies the columns of the rows that may have changed. Cannot fail.
void ct_watched_commit(ct_recording *recording);

/// Returns whether an entity is published.
static inline bool ct_recording_admits(const ct_recording *recording, ct_entity e) {
    const ct_entity_manager *entities = recording->publisher->world->entities;
    return ct_entity_manager_alive(entities, e) &&
           (recording->admitted == NULL || recording->admitted[ct_entity_index(e)] != 0);
}

/// Numbers of the passes over entities. The first two have one for each type.
enum {
    CT_PASS_READ = 1,
    CT_PASS_REMOVED = CT_PASS_READ + CT_MAX_PUBLISHED,
    CT_PASS_NEW = CT_PASS_REMOVED + CT_MAX_PUBLISHED
};

/// Notes that a pass visits an entity. Returns whether it did not visit it before.
static inline bool ct_recording_visit(const ct_recording *recording, ct_entity e, uint32_t pass) {
    unsigned char *visited = &recording->visited[ct_entity_index(e)];
    bool first = *visited != pass;
    *visited = (unsigned char)pass;
    return first;
}

/// Returns whether entities were restored since the last frame. Then unchanged rows may belong to
/// entities that the mirror does not have, and strings may have other numbers.
static inline bool ct_recording_restored(const ct_recording *recording) {
    const ct_publisher *publisher = recording->publisher;
    return publisher->now->restores != publisher->world->entities->restores;
}

/// Reads the values of all components that may have changed. Returns CT_OK, CT_ERR_MEMORY,
/// CT_ERR_FULL or CT_ERR_DATA with the reason in the message.
ct_status ct_recording_read(ct_recording *recording);

/// Lists the removed entities and components. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_recording_find_removed(ct_recording *recording);

/// Makes room for the commit. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_recording_reserve(ct_recording *recording);

/// Writes everything to the mirror. Cannot fail.
void ct_recording_commit(ct_recording *recording);

/// Releases what the values hold, unless they were committed.
void ct_recording_release(ct_recording *recording);

#endif
