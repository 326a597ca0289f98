// Lua values as the bytes that levels hold of them.
// Knows nothing of what the bytes are for.
#include "bind/value/value_bytes.h"

#include "bind/value/kept.h"
#include "storage/value_bytes.h"
#include "storage/written_tables.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 0x3FFFFFFFu

// A table that stands in several places is written in each. Where such tables hold one another that
// grows with every level; so many bytes it may take.
#define MOST_REPEATED 0x1000000u

// A table that has begun. It is on the stack; while its pairs are written a key lies above.
typedef struct frame {
    uint32_t head;         // where its bytes begin
    uint32_t items, pairs; // of the former all; of the latter so many are there
    uint32_t next;         // item
    uint32_t first;        // of its pairs, among all starts
    int table;             // on the stack
} frame;

typedef struct encoder {
    lua_State *L;
    ct_arena *arena;
    unsigned char *bytes;
    uint32_t count, capacity;
    uint32_t *starts; // of the pairs of all tables that have begun
    uint32_t start_count, start_capacity;
    ct_written_tables written;
    uint32_t repeated; // bytes of tables that had been written before
    uint32_t repeats;  // at which depth one of them is being written, or 0
    uint32_t depth;
    frame frames[CT_MAX_VALUE_DEPTH];
} encoder;

// ---------------------------------------------------------------- what was written

static void *take(const encoder *e, size_t bytes) {
    void *piece = ct_arena_take(e->arena, bytes);
    if (piece == NULL) luaL_error(e->L, "not enough memory");
    return piece;
}

// Room in an array of the arena, which moves.
static void *grow(const encoder *e, void *items, uint32_t count, uint32_t *capacity, uint32_t more,
                  size_t width) {
    if (count + more <= *capacity) return items;
    *capacity = 2 * (count + more) + 64;
    void *grown = take(e, *capacity * width);
    if (count > 0) memcpy(grown, items, count * width);
    return grown;
}

static unsigned char *reserve(encoder *e, uint32_t more) {
    e->bytes = grow(e, e->bytes, e->count, &e->capacity, more, 1);
    return e->bytes + e->count;
}

// ---------------------------------------------------------------- what cannot be

// Pushes where the value on top is: ".name[3]".
static void push_place(const encoder *e) {
    lua_State *L = e->L;
    lua_pushliteral(L, "");
    for (uint32_t d = 0; d < e->depth; ++d) {
        const frame *f = &e->frames[d];
        int key = f->table + 1;
        if (f->next <= f->items)
            lua_pushfstring(L, "[%d]", (int)f->next);
        else if (lua_type(L, key) == LUA_TSTRING)
            lua_pushfstring(L, ".%s", lua_tostring(L, key));
        else if (lua_type(L, key) == LUA_TNUMBER)
            ct_bind_refuse(L, "[%f]", lua_tonumber(L, key));
        else
            lua_pushfstring(L, "[%s]", ct_bind_type_name(L, key));
        lua_concat(L, 2);
    }
}

// It is 'what' that stands there.
static bool fail_with(const encoder *e, const char *what) {
    push_place(e);
    return ct_bind_refuse(e->L, "expected booleans, numbers, strings and tables, got %s%s%s", what,
                          e->depth > 0 ? " at " : "", lua_tostring(e->L, -1));
}

static bool fail_type(const encoder *e) { return fail_with(e, ct_bind_type_name(e->L, -1)); }

static bool fail_size(const encoder *e) {
    return ct_bind_refuse(e->L, "value is too large (limit is %d bytes)", (int)MOST_BYTES);
}

static bool fail_repeated(const encoder *e) {
    return ct_bind_refuse(e->L,
                          "tables that stand in several places take too much when each is written "
                          "(limit is %d bytes)",
                          (int)MOST_REPEATED);
}

// ---------------------------------------------------------------- values

// What is no table, which stays on top.
static bool write_plain(encoder *e) {
    lua_State *L = e->L;
    size_t length = 0;
    if (e->count > MOST_BYTES) return fail_size(e);
    unsigned char *to = reserve(e, CT_VALUE_HEAD);
    switch (lua_type(L, -1)) {
    case LUA_TBOOLEAN: e->count += ct_value_write_bool(to, lua_toboolean(L, -1)); return true;
    case LUA_TNUMBER: e->count += ct_value_write_number(to, lua_tonumber(L, -1)); return true;
    case LUA_TSTRING: break;
    default: return fail_type(e);
    }
    const char *text = lua_tolstring(L, -1, &length);
    if (e->count > MOST_BYTES || length > MOST_BYTES - e->count) return fail_size(e);
    e->count += ct_value_write_string(to, (uint32_t)length);
    to = reserve(e, (uint32_t)length);
    if (length > 0) memcpy(to, text, length);
    e->count += (uint32_t)length;
    return true;
}

// The keys 1 to n that a table has.
static uint32_t count_items(lua_State *L) {
    uint32_t count = 0;
    for (bool there = true; there && count < MOST_BYTES; count += there) {
        lua_rawgeti(L, -1, (int)count + 1);
        there = !lua_isnil(L, -1);
        lua_pop(L, 1);
    }
    return count;
}

