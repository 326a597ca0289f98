// A plugin for specs: it records its callbacks, and its methods call functions of the API. Longer
// than 400 lines: one plugin.
#include <lauxlib.h>
#include <lua.h>

#include "cuttle.h"

#include <stdlib.h>

#if LUA_VERSION_NUM > 501
#undef lua_objlen // a compatibility macro of Lua 5.5 has this name
#define lua_objlen lua_rawlen
#define luaL_register(L, name, functions) luaL_setfuncs(L, functions, 0)
#endif

enum { FIELD_TEXT, FIELD_NUMBER, FIELD_FRIEND, FIELD_PLACE, FIELD_COUNT };

static const ct_api *api;
static const ct_component probe;

// ---------------------------------------------------------------- recorded events

static char story[8192];
static size_t length;
static lua_Number refused = -1; // accepted creations before one is refused

static void log_text(const char *text) {
    size_t more = strlen(text);
    if (length + more >= sizeof story) return;
    memcpy(story + length, text, more + 1);
    length += more;
}

static void log_number(uint32_t number) {
    char text[12];
    size_t at = sizeof text - 1;
    text[at] = '\0';
    do
        text[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    log_text(" ");
    log_text(text + at);
}

static void log_event(const char *event, const uint32_t *numbers, uint32_t count) {
    log_text(length > 0 ? ", " : "");
    log_text(event);
    for (uint32_t i = 0; i < count; ++i)
        log_number(numbers[i]);
}

// probe.story() -> the events since the last call
static int take_story(lua_State *L) {
    lua_pushlstring(L, story, length);
    length = 0;
    return 1;
}

// probe.refuse(n): accepts n creations, then refuses one; below 0: refuses none
static int refuse(lua_State *L) {
    refused = luaL_checknumber(L, 1);
    return 0;
}

static bool accepts(void) { return !(refused >= 0 && refused-- == 0); }

typedef struct own {
    uint32_t token;
    uint32_t rows;
    bool broken;
} own;

static void died(void *user, void *context, ct_entity e) {
    (void)user, (void)context;
    const uint32_t numbers[] = {ct_entity_index(e)};
    log_event("died", numbers, 1);
}

static bool opened(void *block, ct_manager *manager) {
    own *o = block;
    if (!accepts()) return false;
    log_event("opened", NULL, 0);
    return api->listen(api->entities(manager), died, o, &o->token) == CT_OK;
}

static void closed(void *block, ct_manager *manager) {
    const own *o = block;
    log_event("closed", &o->rows, 1);
    api->unlisten(api->entities(manager), o->token);
}

static bool created(void *block, ct_manager *manager, ct_row first, uint32_t count) {
    own *o = block;
    const uint32_t numbers[] = {first.i, count};
    if (!accepts()) return false;
    log_event("created", numbers, 2);
    for (uint32_t i = 0; i < count; ++i)
        log_text(api->text(manager, FIELD_TEXT, (ct_row){first.i + i}).bytes);
    o->rows += count;
    return true;
}

static void removing(void *block, ct_manager *manager, ct_row row) {
    own *o = block;
    log_event("removing", &row.i, 1);
    log_text(api->text(manager, FIELD_TEXT, row).bytes);
    o->rows--;
}

static void moved(void *block, ct_manager *manager, ct_row to, ct_row from) {
    const uint32_t numbers[] = {to.i, from.i};
    (void)block, (void)manager;
    log_event("moved", numbers, 2);
}

static void written(void *block, ct_manager *manager, ct_row row, uint32_t field) {
    const uint32_t numbers[] = {row.i, field};
    (void)block, (void)manager;
    log_event("written", numbers, 2);
}

static void nothing_closed(void *block, ct_manager *manager) { (void)block, (void)manager; }

static size_t bytes(const void *block, const ct_manager *manager) {
    (void)block, (void)manager;
    return 1000000;
}

static bool validate(const void *block, const ct_manager *manager, char *message, size_t room) {
    const own *o = block;
    if (!o->broken && o->rows == api->count(manager)) return true;
    strncpy(message, "it was told to be broken", room);
    return false;
}

static size_t save(const void *block, const ct_manager *manager, void *out, size_t room) {
    const own *o = block;
    (void)manager;
    if (out != NULL && room >= sizeof o->rows) memcpy(out, &o->rows, sizeof o->rows);
    return sizeof o->rows;
}

static bool restore(void *block, ct_manager *manager, const void *saved, size_t room, bool commit) {
    own *o = block;
    log_event(commit ? "restored" : "reserved", NULL, 0);
    if (!commit) return accepts() && room == sizeof o->rows;
    memcpy(&o->rows, saved, sizeof o->rows);
    if (o->rows != api->count(manager)) o->broken = true;
    return true;
}

// A version and the number of rows.
static size_t to_bytes(const void *block, const ct_manager *manager, const ct_row *rows,
                       uint32_t count, void *out, size_t size) {
    unsigned char *at = out;
    (void)block;
    for (uint32_t i = 0; i < count; ++i) {
        if (rows[i].i >= api->count(manager)) return 0;
    }
    if (at != NULL && size == 5) {
        *at++ = 1;
        for (int i = 0; i < 4; ++i)
            *at++ = (unsigned char)(count >> (8 * i));
    }
    return 5;
}

static bool from_bytes(void *block, ct_manager *manager, const void *bytes, size_t size,
                       char *message, size_t room) {
    const unsigned char *at = bytes;
    const own *o = block;
    if (!accepts()) return false;
    if (size != 5 || at[0] != 1) {
        strncpy(message, "of another version", room);
        return false;
    }
    uint32_t count = at[1] | (uint32_t)at[2] << 8 | (uint32_t)at[3] << 16 | (uint32_t)at[4] << 24;
    return count == api->count(manager) && o->rows == count;
}

// ---------------------------------------------------------------- methods

static own *self_own(lua_State *L) { return api->own(api->self(L), &probe); }

// probe:break_it()
static int break_it(lua_State *L) {
    self_own(L)->broken = true;
    return 0;
}

// probe:add(list, {text, ...}, number): adds components with a text each, and the same number
static int add(lua_State *L) {
    uint32_t count;
    const ct_entity *owners = api->check_entities(L, 2, &count);
    ct_text *texts = lua_newuserdata(L, count * sizeof *texts + 1);
    luaL_checktype(L, 3, LUA_TTABLE);
    for (uint32_t i = 0; i < count; ++i) {
        size_t size = 0;
        lua_rawgeti(L, 3, (int)i + 1);
        texts[i].bytes = lua_tolstring(L, -1, &size);
        texts[i].length = (uint32_t)size;
        lua_pop(L, 1);
    }
    const int32_t number = (int32_t)luaL_checknumber(L, 4);
    ct_values values[FIELD_COUNT] = {{texts, sizeof *texts}, {&number, 0}, {NULL, 0}, {NULL, 0}};
    ct_manager *manager = api->self(L);
    ct_row first;
    ct_status status = api->add(manager, count, owners, values, &first);
    api->check_status(L, status, "probe");
    api->push_instance(L, manager, count > 0 ? first : (ct_row){CT_NO_ROW});
    return 1;
}

// probe:add_nan(e) -> status
static int add_nan(lua_State *L) {
    ct_entity e = api->check_entity(L, 2);
    const uint32_t bits = 0xFFEC0001u;
    const float zero = 0;
    const void *forged[3] = {&bits, &zero, &zero};
    unsigned char place[12];
    for (int i = 0; i < 3; ++i)
        memcpy(place + (ptrdiff_t)4 * i, forged[i], 4);
    ct_values values[FIELD_COUNT] = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {place, 0}};
    ct_row first;
    lua_pushnumber(L, api->add(api->self(L), 1, &e, values, &first));
    return 1;
}

