// The option 'overrides' of world:spawn, from what a script writes to what the core applies.
// Knows nothing of spawning. Longer than 400 lines: reading, and keeping what was read.
#include "bind/level/overrides.h"

#include "base/nearest.h"
#include "bind/level/resource.h"
#include "bind/world/world.h"
#include "resource/path.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- copying

// The table on top becomes a copy, without its metatable.
static void copy_table(lua_State *L) {
    int from = lua_gettop(L);
    lua_newtable(L);
    lua_pushnil(L);
    while (lua_next(L, from) != 0) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, from + 1);
    }
    lua_replace(L, from);
}

// The tables in the table on top become copies, which are appended to the table at 'copies'.
static void copy_inner(lua_State *L, int copies, int *count) {
    int table = lua_gettop(L);
    lua_pushnil(L);
    while (lua_next(L, table) != 0) {
        if (lua_type(L, -1) == LUA_TTABLE) {
            copy_table(L);
            lua_pushvalue(L, -1);
            lua_rawseti(L, copies, ++*count);
            lua_pushvalue(L, -2);
            lua_insert(L, -2);
            lua_rawset(L, table); // of a key that is there: lua_next allows it
        } else {
            lua_pop(L, 1);
        }
    }
}

void ct_bind_copy_overrides(lua_State *L, int index) {
    enum { LEVELS = 4 }; // components, values, items of an array, vectors
    int count = 1, copies = lua_gettop(L) + 2;
    lua_pushvalue(L, index);
    copy_table(L);
    lua_newtable(L);
    lua_pushvalue(L, -2);
    lua_rawseti(L, copies, 1);
    for (int level = 0, first = 1; level < LEVELS; ++level) {
        int end = count;
        for (; first <= end; ++first) {
            lua_rawgeti(L, copies, first);
            copy_inner(L, copies, &count);
            lua_settop(L, copies);
        }
    }
    lua_pop(L, 1);
}

// ---------------------------------------------------------------- reading

typedef struct reading {
    lua_State *L;
    ct_bind_world *world;
    int world_index;
    int table;
    int anchors;
    ct_resource *resource;
    ct_bind_overrides *out;
    uint32_t capacity;
    ct_text path;
} reading;

static bool fail(lua_State *L) {
    lua_pushfstring(L, "overrides: %s", lua_tostring(L, -1));
    return false;
}

// After anything that may have run a finalizer.
static void check_there(const reading *r) {
    if (r->world->core.over) luaL_error(r->L, BIND_WORLD_OVER);
    if (ct_bind_resource_gone(r->resource)) luaL_error(r->L, "resource is gone");
}

// The message on top gets the path before it, and what of it.
static bool fail_at(const reading *r, const char *component, uint32_t place) {
    lua_State *L = r->L;
    if (component == NULL)
        lua_pushfstring(L, "%s: %s", r->path.bytes, lua_tostring(L, -1));
    else if (place == 0)
        lua_pushfstring(L, "%s: %s: %s", r->path.bytes, component, lua_tostring(L, -1));
    else
        lua_pushfstring(L, "%s: %s[%d]: %s", r->path.bytes, component, (int)place,
                        lua_tostring(L, -1));
    return fail(L);
}

