// world:query: operations on all entities that have several components.
#include "bind/manager/bulk.h"
#include "bind/manager/loops.h"
#include "bind/value/list.h"
#include "bind/world/world.h"
#include "storage/matches.h"

#include <string.h>

// The environment table of a Query keeps
//     world      the world object
//     1, 2 ...   the manager objects
//     -1, -2 ... loops, which are used again
typedef struct query {
    ct_bind_header header;
    ct_bind_world *world;
    ct_matches matches;
    const ct_bind_manager *managers[CT_MAX_JOINED];
} query;

static const ct_bind_kind query_class = {"Query"};

enum { WORLD = 1, QUERY = 1 };

// ---------------------------------------------------------------- making one

// The query on top, whose managers are at 2 ..., keeps their blocks, and through these the world's.
static void keep_managers(lua_State *L, uint32_t count) {
    int object = lua_gettop(L);
    lua_createtable(L, (int)count, 1);
    lua_pushvalue(L, WORLD);
    lua_setfield(L, -2, "world");
    lua_createtable(L, (int)count, 0);
    for (int i = 1; i <= (int)count; ++i) {
        lua_pushvalue(L, i + 1);
        lua_rawseti(L, object + 1, i);
        ct_bind_push_block(L, i + 1);
        lua_rawseti(L, object + 2, i);
    }
    ct_bind_keep(L, object);
    ct_bind_set_owned(L, object);
}

// world:query(manager or name, ...) -> Query
static int new_query(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    ct_query_role roles[CT_MAX_JOINED];
    ct_manager *cores[CT_MAX_JOINED];
    uint32_t count = ct_bind_check_parts(L, roles);
    query *q = ct_bind_object_new(L, &query_class, sizeof *q);
    keep_managers(L, count);
    for (uint32_t i = 0; i < count; ++i) {
        q->managers[i] = ct_bind_object_at(L, (int)i + 2);
        if (q->managers[i]->over != NULL) ct_bind_raise_over(L, q->managers[i]); // by a finalizer
        cores[i] = q->managers[i]->core;
    }
    q->world = world;
    ct_matches_init(&q->matches, &world->state->allocator, count, cores, roles);
    ct_matches_link(&q->matches, &world->core.queries);
    return 1;
}

// The block of the world is kept, also if the world is destroyed.
static int collect(lua_State *L) {
    query *q = ct_bind_self(L, &query_class);
    ct_matches_trim(&q->matches);
    ct_matches_unlink(&q->matches);
    return 0;
}

// self of a method; raises if a manager has ended, and in callbacks of a restore.
static query *self(lua_State *L) {
    query *q = ct_bind_self(L, &query_class);
    for (uint32_t i = 0; i < q->matches.part_count; ++i) {
        if (CT_UNLIKELY(q->managers[i]->over != NULL)) ct_bind_raise_over(L, q->managers[i]);
    }
    if (CT_UNLIKELY(q->matches.link == NULL)) luaL_error(L, "Query was collected");
    ct_bind_check_thawed(L, &q->world->entities->core);
    return q;
}

static ct_matches *update(lua_State *L, query *q) {
    ct_status status = ct_matches_update(&q->matches);
    if (CT_UNLIKELY(status != CT_OK)) ct_bind_raise_status(L, status, "query", 0, "");
    return &q->matches;
}

// Pushes a userdata with the entities of all matches, each once.
static const ct_entity *push_entities(lua_State *L, query *q, uint32_t *count) {
    uint32_t room;
    ct_entity *entities;
    do { // a finalizer may have changed the matches
        room = update(L, q)->count;
        entities = lua_newuserdata(L, (size_t)room * sizeof *entities + 1);
    } while (update(L, self(L))->count > room);
    *count = ct_matches_entities(&q->matches, entities);
    return entities;
}

// ---------------------------------------------------------------- loops

// Loops that a query keeps for later use. A program that leaves loops by break may have more.
enum { KEPT_LOOPS = 16 };

