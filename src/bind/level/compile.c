// What the compiler written in Lua leaves to C: numbers, columns, bytes.
// Knows nothing of source text, files or places in them.
#include "bind/level/compile.h"

#include "bind/level/bake.h"

#include "base/hash.h"
#include "base/message.h"
#include "base/nearest.h"
#include "resource/resource_writer.h"

#include <string.h>

static const char compilation_key = 0;

// A component type that is done: bytes in the target's order.
typedef struct piece {
    const char *name; // in the compilation's environment
    uint32_t schema;
    uint32_t num_instances;
    uint32_t *entity_index;
    ct_writer data;
} piece;

// A resource in the making. All memory is its own, so that it is freed whatever raises.
typedef struct compilation {
    const ct_allocator *allocator;
    bool big_endian;
    uint32_t num_entities;
    uint32_t *parent_index;
    piece *pieces;
    uint32_t piece_count;
    uint32_t piece_capacity;
    ct_writer blob;
} compilation;

static compilation *check_compilation(lua_State *L) {
    return ct_bind_check_class(L, 1, &compilation_key, "compilation");
}

static int collect(lua_State *L) {
    compilation *c = check_compilation(L);
    for (uint32_t i = 0; i < c->piece_count; ++i) {
        ct_free(c->allocator, c->pieces[i].entity_index,
                c->pieces[i].num_instances * sizeof(uint32_t));
        ct_writer_free(&c->pieces[i].data);
    }
    ct_free(c->allocator, c->pieces, c->piece_capacity * sizeof *c->pieces);
    ct_free(c->allocator, c->parent_index, c->num_entities * sizeof(uint32_t));
    ct_writer_free(&c->blob);
    memset(c, 0, sizeof *c);
    return 0;
}

static int raise(lua_State *L, ct_status status) {
    if (status == CT_ERR_FULL) return luaL_error(L, "a resource cannot be larger than 4 GB");
    return luaL_error(L, "not enough memory");
}

// The numbers of the table at 'arg', each within 0 .. limit. 'room' has place for 'count'.
static void read_numbers(lua_State *L, int arg, uint32_t count, uint32_t limit, uint32_t *room) {
    for (uint32_t i = 0; i < count; ++i) {
        lua_rawgeti(L, arg, (int)i + 1);
        double value = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
        if (!(value >= 0 && value <= limit) || value != (uint32_t)value)
            luaL_argerror(L, arg, "whole numbers in range expected");
        room[i] = (uint32_t)value;
        lua_pop(L, 1);
    }
}

// core.compile.compilation(big_endian, parents) -> compilation; parents[i] is the number of entity
// i's parent, lower than i, or 0
static int new_compilation(lua_State *L) {
    luaL_checktype(L, 2, LUA_TTABLE);
    uint32_t count = ct_bind_rawlen(L, 2);
    if (count > CT_MAX_ENTITIES) return luaL_argerror(L, 2, "too many entities");
    compilation *c = ct_bind_class_object(L, &compilation_key, sizeof *c);
    lua_newtable(L);
    lua_setfenv(L, -2);
    c->allocator = &ct_bind_state_of(L)->allocator;
    c->big_endian = lua_toboolean(L, 1);
    if (count == 0) return 1;
    c->parent_index = ct_alloc_zero(c->allocator, count * sizeof(uint32_t));
    if (c->parent_index == NULL) return raise(L, CT_ERR_MEMORY);
    c->num_entities = count;
    read_numbers(L, 2, count, count, c->parent_index);
    for (uint32_t i = 0; i < count; ++i) {
        if (c->parent_index[i] > i) return luaL_argerror(L, 2, "parents stand before children");
        c->parent_index[i] -= 1; // 0, no parent, becomes CT_RESOURCE_NO_PARENT
    }
    return 1;
}

// The name at 'name', kept by the compilation's environment.
static const char *keep_name(lua_State *L, const compilation *c, int name) {
    size_t length;
    luaL_checktype(L, name, LUA_TSTRING);
    const char *text = lua_tolstring(L, name, &length);
    if (text == NULL || length == 0 || strlen(text) != length)
        luaL_argerror(L, name, "name expected");
    lua_getfenv(L, 1);
    lua_pushvalue(L, name);
    lua_rawseti(L, -2, (int)c->piece_count + 1);
    lua_pop(L, 1);
    return text;
}

// The owners in the table at 'entities'.
static void read_owners(lua_State *L, const compilation *c, piece *p, int entities) {
    uint32_t count = ct_bind_rawlen(L, entities);
    if (count > CT_MAX_ROWS) luaL_argerror(L, entities, "too many instances");
    if (count == 0) return;
    p->entity_index = ct_alloc_zero(c->allocator, count * sizeof(uint32_t));
    if (p->entity_index == NULL) {
        raise(L, CT_ERR_MEMORY);
        return;
    }
    p->num_instances = count;
    read_numbers(L, entities, count, c->num_entities, p->entity_index);
    for (uint32_t i = 0; i < count; ++i) {
        p->entity_index[i] -= 1; // 0 wraps, and is out of range
        if (p->entity_index[i] >= c->num_entities ||
            (i > 0 && p->entity_index[i] < p->entity_index[i - 1]))
            luaL_argerror(L, entities, "ascending entities expected");
    }
}

