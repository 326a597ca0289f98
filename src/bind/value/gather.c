// Tables of component values, gathered whole before anything is created.
// Knows nothing of rows, nor of what the values will be used for.
#include "bind/value/gather.h"

#include "base/message.h"
#include "bind/value/list.h"
#include "storage/manager_check.h"

#include <string.h>

// ---------------------------------------------------------------- the arena

static const char arena_key = 0;

static int collect_arena(lua_State *L) {
    ct_arena *arena = lua_touserdata(L, 1);
    ct_arena_reset(arena);
    arena->allocator = &ct_allocator_over; // finalizers that run later have what lies in the arena
    return 0;
}

void ct_bind_open_gather(lua_State *L) {
    lua_pushlightuserdata(L, (void *)&arena_key);
    ct_arena *arena = lua_newuserdata(L, sizeof *arena);
    ct_arena_init(arena, &ct_bind_state_of(L)->allocator);
    ct_bind_state_of(L)->arena = arena;
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, collect_arena);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
}

ct_bind_gather ct_bind_gather_begin(lua_State *L, const ct_bind_state *state) {
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    ct_arena_reset(state->arena);
    return (ct_bind_gather){L, state, state->arena, ct_bind_lua_allocations(state)};
}

void ct_bind_gather_end(const ct_bind_gather *g) {
    CT_ASSERT(g->allocations == ct_bind_lua_allocations(g->state));
    ct_arena_reset(g->arena);
}

// The same where a message was pushed. Returns false.
static bool fail(const ct_bind_gather *g) {
    ct_arena_reset(g->arena);
    return false;
}

void *ct_bind_gather_take(const ct_bind_gather *g, size_t bytes) {
    void *piece = ct_arena_take(g->arena, bytes);
    if (piece != NULL) return piece;
    fail(g);
    luaL_error(g->L, "not enough memory");
    return NULL;
}

// ---------------------------------------------------------------- keys

// One parse: which fields, for how many rows, and where the items go.
typedef struct parse {
    const ct_bind_gather *g;
    lua_State *L;
    const ct_manager *manager;
    uint32_t count;
    uint32_t row; // that one table is for, of many
    bool many;    // values may be given per row
    bool hosted;  // and so is what the host keeps
    ct_bind_values *out;
} parse;

// What a key means that is no input.
enum { KEY_ID = CT_MAX_COLUMNS + 1, KEY_HOSTED, KEY_UNKNOWN };

// What the key below the value on top means: the number of an input, or one of the above; with the
// message pushed if it is unknown.
static uint32_t meaning_of_key(const parse *p) {
    lua_State *L = p->L;
    const ct_manager *manager = p->manager;
    if (lua_type(L, -2) == LUA_TSTRING) {
        size_t length;
        ct_message message;
        const char *name = lua_tolstring(L, -2, &length);
        if (strlen(name) == length) {
            uint32_t i = ct_manager_find_input(manager, name);
            if (i < manager->input_count) return i;
            if (p->out->ids != NULL && strcmp(name, "id") == 0) return KEY_ID;
            if (p->hosted && strcmp(name, manager->type->hosted) == 0) return KEY_HOSTED;
            ct_field_find(manager->inputs, manager->input_count, name, &message);
            lua_pushstring(L, message.text);
        } else {
            lua_pushfstring(L, "unknown field '%s\\0...'", name);
        }
    } else if (lua_type(L, -2) == LUA_TNUMBER) {
        lua_pushfstring(L, "unknown field [%f] (values are given by name)", lua_tonumber(L, -2));
    } else {
        lua_pushfstring(L, "unknown field (a %s)", ct_bind_type_name(L, -2));
    }
    return KEY_UNKNOWN;
}

// Puts "NAME: " before the message on top.
static bool fail_field(lua_State *L, const char *name) {
    lua_pushfstring(L, "%s: %s", name, lua_tostring(L, -1));
    return false;
}

// The value on top as a component id.
static bool parse_id(const parse *p, ct_component_id *out) {
    static const ct_field text = {.name = "id", .type = CT_FIELD_STRING};
    lua_State *L = p->L;
    double number;
    CT_ASSERT(out != NULL); // there are ids to be had only where there is room for them
    memset(out, 0, sizeof *out);
    if (lua_type(L, -1) == LUA_TSTRING)
        return ct_bind_value_to_item(L, -1, &text, &out->text) || fail_field(L, "id");
    if (ct_bind_to_whole(L, -1, 1, 2147483647.0, &number)) {
        out->number = (uint32_t)number;
        return true;
    }
    lua_pushliteral(L, "id: expected a string or an integer in [1, 2147483647]");
    return false;
}