// Pushes a new loop over the managers, which the table on top of the stack has.
static ct_bind_loop *push_new_loop(lua_State *L, const query *q, int kept) {
    int first = lua_gettop(L) + 1;
    luaL_checkstack(L, CT_MAX_JOINED + LUA_MINSTACK, "too many managers");
    for (uint32_t i = 0; i < q->matches.part_count; ++i) {
        lua_rawgeti(L, kept, (int)i + 1);
        if (ct_bind_test_handle(L, -1, &ct_bind_manager_kind) != q->managers[i])
            ct_bind_raise_replaced(L);
    }
    ct_bind_loop *loop = ct_bind_loop_new(L, first, q->matches.part_count);
    lua_replace(L, first);
    lua_settop(L, first);
    return loop;
}

// Pushes the first of the kept loops that is closed; returns NULL, and how many there are, if all
// are open.
static ct_bind_loop *push_closed_loop(lua_State *L, int kept, int *count) {
    ct_bind_loop *loop;
    for (*count = 0;; ++*count) {
        lua_rawgeti(L, kept, -1 - *count);
        loop = ct_bind_test_loop(L, -1);
        if (loop == NULL || !ct_bind_loop_is_open(loop)) break;
        lua_pop(L, 1);
    }
    if (loop == NULL) lua_pop(L, 1);
    return loop;
}

// Pushes a loop that no step follows.
static ct_bind_loop *push_free_loop(lua_State *L, const query *q, int kept) {
    int count;
    ct_bind_loop *loop = push_closed_loop(L, kept, &count);
    if (loop == NULL && count >= KEPT_LOOPS) {
        for (int i = 1; i <= count; ++i) {
            lua_rawgeti(L, kept, -i);
            ct_bind_loop_close_lost(L, ct_bind_test_loop(L, -1));
            lua_pop(L, 1);
        }
        loop = push_closed_loop(L, kept, &count);
    }
    if (loop != NULL) return loop;
    loop = push_new_loop(L, q, kept);
    if (count >= KEPT_LOOPS) return loop;
    lua_pushvalue(L, -1);
    lua_rawseti(L, kept, -1 - count);
    return loop;
}

static int push_loop(lua_State *L, ct_bind_loop_kind kind) {
    const query *q = self(L);
    ct_query_role roles[CT_MAX_JOINED];
    for (uint32_t i = 0; i < q->matches.part_count; ++i)
        roles[i] = q->matches.parts[i].role;
    lua_settop(L, QUERY);
    ct_bind_push_owned(L, QUERY);
    if (!lua_istable(L, QUERY + 1)) ct_bind_raise_replaced(L);
    ct_bind_push_step(L);
    ct_bind_loop *loop = push_free_loop(L, q, QUERY + 1);
    ct_bind_loop_begin(L, loop, q->matches.part_count, roles, kind);
    return 2;
}

// q:each() -> iterator of entity, instance1, instance2, ...
static int each(lua_State *L) { return push_loop(L, CT_BIND_LOOP_INSTANCES); }

// q:rows() -> iterator of row1, row2, ...
static int rows(lua_State *L) { return push_loop(L, CT_BIND_LOOP_ROWS); }

// q:items() -> iterator of item1, item2, ...
static int items(lua_State *L) { return push_loop(L, CT_BIND_LOOP_ITEMS); }

// ---------------------------------------------------------------- entities

// q:count() -> number of matches
static int count(lua_State *L) { return ct_bind_return_whole(L, update(L, self(L))->count); }

// q:first() -> entity or nil
static int first(lua_State *L) {
    const ct_matches *matches = update(L, self(L));
    if (matches->count == 0) return ct_bind_return_nil(L);
    return ct_bind_return_entity(L, ct_matches_entity(matches, 0));
}

// q:list([out]) -> cuttle.list
static int list(lua_State *L) {
    query *q = self(L);
    uint32_t number;
    lua_settop(L, 2);
    ct_bind_list *out = ct_bind_test_list(L, 2);
    if (out == NULL && !lua_isnil(L, 2))
        ct_bind_raise_arg(L, 2, "cuttle.list expected, got %s", ct_bind_type_name(L, 2));
    if (out == NULL) {
        out = ct_bind_list_new(L);
        lua_replace(L, 2);
    }
    const ct_entity *entities = push_entities(L, q, &number);
    ct_bind_list_fill(L, out, number, entities);
    lua_settop(L, 2);
    return 1;
}

