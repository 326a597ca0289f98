// Tables of component values, parsed whole before anything is created.
// Knows nothing of rows, nor of what the values will be used for.
#include "bind/bind.h"

#include "storage/layout.h"

#include <string.h>

// One parse: which fields, how many rows, and where the items go.
typedef struct parse {
    lua_State *L;
    const ct_manager *manager;
    uint32_t count;
    bool many; // values may be given per row
    bind_values *out;
    unsigned char *next; // free room behind 'out'
} parse;

// Items of a string input are ct_texts, wider than the column's.
static uint32_t item_bytes(const ct_field *field) {
    return field->type == CT_FIELD_STRING ? (uint32_t)sizeof(ct_text)
                                          : ct_field_info_of(field->type)->bytes;
}

static size_t padded(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

static void push_unknown_field(lua_State *L, const ct_manager *manager, int key) {
    const char *names[CT_MAX_COLUMNS + 1];
    for (uint32_t i = 0; i < manager->input_count; ++i)
        names[i] = manager->inputs[i].name;
    if (lua_type(L, key) == LUA_TSTRING) {
        bind_push_unknown(L, "field", lua_tostring(L, key), names, manager->input_count);
        return;
    }
    if (lua_type(L, key) == LUA_TNUMBER)
        lua_pushfstring(L, "unknown field [%f] (values are given by name)", lua_tonumber(L, key));
    else
        lua_pushfstring(L, "unknown field (a %s)", bind_type_name(L, key));
}

// Whether every key of the table at 'index' is an input, or 'id' where there are ids.
static bool keys_are_known(lua_State *L, int index, const ct_manager *manager, bool ids) {
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        lua_pop(L, 1);
        bool known = false;
        if (lua_type(L, -1) == LUA_TSTRING) {
            const char *name = lua_tostring(L, -1);
            known = ct_manager_find_input(manager, name) < manager->input_count ||
                    (ids && strcmp(name, "id") == 0);
        }
        if (known) continue;
        push_unknown_field(L, manager, lua_gettop(L));
        return false;
    }
    return true;
}

// Puts "NAME: " before the message on top.
static bool fail_field(lua_State *L, const char *name) {
    lua_pushfstring(L, "%s: %s", name, lua_tostring(L, -1));
    return false;
}

static bool to_component_id(lua_State *L, int index, ct_component_id *out) {
    memset(out, 0, sizeof *out);
    if (lua_type(L, index) == LUA_TSTRING) {
        static const ct_field text = {.name = "id", .type = CT_FIELD_STRING};
        return bind_value_to_item(L, index, &text, &out->text) || fail_field(L, "id");
    }
    double number = lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : 0;
    if (number >= 1 && number <= 2147483647.0 && number == (uint32_t)number) {
        out->number = (uint32_t)number;
        return true;
    }
    lua_pushliteral(L, "id: expected a string or a whole number from 1 to 2147483647");
    return false;
}

static bind_values *new_values(lua_State *L, size_t item_room, uint32_t ids) {
    size_t head = padded(sizeof(bind_values)) + padded(ids * sizeof(ct_component_id));
    bind_values *values = lua_newuserdata(L, head + item_room);
    memset(values, 0, head);
    if (ids > 0)
        values->ids = (ct_component_id *)(void *)((char *)values + padded(sizeof(bind_values)));
    return values;
}

static unsigned char *room_of(bind_values *values, uint32_t ids) {
    return (unsigned char *)values + padded(sizeof(bind_values)) +
           padded(ids * sizeof(ct_component_id));
}

static bool all_required(lua_State *L, const ct_manager *manager, const bind_values *values) {
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        if (!manager->inputs[i].required || values->values[i].items != NULL) continue;
        lua_pushfstring(L, "%s: required", manager->inputs[i].name);
        return false;
    }
    return true;
}

// How the value on top stands for many rows.
typedef enum spread { CONSTANT, EACH, FLAT, WRONG } spread;

static spread spread_of(parse *p, const ct_field *field) {
    lua_State *L = p->L;
    uint32_t lanes = ct_field_info_of(field->type)->lanes;
    bool list = field->type == CT_FIELD_ENTITY && bind_test_list(L, lua_gettop(L)) != NULL;
    if (!list && lua_type(L, -1) != LUA_TTABLE) return CONSTANT;
    uint32_t length = list ? bind_test_list(L, lua_gettop(L))->count : bind_rawlen(L, -1);
    if (lanes == 1) {
        if (length == p->count) return EACH;
        lua_pushfstring(L, "expected %d values, got %d", (int)p->count, (int)length);
        return WRONG;
    }
    lua_rawgeti(L, -1, 1);
    bool tables = lua_type(L, -1) == LUA_TTABLE;
    lua_pop(L, 1);
    if (tables && length == p->count) return EACH;
    if (!tables && length == lanes) return CONSTANT;
    if (!tables && length == (uint64_t)lanes * p->count) return FLAT;
    if (tables)
        lua_pushfstring(L, "expected %d tables, got %d", (int)p->count, (int)length);
    else
        lua_pushfstring(L, "expected %d numbers for all or %d for each, got %d", (int)lanes,
                        (int)(lanes * p->count), (int)length);
    return WRONG;
}