// probe:remove(target)
static int remove_one(lua_State *L) {
    ct_manager *manager = api->self(L);
    api->check_status(L, api->remove(manager, api->check_row(L, 2, manager)), "probe");
    return 0;
}

// probe:put(target, number): writes with the write function
static int put(lua_State *L) {
    const int32_t number = (int32_t)luaL_checknumber(L, 3);
    ct_manager *manager = api->self(L);
    ct_row row = api->check_live_row(L, 2, manager);
    api->check_status(L, api->write(manager, FIELD_NUMBER, row, &number), "probe");
    return 0;
}

// probe:sum() -> the sum of all numbers, and the number of living owners
static int sum(lua_State *L) {
    ct_manager *manager = api->self(L);
    const int32_t *numbers = api->column(manager, FIELD_NUMBER, NULL);
    lua_Number total = 0, living = 0;
    for (uint32_t row = 0; row < api->count(manager); ++row) {
        total += numbers[row];
        living += api->alive(api->entities(manager), api->owners(manager)[row]);
    }
    lua_pushnumber(L, total);
    lua_pushnumber(L, living);
    return 2;
}

// probe:how_many(e) -> components of an entity
static int how_many(lua_State *L) {
    ct_entity e = api->check_entity(L, 2);
    ct_manager *manager = api->self(L);
    lua_Number count = 0;
    for (ct_row row = api->find(manager, e); row.i != CT_NO_ROW; row = api->next(manager, row))
        count++;
    lua_pushnumber(L, count);
    return 1;
}

