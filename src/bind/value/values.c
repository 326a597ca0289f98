// Conversion between Lua values and items of fields.
#include "bind/value/values.h"

#include "base/arena.h"
#include "bind/value/lua_values.h"
#include "storage/cells.h"
#include "storage/labels.h"

#include <string.h>

static bool fail_expected(lua_State *L, const char *expected, int index) {
    return ct_bind_refuse(L, "expected %s, got %s", expected, ct_bind_type_name(L, index));
}

// Stores a number as one lane; on failure the message has the allowed range.
static bool number_to_lane(lua_State *L, int index, ct_scalar lane, void *out) {
    double value = lua_tonumber(L, index);
    if (CT_LIKELY(ct_scalar_store(lane, value, out))) return true;
    double low, high;
    ct_scalar_range(lane, &low, &high);
    return ct_bind_refuse(L, "expected an integer in [%f, %f], got %f", low, high, value);
}

// Stores the most frequent case, a number for a float field; returns false for other cases.
static inline bool number_to_float(lua_State *L, int index, const ct_field *field, void *item) {
    if (field->type != CT_FIELD_FLOAT || lua_type(L, index) != LUA_TNUMBER) return false;
    ct_real_store(CT_SCALAR_FLOAT, lua_tonumber(L, index), item);
    return true;
}

// Stores a lane of a vector.
static inline void store_lane(lua_State *L, int index, const ct_field_info *info, int i,
                              void *item) {
    ct_real_store(info->lane, lua_tonumber(L, index), (char *)item + i * info->lane_bytes);
}

// Pushes the form of a vector in a table: "{x, y}".
static const char *push_form(lua_State *L, const ct_field *field) {
    const ct_field_info *info = ct_field_info_of(field->type);
    if (info->parts == NULL) return lua_pushfstring(L, "an array of %d numbers", (int)info->lanes);
    luaL_checkstack(L, 4, "too many values");
    lua_pushstring(L, field->uniform ? "a number or {" : "{");
    for (int i = 0; i < info->lanes; ++i) {
        const char *form = field->planar && i == 2 ? "[, %c]" : ", %c";
        lua_pushfstring(L, i == 0 ? "%c" : form, info->parts[i]);
        lua_concat(L, 2);
    }
    lua_pushliteral(L, "}");
    lua_concat(L, 2);
    return lua_tostring(L, -1);
}

bool ct_bind_is_array(lua_State *L, int index, const ct_field *field) {
    index = ct_bind_absindex(L, index);
    if (lua_type(L, index) != LUA_TTABLE) return false;
    if (ct_field_info_of(field->type)->lanes == 1 || ct_bind_rawlen(L, index) > 0) return true;
    lua_pushnil(L);
    if (lua_next(L, index) == 0) return true;
    lua_pop(L, 2);
    return false;
}

static bool table_to_lanes(lua_State *L, int index, const ct_field *field, void *item) {
    if (ct_bind_has_index(L, index)) return ct_bind_refuse_index(L);
    const ct_field_info *info = ct_field_info_of(field->type);
    uint32_t length = ct_bind_rawlen(L, index);
    bool planar = field->planar && length == 2;
    if (length != info->lanes && !planar && !ct_bind_is_array(L, index, field))
        return ct_bind_refuse(L, "expected %s, got a table with names", push_form(L, field));
    if (length != info->lanes && !planar)
        return ct_bind_refuse(L, "expected %d numbers, got %d", (int)info->lanes, (int)length);
    if (planar) ct_field_default(field, item);
    for (int i = 0; i < (int)length; ++i) {
        lua_rawgeti(L, index, i + 1);
        if (lua_type(L, -1) != LUA_TNUMBER)
            return ct_bind_refuse(L, "expected %d numbers, got %s at %d", (int)info->lanes,
                                  ct_bind_type_name(L, -1), i + 1);
        store_lane(L, -1, info, i, item);
        lua_pop(L, 1);
    }
    return true;
}

static bool vector_to_item(lua_State *L, int index, const ct_field *field, void *item) {
    const ct_field_info *info = ct_field_info_of(field->type);
    if (lua_type(L, index) == LUA_TTABLE) return table_to_lanes(L, index, field, item);
    if (field->uniform && lua_type(L, index) == LUA_TNUMBER) {
        for (int i = 0; i < info->lanes; ++i)
            store_lane(L, index, info, i, item);
        return true;
    }
    return ct_bind_refuse(L, "expected %d numbers, got %s", (int)info->lanes,
                          ct_bind_type_name(L, index));
}

static bool to_text(lua_State *L, int index, ct_text *text) {
    *text = ct_bind_to_text(L, index);
    if (lua_type(L, index) != LUA_TSTRING) return fail_expected(L, "a string", index);
    return text->bytes != NULL || ct_bind_refuse(L, "string is too long (limit 2147483647 bytes)");
}

