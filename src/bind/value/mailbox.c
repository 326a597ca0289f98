// Entities as arguments of functions that LuaJIT compiles.
#include "bind/value/mailbox.h"

#include "bind/value/check.h"

enum {
    IN = CT_BIND_SLOT_TARGET,                 // slot for entities from compiled code,
    OUT = 2,                                  // and to it
    SLOTS = 8,                                // so few slots are stored behind LuaJIT's table,
    WORDS = (32 + (SLOTS + 1) * 8) / 4,       // whose size is 32 or 64 bytes
    ONE_ENTITY = 0x12345 << 2 | CT_ENTITY_TAG // numbers that do not occur in a new table
};
#define OTHER_ENTITY (0x3ABCDEF0u << 2 | CT_ENTITY_TAG)
#define A_DOUBLE 1250999896321.0 // 0x12345678901

static void post(lua_State *L, int slot, uint32_t word) {
    lua_pushlightuserdata(L, (void *)(uintptr_t)word);
    lua_rawseti(L, -2, slot);
}

// Returns whether the words of the slot IN tell the value on top, which is not an entity and is
// popped, from an entity.
static bool differs(lua_State *L, const ct_bind_mailbox *m) {
    lua_rawseti(L, -2, IN);
    return *m->type != m->entity_type;
}

static uint64_t slot_bits(const ct_bind_mailbox *m, uint32_t word) {
    return (uint64_t)word << m->id_shift | (uint64_t)m->entity_type << (32 - m->id_shift);
}

// Returns the number in the slot IN. With 'has_doubles', it is a NaN if another value is there.
static double posted_double(const ct_bind_mailbox *m) {
    uint64_t bits = (uint64_t)*m->id << m->id_shift | (uint64_t)*m->type << (32 - m->id_shift);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// Searches the table on top for the words of its slots. LuaJIT stores the slots of a small table
// behind the table, at an address that does not change.
static void find_slots(lua_State *L, ct_bind_mailbox *m) {
    const volatile uint32_t *words = (const volatile uint32_t *)lua_topointer(L, -1);
    uint32_t at = 0;
    post(L, IN, ONE_ENTITY);
    while (at < WORDS && words[at] != ONE_ENTITY)
        ++at;
    if (at == WORDS) return;
    m->type = &words[at ^ 1u];
    m->entity_type = *m->type;
    m->id_shift = (at & 1u) != ct_host_is_big_endian() ? 32 : 0;
    m->out = (volatile uint64_t *)(uintptr_t)&words[(at | 1u) + 1];
    post(L, IN, OTHER_ENTITY);
    post(L, OUT, ONE_ENTITY);
    bool found = words[at] == OTHER_ENTITY && *m->type == m->entity_type &&
                 *m->out == slot_bits(m, ONE_ENTITY);
    lua_pushnumber(L, ONE_ENTITY);
    found = found && differs(L, m);
    lua_pushvalue(L, -1);
    found = found && differs(L, m);
    lua_newuserdata(L, 1);
    found = found && differs(L, m);
    lua_pushboolean(L, 0);
    found = found && differs(L, m);
    if (!found) return;
    m->id = &words[at];
    ct_bind_store_number(L, -1, IN, A_DOUBLE);
    m->has_doubles = posted_double(m) == A_DOUBLE;
}

lua_State *ct_bind_push_posted(const ct_bind_mailbox *m, int slot) {
    lua_rawgeti(m->thread, CT_BIND_POSTED - 1, slot);
    return m->thread;
}

int64_t ct_bind_posted_other_key(const ct_bind_mailbox *m) {
    ct_entity e;
    double number = m->has_doubles ? posted_double(m) : 0;
    if (CT_LIKELY(number >= CT_ROW_SPAN && number <= 0x1p53)) // an instance, no other value
        return (double)(int64_t)number == number ? (int64_t)number : CT_KEY_OF_NOTHING;
    ct_bind_push_posted(m, IN);
    bool is_entity = ct_bind_to_entity(m->thread, CT_BIND_POSTED, &e);
    bool is_whole = ct_bind_to_whole(m->thread, CT_BIND_POSTED, 0, 0x1p53, &number);
    lua_settop(m->thread, 1);
    return is_entity ? ct_key_of_entity(e) : is_whole ? (int64_t)number : CT_KEY_OF_NOTHING;
}

int32_t ct_bind_post_entity(const ct_bind_mailbox *m, ct_entity e) {
    if (CT_LIKELY(m->id != NULL)) {
        *m->out = slot_bits(m, e.id << 2 | CT_ENTITY_TAG);
        return OUT;
    }
    ct_bind_push_entity(m->thread, e);
    lua_rawseti(m->thread, 1, OUT);
    return OUT;
}

bool ct_bind_can_post(const ct_bind_mailbox *m) { return lua_gethookmask(m->thread) == 0; }

// open_mailbox() -> the table, and the bytes of the address of its struct. Only for LuaJIT. Both
// exist as long as the state.
static int open_mailbox(lua_State *L) {
    static const char struct_key = 0, thread_key = 0;
    lua_settop(L, 0);
    ct_bind_mailbox *m = (ct_bind_mailbox *)lua_newuserdata(L, sizeof *m);
    memset(m, 0, sizeof *m);
    ct_bind_register(L, &struct_key);
    m->thread = lua_newthread(L);
    ct_bind_register(L, &thread_key);
    lua_createtable(L, SLOTS, 0);
    find_slots(L, m);
    lua_pushvalue(L, -1);
    lua_xmove(L, m->thread, 1);
    lua_pushlstring(L, (const char *)&m, sizeof m);
    return 2;
}

void ct_bind_add_mailbox(lua_State *L) { ct_bind_add_function(L, "open_mailbox", open_mailbox); }