// A piece with the name at 'name' and the owners in the table at 'entities', without data.
static piece *add_piece(lua_State *L, compilation *c, int name, int entities) {
    luaL_checktype(L, entities, LUA_TTABLE);
    if (c->piece_count == CT_MAX_COMPONENT_TYPES) luaL_error(L, "too many component types");
    const char *text = keep_name(L, c, name);
    ct_status status = ct_array_reserve(c->allocator, (void **)&c->pieces, &c->piece_capacity,
                                        c->piece_count + 1, sizeof *c->pieces);
    if (status != CT_OK) raise(L, status);
    piece *p = &c->pieces[c->piece_count++];
    memset(p, 0, sizeof *p);
    p->name = text;
    ct_writer_init(&p->data, c->allocator, c->big_endian);
    read_owners(L, c, p, entities);
    return p;
}

// nil, number of the instance at fault or nil, message on top
static int fail_instance(lua_State *L, uint32_t instance) {
    lua_pushnil(L);
    if (instance != CT_NO_ROW)
        lua_pushnumber(L, instance + 1.0);
    else
        lua_pushnil(L);
    lua_pushvalue(L, -3);
    return 3;
}

// The columns of the layout, each from the input that has its name.
static void match_columns(const ct_manager *manager, const ct_bind_values *values, ct_values *out) {
    for (uint32_t f = 0; f < manager->layout_count; ++f) {
        uint32_t input = ct_manager_find_input(manager, manager->layout[f].name);
        out[f] = (ct_values){NULL, 0};
        if (input < manager->input_count) out[f] = values->values[input];
    }
}

static int write_columns(lua_State *L, piece *p, const ct_manager *manager,
                         const ct_values *columns, const ct_component_id *ids) {
    ct_layout layout = ct_manager_layout(manager);
    ct_columns_source source = {.name = manager->name,
                                .num_instances = p->num_instances,
                                .entity_index = p->entity_index,
                                .layout = layout,
                                .columns = columns,
                                .ids = ids,
                                .presets = manager->strings};
    uint32_t instance = CT_NO_ROW;
    ct_message message;
    p->schema = ct_layout_schema(&layout);
    ct_status status = ct_columns_write(&p->data, &source, &instance, &message);
    if (status == CT_ERR_DATA) {
        lua_pushstring(L, message.text);
        return fail_instance(L, instance);
    }
    if (status != CT_OK) return raise(L, status);
    lua_pushboolean(L, 1);
    return 1;
}

static int baked(lua_State *L, compilation *c, piece *p, const ct_manager *manager) {
    ct_values columns[CT_MAX_COLUMNS];
    uint32_t instance = CT_NO_ROW;
    ct_bind_hierarchy hierarchy = {c->parent_index, c->num_entities, p->entity_index,
                                   p->num_instances};
    if (!ct_bind_bake(L, 4, manager, &hierarchy, columns, &instance))
        return fail_instance(L, instance);
    return write_columns(L, p, manager, columns, NULL);
}

// compilation, world, name, tables, entities
static int compile_columns(lua_State *L) {
    compilation *c = check_compilation(L);
    ct_bind_world *world = ct_bind_check_world(L, 2);
    luaL_checktype(L, 4, LUA_TTABLE);
    piece *p = add_piece(L, c, 3, 5);
    if (ct_bind_rawlen(L, 4) != p->num_instances) return luaL_argerror(L, 4, "a table per entity");
    const ct_manager *manager = ct_world_find(&world->core, p->name);
    if (manager == NULL) {
        ct_bind_push_unknown_component(L, &world->core, p->name);
        return fail_instance(L, CT_NO_ROW);
    }
    for (uint32_t i = 1; !manager->store.multiple && i < p->num_instances; ++i) {
        if (p->entity_index[i] == p->entity_index[i - 1])
            return luaL_argerror(L, 5, "one instance per entity expected");
    }
    if (ct_bind_is_baked(manager)) return baked(L, c, p, manager);
    uint32_t place = 0;
    const ct_bind_gather g = ct_bind_gather_begin(L, ct_bind_state_of(L));
    ct_values columns[CT_MAX_COLUMNS];
    const ct_bind_values *values = ct_bind_gather_tables(&g, 4, manager, p->num_instances, &place);
    if (values == NULL) return fail_instance(L, place - 1);
    match_columns(manager, values, columns);
    return write_columns(L, p, manager, columns, values->ids);
}

// compilation:columns(world, name, tables, entities) -> true; or nil, the number of the
// table at fault or nil, and a message
static int columns(lua_State *L) {
    check_compilation(L);
    lua_settop(L, 5);
    return ct_bind_call_busy(L, ct_bind_check_world(L, 2), compile_columns);
}

