// Spaces: indexes of the matches of a query by world position.
#ifndef CT_SPACE_H
#define CT_SPACE_H

#include "storage/query.h"
#include "world/space/space_index.h"
#include "world/world.h"

// A space answers which entities are near a point, in a box or on a ray, and which pairs of them
// are near each other. Each entity is a circle (a sphere in three dimensions) around its world
// position. Answers are as of the last update, without entities that died since, and their order is
// the order of the query, so that equal worlds give equal answers on every host. A space is derived
// data: snapshots do not contain it, and it is empty after a restore until the next update.
//
// An entity with a position that is not finite is in no answer. A negative radius counts as 0, and
// a circle with a NaN as radius touches nothing. Distances are computed in doubles. In two
// dimensions z is ignored. Coordinates are arrays of three numbers.
//
// 'filter' may be NULL. A question reads the cells of a grid that it touches, or all entries if
// these are fewer than the cells. Scratch memory for the answer is kept for later calls.

/// Number of a field of a part of the matches; 'part' CT_NO_ROW: none.
typedef struct ct_space_field {
    uint32_t part, field;
} ct_space_field;

/// Description of a space. Plugins use ct_space_options.
typedef struct ct_space_plan {
    uint32_t dimensions;         ///< 2 or 3
    double cell;                 ///< about the usual reach of a question; ct_space_is_cell
    double radius;               ///< of all entities, from 0 on, unless a field is given
    ct_space_field radius_field; ///< ct_space_can_be_radius; an absent component counts as 0
    ct_space_field mask_field;   ///< ct_space_can_be_mask; an absent component counts as 0
} ct_space_plan;

/// Members may be read.
struct ct_space {
    ct_world *world; ///< NULL: the world has ended
    ct_space_plan plan;
    ct_manager *transforms;
    uint32_t watch;    // of transforms; 0: none
    uint32_t restores; // counters of the entity manager at the last update
    uint32_t deaths;
    uint32_t finds; // of the query at the last update
    bool stale;     // the next update builds the index again
    ct_space_index index;
    uint32_t *found; // scratch: places in the order of the query, or entities
    uint32_t found_capacity;
    uint32_t *runs; // scratch of ct_space_pairs
    uint32_t runs_capacity;
    ct_entity *paired; // scratch: the answer of ct_space_pairs
    uint32_t paired_capacity;
    ct_space_near *near; // scratch: the answer of ct_space_nearest_many
    uint32_t near_capacity;
    ct_query *query;               ///< of ct_space_new; NULL for others
    struct ct_space *next, **link; // spaces of the world
};

/// Returns whether a number can be the size of a cell: from 1e-30 to 1e30.
bool ct_space_is_cell(double cell);

/// Return whether a field can be a radius (a number) or a mask (an integer).
bool ct_space_can_be_radius(const ct_field *field);
bool ct_space_can_be_mask(const ct_field *field);

/// Initializes an empty space and adds it to the world of the manager 'transforms'. Allocates
/// nothing.
void ct_space_init(ct_space *space, ct_world *world, ct_manager *transforms,
                   const ct_space_plan *plan);

/// Makes a space with a block from the allocator of the world, which owns 'query' from now on.
/// Returns CT_OK, or CT_ERR_MEMORY with the query freed.
ct_status ct_space_new(ct_world *world, ct_manager *transforms, ct_query *query,
                       const ct_space_plan *plan, ct_space **space);

/// Frees the memory of the index and ends the space: it has no entries from now on. Removes a space
/// that was made by ct_space_init from its world.
void ct_space_free(ct_space *space);

/// Frees a space that was made by ct_space_new; does nothing for NULL.
void ct_space_delete(ct_space *space);

/// Brings the index up to date. 'matches' are the refreshed matches of a query, the same one in all
/// calls, with the managers of the plan; one part is the transforms of the world. Entities that
/// occur in several matches are one entry. World poses are those that getters of transforms return.
/// Returns CT_OK, CT_ERR_MEMORY with the index unchanged, or CT_ERR_OVER. O(entries) to compare
/// fields, and entities if rows changed; O(changed poses) for few changes, otherwise O(entries) to
/// build the index again.
ct_status ct_space_refresh(ct_space *space, const ct_query *matches);

/// Returns the number of entries of the last update, or 0 after a restore.
uint32_t ct_space_count(const ct_space *space);

/// Finds the entities whose circles touch the circle around 'centre'. Two circles touch if d*d <=
/// (r1 + r2)^2. Returns CT_OK, CT_ERR_MEMORY, or CT_ERR_DATA if a coordinate is not finite or
/// 'reach' is negative or NaN.
ct_status ct_space_within(ct_space *space, const double *centre, double reach,
                          const ct_space_filter *filter, ct_space_answer *out);

/// Finds the entities whose circles touch the box between two corners, which may be infinite.
/// Statuses as ct_space_within; CT_ERR_DATA if a coordinate is NaN.
ct_status ct_space_box(ct_space *space, const double *one, const double *other,
                       const ct_space_filter *filter, ct_space_answer *out);

/// Finds the entity with the nearest centre, at most 'max' away; the earlier one of the query if
/// two are equally near. Writes CT_NOBODY if there is none. Returns CT_OK or CT_ERR_DATA.
ct_status ct_space_nearest(const ct_space *space, const double *centre, double max,
                           const ct_space_filter *filter, ct_space_near *out);

/// Finds the 'count' entities with the nearest centres, the nearest first: *found_count items from
/// *found on, valid until the next call for the space. Statuses as ct_space_within.
ct_status ct_space_nearest_many(ct_space *space, uint32_t count, const double *centre, double max,
                                const ct_space_filter *filter, const ct_space_near **found,
                                uint32_t *found_count);

/// Finds the first entity whose circle is touched by a circle with radius 'thickness' that moves
/// along a segment; the earlier one of the query if two are touched at the same fraction. Writes
/// CT_NOBODY if there is none. Returns CT_OK or CT_ERR_DATA.
ct_status ct_space_ray(const ct_space *space, const double *from, const double *to,
                       double thickness, const ct_space_filter *filter, ct_space_hit *hit);

/// Finds all pairs of entities whose circles are at most 'reach' apart, d*d <= (r1 + r2 + reach)^2:
/// two entities for each pair. Pairs are sorted by their first entity, then by the second; the
/// first is the earlier one of the query. With 'other' (not the same space, and of the same world),
/// the first entity is of this space and the second, another entity, of 'other'. Returns CT_OK,
/// CT_ERR_MEMORY, CT_ERR_FULL for more than CT_SPACE_MAX_PAIRS pairs, or CT_ERR_DATA.
ct_status ct_space_pairs(ct_space *space, double reach, ct_space *other, ct_space_answer *out);

#define CT_SPACE_MAX_PAIRS 33554432u

/// Returns the allocated bytes, without the watch, which the transforms count.
size_t ct_space_bytes(const ct_space *space);

/// Frees memory that the entries do not need. Answers stay the same.
void ct_space_trim(ct_space *space);

#endif