static ct_manager *transforms(lua_State *L) {
    return api->find_manager(api->self_world(L), "transform");
}

// probe:lift(e, height) -> x, y, z in the world
static int lift(lua_State *L) {
    float height = (float)luaL_checknumber(L, 3);
    ct_manager *t = transforms(L);
    ct_row row = api->check_live_row(L, 2, t);
    ct_pose pose;
    api->check_status(L, api->local_pose(t, row, &pose), "transform");
    pose.position[2] += height;
    api->check_status(L, api->set_local_pose(t, row, &pose), "transform");
    for (int i = 12; i < 15; ++i)
        lua_pushnumber(L, api->world_matrix(t, row)[i]);
    return 3;
}

// probe:link(child, parent or nil) -> whether the child has a parent
static int link(lua_State *L) {
    ct_manager *t = transforms(L);
    ct_row child = api->check_live_row(L, 2, t);
    ct_row parent = {CT_NO_ROW};
    if (!lua_isnoneornil(L, 3)) parent = api->check_live_row(L, 3, t);
    api->check_status(L, api->link(t, child, parent, false), "transform");
    lua_pushboolean(L, api->parent(t, child).i != CT_NO_ROW);
    return 1;
}

// probe:wrong_manager() -> whether transform functions refuse a manager without poses
static int wrong_manager(lua_State *L) {
    ct_manager *manager = api->self(L);
    const ct_row row = {0};
    ct_pose pose;
    memset(&pose, 0, sizeof pose);
    lua_pushboolean(L, api->world_matrix(manager, row) == NULL &&
                           api->local_pose(manager, row, &pose) == CT_ERR_DATA &&
                           api->set_local_pose(manager, row, &pose) == CT_ERR_DATA &&
                           api->link(manager, row, row, false) == CT_ERR_DATA &&
                           api->parent(manager, row).i == CT_NO_ROW);
    return 1;
}

// probe:wrong_rows() -> whether missing rows and fields are refused
static int wrong_rows(lua_State *L) {
    ct_manager *manager = api->self(L);
    const ct_row row = {api->count(manager)};
    const int32_t number = 0;
    uint32_t stride = 1;
    lua_pushboolean(
        L, api->remove(manager, row) == CT_ERR_DATA && api->next(manager, row).i == CT_NO_ROW &&
               api->next(manager, (ct_row){CT_NO_ROW}).i == CT_NO_ROW &&
               api->write(manager, FIELD_NUMBER, row, &number) == CT_ERR_DATA &&
               api->write(manager, FIELD_NUMBER, (ct_row){0}, NULL) == CT_ERR_DATA &&
               api->write(manager, FIELD_COUNT, row, &number) == CT_ERR_DATA &&
               api->column(manager, FIELD_COUNT, &stride) == NULL && stride == 0 &&
               api->text(manager, FIELD_TEXT, row).bytes == NULL &&
               api->text(manager, FIELD_NUMBER, (ct_row){0}).bytes == NULL &&
               api->find_field(manager, "wombat") == CT_NO_FIELD &&
               api->find_manager(api->self_world(L), "wombat") == NULL &&
               api->own(transforms(L), &probe) == NULL && api->own(manager, NULL) == NULL);
    return 1;
}

