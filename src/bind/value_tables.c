// Tables of component values, parsed whole before anything is created.
// Knows nothing of rows, nor of what the values will be used for. Longer than 400 lines: one
// table for many rows and a table for each share keys, room and items.
#include "bind/bind.h"

#include "storage/layout.h"

#include <string.h>

// One parse: which fields, how many rows, and where the items go.
typedef struct parse {
    lua_State *L;
    const ct_manager *manager;
    uint32_t count;
    bool many;  // values may be given per row
    bool quick; // strings stay where they are
    ct_bind_values *out;
    unsigned char *next; // free room behind 'out': items from its beginning,
    unsigned char *end;  // copies of strings from its end
} parse;

// Items of a string input are ct_texts, wider than the column's.
static uint32_t item_bytes(const ct_field *field) {
    return field->type == CT_FIELD_STRING ? (uint32_t)sizeof(ct_text)
                                          : ct_field_info_of(field->type)->bytes;
}

static size_t padded(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

// Room was made for the values as they were: a finalizer that ran since may have
// changed them. Between making room and the end of a parse that succeeds none runs.
static bool fail_changed(lua_State *L) {
    lua_pushliteral(L, "values changed while they were read");
    return false;
}

// ---------------------------------------------------------------- keys

static void push_unknown_field(lua_State *L, const ct_manager *manager, int key) {
    const char *names[CT_MAX_COLUMNS + 1];
    for (uint32_t i = 0; i < manager->input_count; ++i)
        names[i] = manager->inputs[i].name;
    if (lua_type(L, key) == LUA_TSTRING) {
        ct_bind_push_unknown(L, "field", lua_tostring(L, key), names, manager->input_count);
        return;
    }
    if (lua_type(L, key) == LUA_TNUMBER)
        lua_pushfstring(L, "unknown field [%f] (values are given by name)", lua_tonumber(L, key));
    else
        lua_pushfstring(L, "unknown field (a %s)", ct_bind_type_name(L, key));
}

// What the key below the value on top means: the number of an input, input_count for 'id', or
// more than that with the message pushed.
static uint32_t input_of_key(lua_State *L, const ct_manager *manager, bool ids) {
    if (lua_type(L, -2) == LUA_TSTRING) {
        size_t length;
        const char *name = lua_tolstring(L, -2, &length);
        if (strlen(name) == length) {
            uint32_t i = ct_manager_find_input(manager, name);
            if (i < manager->input_count) return i;
            if (ids && strcmp(name, "id") == 0) return manager->input_count;
        }
    }
    push_unknown_field(L, manager, lua_gettop(L) - 1);
    return UINT32_MAX;
}

// Puts "NAME: " before the message on top.
static bool fail_field(lua_State *L, const char *name) {
    lua_pushfstring(L, "%s: %s", name, lua_tostring(L, -1));
    return false;
}

static bool is_text(const ct_manager *manager, uint32_t input) {
    return input == manager->input_count || manager->inputs[input].type == CT_FIELD_STRING;
}

// Bytes of the string on top, or of the strings in the table on top.
static size_t text_bytes(lua_State *L) {
    if (lua_type(L, -1) == LUA_TSTRING) return lua_objlen(L, -1) + 1;
    if (lua_type(L, -1) != LUA_TTABLE) return 0;
    size_t bytes = 0;
    uint32_t length = ct_bind_rawlen(L, -1);
    for (uint32_t i = 0; i < length; ++i) {
        lua_rawgeti(L, -1, (int)i + 1);
        if (lua_type(L, -1) == LUA_TSTRING) bytes += lua_objlen(L, -1) + 1;
        lua_pop(L, 1);
    }
    return bytes;
}

// Adds up the room for all values of the table at 'index' for 'count' rows; false when a key is
// unknown. Lists of entities and tables need room for each row; what turns out constant
// leaves some unused.
static bool survey_table(lua_State *L, int index, const ct_manager *manager, uint32_t count,
                         bool ids, size_t *room) {
    lua_pushnil(L);
    while (lua_next(L, index) != 0) {
        uint32_t input = input_of_key(L, manager, ids);
        if (input > manager->input_count) return false;
        bool scalar = lua_type(L, -1) != LUA_TTABLE && lua_type(L, -1) != LUA_TUSERDATA;
        if (input < manager->input_count)
            *room += padded((size_t)item_bytes(&manager->inputs[input]) * (scalar ? 1 : count));
        if (is_text(manager, input)) *room += text_bytes(L);
        lua_pop(L, 1);
    }
    return true;
}

// ---------------------------------------------------------------- room

static size_t head_bytes(const ct_manager *manager, uint32_t ids) {
    return padded(sizeof(ct_bind_values)) + padded(manager->input_count * sizeof(ct_values)) +
           padded(ids * sizeof(ct_component_id));
}

// Lays out what precedes the items in 'room'.
static ct_bind_values *begin_values(unsigned char *room, const ct_manager *manager, uint32_t count,
                                    uint32_t ids) {
    memset(room, 0, head_bytes(manager, ids));
    ct_bind_values *values = (ct_bind_values *)(void *)room;
    room += padded(sizeof *values);
    values->values = (ct_values *)(void *)room;
    values->count = count;
    if (ids > 0)
        values->ids =
            (ct_component_id *)(void *)(room + padded(manager->input_count * sizeof(ct_values)));
    return values;
}

static ct_bind_values *new_values(lua_State *L, size_t item_room, const ct_manager *manager,
                                  uint32_t count, uint32_t ids) {
    return begin_values(lua_newuserdata(L, head_bytes(manager, ids) + item_room), manager, count,
                        ids);
}

static void take_room(parse *p, size_t room, uint32_t ids) {
    p->next = (unsigned char *)p->out + head_bytes(p->manager, ids);
    p->end = p->next + room;
}

// Room for items, or NULL with the message pushed.
static unsigned char *reserve_items(parse *p, size_t bytes) {
    if ((size_t)(p->end - p->next) < padded(bytes)) {
        fail_changed(p->L);
        return NULL;
    }
    unsigned char *items = p->next;
    p->next += padded(bytes);
    return items;
}

// The text becomes a copy, with a NUL behind it as Lua's have: whoever holds the Lua string may let
// it go.
static bool keep_text(parse *p, ct_text *text) {
    if (p->quick) return true;
    if ((size_t)(p->end - p->next) <= text->length) return fail_changed(p->L);
    p->end -= text->length + 1;
    memcpy(p->end, text->bytes, text->length);
    p->end[text->length] = '\0';
    text->bytes = (const char *)p->end;
    return true;
}

// The value on top as an item of its own.
static bool parse_item(parse *p, const ct_field *field, unsigned char *to) {
    if (!ct_bind_value_to_item(p->L, -1, field, to)) return false;
    if (field->type != CT_FIELD_STRING) return true;
    ct_text text;
    memcpy(&text, to, sizeof text);
    if (!keep_text(p, &text)) return false;
    memcpy(to, &text, sizeof text);
    return true;
}

// The value on top as a component id.
static bool parse_id(parse *p, ct_component_id *out) {
    lua_State *L = p->L;
    memset(out, 0, sizeof *out);
    if (lua_type(L, -1) == LUA_TSTRING) {
        static const ct_field text = {.name = "id", .type = CT_FIELD_STRING};
        return (ct_bind_value_to_item(L, -1, &text, &out->text) && keep_text(p, &out->text)) ||
               fail_field(L, "id");
    }
    double number = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
    if (number >= 1 && number <= 2147483647.0 && number == (uint32_t)number) {
        out->number = (uint32_t)number;
        return true;
    }
    lua_pushliteral(L, "id: expected a string or a whole number from 1 to 2147483647");
    return false;
}

static bool all_required(lua_State *L, const ct_manager *manager, const ct_bind_values *values) {
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        if (!manager->inputs[i].required || values->values[i].items != NULL) continue;
        lua_pushfstring(L, "%s: required", manager->inputs[i].name);
        return false;
    }
    return true;
}

