// Functions for lua/cuttle/formula.lua: descriptions of fields and queries, functions of numbers.
#include "bind/value/values.h"
#include "bind/world/formula.h"

static void push_field(lua_State *L, const ct_manager *manager, uint32_t field) {
    ct_field_type type = ct_formula_field_type(manager, field);
    const ct_field_info *info = ct_field_info_of(type);
    lua_createtable(L, 0, 8);
    ct_bind_add_string(L, "name", ct_formula_field_name(manager, field));
    ct_bind_add_string(L, "type", info->name);
    ct_bind_add_whole(L, "lanes", info->lanes);
    ct_bind_add_string(L, "letters", info->parts);
    ct_bind_add_bool(L, "writable", ct_formula_can_write(manager, field, NULL));
    ct_bind_add_bool(L, "plain", ct_formula_is_plain(manager, field));
    if (type != CT_FIELD_ENUM) return;
    ct_bind_push_labels(L, &manager->fields[field]);
    lua_setfield(L, -2, "labels");
}

static int push_fields(lua_State *L) {
    const ct_bind_world *world = ct_bind_check_world(L, 1);
    const ct_manager *manager = ct_world_find(&world->core, luaL_checkstring(L, 2));
    if (manager == NULL) return 0;
    lua_newtable(L);
    int count = 0;
    for (uint32_t i = 0; i <= manager->field_count + CT_TRANSFORM_POSE_2D; ++i) {
        if (ct_formula_field_name(manager, i) == NULL) continue;
        push_field(L, manager, i);
        lua_rawseti(L, 3, ++count);
    }
    return 1;
}

// core.formula.fields(world, name) -> array of the fields of a component: name, type, lanes,
// letters of the lanes, writable, plain (a load returns what a store rounded), labels of an enum;
// nil for an unknown component
static int fields(lua_State *L) { return ct_bind_call_busy(L, 2, 1, push_fields); }

// core.formula.definition(world, name) -> a number that is equal for components of equal name and
// fields; false if there is no such component; nil if it has no number
static int definition(lua_State *L) {
    const ct_bind_world *world = ct_bind_check_world(L, 1);
    const ct_manager *core = ct_world_find(&world->core, luaL_checkstring(L, 2));
    if (core == NULL) return ct_bind_return_bool(L, false);
    const ct_bind_manager *manager = core->object;
    if (manager == NULL || manager->definition == 0) return ct_bind_return_nil(L);
    return ct_bind_return_whole(L, manager->definition);
}

// core.formula.parts(query) -> world, array of names, array of roles
static int parts(lua_State *L) {
    static const char *const roles[] = {[CT_QUERY_REQUIRED] = "required",
                                        [CT_QUERY_EXCLUDED] = "excluded",
                                        [CT_QUERY_OPTIONAL] = "optional"};
    const ct_bind_query *q = ct_bind_query_self(L);
    lua_settop(L, 1);
    ct_bind_push_own_handle(L, 1, "world", &ct_bind_world_kind, q->world);
    lua_newtable(L);
    lua_newtable(L);
    for (uint32_t i = 0; i < q->matches.part_count; ++i) {
        ct_bind_store_string(L, 3, (int)i + 1, q->managers[i]->core->name);
        ct_bind_store_string(L, 4, (int)i + 1, roles[q->matches.roles[i]]);
    }
    return 3;
}

// core.formula.kept(query) -> a table that the query keeps, for compiled texts
static int kept(lua_State *L) {
    ct_bind_query_self(L);
    lua_settop(L, 1);
    ct_bind_push_own(L, 1, "formulas");
    if (lua_istable(L, 2)) return 1;
    lua_newtable(L);
    lua_pushvalue(L, -1);
    ct_bind_set_own(L, 1, "formulas");
    return 1;
}

// core.formula.random(id, place, seed) -> the number of the operation RANDOM
static int random(lua_State *L) {
    ct_entity e = {(uint32_t)ct_bind_check_whole(L, 1, 0, 4294967295.0)};
    uint32_t place = (uint32_t)ct_bind_check_whole(L, 2, 0, 4294967295.0);
    return ct_bind_return_number(L, ct_formula_random(e, place, luaL_checknumber(L, 3)));
}

// core.formula.table(items, keys) -> an empty table with room for so many items and other keys
static int table(lua_State *L) {
    enum { MOST = 65536 };
    double items = luaL_checknumber(L, 1), keys = luaL_checknumber(L, 2);
    lua_createtable(L, items >= 0 && items <= MOST ? (int)items : 0,
                    keys >= 0 && keys <= MOST ? (int)keys : 0);
    return 1;
}

// cuttle.sin(x), cos(x), exp(x), log(x), atan2(y, x)
static int function(lua_State *L) {
    ct_function number = (ct_function)lua_tonumber(L, lua_upvalueindex(1));
    double y = number == CT_FUNCTION_ATAN2 ? ct_bind_check_number(L, 2) : 0;
    return ct_bind_return_number(L, ct_function_value(number, ct_bind_check_number(L, 1), y));
}

void ct_bind_open_functions(lua_State *L) {
    static const char *const names[] = {[CT_FUNCTION_SIN] = "sin",
                                        [CT_FUNCTION_COS] = "cos",
                                        [CT_FUNCTION_ATAN2] = "atan2",
                                        [CT_FUNCTION_EXP] = "exp",
                                        [CT_FUNCTION_LOG] = "log"};
    for (int i = 0; i <= CT_FUNCTION_LOG; ++i) {
        lua_pushnumber(L, i);
        lua_pushcclosure(L, function, 1);
        lua_setfield(L, -2, names[i]);
    }
}

// core.formula.ended(formula) -> whether one of its components was defined again
static int ended(lua_State *L) {
    const ct_bind_formula *f = ct_bind_check(L, 1, &ct_bind_formula_kind);
    return ct_bind_return_bool(L, f->query != NULL && ct_bind_formula_ended(f->core) != NULL);
}

// core.formula.check(formula) -> nothing; raises if the formula cannot be used
static int check(lua_State *L) {
    ct_bind_check_formula(L, 1);
    return 0;
}

const luaL_Reg ct_bind_formula_descriptions[] = {
    {"ended", ended},           {"check", check}, {"fields", fields},
    {"definition", definition}, {"parts", parts}, {"kept", kept},
    {"random", random},         {"table", table}, {NULL, NULL}};