// Counts paths, and the components that they ask for at most.
static bool survey(reading *r, uint32_t *paths) {
    lua_State *L = r->L;
    *paths = 0;
    lua_pushnil(L);
    while (lua_next(L, r->table) != 0) {
        if (lua_type(L, -2) != LUA_TSTRING) {
            lua_pushfstring(L, "paths expected for keys, got %s", ct_bind_type_name(L, -2));
            return fail(L);
        }
        r->path.bytes = lua_tostring(L, -2);
        if (lua_type(L, -1) != LUA_TTABLE) {
            lua_pushfstring(L, "table of components expected, got %s", ct_bind_type_name(L, -1));
            return fail_at(r, NULL, 0);
        }
        ++*paths;
        lua_pushnil(L);
        while (lua_next(L, -2) != 0) {
            uint32_t length = lua_type(L, -1) == LUA_TTABLE ? ct_bind_rawlen(L, -1) : 0;
            r->capacity += length > 0 ? length : 1;
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    return true;
}

static int compare_paths(const void *a, const void *b) {
    const ct_text *one = a, *other = b;
    uint32_t length = one->length < other->length ? one->length : other->length;
    int order = memcmp(one->bytes, other->bytes, length);
    if (order != 0) return order;
    return one->length < other->length ? -1 : one->length > other->length;
}

// Pushes a userdata with all paths, in order; the table keeps the strings.
static ct_text *push_paths(const reading *r, uint32_t count) {
    lua_State *L = r->L;
    ct_text *paths = lua_newuserdata(L, count * sizeof *paths + 1);
    uint32_t found = 0;
    lua_pushnil(L);
    while (lua_next(L, r->table) != 0) {
        size_t length;
        paths[found].bytes = lua_tolstring(L, -2, &length);
        paths[found++].length = (uint32_t)length;
        lua_pop(L, 1);
    }
    qsort(paths, count, sizeof *paths, compare_paths);
    return paths;
}

static bool leads_somewhere(const reading *r, ct_text path) {
    if (ct_path_index(r->resource, path) != CT_OK) luaL_error(r->L, "not enough memory");
    return ct_path_find(r->resource, path, CT_PATH_NONE) != CT_PATH_NONE;
}

// The first name of the path, from its end, that no entity has decides which one was meant.
static bool fail_path(const reading *r) {
    enum { SEARCHED = 10000 };
    const char *end = r->path.bytes + r->path.length, *name;
    ct_message message;
    for (;; end = name - 1) {
        name = end;
        while (name > r->path.bytes && name[-1] != '/')
            name--;
        ct_text text = {name, (uint32_t)(end - name)};
        if (!leads_somewhere(r, text) || name == r->path.bytes) break;
    }
    lua_pushlstring(r->L, name, (size_t)(end - name));
    ct_nearest nearest = ct_nearest_begin(lua_tostring(r->L, -1));
    for (uint32_t i = 0; i < r->resource->num_entities && i < SEARCHED; ++i) {
        ct_text own = ct_resource_entity_name(r->resource, i);
        if (own.bytes != NULL) ct_nearest_offer(&nearest, own.bytes);
    }
    bool same = nearest.name != NULL && strcmp(nearest.name, lua_tostring(r->L, -1)) == 0;
    ct_nearest_tell(&nearest, &message);
    if (same || name == r->path.bytes + r->path.length)
        lua_pushliteral(r->L, "no entity of the resource has this path");
    else
        lua_pushfstring(r->L, "no entity of the resource is called %s", message.text);
    return fail_at(r, NULL, 0);
}

// What the core takes may still be no matter for overrides.
static bool check_input(const reading *r, const ct_override *override, uint32_t place) {
    const ct_manager *manager = override->manager;
    ct_message message;
    check_there(r);
    ct_status status = ct_override_check(&r->world->core, r->resource, override, &message);
    if (status == CT_OK) return true;
    if (status == CT_ERR_MEMORY) luaL_error(r->L, "not enough memory");
    lua_pushstring(r->L, message.text);
    return fail_at(r, manager->name, place);
}

// Bytes that a copy of gathered values needs.
static size_t room_of(const ct_manager *manager, const ct_bind_values *values) {
    size_t room = sizeof *values + sizeof *values->ids +
                  manager->input_count * (sizeof *values->values + CT_MAX_ITEM_BYTES);
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        const ct_text *text = values->values[i].items;
        if (text != NULL && manager->inputs[i].type == CT_FIELD_STRING) room += text->length + 1;
    }
    return values->ids != NULL ? room + values->ids->text.length + 1 : room;
}

static void keep_text(unsigned char **at, ct_text *text) {
    if (text->bytes == NULL) return;
    text->bytes = memcpy(*at, text->bytes, text->length + 1);
    *at += text->length + 1;
}

static const ct_bind_values *keep_values(const ct_manager *manager, const ct_bind_values *from,
                                         unsigned char *at) {
    ct_bind_values *to = (ct_bind_values *)(void *)at;
    ct_values *values = (ct_values *)(void *)(to + 1);
    *to = (ct_bind_values){.values = values, .count = 1};
    at = (unsigned char *)(values + manager->input_count);
    if (from->ids != NULL) to->ids = memcpy(at, from->ids, sizeof *from->ids);
    at += sizeof *from->ids;
    unsigned char *items = at;
    at += manager->input_count * CT_MAX_ITEM_BYTES;
    for (uint32_t i = 0; i < manager->input_count; ++i, items += CT_MAX_ITEM_BYTES) {
        const ct_field *input = &manager->inputs[i];
        bool text = input->type == CT_FIELD_STRING;
        values[i] = from->values[i];
        if (values[i].items == NULL) continue;
        values[i].items = memcpy(items, values[i].items,
                                 text ? sizeof(ct_text) : ct_field_info_of(input->type)->bytes);
        if (text) keep_text(&at, (ct_text *)(void *)items);
    }
    if (to->ids != NULL) keep_text(&at, &to->ids->text);
    return to;
}

// The values of the table on top, in a userdata that is pushed: they are used when more has been
// gathered. NULL with the message on top.
static const ct_bind_values *push_values(lua_State *L, const ct_manager *core) {
    int table = lua_gettop(L);
    ct_bind_form form = core->store.multiple ? CT_BIND_WHOLE : CT_BIND_GIVEN;
    for (size_t room = 0;;) {
        const ct_bind_gather g = ct_bind_gather_begin(L, ct_bind_state_of(L));
        const ct_bind_values *values = ct_bind_gather_values(&g, table, core, form, 1);
        if (values == NULL) return NULL;
        size_t needed = room_of(core, values);
        if (needed <= room) return keep_values(core, values, lua_touserdata(L, -1));
        lua_settop(L, table);
        lua_newuserdata(L, room = needed);
    }
}

// The table of values on top is one component of the manager whose object is at 'object'.
static bool read_one(reading *r, int object, uint32_t place) {
    lua_State *L = r->L;
    const ct_bind_manager *manager = lua_touserdata(L, object);
    const ct_manager *core = manager->core;
    if (lua_type(L, -1) != LUA_TTABLE) {
        bool no = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
        lua_pushfstring(L, "table of values expected, got %s%s", ct_bind_type_name(L, -1),
                        no ? " (an override takes no component away)" : "");
        return fail_at(r, core->name, place);
    }
    if (core->type->hosted != NULL) {
        lua_pushstring(L, core->type->hosted);
        lua_rawget(L, -2);
        if (!lua_isnil(L, -1)) {
            lua_pushfstring(L, "%s: not in an override, on_spawn makes it", core->type->hosted);
            return fail_at(r, core->name, place);
        }
        lua_pop(L, 1);
    }
    const ct_bind_values *values = push_values(L, core);
    if (values == NULL) return fail_at(r, core->name, place);
    CT_ASSERT(r->out->count < r->capacity);
    ct_override *override = &r->out->items[r->out->count];
    *override = (ct_override){core, r->path, values->values, values->ids};
    if (!check_input(r, override, place)) return false;
    lua_rawseti(L, r->anchors, (int)++r->out->count);
    return true;
}

// The array on top has an item for each of several components. Two with one id are a mistake: one
// of them would be gone without a word.
static bool read_many(reading *r, int object, uint32_t length) {
    lua_State *L = r->L;
    const ct_bind_manager *manager = lua_touserdata(L, object);
    int array = lua_gettop(L), seen = array + 1;
    lua_newtable(L);
    for (uint32_t i = 1; i <= length; ++i) {
        lua_rawgeti(L, array, (int)i);
        if (!read_one(r, object, i)) return false;
        lua_pushliteral(L, "id");
        lua_rawget(L, -2);
        lua_pushvalue(L, -1);
        if (!lua_isnil(L, -1)) lua_rawget(L, seen);
        if (lua_toboolean(L, -1)) {
            lua_pushliteral(L, "id: another of these has it");
            return fail_at(r, manager->core->name, i);
        }
        lua_pop(L, 1);
        if (!lua_isnil(L, -1)) {
            lua_pushboolean(L, 1);
            lua_rawset(L, seen);
        }
        lua_settop(L, seen);
    }
    lua_settop(L, array);
    return true;
}

static bool check_names(const reading *r, int components) {
    lua_State *L = r->L;
    lua_pushnil(L);
    while (lua_next(L, components) != 0) {
        lua_pop(L, 1);
        const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
        if (name != NULL && ct_world_find(&r->world->core, name) != NULL) continue;
        if (name == NULL)
            lua_pushliteral(L, "components are given by name");
        else
            ct_bind_push_unknown_component(L, &r->world->core, name);
        return fail_at(r, NULL, 0);
    }
    return true;
}

// The overrides of r->path, in spawn order.
static bool read_path(reading *r) {
    lua_State *L = r->L;
    check_there(r);
    if (!leads_somewhere(r, r->path)) return fail_path(r);
    lua_pushlstring(L, r->path.bytes, r->path.length);
    lua_rawget(L, r->table);
    int components = lua_gettop(L), object = components + 1;
    check_there(r);
    if (!check_names(r, components)) return false;
    for (uint32_t m = 0; m < r->world->core.manager_count; ++m) {
        // The object first: it keeps the name, whatever a finalizer does now.
        ct_bind_push_manager(L, r->world_index, r->world->core.managers[m]);
        const ct_bind_manager *manager = lua_touserdata(L, object);
        lua_pushstring(L, manager->core->name);
        lua_rawget(L, components);
        bool given = !lua_isnil(L, -1), several = false;
        if (given && lua_type(L, -1) == LUA_TTABLE && manager->core->store.multiple)
            several = ct_bind_rawlen(L, -1) > 0;
        if (given &&
            !(several ? read_many(r, object, ct_bind_rawlen(L, -1)) : read_one(r, object, 0)))
            return false;
        lua_settop(L, object);
        if (given) lua_rawseti(L, r->anchors, -(int)r->out->count - 1);
        lua_settop(L, components);
    }
    check_there(r);
    return true;
}

bool ct_bind_read_overrides(lua_State *L, int index, int world, ct_resource *resource) {
    uint32_t count;
    reading r = {.L = L,
                 .world = lua_touserdata(L, world),
                 .world_index = ct_bind_absindex(L, world),
                 .table = ct_bind_absindex(L, index),
                 .resource = resource};
    int top = lua_gettop(L);
    luaL_checkstack(L, LUA_MINSTACK, "too many nested callbacks");
    if (!survey(&r, &count)) return false;
    const ct_text *paths = push_paths(&r, count);
    r.out = lua_newuserdata(L, sizeof *r.out + r.capacity * sizeof *r.out->items);
    r.out->count = 0;
    lua_newtable(L);
    r.anchors = lua_gettop(L);
    lua_pushvalue(L, r.table);
    lua_rawseti(L, r.anchors, 0);
    lua_pushvalue(L, r.anchors);
    lua_setfenv(L, -3);
    check_there(&r);
    for (uint32_t i = 0; i < count; ++i) {
        r.path = paths[i];
        if (!read_path(&r)) return false;
        lua_settop(L, r.anchors);
    }
    lua_settop(L, top + 2);
    lua_remove(L, top + 1);
    return true;
}

// ---------------------------------------------------------------- afterwards

static int compare_numbers(const void *a, const void *b) {
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return one < other ? -1 : one > other;
}

// How many entities these overrides are for, counted by every override; written to 'out' if not
// NULL.
static uint32_t matches(const ct_bind_overrides *overrides, const ct_resource *resource,
                        const char *name, uint32_t *out) {
    uint32_t count = 0;
    for (uint32_t o = 0; o < overrides->count; ++o) {
        const ct_override *override = &overrides->items[o];
        uint32_t i = CT_PATH_NONE;
        if (strcmp(override->manager->name, name) != 0) continue;
        while ((i = ct_path_find(resource, override->path, i)) != CT_PATH_NONE) {
            if (out != NULL) out[count] = i;
            count++;
        }
    }
    return count;
}

const uint32_t *ct_bind_overridden(lua_State *L, const ct_bind_overrides *overrides,
                                   const ct_resource *resource, const char *name,
                                   const ct_section *section, uint32_t *count) {
    uint32_t own = section != NULL ? section->num_instances : 0;
    uint32_t more = overrides != NULL ? matches(overrides, resource, name, NULL) : 0;
    *count = own;
    if (more == 0) return section != NULL ? section->entity_index : NULL;
    uint32_t *all = lua_newuserdata(L, ((size_t)own + more) * sizeof *all);
    if (own > 0) memcpy(all, section->entity_index, own * sizeof *all);
    matches(overrides, resource, name, all + own);
    qsort(all, (size_t)own + more, sizeof *all, compare_numbers);
    *count = 0;
    for (uint32_t i = 0; i < own + more; ++i) {
        if (*count == 0 || all[*count - 1] != all[i]) all[(*count)++] = all[i];
    }
    return all;
}