// ---------------------------------------------------------------- one table

// How the value on top stands for many rows.
typedef enum spread { CONSTANT, EACH, FLAT, WRONG } spread;

static spread spread_of(parse *p, const ct_field *field) {
    lua_State *L = p->L;
    uint32_t lanes = ct_field_info_of(field->type)->lanes;
    bool list = field->type == CT_FIELD_ENTITY && ct_bind_test_list(L, lua_gettop(L)) != NULL;
    if (!list && lua_type(L, -1) != LUA_TTABLE) return CONSTANT;
    uint32_t length = list ? ct_bind_test_list(L, lua_gettop(L))->count : ct_bind_rawlen(L, -1);
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
            lua_pushfstring(p->L, "expected numbers, got %s at %d", ct_bind_type_name(p->L, -1),
                            (int)i + 1);
            return fail_field(p->L, field->name);
        }
        ct_lane_store(info->lane, lua_tonumber(p->L, -1), to);
        lua_pop(p->L, 1);
    }
    return true;
}

static bool parse_each(parse *p, const ct_field *field, unsigned char *to) {
    ct_bind_list *list = ct_bind_test_list(p->L, lua_gettop(p->L));
    if (list != NULL) {
        memcpy(to, list->items, (size_t)p->count * sizeof *list->items);
        return true;
    }
    for (uint32_t i = 0; i < p->count; ++i, to += item_bytes(field)) {
        lua_rawgeti(p->L, -1, (int)i + 1);
        if (!parse_item(p, field, to)) {
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
    bool one = how == CONSTANT;
    unsigned char *to = reserve_items(p, (size_t)item_bytes(field) * (one ? 1 : p->count));
    if (to == NULL) return false;
    values->items = to;
    values->stride = one ? 0 : item_bytes(field);
    if (how == FLAT) return parse_flat(p, field, to);
    if (how == EACH) return parse_each(p, field, to);
    return parse_item(p, field, to) || fail_field(p->L, field->name);
}

// The value on top, for the ids.
static bool parse_ids(parse *p) {
    if (!p->many || lua_type(p->L, -1) != LUA_TTABLE) {
        ct_component_id id;
        if (!parse_id(p, &id)) return false;
        for (uint32_t i = 0; i < p->count; ++i)
            p->out->ids[i] = id;
        return true;
    }
    if (ct_bind_rawlen(p->L, -1) != p->count) {
        lua_pushfstring(p->L, "id: expected %d values, got %d", (int)p->count,
                        (int)ct_bind_rawlen(p->L, -1));
        return false;
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        lua_rawgeti(p->L, -1, (int)i + 1);
        if (!parse_id(p, &p->out->ids[i])) return false;
        lua_pop(p->L, 1);
    }
    return true;
}

static bool parse_table(parse *p, int index, bool ids) {
    lua_pushnil(p->L);
    while (lua_next(p->L, index) != 0) {
        uint32_t input = input_of_key(p->L, p->manager, ids);
        if (input > p->manager->input_count) return false;
        if (!(input < p->manager->input_count ? parse_input(p, input) : parse_ids(p))) return false;
        lua_pop(p->L, 1);
    }
    return true;
}

// The table at 'index' for 'count' rows; 'ids' is the number of component ids to make room for.
static ct_bind_values *parse_values(lua_State *L, int index, const ct_manager *manager,
                                    uint32_t count, bool many, uint32_t ids) {
    index = ct_bind_absindex(L, index);
    if (lua_isnoneornil(L, index)) {
        return new_values(L, 0, manager, count, ids);
    }
    if (lua_type(L, index) != LUA_TTABLE) {
        lua_pushfstring(L, "table of values expected, got %s", ct_bind_type_name(L, index));
        return NULL;
    }
    size_t room = 16;
    if (!survey_table(L, index, manager, count, ids > 0, &room)) return NULL;
    ct_bind_values *values = new_values(L, room, manager, count, ids);
    parse p = {L, manager, count, many, false, values, NULL, NULL};
    take_room(&p, room, ids);
    return parse_table(&p, index, ids > 0) ? values : NULL;
}

ct_bind_values *ct_bind_values_parse_many(lua_State *L, int index, const ct_manager *manager,
                                          uint32_t count) {
    // 'id' is known even when the list is empty.
    uint32_t ids = manager->store.multiple ? (count > 0 ? count : 1) : 0;
    ct_bind_values *values = parse_values(L, index, manager, count, true, ids);
    return values != NULL && all_required(L, manager, values) ? values : NULL;
}

ct_bind_values *ct_bind_values_parse_one(lua_State *L, int index, const ct_manager *manager) {
    ct_bind_values *values = parse_values(L, index, manager, 1, false, manager->store.multiple);
    return values != NULL && all_required(L, manager, values) ? values : NULL;
}

ct_bind_values *ct_bind_values_parse_quickly(lua_State *L, int index, const ct_manager *manager,
                                             ct_bind_arena *arena) {
    uint32_t ids = manager->store.multiple;
    int top = lua_gettop(L);
    index = ct_bind_absindex(L, index);
    if ((size_t)(arena->end - arena->next) < head_bytes(manager, ids)) return NULL;
    ct_bind_values *values = begin_values(arena->next, manager, 1, ids);
    parse p = {L, manager, 1, false, true, values, NULL, NULL};
    take_room(&p, 0, ids);
    p.end = arena->end;
    bool sound = lua_isnoneornil(L, index) ||
                 (lua_type(L, index) == LUA_TTABLE && parse_table(&p, index, ids > 0));
    for (uint32_t i = 0; i < manager->input_count && sound; ++i)
        sound = !manager->inputs[i].required || values->values[i].items != NULL;
    arena->next = p.next;
    lua_settop(L, top);
    return sound ? values : NULL;
}

ct_bind_values *ct_bind_values_parse_given(lua_State *L, int index, const ct_manager *manager) {
    return parse_values(L, index, manager, 1, false, 0);
}

// ---------------------------------------------------------------- many tables

// Marks, for each input, whether any of the tables gives it; checks all keys, adds up room for
// the strings.
static bool survey(lua_State *L, int index, const ct_manager *manager, uint32_t count, bool *given,
                   size_t *room, uint32_t *place) {
    memset(given, 0, CT_MAX_COLUMNS * sizeof *given);
    for (uint32_t t = 0; t < count; ++t) {
        *place = t + 1;
        lua_rawgeti(L, index, (int)t + 1);
        if (lua_type(L, -1) != LUA_TTABLE) {
            lua_pushfstring(L, "expected a table, got %s", ct_bind_type_name(L, -1));
            return false;
        }
        lua_pushnil(L);
        while (lua_next(L, -2) != 0) {
            uint32_t input = input_of_key(L, manager, manager->store.multiple);
            if (input > manager->input_count) return false;
            if (input < manager->input_count) given[input] = true;
            if (is_text(manager, input) && lua_type(L, -1) == LUA_TSTRING)
                *room += lua_objlen(L, -1) + 1;
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    return true;
}

static ct_text preset_text(const ct_manager *manager, const ct_field *field) {
    ct_string preset = {0};
    if (field->preset != NULL) memcpy(&preset, field->preset, sizeof preset);
    return ct_string_pool_text(manager->strings, preset);
}

// The column of an input that is given somewhere, all defaults.
static bool fill_defaults(parse *p, uint32_t i) {
    const ct_field *field = &p->manager->inputs[i];
    unsigned char item[CT_MAX_ITEM_BYTES];
    if (field->type == CT_FIELD_STRING) {
        ct_text text = preset_text(p->manager, field);
        if (!keep_text(p, &text)) return false;
        memcpy(item, &text, sizeof text);
    } else {
        ct_field_default(field, item);
    }
    unsigned char *column = reserve_items(p, (size_t)item_bytes(field) * p->count);
    if (column == NULL) return false;
    p->out->values[i] = (ct_values){column, item_bytes(field)};
    for (uint32_t t = 0; t < p->count; ++t)
        memcpy(column + (size_t)t * item_bytes(field), item, item_bytes(field));
    return true;
}

// The table on top, for row t.
static bool parse_row(parse *p, uint32_t t) {
    lua_State *L = p->L;
    const ct_manager *manager = p->manager;
    bool has[CT_MAX_COLUMNS] = {false};
    if (lua_type(L, -1) != LUA_TTABLE) return fail_changed(L);
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        uint32_t input = input_of_key(L, manager, manager->store.multiple);
        if (input > manager->input_count) return false;
        if (input == manager->input_count) {
            if (!parse_id(p, &p->out->ids[t])) return false;
        } else {
            const ct_values *values = &p->out->values[input];
            if (values->items == NULL) return fail_changed(L);
            unsigned char *column = (unsigned char *)(uintptr_t)values->items;
            has[input] = true;
            if (!parse_item(p, &manager->inputs[input], column + (size_t)t * values->stride))
                return fail_field(L, manager->inputs[input].name);
        }
        lua_pop(L, 1);
    }
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        if (!manager->inputs[i].required || has[i]) continue;
        lua_pushfstring(L, "%s: required", manager->inputs[i].name);
        return false;
    }
    return true;
}

ct_bind_values *ct_bind_values_parse_tables(lua_State *L, int index, const ct_manager *manager,
                                            uint32_t count, uint32_t *place) {
    bool given[CT_MAX_COLUMNS];
    size_t room = 16;
    index = ct_bind_absindex(L, index);
    if (!survey(L, index, manager, count, given, &room, place)) return NULL;
    uint32_t ids = manager->store.multiple ? count : 0;
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        const ct_field *field = &manager->inputs[i];
        given[i] = given[i] || field->required;
        if (given[i]) room += padded((size_t)item_bytes(field) * count);
        if (given[i] && field->type == CT_FIELD_STRING)
            room += preset_text(manager, field).length + 1;
    }
    ct_bind_values *out = new_values(L, room, manager, count, ids);
    parse p = {L, manager, count, false, false, out, NULL, NULL};
    take_room(&p, room, ids);
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        if (given[i] && !fill_defaults(&p, i)) return NULL;
    }
    for (uint32_t t = 0; t < count; ++t) {
        *place = t + 1;
        lua_rawgeti(L, index, (int)t + 1);
        if (!parse_row(&p, t)) return NULL;
        lua_pop(L, 1);
    }
    return out;
}