static bool label_to_item(lua_State *L, int index, const ct_field *field, void *item) {
    ct_message message;
    ct_text text;
    if (!to_text(L, index, &text)) return false;
    uint32_t number = ct_labels_find(field, text, &message);
    if (number == field->label_count) return ct_bind_refuse(L, "%s", message.text);
    *(unsigned char *)item = (unsigned char)number;
    return true;
}

static bool string_to_item(lua_State *L, int index, void *item) {
    ct_text text;
    if (!to_text(L, index, &text)) return false;
    memcpy(item, &text, sizeof text);
    return true;
}

// false stands for no entity where nil would be a hole in an array.
static bool entity_to_item(lua_State *L, int index, void *item) {
    ct_entity e = {CT_NOBODY};
    bool none = lua_isnil(L, index) || (lua_isboolean(L, index) && !lua_toboolean(L, index));
    if (!none && !ct_bind_to_entity(L, index, &e))
        return ct_bind_refuse(L, "entity expected, got %s", ct_bind_type_name(L, index));
    memcpy(item, &e.id, sizeof e.id);
    return true;
}

bool ct_bind_value_to_item(lua_State *L, int index, const ct_field *field, void *item) {
    if (number_to_float(L, index, field, item)) return true;
    const ct_field_info *info = ct_field_info_of(field->type);
    index = ct_bind_absindex(L, index);
    switch (info->lane) {
    case CT_SCALAR_STRING: return string_to_item(L, index, item);
    case CT_SCALAR_ENTITY: return entity_to_item(L, index, item);
    case CT_SCALAR_UINT8:
        if (field->type == CT_FIELD_ENUM) return label_to_item(L, index, field, item);
        break;
    case CT_SCALAR_BOOL:
        if (!lua_isboolean(L, index)) return fail_expected(L, "a boolean", index);
        *(uint8_t *)item = (uint8_t)lua_toboolean(L, index);
        return true;
    default: break;
    }
    if (info->lanes > 1) return vector_to_item(L, index, field, item);
    if (lua_type(L, index) != LUA_TNUMBER) return fail_expected(L, "a number", index);
    return number_to_lane(L, index, info->lane, item);
}

bool ct_bind_value_to_cells(lua_State *L, int index, struct ct_arena *arena, ct_text *text) {
    index = ct_bind_absindex(L, index);
    if (lua_type(L, index) != LUA_TTABLE) return fail_expected(L, "a list of numbers", index);
    if (ct_bind_has_index(L, index)) return ct_bind_refuse_index(L);
    uint32_t count = ct_bind_rawlen(L, index);
    if (count > CT_MAX_CELLS)
        return ct_bind_refuse(L, "expected at most %d numbers, got %f", (int)CT_MAX_CELLS,
                              (double)count);
    unsigned char *bytes = ct_arena_take(arena, CT_CELLS_TEXT_HEAD + (size_t)count * 4);
    if (bytes == NULL) return ct_bind_refuse(L, "not enough memory");
    unsigned char *at = bytes + CT_CELLS_TEXT_HEAD;
    for (uint32_t i = 0; i < count; ++i, at += 4) {
        lua_rawgeti(L, index, (int)i + 1);
        if (lua_type(L, -1) != LUA_TNUMBER)
            return ct_bind_refuse(L, "expected numbers, got %s at %d", ct_bind_type_name(L, -1),
                                  (int)i + 1);
        if (!ct_scalar_store(CT_SCALAR_UINT32, lua_tonumber(L, -1), at))
            return ct_bind_refuse(L, "expected an integer in [0, 4294967295], got %f at %d",
                                  lua_tonumber(L, -1), (int)i + 1);
        lua_pop(L, 1);
    }
    *text = count > 0 ? ct_cells_pack(bytes, count) : (ct_text){"", 0};
    return true;
}

static int push_text(lua_State *L) {
    const ct_text *text = lua_touserdata(L, 1);
    return ct_bind_return_bytes(L, text->bytes, text->length);
}

void ct_bind_push_string(lua_State *L, ct_string_pool *pool, ct_string string) {
    char copy[512];
    ct_text text = ct_string_pool_text(pool, string);
    if (text.length <= sizeof copy) {
        memcpy(copy, text.bytes, text.length);
        lua_pushlstring(L, copy, text.length);
        return;
    }
    // Too long for the buffer: a temporary reference keeps the text alive, and the protected call
    // catches an error so that the reference is released.
    ct_string_pool_pin(pool, string);
    lua_pushlightuserdata(L, &text);
    int failed = ct_bind_call_protected(L, push_text, 1, 1);
    ct_string_pool_unpin(pool, string);
    if (failed) lua_error(L);
}

