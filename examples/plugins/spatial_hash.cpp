// A plugin in C++: who is near a point, of all that have a transform. Its hash of cells is not
// built anew each frame: it asks which world poses changed, and mends what those entities have in
// it. Knows nothing of why somebody asks.
extern "C" {
#include <lauxlib.h>
#include <lua.h>
}

#include "cuttle.h"

#include <cmath>

namespace {

const ct_api *api;

// ---------------------------------------------------------------- the hash

const uint32_t BUCKETS = 4096; // lists of entities, by a hash of the cell they stand in
const uint32_t NONE = 0xFFFFFFFFu;
const int32_t LIMIT = 1000000000; // cells beyond are one

struct Cell {
    int32_t x, y;
};

// Where an entity stands; its place in the array is the entity's index.
struct Item {
    ct_entity entity; // CT_NOBODY: nobody of this index stands anywhere
    float x, y;
    Cell cell;
    uint32_t next, previous; // of its list, or NONE
};

// The block of the manager. All of it follows from transforms, so that nothing has to be saved.
struct Hash {
    float cell_size;
    uint32_t watch; // 0 until somebody asks
    bool lost;      // memory ran out in the middle of mending: begin anew
    uint32_t count; // who stands somewhere
    Item *items;
    uint32_t capacity;
    ct_entity *hits; // of a query
    uint32_t hit_capacity;
    uint32_t first[BUCKETS];
};

bool same(Cell a, Cell b) { return a.x == b.x && a.y == b.y; }

int32_t cell_along(double x, double size) {
    double cell = std::floor(x / size);
    return static_cast<int32_t>(cell < -LIMIT ? -LIMIT : cell > LIMIT ? LIMIT : cell);
}

uint32_t bucket_of(Cell cell) {
    uint32_t hash =
        static_cast<uint32_t>(cell.x) * 0x9E3779B1u ^ static_cast<uint32_t>(cell.y) * 0x85EBCA77u;
    return (hash ^ hash >> 15) % BUCKETS;
}

void leave(Hash *h, uint32_t place) {
    Item *item = &h->items[place];
    if (item->previous != NONE)
        h->items[item->previous].next = item->next;
    else
        h->first[bucket_of(item->cell)] = item->next;
    if (item->next != NONE) h->items[item->next].previous = item->previous;
    item->entity.id = CT_NOBODY;
    h->count--;
}

void enter(Hash *h, ct_entity e, float x, float y, Cell cell) {
    uint32_t place = ct_entity_index(e), *first = &h->first[bucket_of(cell)];
    h->items[place] = {e, x, y, cell, *first, NONE};
    if (*first != NONE) h->items[*first].previous = place;
    *first = place;
    h->count++;
}

void clear(Hash *h) {
    for (uint32_t i = 0; i < h->capacity; ++i)
        h->items[i].entity.id = CT_NOBODY;
    for (uint32_t i = 0; i < BUCKETS; ++i)
        h->first[i] = NONE;
    h->count = 0;
}

// ---------------------------------------------------------------- memory

// False, with everything as it was, when memory runs out.
template <typename T>
bool reserve(const ct_manager *manager, T **items, uint32_t *capacity, uint32_t wanted) {
    if (wanted <= *capacity) return true;
    uint32_t more = wanted > *capacity * 2 ? wanted : *capacity * 2;
    void *block = api->reallocate(manager, *items, *capacity * sizeof(T), more * sizeof(T));
    if (block == nullptr) return false;
    *items = static_cast<T *>(block);
    *capacity = more;
    return true;
}

bool reserve_item(Hash *h, const ct_manager *manager, ct_entity e) {
    uint32_t had = h->capacity;
    if (!reserve(manager, &h->items, &h->capacity, ct_entity_index(e) + 1)) return false;
    for (uint32_t i = had; i < h->capacity; ++i)
        h->items[i].entity.id = CT_NOBODY;
    return true;
}

// ---------------------------------------------------------------- following

// Brings an entity to where it stands now: in its cell, in another, or nowhere. False when memory
// runs out.
bool place(Hash *h, const ct_manager *manager, ct_manager *transforms, ct_entity e) {
    uint32_t index = ct_entity_index(e);
    ct_row row = api->find(transforms, e);
    if (row.i == CT_NO_ROW) {
        // It has gone. Another one of its index may stand here by now.
        if (index < h->capacity && h->items[index].entity.id == e.id) leave(h, index);
        return true;
    }
    if (!reserve_item(h, manager, e)) return false;
    const float *world = api->world_matrix(transforms, row);
    const float x = world[12], y = world[13];
    if (!std::isfinite(x) || !std::isfinite(y)) {
        if (h->items[index].entity.id != CT_NOBODY) leave(h, index);
        return true;
    }
    const Cell cell = {cell_along(x, h->cell_size), cell_along(y, h->cell_size)};
    Item *item = &h->items[index];
    if (item->entity.id == e.id && same(item->cell, cell)) {
        item->x = x;
        item->y = y;
        return true;
    }
    if (item->entity.id != CT_NOBODY) leave(h, index);
    enter(h, e, x, y, cell);
    return true;
}

// How many entities were looked at; *memory false: some were not.
uint32_t follow_changes(Hash *h, ct_manager *manager, ct_manager *transforms,
                        const ct_changed_poses &changed, bool *memory) {
    const bool all = changed.all || h->lost;
    const ct_entity *list = all ? api->owners(transforms) : changed.entities;
    const uint32_t count = all ? api->count(transforms) : changed.count;
    if (all) clear(h);
    *memory = true;
    for (uint32_t i = 0; i < count && *memory; ++i) {
        if (list[i].id != CT_NOBODY) *memory = place(h, manager, transforms, list[i]);
    }
    h->lost = !*memory;
    return count;
}

// ---------------------------------------------------------------- asking

struct Query {
    float x, y, r;
    uint32_t found;
    const ct_entity_manager *entities;
};

void look_at(Hash *h, Query *q, const Item *item) {
    const double dx = static_cast<double>(item->x) - q->x, dy = static_cast<double>(item->y) - q->y;
    if (dx * dx + dy * dy > static_cast<double>(q->r) * q->r) return;
    if (api->alive(q->entities, item->entity)) h->hits[q->found++] = item->entity;
}

void look_around(Hash *h, Query *q) {
    const double size = h->cell_size, x = q->x, y = q->y;
    const Cell low = {cell_along(x - q->r, size), cell_along(y - q->r, size)};
    const Cell high = {cell_along(x + q->r, size), cell_along(y + q->r, size)};
    if ((1.0 + high.x - low.x) * (1.0 + high.y - low.y) > BUCKETS) {
        for (uint32_t i = 0; i < h->capacity; ++i)
            if (h->items[i].entity.id != CT_NOBODY) look_at(h, q, &h->items[i]);
        return;
    }
    Cell c;
    for (c.y = low.y; c.y <= high.y; ++c.y)
        for (c.x = low.x; c.x <= high.x; ++c.x)
            for (uint32_t i = h->first[bucket_of(c)]; i != NONE; i = h->items[i].next)
                if (same(h->items[i].cell, c)) look_at(h, q, &h->items[i]);
}

// ---------------------------------------------------------------- callbacks of the core

bool opened(void *own, ct_manager *) {
    Hash *h = static_cast<Hash *>(own); // zeroed
    h->cell_size = 16;
    clear(h);
    return true;
}

// The watch ends with the world by itself.
void closed(void *own, ct_manager *manager) {
    Hash *h = static_cast<Hash *>(own);
    api->reallocate(manager, h->items, h->capacity * sizeof *h->items, 0);
    api->reallocate(manager, h->hits, h->hit_capacity * sizeof *h->hits, 0);
}

size_t bytes(const void *own, const ct_manager *) {
    const Hash *h = static_cast<const Hash *>(own);
    return h->capacity * sizeof *h->items + h->hit_capacity * sizeof *h->hits;
}

// A restore changes all poses: the next ask says so, and the hash is built anew from them.
size_t save(const void *, const ct_manager *, void *, size_t) { return 0; }
bool restore(void *, ct_manager *, const void *, size_t, bool) { return true; }
size_t to_bytes(const void *, const ct_manager *, const ct_row *, uint32_t, void *, size_t) {
    return 0;
}
bool from_bytes(void *, ct_manager *, const void *, size_t, char *, size_t) { return true; }

// ---------------------------------------------------------------- the component type

int follow(lua_State *L);
int within(lua_State *L);

const luaL_Reg methods[] = {{"follow", follow}, {"within", within}, {nullptr, nullptr}};

// It has no fields, and needs no components: a manager in which the hash lives.
ct_component make_type() {
    ct_component type = ct_component_make("spatial_hash", nullptr, 0);
    type.own_bytes = sizeof(Hash);
    type.methods = methods;
    type.opened = opened;
    type.closed = closed;
    type.bytes = bytes;
    type.save = save;
    type.restore = restore;
    type.to_bytes = to_bytes;
    type.from_bytes = from_bytes;
    return type;
}

const ct_component spatial_hash = make_type();

Hash *self_hash(lua_State *L) { return static_cast<Hash *>(api->own(api->self(L), &spatial_hash)); }

// spatial_hash:follow() -> how many entities it had to look at
int follow(lua_State *L) {
    ct_manager *manager = api->self(L);
    ct_manager *transforms = api->find_manager(api->self_world(L), "transform");
    Hash *h = self_hash(L);
    ct_changed_poses changed;
    bool memory;
    if (h->watch == 0)
        api->check_status(L, api->watch_poses(transforms, &h->watch), "spatial_hash");
    api->check_status(L, api->changed_poses(transforms, h->watch, &changed), "spatial_hash");
    const uint32_t count = follow_changes(h, manager, transforms, changed, &memory);
    if (!memory) api->check_status(L, CT_ERR_MEMORY, "spatial_hash");
    lua_pushnumber(L, count);
    return 1;
}

float check_number(lua_State *L, int arg) {
    lua_Number x = luaL_checknumber(L, arg);
    luaL_argcheck(L, std::fabs(x) <= 1e18, arg, "finite number expected");
    return static_cast<float>(x);
}

// spatial_hash:within(x, y, r [, list]) -> list of those not farther than that, how many; as they
// stood at the last follow
int within(lua_State *L) {
    api->self(L); // first what it was called on, then its arguments
    Query q = {check_number(L, 2), check_number(L, 3), check_number(L, 4), 0, nullptr};
    luaL_argcheck(L, q.r >= 0, 4, "number from 0 on expected");
    api->open_list(L, 5);
    // Only now: making the list may have run a finalizer, and that may have ended the world.
    ct_manager *manager = api->self(L);
    Hash *h = self_hash(L);
    q.entities = api->entities(manager);
    if (!reserve(manager, &h->hits, &h->hit_capacity, h->count))
        api->check_status(L, CT_ERR_MEMORY, "spatial_hash");
    look_around(h, &q);
    api->fill_list(L, -1, q.found, h->hits);
    lua_pushnumber(L, q.found);
    return 2;
}

// spatial_hash.define(world [, cell_size]) -> manager
int define(lua_State *L) {
    lua_Number size = luaL_optnumber(L, 2, 16);
    luaL_argcheck(L, size >= 1e-6 && size <= 1e6, 2, "number from 1e-6 to 1e6 expected");
    api->define(L, 1, &spatial_hash);
    ct_manager *manager = api->find_manager(api->check_world(L, 1), "spatial_hash");
    Hash *h = static_cast<Hash *>(api->own(manager, &spatial_hash));
    h->cell_size = static_cast<float>(size);
    h->lost = true; // cells are others from now on
    return 1;
}

} // namespace

extern "C" {

LUALIB_API int luaopen_spatial_hash(lua_State *L);

LUALIB_API int luaopen_spatial_hash(lua_State *L) {
    ct_api_keep(L, &api);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, define);
    lua_setfield(L, -2, "define");
    return 1;
}

} // extern "C"