// q:entities([out]) -> table
static int entities(lua_State *L) {
    query *q = self(L);
    uint32_t number;
    lua_settop(L, 2);
    ct_bind_prepare_table(L, 2, update(L, q)->count);
    const ct_entity *found = push_entities(L, q, &number);
    for (uint32_t i = 0; i < number; ++i) {
        ct_bind_push_entity(L, found[i]);
        lua_rawseti(L, 2, (int)i + 1);
    }
    lua_settop(L, 2);
    return 1;
}

// ---------------------------------------------------------------- fields

// Argument 2, "component.field", of a component of the query that is not excluded. Without 'lanes'
// it is written.
static uint32_t check_path(lua_State *L, const query *q, uint32_t *part, uint32_t *lanes) {
    size_t length;
    const char *path = luaL_checklstring(L, 2, &length), *dot = strchr(path, '.');
    const char *names[CT_MAX_JOINED];
    uint32_t named = 0;
    if (dot == NULL) ct_bind_raise_arg(L, 2, "\"component.field\" expected, got '%s'", path);
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
}

// The rows of a part, in the arena.
static const ct_row *gather_rows(const ct_bind_gather *g, const ct_matches *matches,
                                 uint32_t part) {
    ct_row *rows = ct_bind_gather_take(g, (matches->count + 1) * sizeof *rows);
    for (uint32_t i = 0; i < matches->count; ++i)
        rows[i] = ct_matches_row(matches, part, i);
    return rows;
}

// q:write("component.field", values) -> number of matches
static int write(lua_State *L) {
    query *q = self(L);
    lua_settop(L, 3);
    uint32_t part, field = check_path(L, q, &part, NULL);
    lua_settop(L, 3);
    const ct_bind_manager *manager = q->managers[part];
    const ct_matches *matches = update(L, self(L));
    const ct_bind_gather g = ct_bind_gather_begin(L, manager->state);
    const ct_row *rows = gather_rows(&g, matches, part);
    return ct_bind_write_rows(L, &g, manager, field, matches->count, rows, 3);
}

// The text of a string or an enum field.
static ct_text text_of(ct_manager *manager, uint32_t number, ct_row row) {
    if (row.i == CT_NO_ROW) return (ct_text){NULL, 0};
    const ct_field *field = &manager->fields[number];
    const void *item = ct_manager_read(manager, number, row);
    if (field->type == CT_FIELD_ENUM) return field->labels[*(const uint8_t *)item];
    return ct_string_pool_text(manager->strings, *(const ct_string *)item);
}

// What precedes each text in the copy of all.
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
static const unsigned char *push_texts(lua_State *L, query *q, uint32_t part, uint32_t field) {
    ct_manager *manager = q->managers[part]->core;
    size_t room;
    unsigned char *copy;
    do {
        room = text_bytes(update(L, q), part, field);
        copy = lua_newuserdata(L, room + 1);
    } while (text_bytes(update(L, self(L)), part, field) > room);
    unsigned char *at = copy;
    for (uint32_t i = 0; i < q->matches.count; ++i) {
        ct_text text = text_of(manager, field, ct_matches_row(&q->matches, part, i));
        copied_text head = {text.length, text.bytes == NULL};
        memcpy(at, &head, sizeof head);
        if (text.length > 0) memcpy(at + sizeof head, text.bytes, text.length);
        at += sizeof head + text.length;
    }
    return copy;
}