static ct_bind_values *new_values(const ct_bind_gather *g, const ct_manager *manager,
                                  uint32_t count, uint32_t ids) {
    ct_bind_values *out = ct_bind_gather_take(g, sizeof *out);
    size_t bytes = manager->input_count * sizeof *out->values;
    out->values = memset(ct_bind_gather_take(g, bytes), 0, bytes);
    out->ids = NULL;
    out->given = NULL;
    out->count = count;
    out->hosted = false;
    if (ids == 0) return out;
    out->ids = ct_bind_gather_take(g, ids * sizeof *out->ids);
    memset(out->ids, 0, ids * sizeof *out->ids);
    return out;
}

// ---------------------------------------------------------------- one table

// How the value on top stands for many rows; with the message pushed if it cannot.
static ct_spread spread_of(const parse *p, const ct_field *field) {
    lua_State *L = p->L;
    const ct_bind_list *list =
        field->type == CT_FIELD_ENTITY ? ct_bind_test_list(L, lua_gettop(L)) : NULL;
    bool tables = false;
    if (list == NULL) {
        if (lua_type(L, -1) != LUA_TTABLE) return CT_SPREAD_CONSTANT;
        lua_rawgeti(L, -1, 1);
        tables = lua_type(L, -1) == LUA_TTABLE;
        lua_pop(L, 1);
    }
    ct_message message;
    ct_spread spread =
        ct_field_spread(field->type, p->count, list != NULL ? list->count : ct_bind_rawlen(L, -1),
                        tables, &message);
    if (spread == CT_SPREAD_NONE) lua_pushstring(L, message.text);
    return spread;
}

static bool parse_flat(const parse *p, const ct_field *field, unsigned char *to) {
    const ct_field_info *info = ct_field_info_of(field->type);
    for (uint32_t i = 0; i < (uint32_t)info->lanes * p->count; ++i, to += info->lane_bytes) {
        lua_rawgeti(p->L, -1, (int)i + 1);
        if (lua_type(p->L, -1) != LUA_TNUMBER) {
            lua_pushfstring(p->L, "expected numbers, got %s at %d", ct_bind_type_name(p->L, -1),
                            (int)i + 1);
            return fail_field(p->L, field->name);
        }
        ct_scalar_store(info->lane, lua_tonumber(p->L, -1), to);
        lua_pop(p->L, 1);
    }
    return true;
}

static bool parse_each(const parse *p, const ct_field *field, unsigned char *to) {
    const ct_bind_list *list = ct_bind_test_list(p->L, lua_gettop(p->L));
    if (list != NULL) {
        memcpy(to, list->items, (size_t)p->count * sizeof *list->items);
        return true;
    }
    for (uint32_t i = 0; i < p->count; ++i, to += ct_field_value_bytes(field->type)) {
        lua_rawgeti(p->L, -1, (int)i + 1);
        if (!ct_bind_value_to_item(p->L, -1, field, to)) {
            lua_pushfstring(p->L, "%s[%d]: %s", field->name, (int)i + 1, lua_tostring(p->L, -1));
            return false;
        }
        lua_pop(p->L, 1);
    }
    return true;
}

// The column of an input, all defaults: some table gives it.
static unsigned char *column_of(const parse *p, uint32_t i) {
    const ct_field *field = &p->manager->inputs[i];
    const ct_values *values = &p->out->values[i];
    if (values->items != NULL) return (unsigned char *)(uintptr_t)values->items;
    unsigned char item[CT_MAX_ITEM_BYTES];
    uint32_t bytes = ct_field_value_bytes(field->type);
    ct_manager_input_default(p->manager, i, item);
    unsigned char *column = ct_bind_gather_take(p->g, (size_t)bytes * p->count);
    for (uint32_t t = 0; t < p->count; ++t)
        memcpy(column + (size_t)t * bytes, item, bytes);
    p->out->values[i] = (ct_values){column, bytes};
    return column;
}

