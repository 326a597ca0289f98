// Parsing of tables of component values into the arena, completely before anything is created.
#include "bind/value/parse_values.h"

#include "base/message.h"
#include "bind/value/list.h"
#include "bind/value/lua_values.h"
#include "storage/manager_access.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- the arena

static const char arena_key = 0;

static int collect_arena(lua_State *L) {
    ct_arena *arena = lua_touserdata(L, 1);
    ct_arena_reset(arena);
    // Later finalizers may hold memory of the arena.
    arena->pieces.allocator = &ct_allocator_destroyed;
    return 0;
}

void ct_bind_open_parser(lua_State *L) {
    ct_arena *arena = lua_newuserdata(L, sizeof *arena);
    ct_arena_init(arena, &ct_bind_state_of(L)->allocator);
    ct_bind_state_of(L)->arena = arena;
    lua_createtable(L, 0, 1);
    ct_bind_add_finalizer(L, "__gc", collect_arena);
    lua_setmetatable(L, -2);
    ct_bind_register(L, &arena_key);
}

// Releases values of a parse that failed earlier.
static inline void release_held(lua_State *L, ct_bind_state *state) {
    ct_value_pool *pool = state->holding;
    if (CT_LIKELY(pool == NULL)) return;
    state->holding = NULL;
    ct_bind_forget_values(L, pool);
}

// Ends the parse without the check for allocations, because a message was allocated in Lua.
static void fail(const ct_bind_parse *g) {
    ct_arena_reset(g->arena);
    release_held(g->L, g->state);
}

ct_bind_parse ct_bind_parse_begin(lua_State *L, ct_bind_state *state) {
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    ct_arena_reset(state->arena);
    release_held(L, state);
    return (ct_bind_parse){L, state, state->arena, ct_bind_lua_allocations(state), CT_BIND_TO_POOL,
                           0};
}

void ct_bind_parse_end(const ct_bind_parse *g) {
    CT_ASSERT(g->allocations == ct_bind_lua_allocations(g->state));
    fail(g);
}

void *ct_bind_parse_take(const ct_bind_parse *g, size_t bytes) {
    void *piece = ct_arena_take(g->arena, bytes);
    if (piece != NULL) return piece;
    fail(g);
    luaL_error(g->L, "not enough memory");
    return NULL;
}

void *ct_bind_parse_more(const ct_bind_parse *g, void *items, uint32_t count, uint32_t *capacity,
                         size_t width) {
    if (count < *capacity) return items;
    *capacity = *capacity * 2 + 8;
    void *more = ct_bind_parse_take(g, *capacity * width);
    return count > 0 ? memcpy(more, items, count * width) : more;
}

// ---------------------------------------------------------------- keys

// State of one parse: the manager, the form, and the destination.
typedef struct parse {
    const ct_bind_parse *g;
    lua_State *L;
    const ct_manager *manager;
    ct_bind_form form;
    uint32_t count; // of out
    ct_bind_values *out;
} parse;

// Pushes the message that the key below the value on top is not a field.
static bool fail_key(const parse *p) {
    lua_State *L = p->L;
    size_t length;
    ct_message message;
    if (lua_type(L, -2) == LUA_TNUMBER)
        return ct_bind_refuse(L, "unknown field [%f] (values are given by name)",
                              lua_tonumber(L, -2));
    if (lua_type(L, -2) != LUA_TSTRING)
        return ct_bind_refuse(L, "unknown field (a %s)", ct_bind_type_name(L, -2));
    const char *key = lua_tolstring(L, -2, &length);
    if (strlen(key) != length) return ct_bind_refuse(L, "unknown field '%s\\0...'", key);
    ct_field_find(p->manager->inputs, ct_manager_all_inputs(p->manager), key, &message);
    return ct_bind_refuse(L, "%s", message.text);
}

// Adds "NAME: " before the message on top.
static bool fail_field(lua_State *L, const char *name) {
    return ct_bind_refuse(L, "%s: %s", name, lua_tostring(L, -1));
}

static const ct_field id_field = {.name = "id", .type = CT_FIELD_STRING};

// Reads the value on top as a component id.
static bool parse_id(lua_State *L, ct_component_id *out) {
    double number;
    if (lua_type(L, -1) == LUA_TSTRING)
        return ct_bind_value_to_item(L, -1, &id_field, &out->text) || fail_field(L, "id");
    if (!ct_bind_to_whole(L, -1, 1, CT_LAST_GIVEN_NUMBER, &number))
        return ct_bind_refuse(L, "id: expected a string or an integer in [1, %d]",
                              (int)CT_LAST_GIVEN_NUMBER);
    out->number = (uint32_t)number;
    return true;
}

