// An entity is a 30-bit number; this is all the arithmetic on it.
// Knows nothing of who is alive.
#ifndef CT_ENTITY_H
#define CT_ENTITY_H

#include "base/base.h"

// The id (seed, part 1, "The EntityManager"), and how it travels in a pointer:
//
//     id       31 30 29         22 21                                   0
//              [0  0][ generation ][               index               ]
//
//     pointer  31                                                 2 1 0
//              [                     id                            ][01]
//
// Tag 01 in the two low bits says "entity"; the bits above 31 are 0. A raw
// pointer is aligned and so has tag 00; 10 and 11 belong to the host engine.

#define CT_ENTITY_INDEX_BITS 22u
#define CT_ENTITY_INDEX_MASK ((1u << CT_ENTITY_INDEX_BITS) - 1u)
#define CT_ENTITY_GENERATION_BITS 8u
#define CT_ENTITY_GENERATION_MASK ((1u << CT_ENTITY_GENERATION_BITS) - 1u)
#define CT_ENTITY_TAG 1u
#define CT_MAX_ENTITIES (1u << CT_ENTITY_INDEX_BITS)

/// Nobody: outside the 30 bits, so that id 0 can be somebody.
#define CT_NOBODY 0xFFFFFFFFu

typedef struct ct_entity {
    uint32_t id;
} ct_entity;

static inline ct_entity ct_entity_make(uint32_t index, uint32_t generation) {
    return (ct_entity){index | generation << CT_ENTITY_INDEX_BITS};
}

static inline uint32_t ct_entity_index(ct_entity e) { return e.id & CT_ENTITY_INDEX_MASK; }

/// 0 .. 255 for an id; 1023 for CT_NOBODY, which therefore matches no entity.
static inline uint32_t ct_entity_generation(ct_entity e) { return e.id >> CT_ENTITY_INDEX_BITS; }

/// Whether a number is an id at all: 30 bits and no more.
static inline bool ct_entity_is_id(uint32_t id) { return id >> 30 == 0; }

#endif