// The table on top begins, and stays there.
static bool begin(encoder *e) {
    if (e->depth == CT_MAX_VALUE_DEPTH)
        return ct_bind_refuse(e->L, "tables are nested too deep (limit is %d), or in a circle",
                              (int)CT_MAX_VALUE_DEPTH);
    if (ct_bind_has_index(e->L, -1)) return fail_with(e, "a table with __index");
    if (e->count > MOST_BYTES) return fail_size(e);
    if (e->repeats == 0) {
        uint32_t again = ct_written_tables_find(&e->written, lua_topointer(e->L, -1));
        if (again > MOST_REPEATED - e->repeated) return fail_repeated(e);
        e->repeated += again;
        if (again > 0) e->repeats = e->depth + 1;
    }
    e->frames[e->depth++] = (frame){.head = e->count,
                                    .items = count_items(e->L),
                                    .next = 0,
                                    .first = e->start_count,
                                    .table = lua_gettop(e->L)};
    reserve(e, CT_VALUE_HEAD);
    e->count += ct_value_write_table(e->bytes + e->count, 0, 0);
    return true;
}

// Pushes what comes next in the innermost table; false where there is nothing more. Writes keys.
static bool push_next(encoder *e, bool *sound) {
    lua_State *L = e->L;
    frame *f = &e->frames[e->depth - 1];
    if (f->next < f->items) {
        lua_rawgeti(L, f->table, (int)++f->next);
        return true;
    }
    if (f->next == f->items) { // the pairs begin
        f->next++;
        lua_pushnil(L);
    }
    do {
        if (lua_next(L, f->table) == 0) return false;
        double number = lua_type(L, -2) == LUA_TNUMBER ? lua_tonumber(L, -2) : 0;
        if (!(number >= 1 && number <= f->items && number == (uint32_t)number)) break;
        lua_pop(L, 1);
    } while (true);
    e->starts = grow(e, e->starts, e->start_count, &e->start_capacity, 1, sizeof *e->starts);
    e->starts[e->start_count++] = e->count;
    f->pairs++;
    lua_pushvalue(L, -2);
    if (lua_istable(L, -1))
        *sound = fail_type(e);
    else
        *sound = write_plain(e);
    if (*sound) lua_pop(L, 1);
    return true;
}

typedef struct pair {
    const unsigned char *bytes;
    uint32_t length;
} pair;

static int compare(const void *one, const void *other) {
    const pair *a = one, *b = other;
    int order = memcmp(a->bytes, b->bytes, a->length < b->length ? a->length : b->length);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

// In which order a table has its pairs is by chance.
static void sort_pairs(const encoder *e, const frame *f) {
    const uint32_t *starts = e->starts + f->first;
    if (f->pairs < 2) return;
    uint32_t bytes = e->count - starts[0];
    unsigned char *copy = take(e, bytes), *to = e->bytes + starts[0];
    pair *pairs = take(e, f->pairs * sizeof *pairs);
    memcpy(copy, to, bytes);
    for (uint32_t i = 0; i < f->pairs; ++i) {
        uint32_t stop = i + 1 < f->pairs ? starts[i + 1] : e->count;
        pairs[i] = (pair){copy + (starts[i] - starts[0]), stop - starts[i]};
    }
    qsort(pairs, f->pairs, sizeof *pairs, compare);
    for (uint32_t i = 0; i < f->pairs; to += pairs[i++].length)
        memcpy(to, pairs[i].bytes, pairs[i].length);
}

// The innermost table ends; it stays on top.
static void close(encoder *e) {
    const frame *f = &e->frames[--e->depth];
    sort_pairs(e, f);
    e->start_count = f->first;
    ct_value_write_table(e->bytes + f->head, f->items, f->pairs);
    if (e->repeats == 0 &&
        !ct_written_tables_note(&e->written, lua_topointer(e->L, f->table), e->count - f->head))
        luaL_error(e->L, "not enough memory");
    if (e->repeats == e->depth + 1) e->repeats = 0;
}

bool ct_bind_value_to_bytes(lua_State *L, ct_bind_state *state, int index, ct_text *out) {
    encoder e = {.L = L, .arena = state->arena, .written = {.arena = state->arena}};
    bool sound = true;
    *out = (ct_text){NULL, 0};
    if (lua_isnoneornil(L, index)) return true;
    uint64_t allocations = ct_bind_lua_allocations(state);
    luaL_checkstack(L, 2 * (int)CT_MAX_VALUE_DEPTH + LUA_MINSTACK, "value is nested too deep");
    ct_bind_uncount(state, allocations);
    lua_pushvalue(L, index);
    for (;;) {
        bool table = lua_istable(L, -1);
        sound = table ? begin(&e) : write_plain(&e);
        if (!sound) return false;
        if (!table) lua_pop(L, 1);
        while (e.depth > 0 && !push_next(&e, &sound)) {
            close(&e);
            lua_pop(L, 1);
        }
        if (!sound) return false;
        if (e.depth == 0) break;
    }
    *out = (ct_text){(const char *)e.bytes, e.count};
    return true;
}