// probe:wrong_pushes() -> the values pushed for missing rows, and for an invalid entity
static int wrong_pushes(lua_State *L) {
    ct_manager *manager = api->self(L);
    api->push_instance(L, manager, (ct_row){CT_NO_ROW});
    api->push_instance(L, manager, (ct_row){api->count(manager)});
    api->push_instance(L, manager, (ct_row){CT_MAX_ROWS});
    api->push_entity(L, (ct_entity){1u << 30});
    return 4;
}

// probe:collect(all) -> the number of removed components of dead entities
static int collect(lua_State *L) {
    lua_pushnumber(L, api->gc(api->self(L), lua_toboolean(L, 2)));
    return 1;
}

// ---------------------------------------------------------------- the component type

static const ct_text nothing = {"nothing", 7};
static const ct_component_field fields[FIELD_COUNT] = {
    {.name = "text", .type = CT_FIELD_STRING, .preset = &nothing},
    {.name = "number", .type = CT_FIELD_INT32, .required = true},
    {.name = "friend", .type = CT_FIELD_ENTITY},
    {.name = "place", .type = CT_FIELD_VEC3, .read_only = false},
};

static const luaL_Reg methods[] = {
    {"break_it", break_it},
    {"add", add},
    {"add_nan", add_nan},
    {"remove", remove_one},
    {"put", put},
    {"sum", sum},
    {"how_many", how_many},
    {"lift", lift},
    {"link", link},
    {"wrong_manager", wrong_manager},
    {"wrong_rows", wrong_rows},
    {"wrong_pushes", wrong_pushes},
    {"collect", collect},
    {NULL, NULL},
};

static const ct_component probe = {
    .size = sizeof(ct_component),
    .flags = CT_COMPONENT_MULTIPLE,
    .name = "probe",
    .fields = fields,
    .field_count = FIELD_COUNT,
    .own_bytes = sizeof(own),
    .methods = methods,
    .opened = opened,
    .closed = closed,
    .created = created,
    .removing = removing,
    .moved = moved,
    .written = written,
    .bytes = bytes,
    .validate = validate,
    .save = save,
    .restore = restore,
    .to_bytes = to_bytes,
    .from_bytes = from_bytes,
};

// Two types of one name whose own data cannot be written to a save.
#define UNWRITTEN                                                                                  \
    {                                                                                              \
        .size = sizeof(ct_component), .name = "unwritten", .own_bytes = sizeof(own), .save = save, \
        .restore = restore                                                                         \
    }
static const ct_component unwritten[2] = {UNWRITTEN, UNWRITTEN};

// A type whose own data cannot be saved.
static const ct_component unsaved = {
    .size = sizeof(ct_component),
    .name = "unsaved",
    .own_bytes = 8,
};

// Another type of the same name: other fields, lookup by array, and no callbacks.
static const ct_component_field other_fields[] = {{.name = "big", .type = CT_FIELD_DOUBLE}};
static const ct_component other = {
    .size = sizeof(ct_component),
    .flags = CT_COMPONENT_ARRAY,
    .name = "probe",
    .fields = other_fields,
    .field_count = 1,
};

// ---------------------------------------------------------------- functions of the module

static int define(lua_State *L) {
    api->define(L, 1, &probe);
    return 1;
}

// probe.define_unwritten(world [, other]) -> manager
static int define_unwritten(lua_State *L) {
    api->define(L, 1, &unwritten[lua_toboolean(L, 2)]);
    return 1;
}