// compilation:opaque(name, strings, entities)
static int opaque(lua_State *L) {
    compilation *c = check_compilation(L);
    luaL_checktype(L, 3, LUA_TTABLE);
    piece *p = add_piece(L, c, 2, 4);
    for (uint32_t i = 0; i < p->num_instances; ++i) {
        size_t length;
        lua_rawgeti(L, 3, (int)i + 1);
        if (lua_type(L, -1) != LUA_TSTRING) return luaL_argerror(L, 3, "strings expected");
        const char *bytes = lua_tolstring(L, -1, &length);
        if ((uint32_t)length != length) return raise(L, CT_ERR_FULL);
        ct_writer_u32(&p->data, (uint32_t)length);
        ct_writer_bytes(&p->data, bytes, (uint32_t)length);
        lua_pop(L, 1);
    }
    if (p->data.status != CT_OK) return raise(L, p->data.status);
    return 0;
}

// Pushes a userdata with the names in the table at argument 2: strings, or false for none.
static ct_text *read_names(lua_State *L, uint32_t count) {
    ct_text *names = lua_newuserdata(L, count * sizeof *names + 1);
    for (uint32_t i = 0; i < count; ++i) {
        size_t length = 0;
        lua_rawgeti(L, 2, (int)i + 1);
        const char *bytes = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
        names[i] = (ct_text){bytes, (uint32_t)length};
        lua_pop(L, 1);
    }
    return names;
}

// compilation:finish(names) -> blob
static int finish(lua_State *L) {
    compilation *c = check_compilation(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    const ct_text *names = read_names(L, c->num_entities);
    uint32_t count = c->piece_count; // those that a finalizer adds now are not asked for
    ct_section_source *sections = lua_newuserdata(L, count * sizeof *sections + 1);
    for (uint32_t i = 0; i < count; ++i) {
        const piece *p = &c->pieces[i];
        sections[i] = (ct_section_source){p->name,         p->schema,     p->num_instances,
                                          p->entity_index, p->data.bytes, p->data.count};
    }
    ct_resource_source source = {c->num_entities, c->parent_index, names, count, sections};
    ct_writer_free(&c->blob);
    ct_writer_init(&c->blob, c->allocator, c->big_endian);
    ct_status status = ct_resource_write(&c->blob, &source);
    if (status != CT_OK) return raise(L, status);
    lua_pushlstring(L, (const char *)c->blob.bytes, c->blob.count);
    ct_writer_free(&c->blob);
    return 1;
}

static int host_endian(lua_State *L) {
    lua_pushstring(L, ct_host_is_big_endian() ? "big" : "little");
    return 1;
}

// core.compile.nearest(name, names) -> the one meant, or nil
static int nearest(lua_State *L) {
    const char *names[64];
    const char *wanted = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    uint32_t count = 0, length = ct_bind_rawlen(L, 2);
    for (uint32_t i = 0; i < length && count < 64; ++i) {
        lua_rawgeti(L, 2, (int)i + 1);
        // The table keeps the string.
        if (lua_type(L, -1) == LUA_TSTRING) names[count++] = lua_tostring(L, -1);
        lua_pop(L, 1);
    }
    ct_nearest nearest = ct_nearest_begin(wanted);
    for (uint32_t i = 0; i < count; ++i)
        ct_nearest_offer(&nearest, names[i]);
    lua_pushstring(L, nearest.name);
    return 1;
}

// core.compile.type_name(value) -> what messages call it: "light userdata with tag 0"
static int type_name(lua_State *L) {
    luaL_checkany(L, 1);
    lua_pushstring(L, ct_bind_type_name(L, 1));
    return 1;
}

// core.compile.seal(bytes) -> the same with length and checksum made right, for this host: what
// whoever damages resources on purpose needs
static int seal(lua_State *L) {
    size_t length;
    luaL_checktype(L, 1, LUA_TSTRING);
    const char *bytes = lua_tolstring(L, 1, &length);
    if (length < sizeof(ct_resource_header) || (uint32_t)length != length)
        return luaL_argerror(L, 1, "no header fits");
    unsigned char *copy = lua_newuserdata(L, length);
    memcpy(copy, bytes, length);
    uint32_t count = (uint32_t)length;
    memcpy(copy + offsetof(ct_resource_header, bytes), &count, 4);
    uint32_t crc = ct_hash_crc32(0, copy + 16, length - 16);
    memcpy(copy + offsetof(ct_resource_header, checksum), &crc, 4);
    lua_pushlstring(L, (const char *)copy, length);
    return 1;
}

static const luaL_Reg methods[] = {
    {"columns", columns}, {"opaque", opaque}, {"finish", finish}, {NULL, NULL}};

static const luaL_Reg functions[] = {{"compilation", new_compilation},
                                     {"host_endian", host_endian},
                                     {"nearest", nearest},
                                     {"seal", seal},
                                     {"type_name", type_name},
                                     {NULL, NULL}};

void ct_bind_open_compile(lua_State *L) {
    ct_bind_class_new(L, &compilation_key, "compilation", methods, collect, NULL);
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    lua_setfield(L, -2, "compile");
}
