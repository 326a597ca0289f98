// query:read and query:write: one field of all matches.
#include "bind/world/query.h"

#include "bind/manager/bulk.h"

#include <string.h>

// Reads argument 2, "component.field", which names a component of the query that is not excluded.
// If 'lanes' is NULL, the field must be writable.
static uint32_t check_path(lua_State *L, const ct_bind_query *q, uint32_t *part, uint32_t *lanes) {
    size_t length;
    const char *path = luaL_checklstring(L, 2, &length), *dot = strchr(path, '.');
    const char *names[CT_MAX_JOINED];
    uint32_t named = 0;
    if (dot == NULL)
        return (uint32_t)ct_bind_raise_arg(L, 2, "\"component.field\" expected, got '%s'", path);
    lua_pushlstring(L, path, (size_t)(dot - path));
    const char *name = lua_tostring(L, -1);
    for (uint32_t i = 0; i < q->matches.part_count; ++i) {
        const ct_manager *core = q->managers[i]->core;
        if (q->matches.parts[i].role == CT_QUERY_EXCLUDED) continue;
        names[named++] = core->name;
        if (strcmp(core->name, name) != 0) continue;
        *part = i;
        lua_pushstring(L, dot + 1);
        lua_replace(L, 2);
        return lanes != NULL ? ct_bind_check_readable(L, 2, core, lanes)
                             : ct_bind_check_writable(L, 2, core);
    }
    ct_bind_push_unknown(L, "component of the query", name, names, named);
    ct_bind_arg_error(L, 2);
    CT_NEVER(0);
}

// Returns the rows of a part, in the arena.
static const ct_row *gather_rows(const ct_bind_gather *g, const ct_matches *matches,
                                 uint32_t part) {
    ct_row *rows = ct_bind_gather_take(g, (matches->count + 1) * sizeof *rows);
    for (uint32_t i = 0; i < matches->count; ++i)
        rows[i] = ct_matches_row(matches, part, i);
    return rows;
}

// q:write("component.field", values) -> number of matches
int ct_bind_query_write(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    lua_settop(L, 3);
    uint32_t part, field = check_path(L, q, &part, NULL);
    lua_settop(L, 3);
    const ct_bind_manager *manager = q->managers[part];
    const ct_matches *matches = ct_bind_query_refresh(L, ct_bind_query_self(L));
    const ct_bind_gather g = ct_bind_gather_begin(L, manager->state);
    const ct_row *rows = gather_rows(&g, matches, part);
    return ct_bind_write_rows(L, &g, manager, field, matches->count, rows, 3);
}

// Returns the text of a string or enum field.
static ct_text text_of(ct_manager *manager, uint32_t number, ct_row row) {
    if (row.i == CT_NO_ROW) return (ct_text){NULL, 0};
    const ct_field *field = &manager->fields[number];
    const void *item = ct_manager_read(manager, number, row);
    if (field->type == CT_FIELD_ENUM) return field->labels[*(const uint8_t *)item];
    return ct_string_pool_text(manager->strings, *(const ct_string *)item);
}

// Head of each text in the copy of all texts.
typedef struct copied_text {
    size_t length;
    bool absent;
} copied_text;

static size_t text_bytes(const ct_matches *matches, uint32_t part, uint32_t field) {
    ct_manager *manager = matches->parts[part].manager;
    size_t bytes = matches->count * sizeof(copied_text);
    for (uint32_t i = 0; i < matches->count; ++i)
        bytes += text_of(manager, field, ct_matches_row(matches, part, i)).length;
    return bytes;
}

// Pushes a userdata with a copy of all texts: creating a string may run a finalizer, which may
// change the matches.
static const unsigned char *push_texts(lua_State *L, ct_bind_query *q, uint32_t part,
                                       uint32_t field) {
    ct_manager *manager = q->managers[part]->core;
    size_t room;
    unsigned char *copy;
    do {
        room = text_bytes(ct_bind_query_refresh(L, q), part, field);
        copy = lua_newuserdata(L, room + 1);
    } while (text_bytes(ct_bind_query_refresh(L, ct_bind_query_self(L)), part, field) > room);
    unsigned char *at = copy;
    for (uint32_t i = 0; i < q->matches.count; ++i) {
        ct_text text = text_of(manager, field, ct_matches_row(&q->matches, part, i));
        copied_text head = {text.length, text.bytes == NULL};
        memcpy(at, &head, sizeof head);
        if (text.bytes != NULL) memcpy(at + sizeof head, text.bytes, text.length);
        at += sizeof head + text.length;
    }
    return copy;
}

static uint32_t read_texts(lua_State *L, ct_bind_query *q, uint32_t part, uint32_t field) {
    const unsigned char *at = push_texts(L, q, part, field);
    uint32_t number = q->matches.count;
    for (uint32_t i = 0; i < number; ++i) {
        copied_text head;
        memcpy(&head, at, sizeof head);
        if (head.absent)
            lua_pushboolean(L, false);
        else
            lua_pushlstring(L, (const char *)at + sizeof head, head.length);
        lua_rawseti(L, 3, (int)i + 1);
        at += sizeof head + head.length;
    }
    return number;
}

static uint32_t read_numbers(lua_State *L, ct_bind_query *q, uint32_t part, uint32_t field,
                             uint32_t lanes) {
    const ct_matches *matches = ct_bind_query_refresh(L, ct_bind_query_self(L));
    int place = 0;
    luaL_checkstack(L, (int)lanes + LUA_MINSTACK, "too many results");
    for (uint32_t i = 0; i < matches->count; ++i)
        ct_bind_read_row(L, 3, &place, q->managers[part]->core, field, lanes,
                         ct_matches_row(matches, part, i));
    return matches->count;
}

// q:read("component.field" [, out]) -> table, number of matches
int ct_bind_query_read(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    lua_settop(L, 3);
    uint32_t part, lanes, field = check_path(L, q, &part, &lanes);
    lua_settop(L, 3);
    const ct_manager *core = q->managers[part]->core;
    ct_field_type type = field < core->field_count ? core->fields[field].type : CT_FIELD_FLOAT;
    if (type == CT_FIELD_VALUE)
        ct_bind_raise_arg(L, 2, "%s.%s is a value field", core->name, core->fields[field].name);
    ct_bind_prepare_table(L, 3, ct_bind_query_refresh(L, q)->count * lanes);
    bool texts = type == CT_FIELD_ENUM || ct_field_is_text(type);
    uint32_t number =
        texts ? read_texts(L, q, part, field) : read_numbers(L, q, part, field, lanes);
    lua_settop(L, 3);
    ct_bind_push_whole(L, number);
    return 2;
}
