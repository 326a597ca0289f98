// models:define_resource: a node hierarchy read from a table, every mistake named by its place.
// Knows nothing of instances.
#include "bind/component/model.h"

#include "base/math.h"
#include "base/nearest.h"
#include "bind/component/static_data.h"
#include "component/model.h"

#include <string.h>

// Places on the stack.
enum { NAME = 2, DESC, RESOURCES, NODES, ROOM, NUMBERS, NODE, NODE_NAME };

// Once there is room, nothing calls the script unless it raises: what was read stays as it was.
typedef struct reading {
    lua_State *L;
    ct_model_node *nodes; // the userdata at ROOM
    uint32_t count;
    uint32_t at; // the node that is read: its table is at NODE, its name or nil at NODE_NAME
    bool turned; // it has a rotation
    bool angled; // it has an angle
} reading;

// Raises what is wrong with a key of the node, or with the node itself: the message is on top.
static void fail(const reading *r, const char *key) {
    const char *problem = lua_tostring(r->L, -1);
    if (key != NULL)
        lua_pushfstring(r->L, "nodes[%d].%s: %s", (int)r->at + 1, key, problem);
    else
        lua_pushfstring(r->L, "nodes[%d]: %s", (int)r->at + 1, problem);
    ct_bind_arg_error(r->L, DESC);
}

static void fail_expected(const reading *r, const char *key, const char *what) {
    lua_pushfstring(r->L, "expected %s, got %s", what, ct_bind_type_name(r->L, -1));
    fail(r, key);
}

// ---------------------------------------------------------------- names and parents

static void read_name(reading *r) {
    lua_State *L = r->L;
    size_t length;
    if (lua_type(L, -1) != LUA_TSTRING) fail_expected(r, "name", "a string");
    const char *bytes = lua_tolstring(L, -1, &length);
    if (length == 0 || length > 0x7FFFFFFFu) {
        lua_pushliteral(L, "expected 1 to 2147483647 bytes");
        fail(r, "name");
    }
    r->nodes[r->at].name = (ct_text){bytes, (uint32_t)length};
    lua_pushvalue(L, -1);
    lua_replace(L, NODE_NAME);
}

// Only when the node was read: it may not be its own parent.
static void enter_name(const reading *r) {
    lua_State *L = r->L;
    if (lua_isnil(L, NODE_NAME)) return;
    lua_pushvalue(L, NODE_NAME);
    lua_rawget(L, NUMBERS);
    if (!lua_isnil(L, -1)) {
        lua_pushfstring(L, "nodes[%d] is called '%s' already", (int)lua_tonumber(L, -1),
                        lua_tostring(L, NODE_NAME));
        fail(r, "name");
    }
    lua_pop(L, 1);
    lua_pushvalue(L, NODE_NAME);
    lua_pushnumber(L, r->at + 1);
    lua_rawset(L, NUMBERS);
}

static void refuse_number(const reading *r) {
    if (r->at == 0)
        lua_pushliteral(r->L, "no node stands before this one");
    else
        lua_pushfstring(r->L, "expected the number of an earlier node, 1 to %d, got %f", (int)r->at,
                        lua_tonumber(r->L, -1));
    fail(r, "parent");
}

// The number of this or a later node with the name on top, or 0.
static uint32_t find_later(const reading *r) {
    lua_State *L = r->L;
    int wanted = lua_gettop(L);
    lua_pushliteral(L, "name");
    for (uint32_t i = r->at + 1; i <= r->count; ++i) {
        lua_rawgeti(L, NODES, (int)i);
        if (lua_istable(L, -1)) {
            lua_pushvalue(L, wanted + 1);
            lua_rawget(L, -2);
            if (lua_rawequal(L, -1, wanted)) return i;
        }
        lua_settop(L, wanted + 1);
    }
    return 0;
}

