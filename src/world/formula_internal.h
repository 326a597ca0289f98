// State of a running formula, and the columns of its fields.
// For world/formula*.c.
#ifndef CT_FORMULA_INTERNAL_H
#define CT_FORMULA_INTERNAL_H

#include "world/formula.h"

/// Rows of a block in one manager: rows[i], or without a list first + i.
typedef struct ct_formula_rows {
    const uint32_t *list; ///< NULL: consecutive rows
    uint32_t first;
    uint32_t count;
    uint32_t pitch; ///< doubles from a register of the block to the next one
    bool absent;    ///< the list may contain CT_NO_ROW
} ct_formula_rows;

/// Place of a field's items.
typedef struct ct_formula_column {
    const ct_formula_field *field;
    unsigned char *const *items;  ///< place of the items' address, which may change between runs
    unsigned char *part_items;    ///< of a part; NULL: ct_transform_read_part(part) for each row
    ct_lane_store store_straight; ///< stores to consecutive rows; NULL: ct_formula_store
    uint32_t stride;              ///< bytes from row to row
    uint32_t width;               ///< bytes of a lane
    ct_scalar scalar;
    uint32_t lanes;
    uint32_t limit; ///< of whole numbers: labels of an enum, else 0
    ct_transform_part part;
    bool angle;  ///< stores convert an angle to a rotation
    bool marked; ///< stores set marks
    bool told;   ///< stores call the type's 'write'
    ct_column_marks marks;
    double absent[CT_LANES_MOST]; ///< value of an absent component
} ct_formula_column;

/// Fills a column of a field. 'table', if not NULL, has the numbers of a part for each row.
void ct_formula_describe_column(const ct_formula *formula, ct_formula_column *column,
                                const ct_formula_field *field, const double *table);

/// Sets the values that the field has in an absent component: its present defaults.
void ct_formula_set_absent(ct_formula_column *column);

/// Fills the columns of all fields, and the members of the formula that depend on them, after its
/// operations were checked.
void ct_formula_describe_fields(ct_formula *formula, const ct_query *matches);

/// Returns the items that stores change, and their width.
unsigned char *ct_formula_stored_items(const ct_formula_column *column, uint32_t *width);

/// Loads 'lanes' lanes from lane 'first' on: lane k of row i becomes to[k * rows->pitch + i].
void ct_formula_load(const ct_formula_column *column, const ct_lane_loops *loops,
                     const ct_formula_rows *rows, uint32_t first, uint32_t lanes, double *to);

/// Loads in the rows that 'numbers' has, the default for numbers that are not rows of living
/// entities. Only the count and the pitch of 'rows' are used.
void ct_formula_load_at(const ct_formula_column *column, const double *numbers,
                        const ct_formula_rows *rows, uint32_t first, uint32_t lanes, double *to);

/// Stores the lanes for which 'mask' (NULL: all) is not 0. Returns rows->count, or the number of
/// the first row whose field cannot hold a value, with the lane in *fault; rows before it are
/// stored.
uint32_t ct_formula_store(const ct_formula_column *column, const ct_lane_loops *loops,
                          const ct_formula_rows *rows, const double *mask, uint32_t first,
                          uint32_t lanes, const double *from, uint32_t *fault);

/// Completes a store: sets marks, or calls the type's 'write'.
void ct_formula_stored(const ct_formula_column *column, const ct_formula_rows *rows,
                       const double *mask);

/// Matches of an open branch. NULL: all matches of the block.
typedef struct ct_formula_branch {
    const double *active; // in the current branch
    const double *left;   // in none so far
    uint32_t active_count, left_count;
} ct_formula_branch;

/// A run of a formula.
typedef struct ct_formula_pass {
    const ct_formula *formula;
    const ct_query *matches;
    const ct_lane_loops *loops;
    double **registers;    // address of each
    unsigned char **saved; // former items of each stored field, if a store may fail
    const double **tables; // world poses from before the run, by row, of each field; or NULL
    ct_formula_fault *fault;
    ct_formula_sink sink; // receives results; NULL: none
    void *user;
    bool shared;           // matches may share rows that are stored
    uint32_t pitch;        // doubles from register to register
    uint32_t most;         // matches in a block
    bool trial;            // stores set no marks and are undone
    uint32_t first, count; // block of matches
    ct_formula_rows rows[CT_MAX_JOINED + 1];
    ct_formula_branch branches[CT_FORMULA_DEPTH + 1];
    uint32_t depth;
} ct_formula_pass;

static inline double *ct_formula_register(const ct_formula_pass *r, uint32_t number) {
    return r->registers[number];
}

/// Returns the number of registers with two for the masks of each branch. The views follow them:
/// registers that are a part of a column, and have no memory of their own.
static inline uint32_t ct_formula_registers(uint32_t register_count, uint32_t depth) {
    return register_count + 2 * depth;
}

/// Sets the addresses of 'count' registers behind 'room': whole lines of the cache.
static inline void ct_formula_place(double **registers, uint32_t count, size_t pitch,
                                    unsigned char *room) {
    double *first = (double *)(void *)(room + (-(uintptr_t)room & 63u));
    for (uint32_t i = 0; i < count; ++i)
        registers[i] = first + i * pitch;
}

/// Returns whether the items of a column are doubles without gaps.
static inline bool ct_formula_is_straight(const ct_formula *f, const ct_formula_column *column) {
    return column->store_straight == f->loops->store_doubles;
}

/// Finds views for the loads of a formula.
void ct_formula_find_views(ct_formula *formula);

/// Writes the same number to 'count' items of a register.
static inline void ct_formula_fill(double *to, uint32_t count, double number) {
    for (uint32_t i = 0; i < count; ++i)
        to[i] = number;
}

/// Runs the operations for all matches, in order, with at most 'most' in a block. Returns false
/// with *fault if a store failed; stores before it are done.
bool ct_formula_pass_all(ct_formula_pass *r, uint32_t most);

#endif