static uint32_t read_texts(lua_State *L, query *q, uint32_t part, uint32_t field) {
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

static uint32_t read_numbers(lua_State *L, query *q, uint32_t part, uint32_t field,
                             uint32_t lanes) {
    const ct_matches *matches = update(L, self(L));
    int place = 0;
    luaL_checkstack(L, (int)lanes + LUA_MINSTACK, "too many results");
    for (uint32_t i = 0; i < matches->count; ++i)
        ct_bind_read_row(L, 3, &place, q->managers[part]->core, field, lanes,
                         ct_matches_row(matches, part, i));
    return matches->count;
}

// q:read("component.field" [, out]) -> table, number of matches
static int read(lua_State *L) {
    query *q = self(L);
    lua_settop(L, 3);
    uint32_t part, lanes, field = check_path(L, q, &part, &lanes);
    lua_settop(L, 3);
    const ct_manager *core = q->managers[part]->core;
    ct_field_type type = field < core->field_count ? core->fields[field].type : CT_FIELD_FLOAT;
    if (type == CT_FIELD_VALUE)
        ct_bind_raise_arg(L, 2, "%s.%s is a value field", core->name, core->fields[field].name);
    ct_bind_prepare_table(L, 3, update(L, q)->count * lanes);
    bool texts = type == CT_FIELD_ENUM || ct_field_is_text(type);
    uint32_t number =
        texts ? read_texts(L, q, part, field) : read_numbers(L, q, part, field, lanes);
    lua_settop(L, 3);
    ct_bind_push_whole(L, number);
    return 2;
}

// ---------------------------------------------------------------- components and entities

// Pushes the world of the query, and the manager that argument 2 names or is.
static ct_bind_manager *check_manager(lua_State *L, const query *q) {
    ct_bind_push_own_handle(L, QUERY, "world", &ct_bind_world_kind, q->world);
    ct_bind_push_named_manager(L, lua_gettop(L), 2);
    return ct_bind_object_at(L, -1);
}

// q:create(name [, values]) -> number of components
static int create(lua_State *L) {
    query *q = self(L);
    uint32_t number;
    lua_settop(L, 3);
    ct_bind_check_open(L, &q->world->core);
    ct_bind_manager *manager = check_manager(L, q);
    const ct_entity *owners = push_entities(L, q, &number);
    ct_bind_create_for(L, manager, number, owners);
    return ct_bind_return_whole(L, number);
}

// q:remove(name) -> number of components
static int remove_all(lua_State *L) {
    query *q = self(L);
    uint32_t number;
    lua_settop(L, 2);
    ct_bind_manager *manager = check_manager(L, q);
    const ct_entity *owners = push_entities(L, q, &number);
    return ct_bind_return_whole(L, ct_bind_destroy_all(L, manager, number, owners));
}

// q:destroy() -> number of entities
static int destroy(lua_State *L) {
    query *q = self(L);
    uint32_t number;
    ct_bind_push_own_handle(L, QUERY, "world", &ct_bind_world_kind, q->world);
    ct_bind_push_world_entities(L, lua_gettop(L));
    int manager = lua_gettop(L);
    const ct_entity *found = push_entities(L, q, &number);
    return ct_bind_return_whole(L, ct_bind_destroy_entities(L, manager, number, found));
}

static int tostring(lua_State *L) {
    static const char *const marks[] = {
        [CT_QUERY_REQUIRED] = "", [CT_QUERY_EXCLUDED] = "!", [CT_QUERY_OPTIONAL] = "?"};
    const query *q = ct_bind_self(L, &query_class);
    lua_pushliteral(L, "Query (");
    for (uint32_t i = 0; i < q->matches.part_count; ++i) {
        lua_pushfstring(L, "%s%s%s%s", lua_tostring(L, -1), i > 0 ? ", " : "",
                        marks[q->matches.parts[i].role], q->managers[i]->core->name);
        lua_replace(L, -2);
    }
    lua_pushliteral(L, ")");
    lua_concat(L, 2);
    return 1;
}

const luaL_Reg ct_bind_query_methods[] = {{"query", new_query}, {NULL, NULL}};

void ct_bind_open_queries(lua_State *L) {
    static const luaL_Reg methods[] = {
        {"each", each},   {"rows", rows},     {"items", items},       {"count", count},
        {"first", first}, {"list", list},     {"entities", entities}, {"read", read},
        {"write", write}, {"create", create}, {"remove", remove_all}, {"destroy", destroy},
        {NULL, NULL}};
    ct_bind_class_new(L, &query_class, methods, collect, tostring);
}
