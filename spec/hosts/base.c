// The base layer alone: memory, arenas, callbacks, hashes, messages, hash tables and writers.
#include "base/arena.h"
#include "base/callbacks.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/message.h"
#include "base/table.h"
#include "base/writer.h"
#include "host.h"

enum { COUNT = 1000 };

static const char *status_name(ct_status status) {
    switch (status) {
    case CT_OK: return "ok";
    case CT_ERR_MEMORY: return "no memory";
    case CT_ERR_OVER: return "destroyed";
    default: return "other";
    }
}

static void memory(const ct_allocator *allocator, budget *b) {
    size_t size = 7;
    bool fits = ct_size_mul_add(3, 4, 5, &size);
    printf("size: %d %zu, ", fits, size);
    fits = ct_size_mul_add(SIZE_MAX / 2, 3, 0, &size);
    printf("overflow: %d %zu, ", fits, size);
    void *items = NULL;
    uint32_t capacity = 0;
    ct_status first = ct_array_reserve(allocator, &items, &capacity, 100, 8);
    memset(items, 1, (size_t)capacity * 8);
    uint32_t before = capacity;
    b->left = 0;
    ct_status second = ct_array_reserve(allocator, &items, &capacity, before + 1, 8);
    b->left = SIZE_MAX;
    printf("array: %s, %s, same %d, ", status_name(first), status_name(second), before == capacity);
    ct_array_trim(allocator, &items, &capacity, 3, 8);
    printf("trimmed to %u, ", capacity);
    ct_array_trim(allocator, &items, &capacity, 0, 8);
    items = NULL;
    ct_status third = ct_array_reserve(&ct_allocator_destroyed, &items, &capacity, 1, 8);
    printf("then %s; %zu blocks\n", status_name(third), b->blocks);
}

static void arena(const ct_allocator *allocator, budget *b) {
    ct_arena a;
    uint32_t unaligned = 0, changed = 0;
    unsigned char *pieces[COUNT];
    ct_arena_init(&a, allocator);
    bool without = ct_arena_take(&a, 16) != NULL && b->blocks == 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        pieces[i] = ct_arena_take(&a, i % 100 + 1);
        unaligned += (uintptr_t)pieces[i] % 16 != 0;
        memset(pieces[i], (int)(i % 251), i % 100 + 1);
    }
    for (uint32_t i = 0; i < COUNT; ++i) {
        for (uint32_t j = 0; j < i % 100 + 1; ++j)
            changed += pieces[i][j] != i % 251;
    }
    b->left = 0;
    bool refused = ct_arena_take(&a, 1 << 24) == NULL;
    b->left = SIZE_MAX;
    ct_arena_reset(&a);
    printf(
        "arena: first piece without memory %d, %u unaligned, %u changed, refused %d; %zu blocks\n",
        without, unaligned, changed, refused, b->blocks);
}

static void nothing(void) {}

static void callbacks(const ct_allocator *allocator, budget *b) {
    ct_callbacks list = {NULL, 0, 0, 0, 0, 0};
    uint32_t token = 0, wrong = 0, live = 0;
    for (; token < 60; ++token)
        wrong += ct_callbacks_add(&list, allocator, nothing, NULL, token % 3, token + 1) != CT_OK;
    for (uint32_t i = 1; i < list.count; ++i) {
        const ct_callback *a = &list.items[i - 1], *c = &list.items[i];
        wrong += a->order > c->order || (a->order == c->order && a->token > c->token);
    }
    printf("callbacks: %u of %u, %u wrong, ", list.count, token, wrong);
    ct_callbacks_begin(&list);
    for (uint32_t i = 1; i <= 60; i += 2)
        wrong += !ct_callbacks_remove(&list, i);
    wrong += ct_callbacks_remove(&list, 1);
    (void)ct_callbacks_add(&list, allocator, nothing, NULL, 0, 61);
    wrong += list.items[list.count - 1].token != 61;
    ct_callbacks_end(&list);
    for (uint32_t i = 0; i < list.count; ++i)
        live += list.items[i].fn != NULL;
    printf("%u after a walk, the new one at %u, %u wrong, ", live,
           list.items[0].order == 0 && list.items[10].token == 61 ? 10 : 0, wrong);
    ct_callbacks_free(&list, allocator);
    printf("%d left; %zu blocks\n", ct_callbacks_any(&list), b->blocks);
}

static uint32_t hash_of(const void *keys, uint32_t number) {
    return ct_hash_index(((const uint32_t *)keys)[number]);
}

static bool has(const ct_table *table, const uint32_t *keys, uint32_t key) {
    uint32_t hash = ct_hash_index(key), at = ct_table_home(table, hash), number;
    while ((number = ct_table_next(table, hash, &at)) != CT_TABLE_NONE) {
        if (keys[number] == key) return true;
    }
    return false;
}

