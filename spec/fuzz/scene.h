// Shared helpers of the fuzz targets without Lua: a world with components of every type, input
// bytes, and limited memory.
#ifndef SPEC_FUZZ_SCENE_H
#define SPEC_FUZZ_SCENE_H

#include "level/level.h"
#include "level/snapshot.h"

#include "../hosts/host.h"

/// Called by libFuzzer with each input.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/// Ends the process with a line that names the place if a condition is false.
#define REQUIRE(condition) ((condition) ? (void)0 : scene_broken(__FILE__, __LINE__, #condition))
void scene_broken(const char *file, int line, const char *condition);

/// The bytes of an input, followed by zeros.
typedef struct feed {
    const uint8_t *at, *end;
} feed;

static inline size_t feed_left(const feed *in) { return (size_t)(in->end - in->at); }
void feed_take(feed *in, void *out, size_t count);
uint8_t feed_byte(feed *in);
uint32_t feed_number(feed *in, uint32_t below);
float feed_float(feed *in);
ct_text feed_text(feed *in);

/// An entity manager with one world, as in spec/support/saves.lua.
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

/// Creates the world with its components and resources, and without entities.
void scene_open(scene *s);

/// Destroys everything, and checks that all memory was freed.
void scene_close(scene *s);

/// Lets so many allocations succeed; 255 is no limit.
void scene_limit(scene *s, uint8_t allocations);

/// Returns a manager of the world, which must exist.
ct_manager *scene_manager(const scene *s, const char *name);

/// Creates an entity with every component, below a parent or CT_NOBODY.
ct_entity scene_create(scene *s, float number, ct_entity parent);

/// Checks the world and the entity manager.
void scene_validate(scene *s);

uint64_t scene_hash(const scene *s);

/// Writes the header of a valid blob or save: magic number, version, size, checksum.
void seal_blob(unsigned char *bytes, size_t count);
void seal_save(unsigned char *bytes, size_t count);

/// Seals the bytes and checks them as a resource, which the caller frees in any case. May fail for
/// lack of memory.
ct_status scene_resource(scene *s, const void *bytes, size_t count, ct_resource *resource);

#endif