// ---------------------------------------------------------------- values

// Returns how the value on top applies to the components. Pushes the message if it is invalid.
static ct_spread spread_of(const parse *p, const ct_field *field) {
    lua_State *L = p->L;
    bool copies = p->form == CT_BIND_COPIES, planar = copies && field->planar, tables = false;
    if ((field->type != CT_FIELD_VALUE || p->form == CT_BIND_MANY) && ct_bind_has_index(L, -1)) {
        ct_bind_refuse_index(L);
        fail_field(L, field->name);
        return CT_SPREAD_NONE;
    }
    if (copies ? field->type == CT_FIELD_VALUE : p->form != CT_BIND_MANY) return CT_SPREAD_CONSTANT;
    const ct_bind_list *list =
        field->type == CT_FIELD_ENTITY ? ct_bind_test_list(L, lua_gettop(L)) : NULL;
    if (list == NULL) {
        if (!ct_bind_is_array(L, -1, field)) return CT_SPREAD_CONSTANT;
        lua_rawgeti(L, -1, 1);
        tables = lua_type(L, -1) == LUA_TTABLE;
        lua_pop(L, 1);
    }
    ct_message message;
    uint32_t length = list != NULL ? list->count : ct_bind_rawlen(L, -1);
    if (!tables && (field->cells || (planar && length == 2))) return CT_SPREAD_CONSTANT;
    ct_spread spread = ct_field_spread(field->type, p->out->count, length, tables, &message);
    if (spread == CT_SPREAD_NONE) lua_pushfstring(L, "%s: %s", field->name, message.text);
    return spread;
}

// Stores a text with a # before it: the digits of a number, or a text that begins with #.
static bool mark_text(const parse *p, const char *bytes, size_t length, void *item) {
    char *marked = ct_bind_parse_take(p->g, length + 1);
    const ct_text text = {marked, (uint32_t)length + 1};
    marked[0] = '#';
    memcpy(marked + 1, bytes, length);
    memcpy(item, &text, sizeof text);
    return true;
}

// Reads the value on top for a numbered field.
static bool parse_numbered(const parse *p, const ct_field *field, void *item) {
    lua_State *L = p->L;
    double number;
    if (ct_bind_to_whole(L, -1, 1, CT_LAST_GIVEN_NUMBER, &number)) {
        char digits[16] = "";
        int length = snprintf(digits, sizeof digits, "%u", (unsigned)number);
        return mark_text(p, digits, (size_t)length, item);
    }
    ct_text text = ct_bind_to_text(L, -1);
    if (lua_type(L, -1) != LUA_TSTRING)
        return ct_bind_refuse(L, "expected a name or an integer from 1 on, got %s",
                              ct_bind_type_name(L, -1));
    if (text.length > 0 && text.bytes != NULL && text.bytes[0] == '#')
        return mark_text(p, text.bytes, text.length, item);
    return ct_bind_value_to_item(L, -1, field, item);
}

// Reads the value on top for a value field.
static bool parse_kept(const parse *p, ct_text *to) {
    lua_State *L = p->L;
    ct_bind_state *state = p->g->state;
    uint64_t allocations = ct_bind_lua_allocations(state);
    // If one value per component is allowed, false stands for nil, which would be a hole in the
    // array.
    bool none = p->form == CT_BIND_MANY && lua_isboolean(L, -1) && !lua_toboolean(L, -1);
    *to = (ct_text){NULL, 0};
    if (p->g->sink == CT_BIND_TO_BYTES) return ct_bind_value_to_bytes(L, state, -1, to);
    if (p->g->sink == CT_BIND_TO_POOL) {
        ct_bind_hold_value(L, state, p->manager->values, lua_gettop(L) + none, to);
        return true;
    }
    to->length = ct_bind_rawlen(L, p->g->table) + 1;
    ct_bind_copy_item(L, p->g->table, (int)to->length, -1);
    ct_bind_uncount(state, allocations);
    return true;
}

