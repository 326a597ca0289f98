// Interned strings: a chained hash table of reference-counted entries.
#include "storage/string_pool.h"

#include "base/hash.h"
#include "base/runs.h"
#include "base/text.h"

#include <string.h>

void ct_string_pool_init(ct_string_pool *pool, const ct_allocator *allocator) {
    memset(pool, 0, sizeof *pool);
    pool->allocator = allocator;
    pool->seed = ct_hash_seed(pool);
}

void ct_string_pool_free(ct_string_pool *pool) {
    for (uint32_t i = 1; i < pool->entry_count; ++i) {
        ct_string_entry *entry = &pool->entries[i];
        ct_free(pool->allocator, entry->bytes, (size_t)entry->length + 1);
    }
    ct_free(pool->allocator, pool->entries, pool->entry_capacity * sizeof *pool->entries);
    ct_free(pool->allocator, pool->buckets, pool->bucket_count * sizeof *pool->buckets);
    ct_string_pool_init(pool, pool->allocator);
}

static uint32_t *bucket_of(const ct_string_pool *pool, ct_text text) {
    uint64_t hash = ct_hash_text(pool->seed, text.bytes, text.length);
    return &pool->buckets[hash & (pool->bucket_count - 1)];
}

static ct_text text_of(const ct_string_entry *entry) {
    return (ct_text){entry->bytes, entry->length};
}

// Sets the number of buckets, a power of two.
static ct_status set_buckets(ct_string_pool *pool, uint32_t count) {
    uint32_t *buckets = ct_alloc_zero(pool->allocator, count * sizeof *buckets);
    if (buckets == NULL) return CT_ERR_MEMORY;
    ct_free(pool->allocator, pool->buckets, pool->bucket_count * sizeof *buckets);
    pool->buckets = buckets;
    pool->bucket_count = count;
    for (uint32_t i = 1; i < pool->entry_count; ++i) {
        ct_string_entry *entry = &pool->entries[i];
        if (entry->bytes == NULL) continue;
        uint32_t *bucket = bucket_of(pool, text_of(entry));
        entry->next = *bucket;
        *bucket = i;
    }
    return CT_OK;
}

// Reserves one more entry. The first call also makes entry 0.
static ct_status grow_entries(ct_string_pool *pool) {
    if (pool->free_entry != 0) return CT_OK;
    uint32_t needed = pool->entry_count == 0 ? 2 : pool->entry_count + 1;
    if (needed > CT_MAX_STRINGS) return CT_ERR_FULL;
    ct_status status = ct_array_reserve(pool->allocator, (void **)&pool->entries,
                                        &pool->entry_capacity, needed, sizeof *pool->entries);
    if (status != CT_OK) return status;
    if (pool->entry_count == 0) {
        pool->entries[0] = (ct_string_entry){NULL, 0, 0, 0, 0};
        pool->entry_count = 1;
    }
    return CT_OK;
}

static uint32_t find_entry(const ct_string_pool *pool, ct_text text) {
    if (pool->bucket_count == 0) return 0;
    for (uint32_t i = *bucket_of(pool, text); i != 0; i = pool->entries[i].next) {
        if (ct_text_equal(text_of(&pool->entries[i]), text)) return i;
    }
    return 0;
}

// From this length on, a search by address is faster than hashing the text.
#define LONG_TEXT 64u

// Returns the string of a text that is in the address cache, or 0.
static uint32_t find_known(const ct_string_pool *pool, ct_text text) {
    const ct_text_cache *known = &pool->known;
    uint32_t low = 0, high = known->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)known->texts[middle].bytes < (uintptr_t)text.bytes)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < known->count && known->texts[low].bytes == text.bytes &&
                 known->texts[low].length == text.length;
    return found ? known->strings[low].ref : 0;
}

ct_string ct_string_pool_find(const ct_string_pool *pool, ct_text text) {
    uint32_t known = 0;
    if (text.length == 0) return (ct_string){0};
    if (CT_UNLIKELY(text.length > LONG_TEXT && pool->known.count > 0))
        known = find_known(pool, text);
    return (ct_string){known != 0 ? known : find_entry(pool, text)};
}

ct_status ct_string_pool_intern(ct_string_pool *pool, ct_text text, ct_string *out) {
    *out = ct_string_pool_find(pool, text);
    if (text.length == 0) return CT_OK;
    if (out->ref != 0) {
        pool->entries[out->ref].references++;
        return CT_OK;
    }
    ct_status status = grow_entries(pool);
    if (status == CT_OK && pool->used >= pool->bucket_count)
        status =
            set_buckets(pool, pool->bucket_count > 0 ? pool->bucket_count * 2 : CT_FIRST_CAPACITY);
    if (status != CT_OK) return status;
    char *bytes = ct_alloc(pool->allocator, (size_t)text.length + 1);
    if (bytes == NULL) return CT_ERR_MEMORY;
    // Nothing below this line can fail.
    memcpy(bytes, text.bytes, text.length);
    bytes[text.length] = '\0';
    uint32_t ref = pool->free_entry;
    if (ref != 0)
        pool->free_entry = pool->entries[ref].next;
    else
        ref = pool->entry_count++;
    uint32_t *bucket = bucket_of(pool, text);
    uint32_t hash = ct_hash_fnv1a(CT_FNV1A_START, text.bytes, text.length);
    pool->entries[ref] = (ct_string_entry){bytes, text.length, hash, 1, *bucket};
    *bucket = ref;
    pool->used++;
    pool->text_bytes += (size_t)text.length + 1;
    out->ref = ref;
    return CT_OK;
}