static bool parse_flat(parse *p, const ct_field *field, unsigned char *to) {
    const ct_field_info *info = ct_field_info_of(field->type);
    for (uint32_t i = 0; i < (uint32_t)info->lanes * p->count; ++i, to += info->lane_bytes) {
        lua_rawgeti(p->L, -1, (int)i + 1);
        if (lua_type(p->L, -1) != LUA_TNUMBER) {
            lua_pushfstring(p->L, "expected numbers, got %s at %d", bind_type_name(p->L, -1),
                            (int)i + 1);
            return fail_field(p->L, field->name);
        }
        ct_lane_store(info->lane, lua_tonumber(p->L, -1), to);
        lua_pop(p->L, 1);
    }
    return true;
}

static bool parse_each(parse *p, const ct_field *field, unsigned char *to) {
    bind_list *list = bind_test_list(p->L, lua_gettop(p->L));
    if (list != NULL) {
        memcpy(to, list->items, (size_t)p->count * sizeof *list->items);
        return true;
    }
    for (uint32_t i = 0; i < p->count; ++i, to += item_bytes(field)) {
        lua_rawgeti(p->L, -1, (int)i + 1);
        if (!bind_value_to_item(p->L, -1, field, to)) {
            lua_pushfstring(p->L, "%s[%d]: %s", field->name, (int)i + 1, lua_tostring(p->L, -1));
            return false;
        }
        lua_pop(p->L, 1);
    }
    return true;
}

// The value on top, for input i.
static bool parse_input(parse *p, uint32_t i) {
    const ct_field *field = &p->manager->inputs[i];
    ct_values *values = &p->out->values[i];
    spread how = p->many ? spread_of(p, field) : CONSTANT;
    if (how == WRONG) return fail_field(p->L, field->name);
    unsigned char *to = p->next;
    bool one = how == CONSTANT;
    p->next += padded((size_t)item_bytes(field) * (one ? 1 : p->count));
    values->items = to;
    values->stride = one ? 0 : item_bytes(field);
    if (how == FLAT) return parse_flat(p, field, to);
    if (how == EACH) return parse_each(p, field, to);
    return bind_value_to_item(p->L, -1, field, to) || fail_field(p->L, field->name);
}

static bool parse_ids(parse *p) {
    if (!p->many || lua_type(p->L, -1) != LUA_TTABLE) {
        ct_component_id id;
        if (!to_component_id(p->L, -1, &id)) return false;
        for (uint32_t i = 0; i < p->count; ++i)
            p->out->ids[i] = id;
        return true;
    }
    if (bind_rawlen(p->L, -1) != p->count) {
        lua_pushfstring(p->L, "id: expected %d values, got %d", (int)p->count,
                        (int)bind_rawlen(p->L, -1));
        return false;
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        lua_rawgeti(p->L, -1, (int)i + 1);
        if (!to_component_id(p->L, -1, &p->out->ids[i])) return false;
        lua_pop(p->L, 1);
    }
    return true;
}

// Room for all items of one table for 'count' rows. Lists of entities and
// tables need room for each row; what turns out constant leaves some unused.
static size_t room_for(lua_State *L, int index, const ct_manager *manager, uint32_t count) {
    size_t room = 0;
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        const ct_field *field = &manager->inputs[i];
        lua_pushstring(L, field->name);
        lua_rawget(L, index);
        bool scalar = lua_type(L, -1) != LUA_TTABLE && lua_type(L, -1) != LUA_TUSERDATA;
        if (!lua_isnil(L, -1)) room += padded((size_t)item_bytes(field) * (scalar ? 1 : count));
        lua_pop(L, 1);
    }
    return room + 16;
}

static bool parse_table(parse *p, int index, uint32_t ids) {
    lua_State *L = p->L;
    for (uint32_t i = 0; i < p->manager->input_count; ++i) {
        lua_pushstring(L, p->manager->inputs[i].name);
        lua_rawget(L, index);
        if (!lua_isnil(L, -1) && !parse_input(p, i)) return false;
        lua_pop(L, 1);
    }
    if (ids == 0) return true;
    lua_pushliteral(L, "id");
    lua_rawget(L, index);
    if (!lua_isnil(L, -1)) {
        if (!parse_ids(p)) return false;
    }
    lua_pop(L, 1);
    return true;
}