static inline bool parse_value(const parse *p, const ct_field *field, void *item) {
    if (CT_UNLIKELY(field->type == CT_FIELD_VALUE)) return parse_kept(p, item);
    if (CT_UNLIKELY(field->numbered)) return parse_numbered(p, field, item);
    if (CT_UNLIKELY(field->cells)) return ct_bind_value_to_cells(p->L, -1, p->g->arena, item);
    return ct_bind_value_to_item(p->L, -1, field, item);
}

static bool parse_flat(const parse *p, const ct_field *field, unsigned char *to) {
    const ct_field_info *info = ct_field_info_of(field->type);
    lua_State *L = p->L;
    int table = lua_gettop(L);
    for (uint32_t i = 0; i < info->lanes * p->out->count; ++i, to += info->lane_bytes) {
        if (i % 8 == 0) lua_settop(L, table); // not in each iteration
        lua_rawgeti(L, table, (int)i + 1);
        if (lua_type(L, -1) != LUA_TNUMBER)
            return ct_bind_refuse(L, "%s: expected numbers, got %s at %d", field->name,
                                  ct_bind_type_name(L, -1), (int)i + 1);
        ct_scalar_store(info->lane, lua_tonumber(L, -1), to);
    }
    lua_settop(L, table);
    return true;
}

static bool parse_each(const parse *p, const ct_field *field, unsigned char *to) {
    const ct_bind_list *list = ct_bind_test_list(p->L, lua_gettop(p->L));
    if (list != NULL) {
        memcpy(to, list->items, (size_t)p->out->count * sizeof *list->items);
        return true;
    }
    for (uint32_t i = 0; i < p->out->count; ++i, to += ct_field_value_bytes(field->type)) {
        lua_rawgeti(p->L, -1, (int)i + 1);
        if (field->type == CT_FIELD_FLOAT && lua_type(p->L, -1) == LUA_TNUMBER)
            ct_scalar_store(CT_SCALAR_FLOAT, lua_tonumber(p->L, -1), to);
        else if (!parse_value(p, field, to))
            return ct_bind_refuse(p->L, "%s[%d]: %s", field->name, (int)i + 1,
                                  lua_tostring(p->L, -1));
        lua_pop(p->L, 1);
    }
    return true;
}

// Reads the value on top for a field.
static bool parse_field(const parse *p, const ct_field *field, ct_values *out) {
    uint32_t bytes = ct_field_value_bytes(field->type);
    ct_spread how = spread_of(p, field);
    if (how == CT_SPREAD_NONE) return false;
    if (how == CT_SPREAD_CONSTANT) {
        void *item = ct_bind_parse_take(p->g, bytes);
        *out = (ct_values){item, 0};
        return parse_value(p, field, item) || fail_field(p->L, field->name);
    }
    void *items = ct_bind_parse_take(p->g, (size_t)bytes * p->out->count);
    *out = (ct_values){items, bytes};
    if (how == CT_SPREAD_FLAT) return parse_flat(p, field, items);
    ct_field whole = *field; // create_many and write_many take all numbers of a vector
    whole.planar = field->planar && p->form == CT_BIND_COPIES;
    return parse_each(p, &whole, items);
}

// Reads the value on top for the ids.
static bool parse_ids(const parse *p) {
    ct_spread how = spread_of(p, &id_field);
    if (how == CT_SPREAD_NONE) return false;
    for (uint32_t i = 0; i < p->out->count; ++i) {
        if (how == CT_SPREAD_EACH)
            lua_rawgeti(p->L, -1, (int)i + 1);
        else
            lua_pushvalue(p->L, -1);
        if (!parse_id(p->L, &p->out->ids[i])) return false;
        lua_pop(p->L, 1);
    }
    return true;
}

// Reads the key below the value on top, and the value.
static bool parse_pair(const parse *p) {
    size_t length;
    const ct_manager *manager = p->manager;
    const char *name = lua_type(p->L, -2) == LUA_TSTRING ? lua_tolstring(p->L, -2, &length) : NULL;
    if (name == NULL || strlen(name) != length) return fail_key(p);
    uint32_t i = ct_manager_find_input(manager, name);
    if (i < ct_manager_all_inputs(manager))
        return parse_field(p, &manager->inputs[i], &p->out->values[i]);
    if (p->out->ids != NULL && strcmp(name, "id") == 0) return parse_ids(p);
    bool hosts = manager->shape->hosted != NULL && p->form != CT_BIND_SOURCE;
    if (!hosts || strcmp(name, manager->shape->hosted) != 0) return fail_key(p);
    p->out->hosted = true;
    return true;
}

