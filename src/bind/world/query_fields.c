// query:read and query:write: one field of all matches.
#include "bind/world/query.h"

#include "bind/manager/manager.h"
#include "bind/value/compiled.h"
#include "storage/manager_access.h"

#include <string.h>

uint32_t ct_bind_query_part(lua_State *L, int arg, int index, const ct_bind_query *q) {
    const char *path = ct_bind_check_name(L, arg, index), *dot = strchr(path, '.');
    if (dot == NULL)
        return (uint32_t)ct_bind_raise_arg(L, arg, "\"component.field\" expected, got '%s'", path);
    lua_pushlstring(L, path, (size_t)(dot - path));
    const char *name = lua_tostring(L, -1);
    ct_nearest nearest = ct_nearest_begin(name);
    for (uint32_t i = 0; i < q->matches.part_count; ++i) {
        const ct_manager *core = q->managers[i]->core;
        if (q->matches.roles[i] == CT_QUERY_EXCLUDED) continue;
        ct_nearest_offer(&nearest, core->name);
        if (strcmp(core->name, name) != 0) continue;
        lua_pushstring(L, dot + 1);
        lua_replace(L, index);
        lua_pop(L, 1);
        return i;
    }
    ct_bind_push_unknown(L, "component of the query", name, &nearest);
    ct_bind_arg_error(L, arg);
    CT_NEVER(0);
}

// Reads argument 2, "component.field". If 'lanes' is NULL, the field must be writable.
static uint32_t check_path(lua_State *L, const ct_bind_query *q, uint32_t *part, uint32_t *lanes) {
    *part = ct_bind_query_part(L, 2, 2, q);
    const ct_manager *core = q->managers[*part]->core;
    return lanes != NULL ? ct_bind_check_readable(L, 2, core, lanes)
                         : ct_bind_check_writable(L, 2, core);
}

// Returns the rows of a part, in the arena.
static const ct_row *parse_rows(const ct_bind_parse *g, const ct_query *matches, uint32_t part) {
    ct_row *rows = ct_bind_parse_take(g, (matches->count + 1) * sizeof *rows);
    for (uint32_t i = 0; i < matches->count; ++i)
        rows[i] = ct_query_row(matches, part, i);
    return rows;
}

// q:write("component.field", values) -> number of matches
int ct_bind_query_write(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    lua_settop(L, 3);
    uint32_t part, field = check_path(L, q, &part, NULL);
    const ct_bind_manager *manager = q->managers[part];
    const ct_query *matches = ct_bind_query_refresh(L, ct_bind_query_self(L));
    const ct_bind_parse g = ct_bind_parse_begin(L, manager->state);
    const ct_row *rows = parse_rows(&g, matches, part);
    return ct_bind_write_rows(L, &g, manager, field, matches->count, rows, 3);
}

// Reads a copy of all texts: creating a string may run a finalizer, which may change the matches.
static uint32_t read_texts(lua_State *L, ct_bind_query *q, uint32_t part, uint32_t field) {
    ct_text *texts = NULL;
    for (size_t room = 0, bytes;; room = bytes) {
        const ct_query *matches = ct_bind_query_refresh(L, ct_bind_query_self(L));
        bytes = ct_query_copy_texts(matches, part, field, texts, room);
        if (bytes <= room) break;
        texts = lua_newuserdata(L, bytes);
    }
    uint32_t number = q->matches.count;
    for (uint32_t i = 0; texts != NULL && i < number; ++i) {
        if (texts[i].bytes == NULL)
            lua_pushboolean(L, false);
        else
            lua_pushlstring(L, texts[i].bytes, texts[i].length);
        lua_rawseti(L, 3, (int)i + 1);
    }
    return number;
}

static uint32_t read_numbers(lua_State *L, uint32_t part, uint32_t field, uint32_t lanes) {
    const ct_query *matches = ct_bind_query_refresh(L, ct_bind_query_self(L));
    ct_manager *core = matches->managers[part];
    int place = 0;
    luaL_checkstack(L, (int)lanes + LUA_MINSTACK, "too many results");
    for (uint32_t i = 0; i < matches->count; ++i)
        ct_bind_read_row(L, 3, &place, core, field, lanes, ct_query_row(matches, part, i));
    return matches->count;
}

