// A plugin in C++: a spatial hash of all entities with a transform, for queries of the entities
// near a point. It is not rebuilt each frame: it fetches the entities with changed world poses, and
// updates only these.
extern "C" {
#include <lauxlib.h>
#include <lua.h>
}

#include "cuttle.h"

#include <cmath>

namespace {

const ct_api *api;

// ---------------------------------------------------------------- the hash

const uint32_t BUCKETS = 4096; // lists of entities, by a hash of their cell
const uint32_t NONE = 0xFFFFFFFFu;
const int32_t LIMIT = 1000000000; // all cells beyond are one cell

struct Cell {
    int32_t x, y;
};

// The position of an entity. Its index in the array is the entity's index.
struct Item {
    ct_entity entity; // CT_NOBODY: no entity with this index is in the hash
    float x, y;
    Cell cell;
    uint32_t next, previous; // of its list, or NONE
};

// The private memory of the manager. It is computed from transforms, so it is not saved.
struct Hash {
    float cell_size;
    uint32_t watch; // 0 before the first call of 'follow'
    bool lost;      // memory ran out during an update: rebuild
    uint32_t count; // of entities in the hash
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

// Returns false, with nothing changed, if memory runs out.
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

// Updates an entity: moves it to its current cell, or removes it. Returns false if memory runs out.
bool place(Hash *h, const ct_manager *manager, ct_manager *transforms, ct_entity e) {
    uint32_t index = ct_entity_index(e);
    ct_row row = api->find(transforms, e);
    if (row.i == CT_NO_ROW) {
        // It has no transform. Another entity with its index may be in the hash.
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

// Updates the changed entities and returns their number. Sets *memory to false if memory ran out
// before all were updated.
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

// ---------------------------------------------------------------- queries

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

// The world ends the watch.
void closed(void *own, ct_manager *manager) {
    Hash *h = static_cast<Hash *>(own);
    api->reallocate(manager, h->items, h->capacity * sizeof *h->items, 0);
    api->reallocate(manager, h->hits, h->hit_capacity * sizeof *h->hits, 0);
}

size_t bytes(const void *own, const ct_manager *) {
    const Hash *h = static_cast<const Hash *>(own);
    return h->capacity * sizeof *h->items + h->hit_capacity * sizeof *h->hits;
}

// Nothing is saved: after a restore all poses count as changed, so the next 'follow' rebuilds.
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

// The type has no fields and no components. Its manager owns the hash.
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

// spatial_hash:follow() -> the number of entities that it updated
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

// spatial_hash:within(x, y, r [, list]) -> list of the entities within r, their number; uses the
// positions of the last follow
int within(lua_State *L) {
    api->self(L); // checks self before the arguments
    Query q = {check_number(L, 2), check_number(L, 3), check_number(L, 4), 0, nullptr};
    luaL_argcheck(L, q.r >= 0, 4, "number from 0 on expected");
    api->open_list(L, 5);
    // Fetched after the list, because creating it may run a finalizer that destroys the world.
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
    h->lost = true; // the size of cells may have changed
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
