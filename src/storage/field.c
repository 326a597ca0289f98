// Field types.
#include "storage/field.h"

#include "base/math.h"
#include "base/message.h"
#include "base/nearest.h"
#include "base/text.h"
#include "storage/value_bytes.h"
#include "storage/value_pool.h"

#include <string.h>

// The only list of types in C. Scripts read it through core.schema.field_types.
// spec/storage/field_types_spec.lua compares it with the other lists, which cannot be generated
// from it.
#define ONE(NAME, LANE, TYPE)                                                                      \
    { NAME, CT_SCALAR_##LANE, 1, sizeof(TYPE), sizeof(TYPE), NULL }
#define SOME(NAME, LANE, TYPE, LANES, PARTS)                                                       \
    { NAME, CT_SCALAR_##LANE, LANES, sizeof(TYPE), (LANES) * sizeof(TYPE), PARTS }

const ct_field_info ct_field_infos[CT_FIELD_TYPE_COUNT] = {
    [CT_FIELD_FLOAT] = ONE("float", FLOAT, float),
    [CT_FIELD_DOUBLE] = ONE("double", DOUBLE, double),
    [CT_FIELD_INT8] = ONE("int8", INT8, int8_t),
    [CT_FIELD_UINT8] = ONE("uint8", UINT8, uint8_t),
    [CT_FIELD_INT16] = ONE("int16", INT16, int16_t),
    [CT_FIELD_UINT16] = ONE("uint16", UINT16, uint16_t),
    [CT_FIELD_INT32] = ONE("int32", INT32, int32_t),
    [CT_FIELD_UINT32] = ONE("uint32", UINT32, uint32_t),
    [CT_FIELD_BOOL] = ONE("bool", BOOL, uint8_t),
    [CT_FIELD_VEC2] = SOME("vec2", FLOAT, float, 2, "xy"),
    [CT_FIELD_VEC3] = SOME("vec3", FLOAT, float, 3, "xyz"),
    [CT_FIELD_VEC4] = SOME("vec4", FLOAT, float, 4, "xyzw"),
    [CT_FIELD_QUAT] = SOME("quat", FLOAT, float, 4, "xyzw"),
    [CT_FIELD_MAT4] = SOME("mat4", FLOAT, float, 16, NULL),
    [CT_FIELD_COLOR] = SOME("color", FLOAT, float, 4, "rgba"),
    [CT_FIELD_ENTITY] = ONE("entity", ENTITY, ct_entity),
    [CT_FIELD_STRING] = ONE("string", STRING, ct_string),
    [CT_FIELD_ENUM] = ONE("enum", UINT8, uint8_t),
    [CT_FIELD_VALUE] = ONE("value", VALUE, ct_value),
    [CT_FIELD_DVEC2] = SOME("dvec2", DOUBLE, double, 2, "xy"),
    [CT_FIELD_DVEC3] = SOME("dvec3", DOUBLE, double, 3, "xyz"),
};

ct_field_type ct_field_type_find(const char *name, ct_message *message) {
    for (uint32_t type = 0; type < CT_FIELD_TYPE_COUNT; ++type)
        if (strcmp(ct_field_infos[type].name, name) == 0) return (ct_field_type)type;
    ct_nearest nearest = ct_nearest_begin(name);
    for (uint32_t type = 0; type < CT_FIELD_TYPE_COUNT; ++type)
        ct_nearest_offer(&nearest, ct_field_infos[type].name);
    ct_message reason;
    ct_nearest_message(&nearest, &reason);
    ct_message_set(message, "unknown type %s", reason.text);
    return CT_FIELD_TYPE_COUNT;
}

void ct_field_zero(ct_field_type type, void *item) {
    static const float white[4] = {1, 1, 1, 1};
    static const uint32_t no_entity = CT_NOBODY;
    memset(item, 0, ct_field_infos[type].bytes);
    if (type == CT_FIELD_QUAT) memcpy(item, ct_quat_identity, sizeof ct_quat_identity);
    if (type == CT_FIELD_COLOR) memcpy(item, white, sizeof white);
    if (type == CT_FIELD_MAT4) memcpy(item, ct_mat4_identity, sizeof ct_mat4_identity);
    if (type == CT_FIELD_ENTITY) memcpy(item, &no_entity, sizeof no_entity);
}

void ct_field_default(const ct_field *field, void *item) {
    if (field->preset != NULL)
        memcpy(item, field->preset, ct_field_infos[field->type].bytes);
    else
        ct_field_zero(field->type, item);
}

void ct_scalar_range(ct_scalar lane, double *low, double *high) {
    static const double bounds[][2] = {
        [CT_SCALAR_INT8] = {-128, 127},
        [CT_SCALAR_UINT8] = {0, 255},
        [CT_SCALAR_INT16] = {-32768, 32767},
        [CT_SCALAR_UINT16] = {0, 65535},
        [CT_SCALAR_INT32] = {-2147483648.0, 2147483647.0},
        [CT_SCALAR_UINT32] = {0, 4294967295.0},
        [CT_SCALAR_BOOL] = {0, 1},
        [CT_SCALAR_ENTITY] = {0, CT_NOBODY},
    };
    CT_ASSERT(lane >= CT_SCALAR_INT8 && lane <= CT_SCALAR_ENTITY);
    *low = bounds[lane][0];
    *high = bounds[lane][1];
}

// Stores a value if the type can represent it. The first comparison is false for NaN.
#define STORE(type, low, high)                                                                     \
    do {                                                                                           \
        type whole;                                                                                \
        if (!(value >= (low) && value <= (high))) return false;                                    \
        whole = (type)value;                                                                       \
        if ((double)whole != value) return false;                                                  \
        memcpy(out, &whole, sizeof whole);                                                         \
        return true;                                                                               \
    } while (0)

bool ct_whole_store(ct_scalar lane, double value, void *out) {
    switch (lane) {
    case CT_SCALAR_INT8: STORE(int8_t, INT8_MIN, INT8_MAX);
    case CT_SCALAR_UINT8: STORE(uint8_t, 0, UINT8_MAX);
    case CT_SCALAR_INT16: STORE(int16_t, INT16_MIN, INT16_MAX);
    case CT_SCALAR_UINT16: STORE(uint16_t, 0, UINT16_MAX);
    case CT_SCALAR_INT32: STORE(int32_t, INT32_MIN, INT32_MAX);
    case CT_SCALAR_UINT32: STORE(uint32_t, 0, UINT32_MAX);
    case CT_SCALAR_BOOL: STORE(uint8_t, 0, 1);
    default: STORE(uint32_t, 0, value == CT_NOBODY ? CT_NOBODY : (1u << 30) - 1);
    }
}

#define LOAD(type)                                                                                 \
    do {                                                                                           \
        type value;                                                                                \
        memcpy(&value, item, sizeof value);                                                        \
        return (double)value;                                                                      \
    } while (0)

double ct_scalar_load(ct_scalar lane, const void *item) {
    switch (lane) {
    case CT_SCALAR_FLOAT: LOAD(float);
    case CT_SCALAR_DOUBLE: LOAD(double);
    case CT_SCALAR_INT8: LOAD(int8_t);
    case CT_SCALAR_UINT8:
    case CT_SCALAR_BOOL: LOAD(uint8_t);
    case CT_SCALAR_INT16: LOAD(int16_t);
    case CT_SCALAR_UINT16: LOAD(uint16_t);
    case CT_SCALAR_INT32: LOAD(int32_t);
    default: LOAD(uint32_t);
    }
}

static inline uint32_t is_forged(uint32_t bits) {
    return ((bits & 0x7FFFFFFFu) > 0x7F800000u) & (bits != 0x7FC00000u);
}

bool ct_field_nan_clean(ct_field_type type, const void *items, uint32_t count) {
    const ct_field_info *info = &ct_field_infos[type];
    const unsigned char *at = items;
    size_t numbers = (size_t)count * info->lanes;
    uint32_t forged = 0;
    if (info->lane == CT_SCALAR_FLOAT && count == 1) {
        // A loop that can end early is not vectorized, which would take longer for one item.
        for (size_t i = 0; i < numbers; ++i)
            if (is_forged(ct_u32_at(at, i))) return false;
    } else if (info->lane == CT_SCALAR_FLOAT) {
        for (size_t i = 0; i < numbers; ++i)
            forged |= is_forged(ct_u32_at(at, i));
    } else if (info->lane == CT_SCALAR_DOUBLE) {
        for (size_t i = 0; i < numbers; ++i) {
            uint64_t bits;
            memcpy(&bits, at + i * 8, 8);
            forged |= ((bits & 0x7FFFFFFFFFFFFFFFu) > 0x7FF0000000000000u) &
                      (bits != 0x7FF8000000000000u);
        }
    }
    return forged == 0;
}

bool ct_field_items_same(ct_field_type type, const void *one, const void *other) {
    const ct_field_info *info = &ct_field_infos[type];
    const unsigned char *a = one, *b = other;
    for (uint32_t lane = 0; lane < info->lanes;
         ++lane, a += info->lane_bytes, b += info->lane_bytes) {
        bool same = memcmp(a, b, info->lane_bytes) == 0 ||
                    (info->lane <= CT_SCALAR_DOUBLE &&
                     ct_scalar_load(info->lane, a) == ct_scalar_load(info->lane, b));
        if (!same) return false;
    }
    return true;
}

static bool is_value(const unsigned char *item) {
    ct_text text = ct_text_load(item);
    return text.bytes != NULL ? ct_value_bytes_valid(text) : text.length == 0;
}

uint32_t ct_field_first_invalid(const ct_field *field, const void *items, uint32_t stride,
                                uint32_t count, const char **what) {
    const ct_field_info *info = &ct_field_infos[field->type];
    const unsigned char *at = items;
    uint32_t i = 0, limit = field->type == CT_FIELD_BOOL ? 2 : field->label_count;
    if (field->type == CT_FIELD_BOOL || field->type == CT_FIELD_ENUM) {
        *what = field->type == CT_FIELD_BOOL ? "is not a bool" : "has no label";
        while (i < count && at[(size_t)i * stride] < limit)
            i++;
        return i;
    }
    *what = "has a NaN other than the quiet NaN";
    if (info->lane > CT_SCALAR_DOUBLE) return count;
    if (stride == info->bytes && ct_field_nan_clean(field->type, at, count)) return count;
    while (i < count && ct_field_nan_clean(field->type, at + (size_t)i * stride, 1))
        i++;
    return i;
}

static bool is_entity(const unsigned char *item) {
    uint32_t id = ct_u32_at(item, 0);
    return ct_entity_is_id(id) || id == CT_NOBODY;
}

bool ct_field_items_valid(const ct_field *field, const ct_values *values, uint32_t count) {
    const unsigned char *item = values->items;
    const char *what;
    if (item == NULL || count == 0) return true;
    if (values->stride == 0) count = 1;
    if (ct_field_first_invalid(field, item, values->stride, count, &what) < count) return false;
    if (field->type != CT_FIELD_ENTITY && field->type != CT_FIELD_VALUE) return true;
    uint32_t i = 0;
    while (i < count && (field->type == CT_FIELD_ENTITY ? is_entity(item) : is_value(item)))
        i++, item += values->stride;
    return i == count;
}

uint32_t ct_field_find_part(ct_field_type type, const char *name, double number) {
    uint32_t lanes = ct_field_infos[type].lanes;
    const char *parts = ct_field_infos[type].parts;
    if (parts == NULL) {
        bool part = name == NULL && number >= 1 && number <= lanes && number == (uint32_t)number;
        return part ? (uint32_t)number - 1 : lanes;
    }
    if (name == NULL || name[0] == '\0' || name[1] != '\0') return lanes;
    const char *found = strchr(parts, name[0]);
    return found != NULL ? (uint32_t)(found - parts) : lanes;
}

uint32_t ct_field_find(const ct_field *fields, uint32_t count, const char *name, ct_message *why) {
    uint32_t f = 0;
    while (f < count && strcmp(fields[f].name, name) != 0)
        f++;
    if (f < count || why == NULL) return f;
    ct_nearest nearest = ct_nearest_begin(name);
    for (uint32_t other = 0; other < count; ++other)
        ct_nearest_offer(&nearest, fields[other].name);
    ct_message reason;
    ct_nearest_message(&nearest, &reason);
    ct_message_set(why, "unknown field %s", reason.text);
    return count;
}

ct_spread ct_field_spread(ct_field_type type, uint32_t count, uint32_t length, bool arrays,
                          ct_message *message) {
    uint32_t lanes = ct_field_infos[type].lanes;
    bool each = lanes == 1 || arrays;
    if (each && length == count) return CT_SPREAD_EACH;
    if (!each && length == lanes) return CT_SPREAD_CONSTANT;
    if (!each && length == (uint64_t)lanes * count) return CT_SPREAD_FLAT;
    if (each)
        ct_message_set(message, "expected %u %s, got %u", count, lanes == 1 ? "values" : "tables",
                       length);
    else
        ct_message_set(message, "expected %u numbers for all or %u for each, got %u", lanes,
                       lanes * count, length);
    return CT_SPREAD_NONE;
}
