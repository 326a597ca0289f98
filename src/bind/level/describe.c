// resource:describe: what a resource holds, as text for people.
// Knows nothing of worlds.
#include "bind/level/resource.h"

#include "resource/path.h"

#include <stdio.h>
#include <string.h>

enum {
    TREE_LINES = 100, // unless told otherwise
    LONGEST_NAME = 60,
    DEEPEST_INDENT = 30,
    MOST_TYPES = 12 // named in the line of an entity
};

// A resource may come from anywhere: no control characters, and nothing endless.
static void add_name(luaL_Buffer *text, const char *bytes, uint32_t length) {
    bool cut = length > LONGEST_NAME;
    if (cut) {
        length = LONGEST_NAME - 3;
        // Not in the middle of a UTF-8 sequence.
        while (length > 0 && ((unsigned char)bytes[length] & 0xC0u) == 0x80)
            length--;
    }
    for (uint32_t i = 0; i < length; ++i) {
        bool control = (unsigned char)bytes[i] < 32 || bytes[i] == 127;
        luaL_addchar(text, control ? '?' : bytes[i]);
    }
    if (cut) luaL_addstring(text, "...");
}

static void add_head(luaL_Buffer *text, const ct_resource *r) {
    uint32_t roots = 0, named = 0;
    char line[200];
    for (uint32_t i = 0; i < r->num_entities; ++i) {
        roots += r->parent_index[i] == CT_RESOURCE_NO_PARENT;
        named += ct_resource_entity_name(r, i).bytes != NULL;
    }
    snprintf(line, sizeof line,
             "entity resource, version %u: %u bytes, %u entities (%u roots, %u named), "
             "%u component types",
             CT_RESOURCE_VERSION, r->bytes, r->num_entities, roots, named, r->num_component_types);
    luaL_addstring(text, line);
}

// How much a registered compiler made of each instance.
static void add_opaque(luaL_Buffer *text, const ct_section *section) {
    uint32_t least = UINT32_MAX, most = 0;
    const unsigned char *at = section->data;
    char line[80];
    for (uint32_t i = 0; i < section->num_instances; ++i) {
        uint32_t size;
        memcpy(&size, at, sizeof size);
        at += sizeof size + size;
        if (size < least) least = size;
        if (size > most) most = size;
    }
    luaL_addstring(text, ", opaque");
    if (section->num_instances == 0) return;
    if (least == most)
        snprintf(line, sizeof line, ": %u bytes each", most);
    else
        snprintf(line, sizeof line, ": %u to %u bytes each", least, most);
    luaL_addstring(text, line);
}

static void add_types(luaL_Buffer *text, const ct_resource *r) {
    char line[80];
    for (uint32_t i = 0; i < r->num_component_types; ++i) {
        const ct_section *section = &r->sections[i];
        luaL_addstring(text, "\n  ");
        add_name(text, section->name, (uint32_t)strlen(section->name));
        snprintf(line, sizeof line, ": %u instances, %u bytes", section->num_instances,
                 section->size);
        luaL_addstring(text, line);
        if (section->schema == 0) add_opaque(text, section);
    }
}

// ---------------------------------------------------------------- the tree

// How many instances of a section belong to an entity.
static uint32_t instances_of(const ct_section *section, uint32_t entity) {
    const uint32_t *index = section->entity_index;
    uint32_t low = 0, high = section->num_instances, count = 0;
    if (high == 0 || index[0] > entity || index[high - 1] < entity) return 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (index[middle] < entity)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + count < section->num_instances && index[low + count] == entity)
        count++;
    return count;
}

