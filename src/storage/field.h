// Field types: width, number of lanes, valid values.
// Longer than 150 lines: has the inline reads and writes of one number, and every layer uses it.
#ifndef CT_FIELD_H
#define CT_FIELD_H

#include "base/text.h"

/// Kind of a lane. An item has one or more lanes of one kind.
typedef enum ct_scalar {
    CT_SCALAR_FLOAT,
    CT_SCALAR_DOUBLE,
    CT_SCALAR_INT8,
    CT_SCALAR_UINT8,
    CT_SCALAR_INT16,
    CT_SCALAR_UINT16,
    CT_SCALAR_INT32,
    CT_SCALAR_UINT32,
    CT_SCALAR_BOOL,
    CT_SCALAR_ENTITY,
    CT_SCALAR_STRING,
    CT_SCALAR_VALUE ///< a ct_value
} ct_scalar;

typedef struct ct_field_info {
    const char *name; ///< name in scripts
    ct_scalar lane;
    uint8_t lanes;
    uint8_t lane_bytes;
    uint8_t bytes;     ///< size of an item in a column
    const char *parts; ///< a letter for each lane of a vector; NULL: lanes have numbers
} ct_field_info;

extern const ct_field_info ct_field_infos[CT_FIELD_TYPE_COUNT];

static inline const ct_field_info *ct_field_info_of(ct_field_type type) {
    return &ct_field_infos[type];
}

/// Finds a type by name. Returns CT_FIELD_TYPE_COUNT with "unknown type 'NAME'" and the nearest
/// name.
ct_field_type ct_field_type_find(const char *name, ct_message *message);

#define CT_MAX_ITEM_BYTES 64u
/// Description of one field of a component.
typedef struct ct_field {
    const char *name;
    ct_field_type type;
    uint32_t label_count;
    uint16_t column;   ///< number in the store, whose columns count too
    bool read_only;    ///< views cannot write the column, to keep an invariant
    bool in_place;     ///< views may write the column while its marks are open: ct_column_marks
    uint8_t mark;      ///< if 'in_place': the number of the mark that a write sets, 0 or 1
    bool alone;        ///< written one row at a time: its validity depends on other rows
    bool computed;     ///< has no column; the manager type's 'read' computes it
    bool required;     ///< must be given when a component is created
    bool hidden;       ///< scripts have no methods FIELD and set_FIELD
    bool uniform;      ///< as an input, one number may represent all lanes
    bool planar;       ///< as an input, accepts two numbers for three; the third is the default
    bool hierarchy;    ///< as an input, names the parent; a resource stores it in its hierarchy
    bool cells;        ///< as an input, a text of storage/cells.h; reading gives a ct_cells *
    bool flips;        ///< of those cells; reading gives false if no cell is flipped
    bool of_cells;     ///< derived from 'cells', and only written together with it
    bool affine;       ///< a matrix whose last row is 0 0 0 1
    bool numbered;     ///< as an input, a text that may be a number: "#2" is 2, "##2" the text "#2"
    uint32_t excludes; ///< as an input: bits of the inputs that cannot be given with it
    const void *preset;    ///< the default item; NULL: the default of the type
    const ct_text *labels; ///< of an enum, by number; a zero byte follows each
} ct_field;

/// Writes the default of a type: 0, false, "", CT_NOBODY, quat 0,0,0,1, the identity, white.
void ct_field_zero(ct_field_type type, void *item);

/// Writes the default of a field: its preset, or the default of its type.
void ct_field_default(const ct_field *field, void *item);

/// Writes a lane of type float or double; any NaN becomes the quiet NaN.
static inline void ct_real_store(ct_scalar lane, double value, void *out) {
    if (lane == CT_SCALAR_FLOAT) {
        float item = ct_float_clean((float)value);
        memcpy(out, &item, sizeof item);
    } else {
        value = ct_double_clean(value);
        memcpy(out, &value, sizeof value);
    }
}

/// Writes a number as one lane of an integer type, or the id of an entity as CT_SCALAR_ENTITY.
/// Returns false and writes nothing if the lane cannot hold it, or it is not an id or CT_NOBODY.
bool ct_whole_store(ct_scalar lane, double value, void *out);

/// The same for one lane of any numeric type. Floats and doubles hold every number.
static inline bool ct_scalar_store(ct_scalar lane, double value, void *out) {
    if (lane > CT_SCALAR_DOUBLE) return ct_whole_store(lane, value, out);
    ct_real_store(lane, value, out);
    return true;
}

/// Reads one lane of a numeric type.
double ct_scalar_load(ct_scalar lane, const void *item);

/// Gets the bounds of an integer lane, both included.
void ct_scalar_range(ct_scalar lane, double *low, double *high);

/// Returns whether every NaN is the quiet NaN; others are forged values in LuaJIT loops.
bool ct_field_nan_clean(ct_field_type type, const void *items, uint32_t count);

/// Returns the number of the first of 'count' items, 'stride' bytes apart, that is a bool above 1,
/// an enum without a label or a forged NaN, or 'count'; *what completes "field of row n ...".
uint32_t ct_field_first_invalid(const ct_field *field, const void *items, uint32_t stride,
                                uint32_t count, const char **what);

/// Returns whether 'count' items of ct_values, aligned or not, are valid: as above, with ids of 30
/// bits or CT_NOBODY, and valid bytes of values.
bool ct_field_items_valid(const ct_field *field, const ct_values *values, uint32_t count);

/// Returns whether two items, aligned or not, are equal. 0 equals -0, and NaN equals NaN.
bool ct_field_items_same(ct_field_type type, const void *one, const void *other);

/// Returns the size of an item in a resource, which stores strings, labels and values as offsets.
static inline uint32_t ct_field_compiled_bytes(ct_field_type type) {
    return type == CT_FIELD_ENUM ? 4 : ct_field_info_of(type)->bytes;
}

/// Returns whether values of a type are texts: strings, and value fields: the bytes of a value or,
/// if 'bytes' is NULL, the number of a value that the host keeps, in 'length'.
static inline bool ct_field_is_text(ct_field_type type) {
    return type == CT_FIELD_STRING || type == CT_FIELD_VALUE;
}

/// Returns the size of a value in ct_values: the width of the column, or of a ct_text for texts.
static inline uint32_t ct_field_value_bytes(ct_field_type type) {
    return ct_field_is_text(type) ? (uint32_t)sizeof(ct_text) : ct_field_info_of(type)->bytes;
}

/// Returns whether a field is not derived from others.
static inline bool ct_field_is_stored(const ct_field *field) {
    return !field->computed && !field->alone;
}

/// Mapping from an array of values to many rows.
typedef enum ct_spread {
    CT_SPREAD_CONSTANT, ///< one vector for all rows
    CT_SPREAD_EACH,     ///< one value for each row
    CT_SPREAD_FLAT,     ///< the numbers of one vector for each row, in sequence
    CT_SPREAD_NONE      ///< no valid mapping
} ct_spread;

/// Returns the mapping for 'count' rows. CT_SPREAD_NONE with the expected shape in 'message'.
ct_spread ct_field_spread(ct_field_type type, uint32_t count, uint32_t length, bool arrays,
                          ct_message *message);

/// Returns the lane of a letter, or for a matrix ('name' NULL) of a number; lane count if none.
uint32_t ct_field_find_part(ct_field_type type, const char *name, double number);

/// Returns the number of a field, or 'count' with "unknown field 'NAME'" and the nearest name.
uint32_t ct_field_find(const ct_field *fields, uint32_t count, const char *name, ct_message *why);

#endif
