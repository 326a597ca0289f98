// Encoding of Lua values as the bytes that levels store.

#include "bind/value/lua_values.h"
#include "storage/value_writer.h"

// Table that is being written. While its pairs are written, a key is above it on the stack.
typedef struct frame {
    uint32_t items, next;
    int table; // stack index
} frame;

typedef struct encoder {
    lua_State *L;
    ct_value_writer writer;
    frame frames[CT_MAX_VALUE_DEPTH];
} encoder;

// ---------------------------------------------------------------- errors

// Pushes the position of the value on top: ".name[3]".
static void push_place(const encoder *e) {
    lua_State *L = e->L;
    lua_pushliteral(L, "");
    for (uint32_t d = 0; d < e->writer.depth; ++d) {
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

// Pushes the message that 'what' is not allowed at the current position.
static bool fail_with(const encoder *e, const char *what) {
    push_place(e);
    return ct_bind_refuse(e->L, "expected booleans, numbers, strings and tables, got %s%s%s", what,
                          e->writer.depth > 0 ? " at " : "", lua_tostring(e->L, -1));
}

static bool fail_type(const encoder *e) { return fail_with(e, ct_bind_type_name(e->L, -1)); }

// Pushes the message and returns false unless the value was written.
static bool check(const encoder *e, ct_value_written written) {
    switch (written) {
    case CT_VALUE_WRITTEN: return true;
    case CT_VALUE_TOO_LARGE:
        return ct_bind_refuse(e->L, "value is too large (limit is %d bytes)",
                              (int)CT_MAX_VALUE_BYTES);
    case CT_VALUE_TOO_DEEP:
        return ct_bind_refuse(e->L, "tables are nested too deep (limit is %d), or in a circle",
                              (int)CT_MAX_VALUE_DEPTH);
    case CT_VALUE_REPEATED:
        return ct_bind_refuse(e->L,
                              "tables that occur in several places are too large when each is "
                              "written (limit is %d bytes)",
                              (int)CT_MAX_REPEATED_BYTES);
    default: return luaL_error(e->L, "not enough memory") != 0;
    }
}

// ---------------------------------------------------------------- values

// Writes the value on top, which is not a table and stays there.
static bool write_plain(encoder *e) {
    lua_State *L = e->L;
    size_t length;
    switch (lua_type(L, -1)) {
    case LUA_TBOOLEAN: return check(e, ct_value_writer_bool(&e->writer, lua_toboolean(L, -1)));
    case LUA_TNUMBER: return check(e, ct_value_writer_number(&e->writer, lua_tonumber(L, -1)));
    case LUA_TSTRING: break;
    default: return fail_type(e);
    }
    const char *text = lua_tolstring(L, -1, &length);
    return check(e, ct_value_writer_string(&e->writer, text, length));
}

// Returns the number of the consecutive keys from 1 on.
static uint32_t count_items(lua_State *L) {
    uint32_t count = 0;
    for (bool there = true; there && count < CT_MAX_VALUE_BYTES; count += there) {
        lua_rawgeti(L, -1, (int)count + 1);
        there = !lua_isnil(L, -1);
        lua_pop(L, 1);
    }
    return count;
}

// Begins the table on top, which stays there.
static bool begin(encoder *e) {
    uint32_t depth = e->writer.depth;
    if (depth < CT_MAX_VALUE_DEPTH && ct_bind_has_index(e->L, -1))
        return fail_with(e, "a table with __index");
    uint32_t items = count_items(e->L);
    if (!check(e, ct_value_writer_begin(&e->writer, lua_topointer(e->L, -1), items))) return false;
    e->frames[depth] = (frame){.items = items, .table = lua_gettop(e->L)};
    return true;
}

// Pushes the next value of the innermost table; returns false at its end. Writes keys.
static bool push_next(encoder *e, bool *ok) {
    lua_State *L = e->L;
    frame *f = &e->frames[e->writer.depth - 1];
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
    *ok = check(e, ct_value_writer_pair(&e->writer));
    if (!*ok) return true;
    lua_pushvalue(L, -2);
    if (lua_istable(L, -1))
        *ok = fail_type(e);
    else
        *ok = write_plain(e);
    if (*ok) lua_pop(L, 1);
    return true;
}

bool ct_bind_value_to_bytes(lua_State *L, ct_bind_state *state, int index, ct_text *out) {
    encoder e = {.L = L, .writer = {.arena = state->arena}};
    bool ok = true;
    *out = (ct_text){NULL, 0};
    if (lua_isnoneornil(L, index)) return true;
    uint64_t allocations = ct_bind_lua_allocations(state);
    luaL_checkstack(L, 2 * (int)CT_MAX_VALUE_DEPTH + LUA_MINSTACK, "value is nested too deep");
    ct_bind_uncount(state, allocations);
    lua_pushvalue(L, index);
    for (;;) {
        bool table = lua_istable(L, -1);
        ok = table ? begin(&e) : write_plain(&e);
        if (!ok) return false;
        if (!table) lua_pop(L, 1);
        while (e.writer.depth > 0 && !push_next(&e, &ok)) {
            if (!check(&e, ct_value_writer_end(&e.writer))) return false;
            lua_pop(L, 1);
        }
        if (!ok) return false;
        if (e.writer.depth == 0) break;
    }
    *out = (ct_text){(const char *)e.writer.bytes, e.writer.count};
    return true;
}
