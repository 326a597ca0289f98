// The C part of the compiler: conversion of tables to sections, and of sections to a blob.
#include "bind/resource/resource.h"

#include "bind/value/parse_values.h"
#include "bind/value/push_bytes.h"
#include "bind/world/world.h"
#include "resource/resource_writer.h"
#include "storage/layout.h"

#include <string.h>

// ---------------------------------------------------------------- common functions

// Copies the numbers of the table at 'index', each minus 1. Numbers are 0 to 'limit'; 0 (none)
// becomes CT_RESOURCE_NO_PARENT.
static const uint32_t *parse_numbers(const ct_bind_parse *g, int index, uint32_t limit,
                                     uint32_t *count) {
    lua_State *L = g->L;
    index = ct_bind_absindex(L, index);
    *count = lua_istable(L, index) ? ct_bind_rawlen(L, index) : 0;
    if (!lua_istable(L, index) || *count > limit) luaL_error(L, "lists of integers expected");
    uint32_t *numbers = ct_bind_parse_take(g, *count * sizeof *numbers);
    for (uint32_t i = 0; i < *count; ++i) {
        double value = -1;
        lua_rawgeti(L, index, (int)i + 1);
        if (!ct_bind_to_whole(L, -1, 0, limit, &value)) luaL_error(L, "integers in range expected");
        numbers[i] = (uint32_t)value - 1;
        lua_pop(L, 1);
    }
    return numbers;
}

// Collects the strings in the table at 'index', which must keep them; bytes NULL for other values.
static const ct_text *parse_texts(const ct_bind_parse *g, int index, uint32_t count) {
    ct_text *texts = ct_bind_parse_take(g, count * sizeof *texts);
    luaL_checktype(g->L, index, LUA_TTABLE);
    for (uint32_t i = 0; i < count; ++i) {
        size_t length = 0;
        lua_rawgeti(g->L, index, (int)i + 1);
        bool text = lua_type(g->L, -1) == LUA_TSTRING;
        texts[i].bytes = text ? lua_tolstring(g->L, -1, &length) : NULL;
        texts[i].length = (uint32_t)length;
        lua_pop(g->L, 1);
    }
    return texts;
}

// ---------------------------------------------------------------- sections

// Returns nil, the number of the failed instance or nil, the message on top, and whether the
// values could not be read.
static int fail_instance(lua_State *L, uint32_t instance, bool unread) {
    lua_pushnil(L);
    if (instance != CT_NO_ROW)
        ct_bind_push_whole(L, instance + 1.0);
    else
        lua_pushnil(L);
    lua_pushvalue(L, -3);
    lua_pushboolean(L, unread);
    return 4;
}