static void refuse_name(const reading *r) {
    lua_State *L = r->L;
    int wanted = lua_gettop(L);
    ct_message told;
    // Names of earlier nodes are kept by the table at NUMBERS, whatever becomes of the script's.
    ct_nearest nearest = ct_nearest_begin(lua_tostring(L, wanted));
    for (uint32_t i = 0; i < r->at; ++i) {
        if (r->nodes[i].name.length > 0) ct_nearest_offer(&nearest, r->nodes[i].name.bytes);
    }
    ct_nearest_tell(&nearest, &told);
    uint32_t later = find_later(r);
    lua_settop(L, wanted);
    if (later > 0)
        lua_pushfstring(L, "'%s' is no earlier node but nodes[%d]", nearest.wanted, (int)later);
    else
        lua_pushfstring(L, "no earlier node is called %s", told.text);
    fail(r, "parent");
}

static void read_parent(reading *r) {
    lua_State *L = r->L;
    double number = lua_tonumber(L, -1);
    if (lua_type(L, -1) == LUA_TNUMBER) {
        // False for NaN too; the cast is defined within the bounds.
        if (!(number >= 1 && number <= r->at) || number != (uint32_t)number) refuse_number(r);
    } else if (lua_type(L, -1) == LUA_TSTRING) {
        lua_pushvalue(L, -1);
        lua_rawget(L, NUMBERS);
        number = lua_tonumber(L, -1);
        lua_pop(L, 1);
        if (number == 0) refuse_name(r);
    } else {
        fail_expected(r, "parent", "the number or name of an earlier node");
    }
    r->nodes[r->at].parent = (uint32_t)number - 1;
}

// ---------------------------------------------------------------- poses

static void read_item(const reading *r, const ct_field *field, float *out) {
    unsigned char item[CT_MAX_ITEM_BYTES];
    if (!ct_bind_value_to_item(r->L, -1, field, item)) fail(r, field->name);
    memcpy(out, item, ct_field_info_of(field->type)->bytes);
}

static void read_position(reading *r) {
    static const ct_field vec3 = {.name = "position", .type = CT_FIELD_VEC3};
    read_item(r, &vec3, r->nodes[r->at].pose.position);
}

static void read_rotation(reading *r) {
    static const ct_field quat = {.name = "rotation", .type = CT_FIELD_QUAT};
    read_item(r, &quat, r->nodes[r->at].pose.rotation);
    r->turned = true;
}

static void read_angle(reading *r) {
    static const ct_field number = {.name = "angle", .type = CT_FIELD_FLOAT};
    float angle;
    read_item(r, &number, &angle);
    ct_quat_from_angle(angle, r->nodes[r->at].pose.rotation);
    r->angled = true;
}

static void read_scale(reading *r) {
    static const ct_field vec3 = {.name = "scale", .type = CT_FIELD_VEC3, .uniform = true};
    read_item(r, &vec3, r->nodes[r->at].pose.scale);
}

// ---------------------------------------------------------------- nodes

static const char *const keys[] = {"name", "parent", "position", "rotation", "angle", "scale"};
static void (*const readers[])(reading *) = {read_name,     read_parent, read_position,
                                             read_rotation, read_angle,  read_scale};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

// Number of the key below the value on top.
static uint32_t key_of(const reading *r) {
    lua_State *L = r->L;
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    for (uint32_t i = 0; name != NULL && i < KEY_COUNT; ++i) {
        if (strcmp(keys[i], name) == 0) return i;
    }
    if (name != NULL)
        ct_bind_push_unknown(L, "field", name, keys, KEY_COUNT);
    else
        lua_pushfstring(L, "values are given by name, got a %s for one", luaL_typename(L, -2));
    fail(r, NULL);
    return 0;
}

