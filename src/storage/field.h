// The types of fields: width, number of lanes, valid values.
// Must not depend on managers.
#ifndef CT_FIELD_H
#define CT_FIELD_H

#include "base/text.h"

CT_BEGIN_C

/// An item is 'lanes' numbers of one kind.
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
    const char *name; ///< as scripts write it
    ct_scalar lane;
    uint8_t lanes;
    uint8_t lane_bytes;
    uint8_t bytes;     ///< of an item in a column
    const char *parts; ///< a letter for each lane of a vector; NULL: its lanes have numbers
} ct_field_info;

const ct_field_info *ct_field_info_of(ct_field_type type);

/// The type of a name, or CT_FIELD_TYPE_COUNT with "unknown type 'NAME'", with the nearest one.
ct_field_type ct_field_type_find(const char *name, ct_message *message);

#define CT_MAX_ITEM_BYTES 64u
/// One field of a component, as its manager describes it.
typedef struct ct_field {
    const char *name;
    ct_field_type type;
    uint32_t label_count;
    uint16_t column;   ///< in the store, its own columns included
    bool read_only;    ///< views of the column may not write: an invariant would break
    bool in_place;     ///< views may write the column while its marks are open: ct_column_marks
    bool alone;        ///< written one row at a time: whether it can be depends on others
    bool computed;     ///< has no column: the manager type's 'read' puts it together
    bool required;     ///< must be given when a component is created
    bool hidden;       ///< scripts have no methods FIELD and set_FIELD
    bool uniform;      ///< as an input, one number may stand for all lanes
    bool planar;       ///< as an input, two numbers may stand for three: the third is the default's
    bool hierarchy;    ///< as an input, names the parent: in a resource, its hierarchy does
    bool cells;        ///< as an input, a text of storage/cells.h; what is read is a ct_cells *
    bool of_cells;     ///< derived from 'cells', and written only together with it
    bool affine;       ///< a matrix whose last row is 0 0 0 1
    bool numbered;     ///< as an input, a text that may be a number: "#2" is 2, "##2" the text "#2"
    uint32_t excludes; ///< as an input, a bit for each input that cannot be given with it
    const void *preset;    ///< the default item, or NULL for the type's
    const ct_text *labels; ///< of an enum, by number; each has a zero byte behind it
} ct_field;

/// Writes the default of a type: 0, false, "", CT_NOBODY, quat 0,0,0,1, the identity, white.
void ct_field_zero(ct_field_type type, void *item);

/// Writes the default of a field: its preset, or that of its type.
void ct_field_default(const ct_field *field, void *item);

/// Writes a lane of type float or double, any NaN as the one quiet NaN.
static inline void ct_real_store(ct_scalar lane, double value, void *out) {
    if (lane == CT_SCALAR_FLOAT) {
        float item = ct_float_clean((float)value);
        memcpy(out, &item, sizeof item);
    } else {
        value = ct_double_clean(value);
        memcpy(out, &value, sizeof value);
    }
}

/// Writes a number as one lane of a numeric type, or the id of an entity as CT_SCALAR_ENTITY.
/// Returns false and writes nothing if an integer lane cannot hold it exactly, or if it is neither
/// an id nor CT_NOBODY. Other lanes take any number, as ct_real_store does.
bool ct_scalar_store(ct_scalar lane, double value, void *out);

/// Reads one lane of a numeric type.
double ct_scalar_load(ct_scalar lane, const void *item);

/// The bounds of an integer lane, both included.
void ct_scalar_range(ct_scalar lane, double *low, double *high);

/// Whether every NaN in the items is the one quiet NaN: others are forged values in LuaJIT loops.
bool ct_field_nan_clean(ct_field_type type, const void *items, uint32_t count);

/// The number of the first of 'count' items, 'stride' bytes apart, that is a bool above 1, an enum
/// without a label or a forged NaN, or 'count'; *what completes "field of row n ...".
uint32_t ct_field_first_invalid(const ct_field *field, const void *items, uint32_t stride,
                                uint32_t count, const char **what);

/// Whether 'count' items as in ct_values, aligned or not, are valid: none as above, ids of 30 bits
/// or CT_NOBODY, and sound bytes of values.
bool ct_field_items_valid(const ct_field *field, const ct_values *values, uint32_t count);

/// Whether two items, aligned or not, are the same. 0 and -0 are, and a NaN is the same as itself.
bool ct_field_items_same(ct_field_type type, const void *one, const void *other);

/// Bytes of an item in a resource: there strings, labels and values are offsets of texts.
static inline uint32_t ct_field_compiled_bytes(ct_field_type type) {
    return type == CT_FIELD_ENUM ? 4 : ct_field_info_of(type)->bytes;
}

/// Whether values of a type are texts: strings, and value fields, where it is the bytes of a value,
/// or with 'bytes' NULL the number of one that the host keeps, in 'length'.
static inline bool ct_field_is_text(ct_field_type type) {
    return type == CT_FIELD_STRING || type == CT_FIELD_VALUE;
}

/// Bytes of a value as in ct_values: as wide as a column's item, of the above a ct_text.
static inline uint32_t ct_field_value_bytes(ct_field_type type) {
    return ct_field_is_text(type) ? (uint32_t)sizeof(ct_text) : ct_field_info_of(type)->bytes;
}

/// Whether a field is not derived from others.
static inline bool ct_field_is_kept(const ct_field *field) {
    return !field->computed && !field->alone;
}

/// How an array of values, read from somewhere, stands for many rows.
typedef enum ct_spread {
    CT_SPREAD_CONSTANT, ///< it is one vector, for all of them
    CT_SPREAD_EACH,     ///< it has one value for each
    CT_SPREAD_FLAT,     ///< it has the numbers of one vector for each, behind one another
    CT_SPREAD_NONE      ///< it fits none of these
} ct_spread;

/// How such an array stands for 'count' rows. CT_SPREAD_NONE with what was expected in 'message'.
ct_spread ct_field_spread(ct_field_type type, uint32_t count, uint32_t length, bool arrays,
                          ct_message *message);

/// The lane that a letter names, or of a matrix a number ('name' NULL). Count of lanes if none.
uint32_t ct_field_find_part(ct_field_type type, const char *name, double number);

/// The number of a field by its name, or 'count' with "unknown field 'NAME'" and the nearest one.
uint32_t ct_field_find(const ct_field *fields, uint32_t count, const char *name,
                       ct_message *message);

CT_END_C

#endif
