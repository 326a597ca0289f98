// Published components: their names, fields and steps, as both sides of a replication know them.
// Must not depend on rows: mirror.h stores the values.
#ifndef CT_PUBLISHED_H
#define CT_PUBLISHED_H

#include "base/arena.h"
#include "level/replication/packed.h"
#include "storage/manager.h"

/// Maximum number of published components.
#define CT_MAX_PUBLISHED 64u

/// One value of a published component: an input of its manager.
typedef struct ct_published_field {
    const char *name;
    ct_field_type type;
    uint32_t label_count;
    const ct_text *labels; ///< of an enum
    double step;           ///< values are multiples of it; 0: values are sent as they are
    bool hierarchy;        ///< names the parent
    bool cells;            ///< the cells of a grid, with its width and height
    uint32_t place;        ///< offset of the item in the items of a component
    uint32_t bytes;        ///< size of the item
} ct_published_field;

typedef struct ct_published_type {
    const char *name;
    bool multiple;
    uint32_t field_count;
    ct_published_field *fields;
    uint32_t item_bytes; ///< size of the items of a component, a multiple of 8
    uint32_t parent;     ///< the field that names the parent, or field_count
    uint64_t held;       ///< a bit for each field with items that hold a string or cells
} ct_published_type;

/// All published components. The text is the form in which messages contain them.
typedef struct ct_published {
    ct_scratch memory;
    const unsigned char *text;
    uint32_t text_bytes;
    uint32_t id; ///< CRC-32 of the text
    uint32_t type_count;
    ct_published_type *types;
} ct_published;

/// Step of a field.
typedef struct ct_publisher_step {
    const char *component;
    const char *field; ///< of the manager, or an input of it
    double step;       ///< above 0
} ct_publisher_step;

// Item of a field:
//
//     numbers, entities, labels    as in a column
//     text or value                ct_string of the mirror
//     cells                        ct_mirror_cells (mirror.h)
//     with a step                  ct_published_steps

/// Lanes of a field with a step.
typedef struct ct_published_steps {
    double lane[4]; ///< how often the step is contained in the value; if 'exact', the value
    uint64_t exact; ///< 1: a lane is not finite or needs more than 53 bits
} ct_published_steps;

/// Initializes an empty description. Allocates nothing.
void ct_published_init(ct_published *published, const ct_allocator *allocator);
void ct_published_free(ct_published *published);

/// Writes the text of these managers with these steps.
void ct_published_write(ct_manager *const *managers, uint32_t count, const ct_publisher_step *steps,
                        uint32_t step_count, ct_writer *out);

/// Reads a text, which may be any bytes, into an empty description. The text is copied. Returns
/// CT_OK, CT_ERR_MEMORY, or CT_ERR_DATA if the text is invalid; then the description must be freed.
ct_status ct_published_read(ct_published *published, const unsigned char *text, uint32_t bytes);

/// Returns the input that the name of a field or input of a manager means (transform:
/// "local_position" is the input "position"), or input_count if it cannot have a step: its lanes
/// are neither floats nor doubles.
uint32_t ct_published_find_stepped(const ct_manager *manager, const char *name);

/// Returns the number of the field with a name, or field_count.
uint32_t ct_published_find_field(const ct_published_type *type, const char *name);

/// Returns whether an input is published: cells contain width, height and flips.
static inline bool ct_published_has(const ct_field *input) {
    return !input->of_cells && !input->flips;
}

/// Counts lanes in steps, or sets 'exact'. 'item' is the item of a column.
void ct_published_to_steps(const ct_published_field *field, const void *item,
                           ct_published_steps *out);

/// Writes the item of a column for these steps.
void ct_published_from_steps(const ct_published_field *field, const ct_published_steps *steps,
                             void *item);

/// Convert the item of a column to that of a field of numbers, labels or entities, and back.
static inline void ct_published_put(const ct_published_field *field, const void *item, void *out) {
    ct_published_steps steps;
    if (field->step > 0) {
        ct_published_to_steps(field, item, &steps);
        memcpy(out, &steps, sizeof steps);
    } else {
        memcpy(out, item, field->bytes);
    }
}

static inline void ct_published_get(const ct_published_field *field, const void *item, void *out) {
    ct_published_steps steps;
    if (field->step == 0) {
        memcpy(out, item, field->bytes);
        return;
    }
    memcpy(&steps, item, sizeof steps);
    ct_published_from_steps(field, &steps, out);
}

/// Replaces the items of a transform by those of a root with this pose, or with this matrix if it
/// is not NULL. Items of texts must be released before.
void ct_published_put_root(const ct_published_type *type, unsigned char *items, uint64_t *present,
                           const ct_pose *pose, const float *matrix);

/// Returns whether a field is stored as a text of the mirror.
static inline bool ct_published_is_text(const ct_published_field *field) {
    return ct_field_is_text(field->type) && !field->cells;
}

#endif