static int define_unsaved(lua_State *L) {
    api->define(L, 1, &unsaved);
    return 1;
}

// probe.snapshot(entities [, old]) -> snapshot
static int snapshot(lua_State *L) {
    api->snapshot(L, 1, lua_isnoneornil(L, 2) ? 0 : 2);
    return 1;
}

// probe.find_path(level [, path]) -> entity; without a path: of a text whose bytes are NULL
static int find_path(lua_State *L) {
    const char *bytes = lua_tostring(L, 2);
    const ct_text path = {bytes, bytes != NULL ? (uint32_t)strlen(bytes) : 0};
    const ct_level *level = api->check_level(L, 1);
    ct_entity found;
    api->check_status(L, api->level_find(level, path, &found), "level");
    api->push_entity(L, found);
    return 1;
}

// probe.spawn_level(world, resource, size of the options) -> whether it succeeded, and the level or
// message
static int spawn_level(lua_State *L) {
    const ct_level_options options = {.size = (uint32_t)lua_tonumber(L, 3), .parent = {CT_NOBODY}};
    lua_pushboolean(L, api->spawn(L, 1, 2, &options));
    lua_insert(L, -2);
    return 2;
}

// probe.check_status(status, what)
static int check_status(lua_State *L) {
    api->check_status(L, (ct_status)lua_tonumber(L, 1), lua_tostring(L, 2));
    return 0;
}

// probe.save(snapshot) -> string
static int save_to_string(lua_State *L) {
    api->save_to_string(L, 1);
    return 1;
}

// probe.read_save(string) -> success, and the snapshot or a message
static int save_from_string(lua_State *L) {
    size_t count;
    const char *bytes = luaL_checklstring(L, 1, &count);
    lua_pushboolean(L, api->save_from_string(L, bytes, count));
    lua_insert(L, -2);
    return 2;
}

// probe.record(recorder)
static int record(lua_State *L) {
    api->record(L, 1);
    return 0;
}

// probe.rewind(recorder, frames) -> rewound frames
static int rewind_frames(lua_State *L) {
    lua_pushnumber(L, (lua_Number)api->rewind(L, 1, (uint64_t)lua_tonumber(L, 2)));
    return 1;
}

// probe.restore(entities, snapshot)
static int restore_snapshot(lua_State *L) {
    api->restore(L, 1, 2);
    return 0;
}

static int define_other(lua_State *L) {
    api->define(L, 1, &other);
    return 1;
}

// Versions of a component without its own data.
static const ct_component_field plain_fields[][3] = {
    {{.name = "number", .type = CT_FIELD_INT32},
     {.name = "text", .type = CT_FIELD_STRING},
     {.name = "size", .type = CT_FIELD_FLOAT}},
    {{.name = "text", .type = CT_FIELD_STRING},
     {.name = "size", .type = CT_FIELD_DOUBLE},
     {.name = "target", .type = CT_FIELD_ENTITY}},
};
static const ct_component_field counted[] = {{.name = "count", .type = CT_FIELD_INT32}};
static const char *const hidden_count[] = {"count", NULL};
static const ct_component plain[] = {
    {.size = sizeof(ct_component), .name = "plain", .fields = plain_fields[0], .field_count = 3},
    {.size = sizeof(ct_component), .name = "plain", .fields = plain_fields[1], .field_count = 3},
    {.size = sizeof(ct_component), .name = "plain", .own_bytes = 16},
    {.size = sizeof(ct_component),
     .name = "plain",
     .fields = counted,
     .field_count = 1,
     .hidden = hidden_count},
};

// probe.define_migrate(world, version) -> manager, list of dropped fields
static int define_migrate(lua_State *L) {
    int version = (int)luaL_checknumber(L, 2);
    api->define_migrate(L, 1, version > 0 ? &plain[version - 1] : &other);
    return 2;
}

// probe.hash(entities) -> its upper and lower half
static int hash(lua_State *L) {
    uint64_t sum = api->hash(L, 1);
    lua_pushnumber(L, (lua_Number)(sum >> 32));
    lua_pushnumber(L, (lua_Number)(sum & 0xFFFFFFFFu));
    return 2;
}