static void read_node(reading *r) {
    static const ct_pose still = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    lua_State *L = r->L;
    lua_settop(L, NUMBERS);
    lua_rawgeti(L, NODES, (int)r->at + 1);
    if (!lua_istable(L, NODE)) {
        lua_pushfstring(L, "table expected, got %s", ct_bind_type_name(L, NODE));
        fail(r, NULL);
    }
    r->nodes[r->at] = (ct_model_node){{NULL, 0}, CT_MODEL_NO_NODE, still};
    r->turned = r->angled = false;
    lua_pushnil(L); // NODE_NAME
    lua_pushnil(L);
    while (lua_next(L, NODE) != 0) {
        readers[key_of(r)](r);
        lua_pop(L, 1);
    }
    if (r->turned && r->angled) {
        lua_pushliteral(L, "not together with rotation");
        fail(r, "angle");
    }
    enter_name(r);
}

// ---------------------------------------------------------------- the whole

// desc.nodes goes to NODES; there is no other key.
static void read_desc(lua_State *L) {
    static const char *const only[] = {"nodes"};
    lua_pushnil(L); // NODES
    lua_pushnil(L);
    while (lua_next(L, DESC) != 0) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
        if (strcmp(key, *only) != 0) {
            ct_bind_push_unknown(L, "field", key, only, 1);
            ct_bind_arg_error(L, DESC);
        }
        lua_replace(L, NODES);
    }
    if (lua_istable(L, NODES)) return;
    lua_pushfstring(L, "nodes: expected an array of nodes, got %s", ct_bind_type_name(L, NODES));
    ct_bind_arg_error(L, DESC);
}

static uint32_t check_count(lua_State *L) {
    uint32_t count = ct_bind_rawlen(L, NODES);
    if (count >= 1 && count <= CT_MODEL_MAX_NODES) return count;
    lua_pushfstring(L, "nodes: expected 1 to %d nodes, got %d", (int)CT_MODEL_MAX_NODES,
                    (int)count);
    ct_bind_arg_error(L, DESC);
    return 0;
}

// Only places 1 to 'count' are filled.
static void check_array(lua_State *L, uint32_t count) {
    uint32_t filled = 0;
    lua_pushnil(L);
    while (lua_next(L, NODES) != 0) {
        lua_pop(L, 1);
        double key = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
        if (key >= 1 && key <= count && key == (uint32_t)key)
            filled++;
        else
            filled = count + 1;
        if (filled > count) luaL_argerror(L, DESC, "nodes: expected an array without other keys");
    }
}

static int raise_failed(lua_State *L, const ct_manager *core, ct_status status, ct_text name) {
    if (status != CT_ERR_EXISTS)
        return ct_bind_raise_status(L, status, CT_MODEL, (uint32_t)CT_MAX_STRINGS, "names");
    lua_pushfstring(L,
                    "model resource '%s' cannot get other nodes or parents (living instances: %d)",
                    name.bytes, (int)ct_model_living(core, name));
    return ct_bind_arg_error(L, DESC);
}

// models:define_resource(name, {nodes = {{name=, parent=, position=, rotation= or angle=, scale=},
// ...}})
int ct_bind_model_define(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_text name = ct_bind_check_resource_name(L, NAME);
    luaL_checktype(L, DESC, LUA_TTABLE);
    lua_settop(L, DESC);
    ct_bind_push_resources(L);
    read_desc(L);
    reading r = {.L = L, .count = check_count(L)};
    r.nodes = lua_newuserdata(L, r.count * sizeof *r.nodes);
    lua_createtable(L, 0, (int)r.count);
    // Finalizers may have run up to here.
    if (check_count(L) != r.count)
        return luaL_argerror(L, DESC, "nodes changed while they were read");
    check_array(L, r.count);
    for (; r.at < r.count; ++r.at)
        read_node(&r);
    lua_settop(L, NUMBERS);
    lua_pushvalue(L, RESOURCES);
    // The table first: growing it may raise, putting the old entry back cannot.
    ct_bind_keep_resource(L);
    ct_status status = ct_model_define(manager->core, name, r.nodes, r.count);
    if (status == CT_OK) return 0;
    ct_bind_put_resource_back(L);
    return raise_failed(L, manager->core, status, name);
}
