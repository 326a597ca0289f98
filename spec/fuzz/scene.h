// What the fuzz targets without Lua share: a world with something of everything, bytes to read
// from, memory that ends. Knows nothing of what is tried.
#ifndef SPEC_FUZZ_SCENE_H
#define SPEC_FUZZ_SCENE_H

#include "level/level.h"
#include "level/snapshot.h"

#include "../hosts/host.h"

/// libFuzzer calls it with each input.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/// What is not so is a finding: the process ends with a line that says where.
#define REQUIRE(condition) ((condition) ? (void)0 : scene_broken(__FILE__, __LINE__, #condition))
void scene_broken(const char *file, int line, const char *condition);

/// The bytes of an input. At their end zeros follow.
typedef struct feed {
    const uint8_t *at, *end;
} feed;

static inline size_t feed_left(const feed *in) { return (size_t)(in->end - in->at); }
void feed_take(feed *in, void *out, size_t count);
uint8_t feed_byte(feed *in);
uint32_t feed_number(feed *in, uint32_t below);
float feed_float(feed *in);
ct_text feed_text(feed *in);

/// An entity manager with one world, as spec/support/saves.lua defines it.
typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    ct_levels levels;
    ct_snapshot_world item;
    ct_snapshot_worlds worlds;
    uint32_t epochs;
    budget memory;
    ct_allocator allocator;
} scene;

/// The world is there, with its components and resources, and with no entities.
void scene_open(scene *s);

/// Everything ends, and no memory is out.
void scene_close(scene *s);

/// So many allocations succeed from now on; from 255 on, all.
void scene_limit(scene *s, uint8_t allocations);

/// A manager of the world, which has it.
ct_manager *scene_manager(const scene *s, const char *name);

/// An entity that has every component, under a parent or CT_NOBODY.
ct_entity scene_create(scene *s, float number, ct_entity parent);

/// World and entity manager are in order.
void scene_validate(scene *s);

uint64_t scene_hash(const scene *s);

/// Sets the numbers by which a file is known to be whole: magic, version, size, checksum. Of a
/// blob, or of a save.
void seal_blob(unsigned char *bytes, size_t count);
void seal_save(unsigned char *bytes, size_t count);

/// Whether the bytes, sealed, are a resource. It is to be freed in either case. Memory may end.
ct_status scene_resource(scene *s, const void *bytes, size_t count, ct_resource *resource);

#endif