// Pops the number n of a place in the table at 'index', and stores x and y of the place: the
// numbers 2n - 1 and 2n of the table.
static void parse_place(const ct_bind_parse *g, int index, unsigned char *item) {
    lua_State *L = g->L;
    double n = lua_tonumber(L, -1);
    bool fits = lua_istable(L, index) && n >= 1 && n * 2 <= ct_bind_rawlen(L, index);
    if (!fits) luaL_error(L, "no place has this number");
    for (int lane = 0; lane < 2; ++lane) {
        lua_rawgeti(L, index, (int)n * 2 - 1 + lane);
        ct_real_store(CT_SCALAR_FLOAT, lua_tonumber(L, -1), item + (size_t)lane * sizeof(float));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

// Allocates positions for all instances, if there is a table of places at 'index'; otherwise
// returns NULL.
static unsigned char *parse_places(const ct_bind_parse *g, int index, ct_instances_source *source) {
    if (!lua_istable(g->L, index)) return NULL;
    const ct_manager *manager = source->manager;
    source->lone_input = ct_manager_find_input(manager, "position");
    source->lone_bytes = 3 * sizeof(float);
    if (source->lone_input >= manager->input_count ||
        manager->inputs[source->lone_input].type != CT_FIELD_VEC3)
        luaL_error(g->L, "this component has no position");
    size_t bytes = (size_t)source->num_instances * source->lone_bytes;
    unsigned char *lone = ct_bind_parse_take(g, bytes);
    source->lone = memset(lone, 0, bytes);
    return lone;
}

// Converts the tables at 'index', one per instance, or numbers of places in the table at 'places'.
// Returns false with the message on top and the failed instance in *instance.
static bool parse_instances(const ct_bind_parse *g, int index, int places,
                            ct_instances_source *source, uint32_t *instance) {
    uint32_t count = source->num_instances;
    const ct_values **values = ct_bind_parse_take(g, count * sizeof *values);
    ct_component_id *ids = NULL;
    if (source->manager->store.multiple) ids = ct_bind_parse_take(g, count * sizeof *ids);
    unsigned char *lone = parse_places(g, places, source);
    source->values = values;
    source->ids = ids;
    for (uint32_t i = 0; i < count; ++i) {
        *instance = i;
        lua_rawgeti(g->L, index, (int)i + 1);
        if (lone != NULL && lua_type(g->L, -1) == LUA_TNUMBER) {
            values[i] = NULL;
            parse_place(g, places, lone + (size_t)i * source->lone_bytes);
            continue;
        }
        const ct_bind_values *given =
            ct_bind_parse_values(g, -1, source->manager, CT_BIND_SOURCE, 1);
        if (given == NULL) return false;
        values[i] = given->values;
        if (ids != NULL && given->ids != NULL) ids[i] = given->ids[0];
        lua_pop(g->L, 1);
    }
    return true;
}

static int compile_section(lua_State *L) {
    const ct_bind_world *world = ct_bind_check_world(L, 2);
    const char *name = luaL_checkstring(L, 3);
    const ct_allocator *allocator = &ct_bind_state_of(L)->allocator;
    ct_instances_source source = {.manager = ct_world_find(&world->core, name)};
    ct_message message;
    char fields[CT_LAYOUT_TEXT_BYTES];
    uint32_t schema, instance;
    luaL_checktype(L, 4, LUA_TTABLE);
    if (source.manager == NULL) {
        ct_bind_push_unknown_component(L, &world->core, name);
        return fail_instance(L, CT_NO_ROW, false);
    }
    ct_bind_parse g = ct_bind_parse_begin(L, ct_bind_state_of(L));
    g.sink = CT_BIND_TO_BYTES;
    source.late = lua_toboolean(L, 7);
    source.entity_index = parse_numbers(&g, 5, CT_MAX_ROWS, &source.num_instances);
    source.parent_index = parse_numbers(&g, 6, CT_MAX_ENTITIES, &source.num_entities);
    if (ct_bind_rawlen(L, 4) != source.num_instances) luaL_argerror(L, 4, "a table per entity");
    if (!parse_instances(&g, 4, 8, &source, &instance)) return fail_instance(L, instance, true);
    ct_writer writer;
    ct_writer_init(&writer, allocator, lua_toboolean(L, 1));
    ct_status status = ct_instances_compile(&writer, &source, &schema, &instance, &message);
    const ct_layout layout = ct_instances_layout(&source);
    uint32_t field_bytes = ct_layout_text_write(&layout, fields);
    ct_bind_parse_end(&g);
    if (status == CT_ERR_DATA) {
        ct_writer_free(&writer);
        lua_pushstring(L, message.text);
        return fail_instance(L, instance, false);
    }
    ct_bind_push_bytes(L, &writer, status, "a resource", 0);
    ct_bind_push_whole(L, schema);
    lua_pushlstring(L, fields, field_bytes);
    return 3;
}

// core.compile.section(big_endian, world, name, tables, entities, parents, late, places) -> bytes,
// schema, fields as bytes; or nil, the number of the failed table or nil, a message, and whether
// its values could not be read. entities[i] is the owner of tables[i]; parents[e] is the number of
// the parent of entity e, lower than e, or 0. 'late' compiles the section of the late inputs. A
// number n instead of a table is a position: places[2n - 1], places[2n], 0
static int section(lua_State *L) { return ct_bind_call_busy(L, 8, 2, compile_section); }

// core.compile.ids(big_endian, ids, scopes) -> bytes, schema of the section of source ids. ids[i]
// is a string; scopes[i] is the number of the root of the prefab in which the id is unique, or 0
static int ids(lua_State *L) {
    ct_columns_source source = {.name = CT_RESOURCE_IDS, .layout = ct_resource_ids_layout()};
    ct_values columns[2];
    ct_writer writer;
    uint32_t instance;
    ct_message message;
    lua_settop(L, 3);
    ct_bind_state *state = ct_bind_state_of(L);
    const ct_bind_parse g = ct_bind_parse_begin(L, state);
    const uint32_t *scopes = parse_numbers(&g, 3, CT_MAX_ENTITIES, &source.num_instances);
    columns[0] = (ct_values){parse_texts(&g, 2, source.num_instances), sizeof(ct_text)};
    columns[1] = (ct_values){scopes, sizeof *scopes};
    source.columns = columns;
    ct_writer_init(&writer, &state->allocator, lua_toboolean(L, 1));
    ct_status status = ct_columns_write(&writer, &source, &instance, &message);
    ct_bind_parse_end(&g);
    ct_bind_push_bytes(L, &writer, status, "a resource", 0);
    ct_bind_push_whole(L, ct_layout_schema(&source.layout));
    return 2;
}

// ---------------------------------------------------------------- resources

static const ct_section_source *parse_sections(const ct_bind_parse *g, uint32_t *count) {
    const uint32_t *schemas = parse_numbers(g, 5, UINT32_MAX, count);
    if (*count > CT_MAX_COMPONENT_TYPES) luaL_error(g->L, "too many component types");
    const ct_text *types = parse_texts(g, 4, *count), *bytes = parse_texts(g, 6, *count);
    const ct_text *fields = parse_texts(g, 8, *count);
    ct_section_source *sections = ct_bind_parse_take(g, *count * sizeof *sections);
    luaL_checktype(g->L, 7, LUA_TTABLE);
    for (uint32_t i = 0; i < *count; ++i) {
        ct_section_source *s = &sections[i];
        if (types[i].bytes == NULL || bytes[i].bytes == NULL) luaL_error(g->L, "strings expected");
        *s = (ct_section_source){.name = types[i].bytes,
                                 .schema = schemas[i] + 1,
                                 .data = (const unsigned char *)bytes[i].bytes,
                                 .size = bytes[i].length,
                                 .fields = fields[i]};
        lua_rawgeti(g->L, 7, (int)i + 1);
        s->entity_index = parse_numbers(g, -1, CT_MAX_ROWS, &s->num_instances);
        lua_pop(g->L, 1);
    }
    return sections;
}

// core.compile.resource(big_endian, parents, names, types, schemas, bytes, entities, fields) ->
// blob. names[e] is a string, or false for none. The other lists have per type, in spawn order:
// name, schema (0: opaque), bytes, list of owners, fields as bytes (false: opaque). Empties
// 'bytes' if the blob is large
static int resource(lua_State *L) {
    ct_resource_source source;
    ct_writer writer;
    lua_settop(L, 8);
    ct_bind_state *state = ct_bind_state_of(L);
    const ct_bind_parse g = ct_bind_parse_begin(L, state);
    source.parent_index = parse_numbers(&g, 2, CT_MAX_ENTITIES, &source.num_entities);
    source.names = parse_texts(&g, 3, source.num_entities);
    source.component_types = parse_sections(&g, &source.num_component_types);
    ct_writer_init(&writer, &state->allocator, lua_toboolean(L, 1));
    ct_status status = ct_resource_write(&writer, &source);
    ct_bind_parse_end(&g);
    ct_bind_push_bytes(L, &writer, status, "a resource", 6);
    return 1;
}

static int host_endian(lua_State *L) {
    return ct_bind_return_text(L, ct_host_is_big_endian() ? "big" : "little");
}

static const luaL_Reg functions[] = {{"section", section},
                                     {"ids", ids},
                                     {"resource", resource},
                                     {"host_endian", host_endian},
                                     {NULL, NULL}};

void ct_bind_open_compile(lua_State *L) { ct_bind_add_functions(L, "compile", functions); }