void ct_string_pool_retain(ct_string_pool *pool, ct_string string, uint32_t count) {
    if (string.ref != 0) pool->entries[string.ref].references += count;
}

void ct_string_pool_retain_all(ct_string_pool *pool, const ct_string *strings, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (strings[i].ref != 0) pool->entries[strings[i].ref].references++;
    }
}

ct_status ct_string_pool_cache_texts(ct_string_pool *pool, const ct_text *texts, uint32_t count,
                                     ct_arena *arena) {
    ct_status status = CT_OK;
    uint32_t many = 0, learnt = 0;
    for (uint32_t i = 0; i < count; ++i)
        many += texts[i].length > LONG_TEXT;
    if (many == 0) return CT_OK;
    ct_text *known = ct_arena_take(arena, many * sizeof *known);
    ct_string *strings = ct_arena_take(arena, many * sizeof *strings);
    if (known == NULL || strings == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < count && status == CT_OK; ++i) {
        if (texts[i].length <= LONG_TEXT) continue;
        known[learnt] = texts[i];
        status = ct_string_pool_pin_text(pool, texts[i], &strings[learnt]);
        learnt += status == CT_OK;
    }
    pool->known = (ct_text_cache){known, strings, learnt};
    return status;
}

void ct_string_pool_forget_texts(ct_string_pool *pool) {
    const ct_text_cache known = pool->known;
    pool->known = (ct_text_cache){NULL, NULL, 0};
    for (uint32_t i = 0; i < known.count; ++i)
        ct_string_pool_unpin(pool, known.strings[i]);
}

// Frees a string without references.
static void forget(ct_string_pool *pool, ct_string string) {
    ct_string_entry *entry = &pool->entries[string.ref];
    uint32_t *link = bucket_of(pool, text_of(entry));
    while (*link != string.ref)
        link = &pool->entries[*link].next;
    *link = entry->next;
    pool->text_bytes -= (size_t)entry->length + 1;
    ct_free(pool->allocator, entry->bytes, (size_t)entry->length + 1);
    entry->bytes = NULL;
    entry->next = pool->free_entry;
    pool->free_entry = string.ref;
    pool->used--;
    pool->freed++;
}

static void release(ct_string_pool *pool, ct_string string, uint32_t count) {
    if (string.ref == 0) return;
    ct_string_entry *entry = &pool->entries[string.ref];
    CT_ASSERT(entry->bytes != NULL && entry->references >= count);
    entry->references -= count;
    if (entry->references == 0) forget(pool, string);
}

void ct_string_pool_release(ct_string_pool *pool, ct_string string) { release(pool, string, 1); }

void ct_string_pool_release_all(ct_string_pool *pool, const ct_string *strings, uint32_t count) {
    for (uint32_t i = 0, run; i < count; i += run) {
        run = ct_u32_run(&strings[i], count - i, 0);
        release(pool, strings[i], run);
    }
}

ct_status ct_string_pool_pin_text(ct_string_pool *pool, ct_text text, ct_string *out) {
    ct_status status = ct_string_pool_intern(pool, text, out);
    if (status == CT_OK) pool->pinned += out->ref != 0;
    return status;
}

void ct_string_pool_pin(ct_string_pool *pool, ct_string string) {
    ct_string_pool_retain(pool, string, 1);
    pool->pinned += string.ref != 0;
}

void ct_string_pool_unpin(ct_string_pool *pool, ct_string string) {
    pool->pinned -= string.ref != 0;
    ct_string_pool_release(pool, string);
}

ct_text ct_string_pool_text(const ct_string_pool *pool, ct_string string) {
    return string.ref != 0 ? text_of(&pool->entries[string.ref]) : (ct_text){"", 0};
}

void ct_string_pool_trim(ct_string_pool *pool) {
    if (pool->used == 0) {
        uint32_t freed = pool->freed;
        ct_string_pool_free(pool);
        pool->freed = freed;
        return;
    }
    while (pool->entries[pool->entry_count - 1].bytes == NULL)
        pool->entry_count--;
    pool->free_entry = 0;
    for (uint32_t i = pool->entry_count; i-- > 1;) {
        ct_string_entry *entry = &pool->entries[i];
        if (entry->bytes != NULL) continue;
        entry->next = pool->free_entry;
        pool->free_entry = i;
    }
    ct_array_trim(pool->allocator, (void **)&pool->entries, &pool->entry_capacity,
                  pool->entry_count, sizeof *pool->entries);
    uint32_t buckets = pool->bucket_count;
    while (buckets / 2 >= pool->used && buckets > CT_FIRST_CAPACITY)
        buckets /= 2;
    if (buckets < pool->bucket_count) (void)set_buckets(pool, buckets);
}

ct_status ct_string_pool_fill(ct_string_pool *pool, ct_string *column, uint32_t count,
                              const ct_values *values) {
    const unsigned char *item = values->items;
    for (uint32_t i = 0; i < count; ++i, item += values->stride) {
        if (i > 0 && values->stride == 0) {
            column[i] = column[0];
            ct_string_pool_retain(pool, column[0], 1);
            continue;
        }
        ct_status status = ct_string_pool_intern(pool, ct_text_load(item), &column[i]);
        if (status == CT_OK) continue;
        ct_string_pool_release_all(pool, column, i);
        return status;
    }
    return CT_OK;
}

size_t ct_string_pool_bytes(const ct_string_pool *pool) {
    return pool->entry_capacity * sizeof *pool->entries +
           pool->bucket_count * sizeof *pool->buckets + pool->text_bytes;
}