// ---------------------------------------------------------------- compiled methods

enum { OUT = 3, BUFFER = 3 };

// Returns the userdata at 'index', or a new one there, if it has room for numbers of all matches.
static double *make_room(lua_State *L, int index, uint32_t lanes) {
    for (;;) { // a finalizer may change the matches
        uint32_t count = ct_bind_query_refresh(L, ct_bind_query_self(L))->count;
        size_t bytes = (size_t)count * lanes * sizeof(double) + 1;
        double *room = lua_touserdata(L, index);
        if (room != NULL && ct_bind_rawlen(L, index) >= bytes) return room;
        lua_newuserdata(L, bytes);
        lua_replace(L, index);
    }
}

// read_packed(q, path, out, buffer or nil) -> out, number of matches, number of values, buffer with
// the values as doubles. Returns nothing if q:read must be called.
static int read_packed(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    lua_settop(L, OUT + 1);
    uint32_t part, lanes, field = check_path(L, q, &part, &lanes);
    if (ct_query_lanes(&q->matches, part, field) == 0) return 0;
    ct_bind_prepare_table(L, OUT, ct_bind_query_refresh(L, q)->count * lanes);
    double *numbers = make_room(L, OUT + 1, lanes);
    ct_query_read_numbers(&q->matches, part, field, numbers);
    ct_bind_push_whole(L, q->matches.count);
    lua_insert(L, OUT + 1);
    ct_bind_push_whole(L, q->matches.count * lanes);
    lua_insert(L, OUT + 2);
    return 4;
}

// packed_room(q, path, buffer or nil) -> number of values for all matches, buffer with room for
// them as doubles. Returns nothing if q:write must be called.
static int packed_room(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    lua_settop(L, BUFFER);
    uint32_t part, field = check_path(L, q, &part, NULL);
    uint32_t lanes = ct_query_lanes(&q->matches, part, field);
    if (lanes == 0) return 0;
    make_room(L, BUFFER, lanes);
    ct_bind_push_whole(L, q->matches.count * lanes);
    lua_insert(L, BUFFER);
    return 2;
}

// write_packed(q, path, buffer, number of values) -> number of matches. Returns nothing, with
// nothing written, if q:write must be called.
static int write_packed(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    uint32_t part, field = check_path(L, q, &part, NULL);
    const ct_query *matches = ct_bind_query_refresh(L, ct_bind_query_self(L));
    double number = (double)matches->count * ct_query_lanes(matches, part, field);
    if (number != lua_tonumber(L, BUFFER + 1)) return 0;
    if (!ct_query_write_numbers(matches, part, field, lua_touserdata(L, BUFFER))) return 0;
    return ct_bind_return_whole(L, matches->count);
}

void ct_bind_open_query_fields(lua_State *L) {
    static const luaL_Reg functions[] = {{"read_packed", read_packed},
                                         {"packed_room", packed_room},
                                         {"write_packed", write_packed},
                                         {NULL, NULL}};
    ct_bind_push_compiled(L);
    ct_bind_set_functions(L, functions);
    lua_pop(L, 1);
}

// q:read("component.field" [, out]) -> table, number of matches
int ct_bind_query_read(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    lua_settop(L, 3);
    uint32_t part, lanes, field = check_path(L, q, &part, &lanes);
    const ct_manager *core = q->managers[part]->core;
    ct_field_type type = field < core->field_count ? core->fields[field].type : CT_FIELD_FLOAT;
    if (type == CT_FIELD_VALUE)
        ct_bind_raise_arg(L, 2, "%s.%s is a value field", core->name, core->fields[field].name);
    ct_bind_prepare_table(L, 3, ct_bind_query_refresh(L, q)->count * lanes);
    bool texts = type == CT_FIELD_ENUM || ct_field_is_text(type);
    uint32_t number = texts ? read_texts(L, q, part, field) : read_numbers(L, part, field, lanes);
    lua_settop(L, 3);
    ct_bind_push_whole(L, number);
    return 2;
}
