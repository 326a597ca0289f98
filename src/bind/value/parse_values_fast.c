// Fast path for tables of component values that are valid and simple, as most are. Also tables of
// ids.
#include "bind/value/parse_values.h"

#include "bind/value/check.h"
#include "storage/labels.h"

#include <string.h>

// Returns the number of the input that the key below the value on top names, or CT_NO_ROW.
static inline uint32_t find_name(lua_State *L, const ct_manager *manager) {
    if (CT_UNLIKELY(lua_type(L, -2) != LUA_TSTRING)) return CT_NO_ROW;
    const char *name = lua_tostring(L, -2);
    uint32_t i = 0;
    while (i < manager->input_count && manager->names[i] != name)
        i++;
    return i < manager->input_count ? i : CT_NO_ROW;
}

// Stores the value on top as an item if it is the number, string, label or bool of a field, or an
// array with the numbers of a vector. Returns false without a message, which would be allocated in
// Lua.
static inline bool fast_item(lua_State *L, const ct_field *field, unsigned char *item) {
    const ct_field_info *info = ct_field_info_of(field->type);
    int type = lua_type(L, -1);
    if (type == LUA_TNUMBER && field->type < CT_FIELD_BOOL)
        return ct_scalar_store(info->lane, lua_tonumber(L, -1), item);
    if (type == LUA_TSTRING && (field->type == CT_FIELD_STRING || field->type == CT_FIELD_ENUM)) {
        const ct_text text = ct_bind_to_text(L, -1);
        if (field->type == CT_FIELD_STRING) {
            memcpy(item, &text, sizeof text);
            return text.bytes != NULL;
        }
        uint32_t label = ct_labels_find(field, text, NULL);
        *item = (unsigned char)label;
        return label < field->label_count;
    }
    if (type == LUA_TBOOLEAN && field->type == CT_FIELD_BOOL) {
        *item = (unsigned char)lua_toboolean(L, -1);
        return true;
    }
    if (type != LUA_TTABLE || info->lane > CT_SCALAR_DOUBLE || info->lanes != ct_bind_rawlen(L, -1))
        return false;
    if (CT_UNLIKELY(lua_getmetatable(L, -1))) return false;
    for (int i = 0; i < info->lanes; ++i, item += info->lane_bytes) {
        lua_rawgeti(L, -1, i + 1);
        if (lua_type(L, -1) != LUA_TNUMBER) return false;
        ct_real_store(info->lane, lua_tonumber(L, -1), item);
        lua_pop(L, 1);
    }
    return true;
}

const ct_values *ct_bind_parse_values_fast(const ct_bind_parse *g, int table,
                                           const ct_manager *manager) {
    lua_State *L = g->L;
    int type = manager->names != NULL ? lua_type(L, table) : LUA_TNONE;
    if (type == LUA_TNIL) return ct_no_values;
    if (type != LUA_TTABLE) return NULL;
    if (CT_UNLIKELY(lua_getmetatable(L, table))) {
        lua_settop(L, table);
        return NULL;
    }
    ct_values *values = ct_arena_take(g->arena, manager->input_count * sizeof *values);
    if (values == NULL) return NULL;
    memset(values, 0, manager->input_count * sizeof *values);
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        uint32_t i = find_name(L, manager);
        void *item = i != CT_NO_ROW ? ct_arena_take(g->arena, CT_MAX_ITEM_BYTES) : NULL;
        if (item == NULL || !fast_item(L, &manager->inputs[i], item)) {
            lua_settop(L, table);
            return NULL;
        }
        values[i] = (ct_values){item, 0};
        lua_settop(L, table + 1);
    }
    return values;
}

const ct_values *ct_bind_parse_component(const ct_bind_parse *g, int index,
                                         const ct_manager *manager, ct_bind_form form,
                                         uint32_t count, const ct_component_id **ids) {
    bool one = form == CT_BIND_WHOLE || form == CT_BIND_GIVEN;
    const ct_values *values = one ? ct_bind_parse_values_fast(g, index, manager) : NULL;
    *ids = NULL;
    if (CT_LIKELY(values != NULL)) return values;
    const ct_bind_values *parsed = ct_bind_parse_values(g, index, manager, form, count);
    if (parsed == NULL) return NULL;
    *ids = parsed->ids;
    return parsed->values;
}

bool ct_bind_parse_posted(const ct_bind_mailbox *mailbox, int slot, ct_bind_state *state,
                          ct_bind_parse *g) {
    if (state->holding != NULL) return false;
    ct_arena_reset(state->arena);
    lua_State *L = ct_bind_push_posted(mailbox, slot);
    *g =
        (ct_bind_parse){L, state, state->arena, ct_bind_lua_allocations(state), CT_BIND_TO_POOL, 0};
    return true;
}

void ct_bind_parse_posted_end(const ct_bind_parse *g) {
    lua_settop(g->L, CT_BIND_POSTED - 1);
    ct_bind_parse_end(g);
}

bool ct_bind_parse_ids(const ct_bind_parse *g, int index, uint32_t count, ct_values *out) {
    lua_State *L = g->L;
    uint32_t length = ct_bind_rawlen(L, index), *ids = ct_bind_parse_take(g, count * sizeof *ids);
    *out = (ct_values){ids, sizeof *ids};
    bool has_index = ct_bind_has_index(L, index);
    if (has_index || length != count) {
        ct_bind_parse_end(g);
        if (has_index) return ct_bind_refuse_index(L);
        return ct_bind_refuse(L, "expected %d values, got %d", (int)count, (int)length);
    }
    for (uint32_t i = 0; i < count; ++i) {
        ct_entity e = {CT_NOBODY};
        lua_rawgeti(L, index, (int)i + 1);
        bool known =
            lua_type(L, -1) == LUA_TNUMBER
                ? ct_scalar_store(CT_SCALAR_ENTITY, lua_tonumber(L, -1), &e.id)
                : (lua_isboolean(L, -1) && !lua_toboolean(L, -1)) || ct_bind_to_entity(L, -1, &e);
        if (!known) {
            ct_bind_parse_end(g);
            return ct_bind_refuse(L, "[%d]: entity id expected, got %s", (int)i + 1,
                                  ct_bind_type_name(L, -1));
        }
        ids[i] = e.id;
        lua_pop(L, 1);
    }
    return true;
}