static bool parse_table(const parse *p, int index) {
    if (lua_type(p->L, index) != LUA_TTABLE) {
        if (lua_isnoneornil(p->L, index)) return true;
        return ct_bind_refuse(p->L, "table of values expected, got %s",
                              ct_bind_type_name(p->L, index));
    }
    if (ct_bind_has_index(p->L, index)) return ct_bind_refuse_index(p->L);
    for (lua_pushnil(p->L); lua_next(p->L, index) != 0; lua_pop(p->L, 1))
        if (!parse_pair(p)) return false;
    return true;
}

static bool check_values(const parse *p) {
    ct_message message;
    bool ok = p->form == CT_BIND_SOURCE
                  ? ct_manager_check_required(p->manager, p->out->values, &message)
                  : ct_manager_check_values(p->manager, p->out->values, p->out->count,
                                            p->form != CT_BIND_GIVEN, &message);
    return ok || ct_bind_refuse(p->L, "%s", message.text);
}

static ct_bind_values *begin_values(const ct_bind_parse *g, const ct_manager *manager,
                                    ct_bind_form form, uint32_t count) {
    bool ids = manager->store.multiple && form != CT_BIND_GIVEN;
    size_t value_bytes = ct_manager_all_inputs(manager) * sizeof(ct_values);
    size_t id_bytes = ids ? count * sizeof(ct_component_id) : 0;
    ct_bind_values *out = ct_bind_parse_take(g, sizeof *out + value_bytes);
    *out = (ct_bind_values){.values = memset(out + 1, 0, value_bytes), .count = count};
    if (ids) out->ids = memset(ct_bind_parse_take(g, id_bytes), 0, id_bytes);
    return out;
}

// Checks the key below the value on top, and the value, alone. Returns false with the message on
// top if they are invalid; otherwise the stack is unchanged.
static bool is_right(const parse *failed) {
    ct_bind_parse g = ct_bind_parse_begin(failed->L, failed->g->state);
    g.sink = failed->g->sink;
    g.table = failed->g->table;
    parse p = *failed;
    p.g = &g;
    p.out = begin_values(&g, p.manager, p.form, p.count);
    if (!parse_pair(&p)) {
        fail(&g);
        return false;
    }
    ct_bind_parse_end(&g);
    return true;
}

// Replaces the message on top by the error of the first invalid field in declaration order, or of
// the first invalid other key by name: the order of keys in a table depends on how it was built.
// Keeps the message if no error is found any more or the manager has ended, because finalizers ran.
static void fail_in_order(const parse *p, int index) {
    lua_State *L = p->L;
    int top = lua_gettop(L);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    for (uint32_t i = 0; i < ct_manager_all_inputs(p->manager); ++i) {
        lua_pushstring(L, p->manager->inputs[i].name);
        ct_bind_push_raw(L, index, -1);
        bool destroyed = p->manager->store.allocator == &ct_allocator_destroyed;
        if (!destroyed && !lua_isnil(L, -1) && !is_right(p)) return;
        lua_settop(L, top);
        if (destroyed) return;
    }
    lua_pushnil(L);
    while (ct_bind_next_name(L, index, top + 1))
        if (!is_right(p)) return;
    lua_settop(L, top);
}

ct_bind_values *ct_bind_parse_values(const ct_bind_parse *g, int index, const ct_manager *manager,
                                     ct_bind_form form, uint32_t count) {
    index = ct_bind_absindex(g->L, index);
    ct_bind_values *out = begin_values(g, manager, form, count);
    const parse p = {g, g->L, manager, form, count, out};
    bool read = parse_table(&p, index);
    if (read && (manager->unchecked || check_values(&p))) return out;
    fail(g);
    if (!read && lua_type(g->L, index) == LUA_TTABLE && !ct_bind_has_index(g->L, index))
        fail_in_order(&p, index);
    return NULL;
}

bool ct_bind_parse_field(const ct_bind_parse *g, int index, const ct_manager *manager,
                         const ct_field *field, uint32_t count, ct_values *out) {
    ct_bind_values form = {.count = count};
    const parse p = {g, g->L, manager, CT_BIND_MANY, count, &form};
    lua_pushvalue(g->L, index);
    bool ok = parse_field(&p, field, out);
    if (ok)
        lua_pop(g->L, 1);
    else
        fail(g);
    return ok;
}
