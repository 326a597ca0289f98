// A plugin in C++: a uniform grid over transforms, for queries of the members near a point.
// Longer than 400 lines: a complete plugin in one file.
extern "C" {
#include <lauxlib.h>
#include <lua.h>
}

#include "cuttle.h"

#include <cmath>
#include <cstring>
#include <new>

namespace {

const ct_api *api;
extern const ct_component grid_member;

// ---------------------------------------------------------------- memory

// A growing array in memory of the host. It has no destructor, because Lua's errors skip C++
// frames; 'closed' frees it.
template <typename T> struct Array {
    T *items;
    uint32_t capacity;

    // Grows and keeps the items. Returns false, with nothing changed, if memory runs out.
    bool reserve(const ct_manager *manager, uint32_t wanted) {
        if (wanted <= capacity) return true;
        uint32_t more = wanted > capacity * 2 ? wanted : capacity * 2;
        void *block = api->reallocate(manager, items, capacity * sizeof(T), more * sizeof(T));
        if (block == nullptr) return false;
        items = static_cast<T *>(block);
        capacity = more;
        return true;
    }

    void free(const ct_manager *manager) {
        api->reallocate(manager, items, capacity * sizeof(T), 0);
        items = nullptr;
        capacity = 0;
    }

    size_t bytes() const { return capacity * sizeof(T); }
};

// ---------------------------------------------------------------- the grid

const uint32_t NOWHERE = 0xFFFFFFFFu;

struct Cell {
    int32_t x, y, z;
};

// A member and its position at the last rebuild.
struct Item {
    float x, y, z, radius;
    Cell cell;
    ct_entity entity; // CT_NOBODY: removed since then
    uint32_t row;     // of its component
};

// Items are in the order of their buckets. A bucket contains all cells of one hash.
struct Grid {
    ct_manager *manager; // valid from 'opened' to 'closed'
    uint32_t token;
    uint32_t count;   // items
    uint32_t buckets; // a power of two, or 0 before the first rebuild
    float cell_size;
    float largest;  // radius
    Cell low, high; // the range of cells: a flat game has one layer
    double queries;
    Array<Item> items, unsorted;
    Array<uint32_t> start;  // of each bucket, and the end of the last
    Array<uint32_t> bucket; // of each unsorted item
    Array<uint32_t> place;  // of each row's item, or NOWHERE
    Array<ct_entity> hits;  // of a query; capacity for all items

