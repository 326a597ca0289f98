// A plugin in C: discs that push each other apart. It makes a space of its own, which finds the
// pairs of discs that overlap.
#include <lauxlib.h>
#include <lua.h>

#include "cuttle.h"

#include <math.h>

// The columns, which scripts can use, too.
enum { FIELD_RADIUS, FIELD_PUSH, FIELD_COUNT };

// The private memory of the manager. The core sets it to zero. The space is computed from
// transforms and radii, so it is not saved.
typedef struct crowd {
    ct_space *space; // NULL before the first call of 'separate'
} crowd;

static const ct_api *api;
static const ct_component disc;

// ---------------------------------------------------------------- callbacks of the core

static void closed(void *own, ct_manager *manager) {
    crowd *c = own;
    (void)manager;
    api->space_free(c->space);
}

static size_t save(const void *own, const ct_manager *manager, void *out, size_t bytes) {
    (void)own;
    (void)manager;
    (void)out;
    (void)bytes;
    return 0;
}

// After a restore the space is empty until its next update.
static bool restore(void *own, ct_manager *manager, const void *saved, size_t bytes, bool commit) {
    (void)own;
    (void)manager;
    (void)saved;
    (void)bytes;
    (void)commit;
    return true;
}

static size_t to_bytes(const void *own, const ct_manager *manager, const ct_row *rows,
                       uint32_t count, void *out, size_t size) {
    (void)own;
    (void)manager;
    (void)rows;
    (void)count;
    (void)out;
    (void)size;
    return 0;
}

static bool from_bytes(void *own, ct_manager *manager, const void *bytes, size_t size,
                       char *message, size_t room) {
    (void)own;
    (void)manager;
    (void)bytes;
    (void)size;
    if (room > 0) message[0] = 0; // no error
    return true;
}

// ---------------------------------------------------------------- the pushes

// Fetched again in each call from Lua.
typedef struct discs {
    ct_manager *manager, *transforms;
    const float *radius;
    float (*push)[2];
} discs;

// Makes the space at the first call.
static ct_status open_space(crowd *c, const discs *d, ct_world *world, double cell) {
    ct_manager *const managers[] = {d->manager, d->transforms};
    const ct_space_options options = {.size = sizeof(ct_space_options),
                                      .dimensions = 2,
                                      .cell = cell,
                                      .radius_of = d->manager,
                                      .radius_field = FIELD_RADIUS};
    if (c->space != NULL) return CT_OK;
    return api->space(world, 2, managers, NULL, &options, &c->space);
}

static const float SHARE = 0.52f;

// Adds a share of the overlap of two discs to the push of each: a little more than half, so that
// they do not touch afterwards.
static void push_apart(const discs *d, ct_entity one, ct_entity other) {
    const ct_row a = api->find(d->manager, one), b = api->find(d->manager, other);
    const ct_row at = api->find(d->transforms, one), to = api->find(d->transforms, other);
    if (a.i == CT_NO_ROW || b.i == CT_NO_ROW || at.i == CT_NO_ROW || to.i == CT_NO_ROW) return;
    const float *from = api->world_matrix(d->transforms, at) + 12;
    float way[2] = {-from[0], -from[1]};
    const float *end = api->world_matrix(d->transforms, to) + 12;
    way[0] += end[0];
    way[1] += end[1];
    const float distance = sqrtf(way[0] * way[0] + way[1] * way[1]);
    const float overlap = d->radius[a.i] + d->radius[b.i] - distance;
    if (distance > 0) {
        way[0] /= distance;
        way[1] /= distance;
    } else {
        way[0] = 1; // equal positions: along x
    }
    for (int i = 0; i < 2; ++i) {
        d->push[a.i][i] = ct_float_clean(d->push[a.i][i] - way[i] * overlap * SHARE);
        d->push[b.i][i] = ct_float_clean(d->push[b.i][i] + way[i] * overlap * SHARE);
    }
}

static void move(const discs *d) {
    const ct_entity *owners = api->owners(d->manager);
    const uint32_t count = api->count(d->manager);
    for (uint32_t i = 0; i < count; ++i) {
        const ct_row row = api->find(d->transforms, owners[i]);
        if (row.i == CT_NO_ROW || (d->push[i][0] == 0 && d->push[i][1] == 0)) continue;
        const float *at = api->world_matrix(d->transforms, row) + 12;
        const float to[3] = {at[0] + d->push[i][0], at[1] + d->push[i][1], at[2]};
        // A parent with a scale of 0 has no such local position; the disc then stays.
        (void)api->set_world_position(d->transforms, row, to);
    }
}

// ---------------------------------------------------------------- methods

// disc:separate(cell) -> number of pairs that overlapped. 'cell' is the size of the cells of the
// space, about the largest diameter; later calls ignore it.
static int separate(lua_State *L) {
    const double cell = luaL_checknumber(L, 2);
    luaL_argcheck(L, cell >= 1e-6 && cell <= 1e6, 2, "number from 1e-6 to 1e6 expected");
    ct_world *world = api->self_world(L);
    discs d = {api->self(L), api->find_manager(world, "transform"), NULL, NULL};
    crowd *c = api->own(d.manager, &disc);
    ct_space_answer pairs;
    uint32_t count;
    api->check_status(L, open_space(c, &d, world, cell), "disc");
    api->check_status(L, api->space_refresh(c->space, &count), "disc");
    api->check_status(L, api->space_pairs(c->space, 0, NULL, &pairs), "disc");
    d.radius = api->column(d.manager, FIELD_RADIUS, NULL);
    d.push = api->column(d.manager, FIELD_PUSH, NULL);
    for (uint32_t i = 0; i < api->count(d.manager); ++i)
        d.push[i][0] = d.push[i][1] = 0;
    for (uint32_t i = 0; i < pairs.count; i += 2)
        push_apart(&d, pairs.entities[i], pairs.entities[i + 1]);
    move(&d);
    count = pairs.count / 2;
    lua_pushnumber(L, count);
    return 1;
}

static const luaL_Reg methods[] = {{"separate", separate}, {NULL, NULL}};

static const float one = 1;

static const ct_component_field fields[FIELD_COUNT] = {
    [FIELD_RADIUS] = {.name = "radius", .type = CT_FIELD_FLOAT, .preset = &one},
    [FIELD_PUSH] = {.name = "push", .type = CT_FIELD_VEC2},
};

static const ct_component disc = {
    .size = sizeof(ct_component),
    .name = "disc",
    .fields = fields,
    .field_count = FIELD_COUNT,
    .own_bytes = sizeof(crowd),
    .methods = methods,
    .closed = closed,
    .save = save,
    .restore = restore,
    .to_bytes = to_bytes,
    .from_bytes = from_bytes,
};

// crowd.define(world) -> manager
static int define(lua_State *L) {
    api->define(L, 1, &disc);
    return 1;
}

LUALIB_API int luaopen_crowd(lua_State *L);

LUALIB_API int luaopen_crowd(lua_State *L) {
    ct_api_keep(L, &api);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, define);
    lua_setfield(L, -2, "define");
    return 1;
}