// The value on top, for input i.
static bool parse_input(const parse *p, uint32_t i) {
    const ct_field *field = &p->manager->inputs[i];
    uint32_t bytes = ct_field_value_bytes(field->type);
    if (p->out->given != NULL) {
        unsigned char *item = column_of(p, i) + (size_t)p->row * bytes;
        CT_ASSERT(i < 64);
        p->out->given[p->row] |= (uint64_t)1 << i;
        return ct_bind_value_to_item(p->L, -1, field, item) || fail_field(p->L, field->name);
    }
    ct_spread how = p->many ? spread_of(p, field) : CT_SPREAD_CONSTANT;
    if (how == CT_SPREAD_NONE) return fail_field(p->L, field->name);
    unsigned char *to =
        ct_bind_gather_take(p->g, (size_t)bytes * (how == CT_SPREAD_CONSTANT ? 1 : p->count));
    p->out->values[i] = (ct_values){to, how == CT_SPREAD_CONSTANT ? 0 : bytes};
    if (how == CT_SPREAD_FLAT) return parse_flat(p, field, to);
    if (how == CT_SPREAD_EACH) return parse_each(p, field, to);
    return ct_bind_value_to_item(p->L, -1, field, to) || fail_field(p->L, field->name);
}

// The value on top, for the ids.
static bool parse_ids(const parse *p) {
    if (p->out->given != NULL) return parse_id(p, &p->out->ids[p->row]);
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

static bool parse_table(const parse *p, int index) {
    lua_pushnil(p->L);
    while (lua_next(p->L, index) != 0) {
        uint32_t key = meaning_of_key(p);
        if (key == KEY_UNKNOWN) return false;
        if (key < p->manager->input_count && !parse_input(p, key)) return false;
        if (key == KEY_ID && !parse_ids(p)) return false;
        if (key == KEY_HOSTED) p->out->hosted = true;
        lua_pop(p->L, 1);
    }
    return true;
}

ct_bind_values *ct_bind_gather_values(const ct_bind_gather *g, int index, const ct_manager *manager,
                                      ct_bind_form form, uint32_t count) {
    lua_State *L = g->L;
    bool ids = manager->store.multiple && form != CT_BIND_GIVEN;
    index = ct_bind_absindex(L, index);
    ct_bind_values *out = new_values(g, manager, count, ids ? count : 0);
    bool hosted = manager->type->hosted != NULL;
    const parse p = {g, L, manager, count, 0, form == CT_BIND_MANY, hosted, out};
    bool sound = true;
    if (lua_type(L, index) == LUA_TTABLE) {
        sound = parse_table(&p, index);
    } else if (!lua_isnoneornil(L, index)) {
        lua_pushfstring(L, "table of values expected, got %s", ct_bind_type_name(L, index));
        sound = false;
    }
    ct_message message;
    if (sound) {
        bool whole = form != CT_BIND_GIVEN;
        if (ct_manager_check_values(manager, out->values, count, whole, &message)) return out;
        lua_pushstring(L, message.text);
    }
    fail(g);
    return NULL;
}

// ---------------------------------------------------------------- many tables

// The table on top, for p->row.
static bool parse_row(const parse *p) {
    uint64_t *given = &p->out->given[p->row];
    *given = 0;
    if (lua_type(p->L, -1) != LUA_TTABLE) {
        lua_pushfstring(p->L, "expected a table, got %s", ct_bind_type_name(p->L, -1));
        return false;
    }
    if (!parse_table(p, lua_gettop(p->L))) return false;
    for (uint32_t i = 0; i < p->manager->input_count; ++i) {
        const ct_field *input = &p->manager->inputs[i];
        if (!input->required || (*given >> i & 1) != 0) continue;
        lua_pushfstring(p->L, "%s: required", input->name);
        return false;
    }
    return true;
}

ct_bind_values *ct_bind_gather_tables(const ct_bind_gather *g, int index, const ct_manager *manager,
                                      uint32_t count, uint32_t *place) {
    bool ids = manager->store.multiple;
    index = ct_bind_absindex(g->L, index);
    ct_bind_values *out = new_values(g, manager, count, ids ? count : 0);
    parse p = {g, g->L, manager, count, 0, false, false, out};
    out->given = ct_bind_gather_take(g, count * sizeof *out->given);
    for (; p.row < count; ++p.row) {
        *place = p.row + 1;
        lua_rawgeti(g->L, index, (int)*place);
        if (!parse_row(&p)) {
            fail(g);
            return NULL;
        }
        lua_pop(g->L, 1);
    }
    return out;
}
