// A plugin in C: health bars with values in columns, and a count of the fallen.
// Must not depend on drawing.
#include <lauxlib.h>
#include <lua.h>

#include "cuttle.h"

#include <string.h>

// The columns, which scripts can use, too.
enum { FIELD_HP, FIELD_MAXIMUM, FIELD_RATE, FIELD_COUNT };

// The private memory of the manager. The core sets it to zero.
typedef struct bars {
    ct_manager *manager; // valid from 'opened' to 'closed'
    uint32_t token;
    uint32_t fallen;
} bars;

static const ct_api *api;
static const ct_component health_bar;

// ---------------------------------------------------------------- callbacks of the core

static void count_fallen(void *user, void *context, ct_entity e) {
    bars *b = user;
    (void)context;
    // The entity has its components until all callbacks have returned.
    if (api->find(b->manager, e).i != CT_NO_ROW) b->fallen++;
}

static bool opened(void *own, ct_manager *manager) {
    bars *b = own;
    b->manager = manager;
    return api->listen(api->entities(manager), count_fallen, b, &b->token) == CT_OK;
}

static void closed(void *own, ct_manager *manager) {
    const bars *b = own;
    api->unlisten(api->entities(manager), b->token);
}

// ---------------------------------------------------------------- snapshots

// The core saves the columns. This saves the count; 'manager' and 'token' stay unchanged.
static size_t save(const void *own, const ct_manager *manager, void *out, size_t bytes) {
    const bars *b = own;
    (void)manager;
    (void)bytes;
    if (out != NULL) memcpy(out, &b->fallen, sizeof b->fallen);
    return sizeof b->fallen;
}

static bool restore(void *own, ct_manager *manager, const void *saved, size_t bytes, bool commit) {
    bars *b = own;
    (void)manager;
    (void)bytes;
    if (commit) memcpy(&b->fallen, saved, sizeof b->fallen);
    return true;
}

// ---------------------------------------------------------------- saves

// A save may be read by another version of the program on another host, so it contains a version,
// and the count with its lowest byte first.
enum { VERSION = 1, SAVED_BYTES = 5 };

static size_t to_bytes(const void *own, const ct_manager *manager, const ct_row *rows,
                       uint32_t count, void *out, size_t size) {
    const bars *b = own;
    unsigned char *bytes = out;
    (void)manager, (void)rows, (void)count, (void)size;
    if (bytes == NULL) return SAVED_BYTES;
    bytes[0] = VERSION;
    for (int i = 0; i < 4; ++i)
        bytes[1 + i] = (unsigned char)(b->fallen >> 8 * i);
    return SAVED_BYTES;
}

// The bytes are untrusted.
static bool from_bytes(void *own, ct_manager *manager, const void *bytes, size_t size,
                       char *message, size_t room) {
    bars *b = own;
    const unsigned char *from = bytes;
    (void)manager;
    if (size != SAVED_BYTES || from[0] != VERSION) {
        strncpy(message, "the count has another version, or is damaged", room - 1);
        return false;
    }
    b->fallen = 0;
    for (int i = 0; i < 4; ++i)
        b->fallen |= (uint32_t)from[1 + i] << 8 * i;
    return true;
}

// ---------------------------------------------------------------- methods

// Returns a column as an array of floats. The columns of this component have no gaps.
static float *column(ct_manager *manager, uint32_t field) {
    return api->column(manager, field, NULL);
}

static float check_amount(lua_State *L, int arg) {
    lua_Number amount = luaL_checknumber(L, arg);
    luaL_argcheck(L, amount >= 0, arg, "number from 0 on expected");
    return (float)amount;
}

// health_bar:regenerate(dt) -> the number of bars below their maximum
static int regenerate(lua_State *L) {
    float dt = check_amount(L, 2);
    // Fetched after the number, because reading it may run a finalizer that destroys the world.
    ct_manager *manager = api->self(L);
    uint32_t count = api->count(manager), hurt = 0;
    float *hp = column(manager, FIELD_HP);
    const float *maximum = column(manager, FIELD_MAXIMUM);
    const float *rate = column(manager, FIELD_RATE);
    for (uint32_t row = 0; row < count; ++row) {
        float more = hp[row] + rate[row] * dt;
        hp[row] = ct_float_clean(more < maximum[row] ? more : maximum[row]);
        hurt += hp[row] < maximum[row];
    }
    lua_pushnumber(L, hurt);
    return 1;
}

// health_bar:damage(target, amount) -> the remaining hp
static int damage(lua_State *L) {
    float amount = check_amount(L, 3);
    ct_manager *manager = api->self(L);
    ct_row row = api->check_live_row(L, 2, manager);
    float *hp = column(manager, FIELD_HP);
    float left = hp[row.i] - amount;
    hp[row.i] = ct_float_clean(left > 0 ? left : 0);
    lua_pushnumber(L, hp[row.i]);
    return 1;
}

// health_bar:fallen() -> the number of entities with a bar that have died since the last call
static int fallen(lua_State *L) {
    bars *b = api->own(api->self(L), &health_bar);
    uint32_t count = b->fallen;
    b->fallen = 0;
    lua_pushnumber(L, count);
    return 1;
}

// ---------------------------------------------------------------- the component type

static const float full = 100, slow = 1;

static const ct_component_field fields[FIELD_COUNT] = {
    {.name = "hp", .type = CT_FIELD_FLOAT, .preset = &full},
    {.name = "maximum", .type = CT_FIELD_FLOAT, .preset = &full},
    {.name = "rate", .type = CT_FIELD_FLOAT, .preset = &slow}, // per second
};

static const luaL_Reg methods[] = {
    {"regenerate", regenerate}, {"damage", damage}, {"fallen", fallen}, {NULL, NULL}};

static const ct_component health_bar = {
    .size = sizeof(ct_component),
    .name = "health_bar",
    .fields = fields,
    .field_count = FIELD_COUNT,
    .own_bytes = sizeof(bars),
    .methods = methods,
    .opened = opened,
    .closed = closed,
    .save = save,
    .restore = restore,
    .to_bytes = to_bytes,
    .from_bytes = from_bytes,
};

// health_bar.define(world) -> manager
static int define(lua_State *L) {
    api->define(L, 1, &health_bar);
    return 1;
}

LUALIB_API int luaopen_health_bar(lua_State *L);

LUALIB_API int luaopen_health_bar(lua_State *L) {
    ct_api_keep(L, &api);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, define);
    lua_setfield(L, -2, "define");
    return 1;
}