static void table(const ct_allocator *allocator, budget *b) {
    ct_table t = {.slots = NULL};
    uint32_t keys[COUNT], missing = 0, extra = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        keys[i] = i * 37; // distinct
        b->left = i == 500 ? 0 : SIZE_MAX;
        bool reserved = ct_table_reserve(&t, allocator, i == 500 ? COUNT : 1, hash_of, keys);
        b->left = SIZE_MAX;
        if (i == 500) printf("table: refused %d, ", !reserved);
        if (!reserved) reserved = ct_table_reserve(&t, allocator, 1, hash_of, keys);
        if (reserved) ct_table_add(&t, hash_of(keys, i), i);
    }
    for (uint32_t i = 0; i < COUNT; i += 2)
        ct_table_remove(&t, i, hash_of, keys);
    ct_table_trim(&t, allocator, hash_of, keys);
    for (uint32_t i = 0; i < COUNT; ++i) {
        missing += i % 2 == 1 && !has(&t, keys, keys[i]);
        extra += (i % 2 == 0 && has(&t, keys, keys[i])) + has(&t, keys, keys[i] + 1);
    }
    printf("%u left, %u missing, %u extra, ", t.used, missing, extra);
    ct_table_free(&t, allocator);
    printf("then %d; %zu blocks\n", has(&t, keys, 37), b->blocks);
}

// Returns the number of different top 13 bits in the hashes of indices that have the same top 10
// bits without the seed.
static uint32_t homes_of_chosen(void) {
    static bool is_home[1 << 13];
    uint32_t homes = 0;
    for (uint32_t index = 0; index < 1u << 22; ++index) {
        if (index * 0x9E3779B1u >= 1u << 22) continue;
        uint32_t home = ct_hash_index(index) >> 19;
        homes += !is_home[home];
        is_home[home] = true;
    }
    return homes;
}

static void hashes(void) {
    static const char text[] = "123456789";
    unsigned char many[40000];
    uint32_t parts;
    for (size_t i = 0; i < sizeof many; ++i)
        many[i] = (unsigned char)(i * 7 >> 3);
    parts = ct_hash_crc32(0, many, 333);
    parts = ct_hash_crc32(parts, many + 333, sizeof many - 333);
    printf("hashes: crc %08X, in parts %d, fnv %08X, texts differ by seed %d, spread %d\n",
           ct_hash_crc32(0, text, 9), parts == ct_hash_crc32(0, many, sizeof many),
           ct_hash_fnv1a(CT_FNV1A_START, text, 9),
           ct_hash_text(1, text, 9) != ct_hash_text(2, text, 9), homes_of_chosen() > 64);
}

static void message(void) {
    ct_message m;
    char room[5];
    bool result = ct_message_set(&m, "%u of %s, 100%%", 4294967295u, "them");
    printf("message: %d '%s', ", result, m.text);
    printf("'%s', ", ct_message_text((ct_text){"abcdefgh", 8}, room, sizeof room));
    for (size_t i = 0; i < sizeof m.text; ++i)
        m.text[i] = 'x';
    m.text[sizeof m.text - 1] = '\0';
    const ct_message long_one = m;
    ct_message_set(&m, "%s%s", long_one.text, long_one.text);
    printf("truncated %d\n", strlen(m.text) < sizeof m.text);
}

static void writer(const ct_allocator *allocator, budget *b, bool big_endian) {
    ct_writer w;
    static const uint16_t numbers[] = {0x0102, 0x0304};
    ct_writer_init(&w, allocator, big_endian);
    ct_writer_u32(&w, 0);
    ct_writer_text(&w, (ct_text){"hi", 2});
    ct_writer_pad(&w, 8);
    ct_writer_numbers(&w, numbers, 2, 2);
    ct_writer_patch_u32(&w, 0, 0x01020304);
    printf("writer:");
    for (uint32_t i = 0; i < w.count; ++i)
        printf(" %02X", w.bytes[i]);
    b->left = 0;
    bool failed = ct_writer_bytes(&w, NULL, 1 << 20) == NULL;
    b->left = SIZE_MAX;
    ct_writer_u32(&w, 1);
    printf(", failed %d, %s, %u bytes\n", failed, status_name(w.status), w.count);
    ct_writer_free(&w);
}

int main(void) {
    budget b = {0, SIZE_MAX};
    const ct_allocator allocator = {reallocate_within, &b};
    uint64_t start = ct_clock_now();
    memory(&allocator, &b);
    arena(&allocator, &b);
    callbacks(&allocator, &b);
    table(&allocator, &b);
    hashes();
    message();
    writer(&allocator, &b, false);
    writer(&allocator, &b, true);
    printf("clock: forward %d; %zu blocks\n", ct_clock_now() >= start, b.blocks);
    return 0;
}