    Item *item_of(ct_row row) {
        uint32_t at = place.items[row.i];
        return at == NOWHERE ? nullptr : &items.items[at];
    }
};

Grid *grid_of(void *own) { return static_cast<Grid *>(own); }

Grid *self_grid(lua_State *L) { return grid_of(api->own(api->self(L), &grid_member)); }

// All cells beyond these bounds are one cell.
const int32_t LIMIT = 1000000000;

int32_t cell_along(double x, double size) {
    double cell = std::floor(x / size);
    return static_cast<int32_t>(cell < -LIMIT ? -LIMIT : cell > LIMIT ? LIMIT : cell);
}

int32_t lower(int32_t a, int32_t b) { return a < b ? a : b; }
int32_t upper(int32_t a, int32_t b) { return a > b ? a : b; }

Cell lower(Cell a, Cell b) { return {lower(a.x, b.x), lower(a.y, b.y), lower(a.z, b.z)}; }
Cell upper(Cell a, Cell b) { return {upper(a.x, b.x), upper(a.y, b.y), upper(a.z, b.z)}; }

uint32_t bucket_of(const Grid *g, Cell c) {
    uint32_t hash = static_cast<uint32_t>(c.x) * 0x9E3779B1u ^
                    static_cast<uint32_t>(c.y) * 0x85EBCA77u ^
                    static_cast<uint32_t>(c.z) * 0xC2B2AE3Du;
    return (hash ^ hash >> 15) & (g->buckets - 1);
}

bool same(Cell a, Cell b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

float radius_at(const void *column, uint32_t row) {
    float radius = static_cast<const float *>(column)[row];
    return radius > 0 ? radius : 0; // also for a NaN
}

// ---------------------------------------------------------------- callbacks of the core

void forget(Grid *g, ct_row row) {
    Item *item = g->item_of(row);
    if (item != nullptr) item->entity.id = CT_NOBODY;
}

// Removes dead members from the results before gc removes their components.
void entity_died(void *user, void *, ct_entity e) {
    Grid *g = grid_of(user);
    ct_row row = api->find(g->manager, e);
    if (row.i != CT_NO_ROW) forget(g, row);
}

bool opened(void *own, ct_manager *manager) {
    Grid *g = new (own) Grid();
    g->manager = manager;
    g->cell_size = 1;
    return api->listen(api->entities(manager), entity_died, g, &g->token) == CT_OK;
}

void closed(void *own, ct_manager *manager) {
    Grid *g = grid_of(own);
    api->unlisten(api->entities(manager), g->token);
    g->items.free(manager);
    g->unsorted.free(manager);
    g->start.free(manager);
    g->bucket.free(manager);
    g->place.free(manager);
    g->hits.free(manager);
}

// New members have no cell until the next rebuild.
bool created(void *own, ct_manager *manager, ct_row first, uint32_t count) {
    Grid *g = grid_of(own);
    if (!g->place.reserve(manager, first.i + count)) return false;
    for (uint32_t i = 0; i < count; ++i)
        g->place.items[first.i + i] = NOWHERE;
    return true;
}

void removing(void *own, ct_manager *, ct_row row) {
    Grid *g = grid_of(own);
    forget(g, row);
    g->place.items[row.i] = NOWHERE;
}

void moved(void *own, ct_manager *, ct_row to, ct_row from) {
    Grid *g = grid_of(own);
    g->place.items[to.i] = g->place.items[from.i];
    Item *item = g->item_of(to);
    if (item != nullptr) item->row = to.i;
}

// A new radius takes effect at once, a new position at the next rebuild.
void written(void *own, ct_manager *manager, ct_row row, uint32_t field) {
    Grid *g = grid_of(own);
    Item *item = g->item_of(row);
    if (item == nullptr) return;
    item->radius = radius_at(api->column(manager, field, nullptr), row.i);
    if (item->radius > g->largest) g->largest = item->radius;
}

size_t bytes(const void *own, const ct_manager *) {
    const Grid *g = static_cast<const Grid *>(own);
    return g->items.bytes() + g->unsorted.bytes() + g->start.bytes() + g->bucket.bytes() +
           g->place.bytes() + g->hits.bytes();
}

bool broken(char *message, size_t bytes, const char *reason) {
    std::strncpy(message, reason, bytes - 1);
    return false;
}

bool validate(const void *own, const ct_manager *manager, char *message, size_t bytes) {
    const Grid *g = static_cast<const Grid *>(own);
    const ct_entity *owners = api->owners(manager);
    uint32_t placed = 0, live = 0;
    for (uint32_t row = 0; row < api->count(manager); ++row) {
        uint32_t at = g->place.items[row];
        if (at == NOWHERE) continue;
        placed++;
        if (at >= g->count || g->items.items[at].row != row)
            return broken(message, bytes, "a row and its item do not match");
        ct_entity e = g->items.items[at].entity;
        live += e.id != CT_NOBODY;
        if (e.id != CT_NOBODY && e.id != owners[row].id)
            return broken(message, bytes, "an item belongs to another entity");
    }
    for (uint32_t at = 0; at < g->count; ++at)
        live -= g->items.items[at].entity.id != CT_NOBODY;
    if (live != 0 || placed > g->count) return broken(message, bytes, "an item has no row");
    return true;
}

// ---------------------------------------------------------------- snapshots

// A snapshot contains the positions of the last rebuild, which cannot be computed again. It begins
// with this header; items, starts and places follow.
struct Saved {
    double queries;
    uint32_t rows, count, buckets;
    float cell_size, largest;
    Cell low, high;

    uint32_t starts() const { return buckets == 0 ? 0 : buckets + 1; }
};

template <typename T> char *put(char *out, const Array<T> &from, uint32_t count) {
    if (count > 0) std::memcpy(out, from.items, count * sizeof(T));
    return out + count * sizeof(T);
}

template <typename T> const char *take(const char *in, Array<T> &to, uint32_t count) {
    if (count > 0) std::memcpy(to.items, in, count * sizeof(T));
    return in + count * sizeof(T);
}

size_t save(const void *own, const ct_manager *manager, void *out, size_t) {
    const Grid *g = static_cast<const Grid *>(own);
    const Saved head = {g->queries,   api->count(manager), g->count, g->buckets,
                        g->cell_size, g->largest,          g->low,   g->high};
    if (out != nullptr) {
        std::memcpy(out, &head, sizeof head);
        char *at = put(static_cast<char *>(out) + sizeof head, g->items, head.count);
        put(put(at, g->start, head.starts()), g->place, head.rows);
    }
    return sizeof head + head.count * sizeof(Item) +
           (static_cast<size_t>(head.starts()) + head.rows) * sizeof(uint32_t);
}

bool restore(void *own, ct_manager *manager, const void *saved, size_t, bool commit) {
    Grid *g = grid_of(own);
    Saved head;
    std::memcpy(&head, saved, sizeof head);
    if (!commit)
        return g->items.reserve(manager, head.count) && g->hits.reserve(manager, head.count) &&
               g->start.reserve(manager, head.starts()) && g->place.reserve(manager, head.rows);
    g->queries = head.queries;
    g->count = head.count;
    g->buckets = head.buckets;
    g->cell_size = head.cell_size;
    g->largest = head.largest;
    g->low = head.low;
    g->high = head.high;
    const char *at = take(static_cast<const char *>(saved) + sizeof head, g->items, head.count);
    take(take(at, g->start, head.starts()), g->place, head.rows);
    return true;
}

// ---------------------------------------------------------------- saves

// After loading a save, members have no cell until the next rebuild, like new members. A save
// contains only a version and the size of cells, with its lowest byte first.
const unsigned char VERSION = 1;
const size_t SAVED_BYTES = 5;

size_t to_bytes(const void *own, const ct_manager *, const ct_row *, uint32_t, void *out, size_t) {
    uint32_t bits;
    std::memcpy(&bits, &static_cast<const Grid *>(own)->cell_size, sizeof bits);
    unsigned char *bytes = static_cast<unsigned char *>(out);
    if (bytes == nullptr) return SAVED_BYTES;
    bytes[0] = VERSION;
    for (int i = 0; i < 4; ++i)
        bytes[1 + i] = static_cast<unsigned char>(bits >> 8 * i);
    return SAVED_BYTES;
}

// The bytes are untrusted.
bool from_bytes(void *own, ct_manager *, const void *bytes, size_t size, char *message,
                size_t room) {
    const unsigned char *from = static_cast<const unsigned char *>(bytes);
    uint32_t bits = 0;
    float cell_size;
    for (int i = 0; i < 4 && size == SAVED_BYTES; ++i)
        bits |= static_cast<uint32_t>(from[1 + i]) << 8 * i;
    std::memcpy(&cell_size, &bits, sizeof cell_size);
    if (size != SAVED_BYTES || from[0] != VERSION || !(cell_size >= 9e-7f && cell_size <= 1e6f))
        return broken(message, room, "the size of cells has another version, or is damaged");
    grid_of(own)->cell_size = cell_size;
    return true;
}

// ---------------------------------------------------------------- rebuilding

// Does everything that can fail, before anything changes.
bool reserve(Grid *g, ct_manager *manager, uint32_t rows, uint32_t buckets) {
    return g->items.reserve(manager, rows) && g->unsorted.reserve(manager, rows) &&
           g->bucket.reserve(manager, rows) && g->hits.reserve(manager, rows) &&
           g->start.reserve(manager, buckets + 1);
}

// Collects the members with a finite position in order of their rows, and returns their number.
uint32_t gather(Grid *g, ct_manager *members, ct_manager *transforms, float size) {
    uint32_t matrix_stride, count = 0, rows = api->count(members);
    const void *radius = api->column(members, 0, nullptr);
    const char *matrices = static_cast<const char *>(
        api->column(transforms, api->find_field(transforms, "world_matrix"), &matrix_stride));
    const ct_entity *owners = api->owners(members);
    const uint32_t BLOCK = 256;
    ct_row found[BLOCK];
    for (uint32_t row = 0; row < rows; ++row) {
        if (row % BLOCK == 0)
            api->find_many(transforms, rows - row < BLOCK ? rows - row : BLOCK, owners + row,
                           found);
        ct_row at = found[row % BLOCK];
        if (at.i == CT_NO_ROW) continue;
        float m[16];
        std::memcpy(m, matrices + static_cast<size_t>(at.i) * matrix_stride, sizeof m);
        if (!std::isfinite(m[12]) || !std::isfinite(m[13]) || !std::isfinite(m[14])) continue;
        Cell cell = {cell_along(m[12], size), cell_along(m[13], size), cell_along(m[14], size)};
        g->unsorted.items[count++] = {m[12], m[13],       m[14], radius_at(radius, row),
                                      cell,  owners[row], row};
    }
    return count;
}

void measure(Grid *g) {
    g->largest = 0;
    g->low = {LIMIT, LIMIT, LIMIT};
    g->high = {-LIMIT, -LIMIT, -LIMIT};
    for (uint32_t i = 0; i < g->count; ++i) {
        const Item &item = g->unsorted.items[i];
        if (item.radius > g->largest) g->largest = item.radius;
        g->low = lower(g->low, item.cell);
        g->high = upper(g->high, item.cell);
    }
}

// Counting sort by bucket.
void sort(Grid *g) {
    uint32_t *start = g->start.items;
    std::memset(start, 0, (g->buckets + 1) * sizeof *start);
    for (uint32_t i = 0; i < g->count; ++i) {
        g->bucket.items[i] = bucket_of(g, g->unsorted.items[i].cell);
        start[g->bucket.items[i] + 1]++;
    }
    for (uint32_t b = 0; b < g->buckets; ++b)
        start[b + 1] += start[b];
    // Fills each bucket from its end, so that 'start' of the next bucket becomes the start of this.
    for (uint32_t i = g->count; i-- > 0;) {
        uint32_t at = --start[g->bucket.items[i] + 1];
        g->items.items[at] = g->unsorted.items[i];
        g->place.items[g->unsorted.items[i].row] = at;
    }
    std::memmove(start, start + 1, g->buckets * sizeof *start);
    start[g->buckets] = g->count;
}

// grid_member:rebuild([cell_size]) -> the number of members in the grid
int rebuild(lua_State *L) {
    lua_Number size = luaL_optnumber(L, 2, 0);
    bool given = !lua_isnoneornil(L, 2);
    luaL_argcheck(L, !given || (size >= 1e-6 && size <= 1e6), 2,
                  "number from 1e-6 to 1e6 expected");
    ct_manager *members = api->self(L);
    ct_manager *transforms = api->find_manager(api->self_world(L), "transform");
    Grid *g = self_grid(L);
    uint32_t rows = api->count(members), buckets = 16;
    while (buckets < rows)
        buckets *= 2;
    if (!reserve(g, members, rows, buckets)) api->check_status(L, CT_ERR_MEMORY, "grid_member");

    // Nothing below this line can fail.
    if (given) g->cell_size = static_cast<float>(size);
    for (uint32_t row = 0; row < rows; ++row)
        g->place.items[row] = NOWHERE;
    g->buckets = buckets;
    g->count = gather(g, members, transforms, g->cell_size);
    measure(g);
    sort(g);
    lua_pushnumber(L, g->count);
    return 1;
}

// ---------------------------------------------------------------- queries

struct Query {
    float x, y, z, r;
    uint32_t found;
};

void look_at(Grid *g, Query *q, const Item *item) {
    float dx = item->x - q->x, dy = item->y - q->y, dz = item->z - q->z;
    float reach = q->r + item->radius;
    if (dx * dx + dy * dy + dz * dz > reach * reach || item->entity.id == CT_NOBODY) return;
    g->hits.items[q->found++] = item->entity;
}

void look_into_cells(Grid *g, Query *q, Cell low, Cell high) {
    Cell c;
    for (c.z = low.z; c.z <= high.z; ++c.z)
        for (c.y = low.y; c.y <= high.y; ++c.y)
            for (c.x = low.x; c.x <= high.x; ++c.x) {
                uint32_t b = bucket_of(g, c);
                const Item *end = g->items.items + g->start.items[b + 1];
                for (const Item *item = g->items.items + g->start.items[b]; item < end; ++item) {
                    if (same(item->cell, c)) look_at(g, q, item);
                }
            }
}

void look_around(Grid *g, Query *q) {
    double size = g->cell_size, reach = static_cast<double>(q->r) + g->largest;
    Cell low = {cell_along(q->x - reach, size), cell_along(q->y - reach, size),
                cell_along(q->z - reach, size)};
    Cell high = {cell_along(q->x + reach, size), cell_along(q->y + reach, size),
                 cell_along(q->z + reach, size)};
    low = upper(low, g->low);
    high = lower(high, g->high);
    double cells = (1.0 + high.x - low.x) * (1.0 + high.y - low.y) * (1.0 + high.z - low.z);
    if (low.x > high.x || low.y > high.y || low.z > high.z) return;
    if (cells <= g->count) {
        look_into_cells(g, q, low, high);
        return;
    }
    for (uint32_t i = 0; i < g->count; ++i)
        look_at(g, q, &g->items.items[i]);
}

float check_coordinate(lua_State *L, int arg) {
    lua_Number x = luaL_checknumber(L, arg);
    luaL_argcheck(L, std::fabs(x) <= 1e18, arg, "finite number expected");
    return static_cast<float>(x);
}

// grid_member:within(x, y, z, r [, list]) -> list of the entities within r, their number
int within(lua_State *L) {
    api->self(L); // checks self before the arguments
    Query q = {check_coordinate(L, 2), check_coordinate(L, 3), check_coordinate(L, 4),
               check_coordinate(L, 5), 0};
    luaL_argcheck(L, q.r >= 0, 5, "number from 0 on expected");
    api->open_list(L, 6);
    // Fetched after the list, because creating it may run a finalizer that destroys the world.
    Grid *g = self_grid(L);
    g->queries++;
    look_around(g, &q);
    api->fill_list(L, -1, q.found, g->hits.items);
    lua_pushnumber(L, q.found);
    return 2;
}

// grid_member:queries() -> the number of calls of 'within'
int queries(lua_State *L) {
    lua_pushnumber(L, self_grid(L)->queries);
    return 1;
}

// ---------------------------------------------------------------- the component type

const ct_component_field fields[] = {{"radius", CT_FIELD_FLOAT, false, false, nullptr}};

const luaL_Reg methods[] = {
    {"rebuild", rebuild}, {"within", within}, {"queries", queries}, {nullptr, nullptr}};

// In the order of ct_component.
const ct_component grid_member = {
    sizeof(ct_component),
    0, // flags
    "grid_member",
    fields,
    1, // field
    sizeof(Grid),
    methods,
    opened,
    closed,
    created,
    removing,
    moved,
    written,
    bytes,
    validate,
    save,
    restore,
    to_bytes,
    from_bytes,
    nullptr, // hidden
    {},      // reserved
};

// grid.define(world) -> manager
int define(lua_State *L) {
    api->define(L, 1, &grid_member);
    return 1;
}

} // namespace

extern "C" {

LUALIB_API int luaopen_grid(lua_State *L);

LUALIB_API int luaopen_grid(lua_State *L) {
    ct_api_keep(L, &api);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, define);
    lua_setfield(L, -2, "define");
    return 1;
}

} // extern "C"