// probe.profile(world, on)
static int profile(lua_State *L) {
    api->profile(api->check_world(L, 1), lua_toboolean(L, 2));
    return 0;
}

// probe.timings(world [, manager]) -> table of kind -> { calls, nanoseconds }
static int timings(lua_State *L) {
    ct_work_time time;
    const char *name;
    lua_settop(L, 2);
    lua_newtable(L);
    for (uint32_t kind = 0;; ++kind) {
        const ct_world *world = api->check_world(L, 1);
        const ct_manager *manager = NULL;
        if (!lua_isnil(L, 2)) manager = api->find_manager(world, lua_tostring(L, 2));
        name = api->timing(world, manager, kind, &time);
        if (name == NULL) return 1;
        lua_newtable(L);
        lua_pushnumber(L, (lua_Number)time.calls);
        lua_rawseti(L, -2, 1);
        lua_pushnumber(L, (lua_Number)time.nanoseconds);
        lua_rawseti(L, -2, 2);
        lua_setfield(L, 3, name);
    }
}

static const uint32_t forged_nan = 0xFFEC0001u;
static const unsigned char two = 2;
static const ct_enum no_such_label = {"idle\0run\0", 2};
static const ct_component_field bad_fields[][2] = {
    {{.name = NULL}, {.name = "b"}},
    {{.name = "a b"}, {.name = "b"}},
    {{.name = "id"}, {.name = "b"}},
    {{.name = "b"}, {.name = "b"}},
    {{.name = "a", .type = CT_FIELD_TYPE_COUNT}, {.name = "b"}},
    {{.name = "a", .preset = &forged_nan}, {.name = "b"}},
    {{.name = "a", .type = CT_FIELD_BOOL, .preset = &two}, {.name = "b"}},
    {{.name = "a", .type = CT_FIELD_ENUM}, {.name = "b"}},
    {{.name = "a", .type = CT_FIELD_ENUM, .preset = &no_such_label}, {.name = "b"}},
    {{.name = "a"}, {.name = "count"}},
};

// probe.define_bad(world, number): defines a component with one mistake
static int define_bad(lua_State *L) {
    static const luaL_Reg no_function[] = {{"f", NULL}, {NULL, NULL}};
    static const char *const hidden[] = {"nothing", NULL};
    static ct_component bad;
    uint32_t number = (uint32_t)luaL_checknumber(L, 2),
             count = sizeof bad_fields / sizeof *bad_fields;
    memset(&bad, 0, sizeof bad);
    bad.size = sizeof bad;
    bad.name = "bad";
    bad.fields = fields;
    bad.field_count = FIELD_COUNT;
    if (number <= count) {
        bad.fields = bad_fields[number - 1];
        bad.field_count = 2;
    }
    number -= number > count ? count : 0;
    if (bad.fields != fields) number = 0;
    if (number == 1) bad.size = 4;
    if (number == 2) bad.name = NULL;
    if (number == 3) bad.name = "not good";
    if (number == 4) bad.name = "transform";
    if (number == 5) bad.flags = 64;
    if (number == 6) bad.reserved[2] = (void (*)(void))define_bad;
    if (number == 7) bad.field_count = 61;
    if (number == 8) bad.fields = NULL;
    if (number == 9) bad.methods = no_function;
    if (number == 11) bad.own_bytes = 0xFFFFFFFFu;
    if (number == 12) bad.hidden = hidden;
    api->define(L, 1, number == 10 ? NULL : &bad);
    return 1;
}

// probe.heap(world): defines a component from heap memory, without methods
static int heap(lua_State *L) {
    static ct_component *description;
    if (description == NULL) description = calloc(1, sizeof *description);
    if (description == NULL) return luaL_error(L, "not enough memory");
    description->size = sizeof *description;
    description->name = "heap";
    description->closed = nothing_closed;
    api->define(L, 1, description);
    return 1;
}