void ct_bind_push_scalar(lua_State *L, ct_scalar lane, const void *item) {
    if (lane == CT_SCALAR_FLOAT || lane == CT_SCALAR_DOUBLE)
        lua_pushnumber(L, ct_scalar_load(lane, item));
    else
        ct_bind_push_whole(L, ct_scalar_load(lane, item));
}

static void push_lane(lua_State *L, const ct_manager *manager, ct_scalar lane, const void *item) {
    if (lane == CT_SCALAR_STRING) {
        ct_bind_push_string(L, manager->strings, *(const ct_string *)item);
    } else if (lane == CT_SCALAR_ENTITY) {
        ct_bind_push_entity(L, *(const ct_entity *)item);
    } else if (lane == CT_SCALAR_BOOL) {
        lua_pushboolean(L, *(const uint8_t *)item);
    } else {
        ct_bind_push_scalar(L, lane, item);
    }
}

// Labels are in the block of their manager, which finalizers cannot free. A plugin may have written
// an invalid number.
static void push_label(lua_State *L, const ct_field *field, uint32_t number) {
    if (number < field->label_count)
        lua_pushlstring(L, field->labels[number].bytes, field->labels[number].length);
    else
        lua_pushnil(L);
}

int ct_bind_push_item(lua_State *L, const ct_manager *manager, const ct_field *field,
                      const void *item) {
    if (field->type == CT_FIELD_FLOAT) { // the most frequent case
        return ct_bind_return_number(L, *(const float *)item);
    }
    const ct_field_info *info = ct_field_info_of(field->type);
    if (info->lanes == 1) {
        if (field->type == CT_FIELD_ENUM)
            push_label(L, field, *(const unsigned char *)item);
        else if (field->type == CT_FIELD_VALUE)
            ct_bind_push_value(L, manager->values, *(const ct_value *)item);
        else
            push_lane(L, manager, info->lane, item);
        return 1;
    }
    // Pushing numbers allocates nothing, but growing the stack may, and a finalizer may free the
    // memory of 'item'. Therefore the item is copied first.
    unsigned char copy[CT_MAX_ITEM_BYTES];
    memcpy(copy, item, info->bytes);
    luaL_checkstack(L, info->lanes, "too many results");
    for (uint32_t i = 0; i < info->lanes; ++i)
        push_lane(L, manager, info->lane, copy + i * info->lane_bytes);
    return info->lanes;
}

void ct_bind_push_labels(lua_State *L, const ct_field *field) {
    lua_createtable(L, (int)field->label_count, 0);
    for (uint32_t i = 0; i < field->label_count; ++i) {
        push_label(L, field, i);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

void ct_bind_push_item_value(lua_State *L, const ct_manager *manager, const ct_field *field,
                             const void *item) {
    int lanes = ct_bind_push_item(L, manager, field, item);
    if (lanes == 1) return;
    lua_createtable(L, lanes, 0);
    lua_insert(L, -lanes - 1);
    for (; lanes > 0; --lanes)
        lua_rawseti(L, -lanes - 1, lanes);
}

static void check_lanes(lua_State *L, int arg, const ct_field_info *info, void *item) {
    int given = lua_gettop(L) - arg + 1;
    for (int i = 0; i < info->lanes; ++i) {
        if (lua_type(L, arg + i) != LUA_TNUMBER) luaL_checktype(L, arg + i, LUA_TNUMBER);
        store_lane(L, arg + i, info, i, item);
    }
    if (given == info->lanes) return;
    ct_bind_raise_arg(L, arg + info->lanes, "expected %d numbers, got %d", (int)info->lanes, given);
}

// Checks that only nil follows an argument.
static bool is_last(lua_State *L, int arg) {
    for (int index = lua_gettop(L); index > arg; --index)
        if (!lua_isnil(L, index)) return false;
    return true;
}

void ct_bind_check_item(lua_State *L, int arg, const ct_field *field, void *item) {
    if (number_to_float(L, arg, field, item)) return;
    const ct_field_info *info = ct_field_info_of(field->type);
    int type = lua_type(L, arg);
    // A vector is given as numbers, as a table, or as one number for all lanes.
    if (info->lanes > 1 && type != LUA_TTABLE && !(field->uniform && is_last(L, arg))) {
        check_lanes(L, arg, info, item);
        return;
    }
    if (type == LUA_TNONE) {
        if (info->lane != CT_SCALAR_ENTITY) luaL_checkany(L, arg); // "value expected"
        lua_pushnil(L);
    }
    if (!ct_bind_value_to_item(L, arg, field, item)) ct_bind_arg_error(L, arg);
}