static void add_components(luaL_Buffer *text, const ct_resource *r, uint32_t entity, bool named) {
    uint32_t found = 0;
    char line[40];
    for (uint32_t i = 0; i < r->num_component_types; ++i) {
        const ct_section *section = &r->sections[i];
        uint32_t count = instances_of(section, entity);
        // The name stands before it already.
        if (count == 0 || (named && strcmp(section->name, "debug_name") == 0)) continue;
        luaL_addstring(text, found == 0 ? ": " : ", ");
        if (++found > MOST_TYPES) {
            luaL_addstring(text, "...");
            return;
        }
        add_name(text, section->name, (uint32_t)strlen(section->name));
        snprintf(line, sizeof line, " x%u", count);
        if (count > 1) luaL_addstring(text, line);
    }
}

static void add_entity(luaL_Buffer *text, const ct_resource *r, uint32_t entity, uint32_t depth) {
    char line[40];
    ct_text name = ct_resource_entity_name(r, entity);
    luaL_addstring(text, "\n  ");
    for (uint32_t i = 0; i < depth && i < DEEPEST_INDENT; ++i)
        luaL_addstring(text, "  ");
    snprintf(line, sizeof line, "(%u deep) ", depth);
    if (depth > DEEPEST_INDENT) luaL_addstring(text, line);
    if (name.bytes != NULL)
        add_name(text, name.bytes, name.length);
    else
        luaL_addstring(text, "(no name)");
    add_components(text, r, entity, name.bytes != NULL);
}

// The links lead back up, so no stack is needed however deep the tree is. 'first' and 'next' have
// room for all entities.
static void add_tree(luaL_Buffer *text, const ct_resource *r, uint32_t lines, uint32_t *first,
                     uint32_t *next) {
    uint32_t root = CT_RESOURCE_NO_PARENT, depth = 0, shown = 0;
    memset(first, 0xFF, r->num_entities * sizeof *first); // nobody has children
    for (uint32_t i = r->num_entities; i-- > 0;) {
        uint32_t parent = r->parent_index[i];
        uint32_t *head = parent == CT_RESOURCE_NO_PARENT ? &root : &first[parent];
        next[i] = *head;
        *head = i;
    }
    luaL_addstring(text, "\ntree:");
    for (uint32_t e = root; e != CT_RESOURCE_NO_PARENT && shown < lines; ++shown) {
        add_entity(text, r, e, depth);
        if (first[e] != CT_RESOURCE_NO_PARENT) {
            e = first[e];
            depth++;
            continue;
        }
        while (next[e] == CT_RESOURCE_NO_PARENT && depth > 0) {
            e = r->parent_index[e];
            depth--;
        }
        e = next[e];
    }
    char line[40];
    snprintf(line, sizeof line, "\n  and %u more", r->num_entities - shown);
    if (shown < r->num_entities) luaL_addstring(text, line);
}

static uint32_t check_lines(lua_State *L) {
    static const char *const options[] = {"tree"};
    if (!ct_bind_check_options(L, 2, options, 1)) return TREE_LINES;
    lua_getfield(L, 2, "tree");
    if (lua_isnil(L, -1)) return TREE_LINES;
    if (lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), "all") == 0)
        return UINT32_MAX;
    double lines = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
    if (!(lines >= 0 && lines <= CT_MAX_ENTITIES) || lines != (uint32_t)lines)
        luaL_argerror(L, 2, "tree: \"all\" or a whole number of lines expected");
    return (uint32_t)lines;
}

// resource, lines of the tree -> text
static int describe(lua_State *L) {
    const ct_resource *r = lua_touserdata(L, 1);
    uint32_t lines = (uint32_t)lua_tonumber(L, 2), *room = NULL;
    luaL_Buffer text;
    bool tree = lines > 0 && r->num_entities > 0;
    if (tree) room = lua_newuserdata(L, (size_t)r->num_entities * 2 * sizeof *room);
    luaL_buffinit(L, &text);
    add_head(&text, r);
    add_types(&text, r);
    if (tree) add_tree(&text, r, lines, room, room + r->num_entities);
    luaL_pushresult(&text);
    return 1;
}

int ct_bind_describe(lua_State *L) {
    ct_bind_check_resource(L, 1);
    return ct_bind_call_held(L, describe, check_lines(L));
}