// The table at 'index' for 'count' rows; 'ids' is the number of component ids to make room for.
static bind_values *parse_values(lua_State *L, int index, const ct_manager *manager, uint32_t count,
                                 bool many, uint32_t ids) {
    index = bind_absindex(L, index);
    if (lua_isnoneornil(L, index)) {
        bind_values *none = new_values(L, 0, ids);
        none->count = count;
        return none;
    }
    if (lua_type(L, index) != LUA_TTABLE) {
        lua_pushfstring(L, "table of values expected, got %s", bind_type_name(L, index));
        return NULL;
    }
    if (!keys_are_known(L, index, manager, ids > 0)) return NULL;
    bind_values *values = new_values(L, room_for(L, index, manager, count), ids);
    parse p = {L, manager, count, many, values, room_of(values, ids)};
    values->count = count;
    return parse_table(&p, index, ids) ? values : NULL;
}

bind_values *bind_values_parse_many(lua_State *L, int index, const ct_manager *manager,
                                    uint32_t count) {
    // 'id' is known even when the list is empty.
    uint32_t ids = manager->store.multiple ? (count > 0 ? count : 1) : 0;
    bind_values *values = parse_values(L, index, manager, count, true, ids);
    return values != NULL && all_required(L, manager, values) ? values : NULL;
}

bind_values *bind_values_parse_one(lua_State *L, int index, const ct_manager *manager) {
    bind_values *values = parse_values(L, index, manager, 1, false, manager->store.multiple);
    return values != NULL && all_required(L, manager, values) ? values : NULL;
}

bind_values *bind_values_parse_given(lua_State *L, int index, const ct_manager *manager) {
    return parse_values(L, index, manager, 1, false, 0);
}

// Marks, for each input, whether any of the tables gives it; checks all keys.
static bool survey(lua_State *L, int index, const ct_manager *manager, uint32_t count, bool *given,
                   uint32_t *place) {
    memset(given, 0, CT_MAX_COLUMNS * sizeof *given);
    for (uint32_t t = 0; t < count; ++t) {
        *place = t + 1;
        lua_rawgeti(L, index, (int)t + 1);
        if (lua_type(L, -1) != LUA_TTABLE) {
            lua_pushfstring(L, "expected a table, got %s", bind_type_name(L, -1));
            return false;
        }
        if (!keys_are_known(L, lua_gettop(L), manager, manager->store.multiple)) return false;
        for (uint32_t i = 0; i < manager->input_count; ++i) {
            lua_pushstring(L, manager->inputs[i].name);
            lua_rawget(L, -2);
            given[i] = given[i] || !lua_isnil(L, -1);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    return true;
}

// One table's value of one input, or the default, as the item of its row.
static bool parse_item(lua_State *L, const ct_manager *manager, uint32_t i, unsigned char *to) {
    const ct_field *field = &manager->inputs[i];
    lua_pushstring(L, field->name);
    lua_rawget(L, -2);
    if (!lua_isnil(L, -1)) {
        if (!bind_value_to_item(L, -1, field, to)) return fail_field(L, field->name);
    } else if (field->required) {
        lua_pushfstring(L, "%s: required", field->name);
        return false;
    } else if (field->type == CT_FIELD_STRING) {
        ct_string preset = {0};
        if (field->preset != NULL) memcpy(&preset, field->preset, sizeof preset);
        ct_text text = ct_string_pool_text(manager->strings, preset);
        memcpy(to, &text, sizeof text);
    } else {
        ct_field_default(field, to);
    }
    lua_pop(L, 1);
    return true;
}

bind_values *bind_values_parse_tables(lua_State *L, int index, const ct_manager *manager,
                                      uint32_t count, uint32_t *place) {
    bool given[CT_MAX_COLUMNS];
    index = bind_absindex(L, index);
    if (!survey(L, index, manager, count, given, place)) return NULL;
    uint32_t ids = manager->store.multiple ? count : 0;
    size_t room = 16;
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        bool wanted = given[i] || manager->inputs[i].required;
        if (wanted) room += padded((size_t)item_bytes(&manager->inputs[i]) * count);
    }
    bind_values *out = new_values(L, room, ids);
    unsigned char *next = room_of(out, ids);
    out->count = count;
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        if (!given[i] && !manager->inputs[i].required) continue;
        out->values[i] = (ct_values){next, item_bytes(&manager->inputs[i])};
        next += padded((size_t)item_bytes(&manager->inputs[i]) * count);
    }
    for (uint32_t t = 0; t < count; ++t) {
        *place = t + 1;
        lua_rawgeti(L, index, (int)t + 1);
        for (uint32_t i = 0; i < manager->input_count; ++i) {
            unsigned char *column = (unsigned char *)(uintptr_t)out->values[i].items;
            if (column == NULL) continue;
            if (!parse_item(L, manager, i, column + (size_t)t * out->values[i].stride)) return NULL;
        }
        if (ids > 0) {
            lua_pushliteral(L, "id");
            lua_rawget(L, -2);
            if (!lua_isnil(L, -1) && !to_component_id(L, -1, &out->ids[t])) return NULL;
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    return out;
}