// probe.small(world): defines a component with the size of an older header, without callbacks
static int small(lua_State *L) {
    static ct_component old;
    old = other;
    old.name = "small";
    old.size = offsetof(ct_component, own_bytes);
    old.opened = opened; // beyond the size: ignored
    api->define(L, 1, &old);
    return 1;
}

// probe.create(world, n [, list]) -> list of new entities
static int create(lua_State *L) {
    uint32_t count = (uint32_t)luaL_checknumber(L, 2);
    ct_entity *made = lua_newuserdata(L, count * sizeof *made + 1);
    lua_insert(L, 3);
    api->open_list(L, 4);
    // Reserves room in the list first, because that can fail.
    memset(made, 0, count * sizeof *made);
    api->fill_list(L, -1, count, made);
    ct_status status = api->create(api->world_entities(api->check_world(L, 1)), count, made);
    api->check_status(L, status, "EntityManager");
    api->fill_list(L, -1, count, made);
    return 1;
}

// probe.destroy(world or entities, list) -> number of destroyed entities
static int destroy(lua_State *L) {
    uint32_t count;
    const ct_entity *entities = api->check_entities(L, 2, &count);
    lua_pushnumber(L, api->destroy(L, 1, count, entities));
    return 1;
}

// probe.echo(v) -> v if it is an entity, else nil; converted to ct_entity and back
static int echo(lua_State *L) {
    ct_entity e = {CT_NOBODY};
    if (!api->to_entity(L, 1, &e)) e.id = CT_NOBODY;
    api->push_entity(L, e);
    return 1;
}

// A compile function: config.size bytes for one component
static int compile(lua_State *L) {
    static const char bytes_of_one[16] = "blip blip blip ";
    lua_getfield(L, 1, "size");
    lua_pushlstring(L, bytes_of_one, (size_t)luaL_checknumber(L, -1));
    return 1;
}

// A spawn function: (entity_lookup, num_instances, entity_index, data)
static int spawn(lua_State *L) {
    uint32_t count, instances = (uint32_t)luaL_checknumber(L, 2);
    const ct_entity *lookup = api->check_entities(L, 1, &count);
    for (uint32_t i = 0; i < instances; ++i) {
        lua_rawgeti(L, 3, (int)i + 1);
        lua_rawgeti(L, 4, (int)i + 1);
        const uint32_t numbers[] = {ct_entity_index(lookup[(uint32_t)lua_tonumber(L, -2)]),
                                    (uint32_t)lua_objlen(L, -1)};
        log_event("blip", numbers, 2);
        lua_pop(L, 2);
    }
    return 0;
}

static int alive(lua_State *L) {
    lua_pushboolean(L, api->alive(api->check_entity_manager(L, 1), api->check_entity(L, 2)));
    return 1;
}

// probe.no_method(...): reads self outside a method
static int no_method(lua_State *L) {
    api->self(L);
    return 0;
}

static const luaL_Reg functions[] = {
    {"story", take_story},
    {"refuse", refuse},
    {"define", define},
    {"small", small},
    {"heap", heap},
    {"define_other", define_other},
    {"define_migrate", define_migrate},
    {"hash", hash},
    {"profile", profile},
    {"timings", timings},
    {"define_unsaved", define_unsaved},
    {"snapshot", snapshot},
    {"restore", restore_snapshot},
    {"save", save_to_string},
    {"read_save", save_from_string},
    {"define_unwritten", define_unwritten},
    {"find_path", find_path},
    {"spawn_level", spawn_level},
    {"check_status", check_status},
    {"record", record},
    {"rewind", rewind_frames},
    {"define_bad", define_bad},
    {"create", create},
    {"destroy", destroy},
    {"echo", echo},
    {"alive", alive},
    {"no_method", no_method},
    {"compile", compile},
    {"spawn", spawn},
    {NULL, NULL},
};

LUALIB_API int luaopen_probe(lua_State *L);

LUALIB_API int luaopen_probe(lua_State *L) {
    ct_api_keep(L, &api);
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    return 1;
}
