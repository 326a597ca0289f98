// Recorder objects: a ring of states of an EntityManager, with one call per frame.
#include "bind/snapshot/snapshot.h"

#include "bind/entities/entities.h"
#include "bind/value/options.h"
#include "level/recorder.h"

// The environment of a recorder has the EntityManager object as 'entities', and the tables of the
// Lua values of its snapshots (snapshot_values.h) by their places, from 1 on; false reserves a
// place.
static const ct_bind_kind recorder_class = {"Recorder"};

typedef struct recorder_object {
    ct_bind_header header;
    ct_recorder core;
} recorder_object;

static ct_recorder *self_of(lua_State *L) {
    return &((recorder_object *)ct_bind_self(L, &recorder_class))->core;
}

// cuttle.recorder(entities [, {every = 1, keep = 600}])
static int new_recorder(lua_State *L) {
    enum { EVERY = 4, KEEP };
    ct_bind_check_entities(L, 1);
    lua_settop(L, 2);
    recorder_object *object = ct_bind_object_new(L, &recorder_class, sizeof *object); // 3
    const ct_allocator *allocator = &ct_bind_state_of(L)->allocator;
    ct_recorder_init(&object->core, allocator, 1, 1);
    lua_newtable(L);
    ct_bind_set_owned(L, 3);
    lua_pushvalue(L, 1);
    ct_bind_set_own(L, 3, "entities");
    ct_bind_read_options(L, 2, "recorder", 2);
    ct_recorder_init(&object->core, allocator,
                     (uint32_t)ct_bind_option_whole(L, EVERY, 1, CT_RECORDER_MOST, 1),
                     (uint32_t)ct_bind_option_whole(L, KEEP, 1, CT_RECORDER_MOST, 600));
    lua_settop(L, 3);
    return 1;
}

enum { ENTITIES = 1, TABLES, RECORDER };

// Sets the stack to the EntityManager, the environment of the recorder at 1, and the recorder.
static void arrange(lua_State *L) {
    lua_settop(L, 1);
    ct_bind_push_owned(L, 1);
    lua_pushvalue(L, 1);
    lua_getfield(L, TABLES, "entities");
    lua_replace(L, ENTITIES);
}

// ---------------------------------------------------------------- recording

typedef struct recording {
    ct_recorder *recorder;
    uint32_t place;
    bool recorded;
} recording;

static ct_status record(void *context, const ct_snapshot_worlds *worlds, ct_message *message) {
    recording *r = context;
    // If a finalizer has recorded a frame meanwhile, this frame counts as the same one.
    if (r->place != ct_recorder_next(r->recorder)) return CT_OK;
    ct_status status = ct_recorder_frame(r->recorder, worlds, message);
    r->recorded = status == CT_OK;
    return status;
}

// recorder:frame()
int ct_bind_record_frame(lua_State *L) {
    recording r = {.recorder = self_of(L)};
    if (r.recorder->spare.allocator == &ct_allocator_destroyed)
        ct_bind_raise_status(L, CT_ERR_OVER, "Recorder", 0, "");
    r.place = ct_recorder_next(r.recorder);
    if (r.place == CT_RECORDER_NO_PLACE) {
        ct_recorder_frame(r.recorder, NULL, NULL);
        return 0;
    }
    arrange(L);
    lua_rawgeti(L, TABLES, (int)r.place + 1);
    if (lua_isnil(L, -1)) {
        lua_pushboolean(L, 0);
        lua_rawseti(L, TABLES, (int)r.place + 1);
    }
    ct_bind_take(L, record, &r);
    // Nothing below this line can fail.
    if (r.recorded) lua_rawseti(L, TABLES, (int)r.place + 1);
    return 0;
}

// ---------------------------------------------------------------- restoring

typedef struct recorded_frame {
    ct_bind_source source; // first
    ct_recorder *recorder;
    uint64_t frames;
    uint64_t *back;
} recorded_frame;

static const recorded_frame *frame_of(const ct_bind_source *source) {
    return (const recorded_frame *)(const void *)source;
}

static void push_values(lua_State *L, const ct_bind_source *source) {
    const recorded_frame *f = frame_of(source);
    lua_rawgeti(L, TABLES, (int)ct_recorder_find(f->recorder, f->frames, f->back) + 1);
}

static ct_status restore(const ct_bind_source *source, const ct_snapshot_worlds *worlds,
                         ct_message *message) {
    const recorded_frame *f = frame_of(source);
    return ct_recorder_restore(f->recorder, f->frames, worlds, message);
}

static ct_status rewind_to(const ct_bind_source *source, const ct_snapshot_worlds *worlds,
                           ct_message *message) {
    const recorded_frame *f = frame_of(source);
    return ct_recorder_rewind(f->recorder, f->frames, worlds, message);
}

// recorder:rewind(frames) -> number of frames of the rewind
int ct_bind_rewind_frames(lua_State *L) {
    uint64_t back;
    ct_recorder *recorder = self_of(L);
    double frames = ct_bind_check_whole(L, 2, 0, CT_BIND_MOST_FRAMES);
    const recorded_frame f = {{push_values, rewind_to}, recorder, (uint64_t)frames, &back};
    if (ct_recorder_find(recorder, f.frames, &back) != CT_RECORDER_NO_PLACE) {
        arrange(L);
        ct_bind_restore(L, &f.source);
    }
    return ct_bind_return_whole(L, back);
}

// core.recorded(recorder, frames [, entities]) -> number of frames to the snapshot that a rewind
// would restore, which is restored in another EntityManager if one is given; nothing if there is no
// snapshot
static int recorded(lua_State *L) {
    uint64_t back;
    recorder_object *object = ct_bind_check(L, 1, &recorder_class);
    double frames = ct_bind_check_whole(L, 2, 0, CT_BIND_LARGEST_WHOLE);
    const recorded_frame f = {{push_values, restore}, &object->core, (uint64_t)frames, &back};
    lua_settop(L, 3);
    if (!lua_isnil(L, 3)) ct_bind_check_entities(L, 3);
    if (ct_recorder_find(f.recorder, f.frames, &back) == CT_RECORDER_NO_PLACE) return 0;
    if (!lua_isnil(L, 3)) {
        lua_insert(L, ENTITIES);
        ct_bind_push_owned(L, ENTITIES + 1);
        lua_replace(L, RECORDER);
        lua_insert(L, TABLES);
        ct_bind_restore(L, &f.source);
    }
    return ct_bind_return_whole(L, back);
}

// ---------------------------------------------------------------- other methods

// recorder:count() -> number of snapshots
static int count(lua_State *L) { return ct_bind_return_whole(L, self_of(L)->count); }

// recorder:bytes() -> bytes held by snapshots
static int bytes(lua_State *L) { return ct_bind_return_whole(L, ct_recorder_bytes(self_of(L))); }

static int collect_recorder(lua_State *L) {
    ct_recorder *recorder = self_of(L);
    ct_recorder_free(recorder);
    // A finalizer that still has the recorder gets an error instead of memory that is never freed.
    recorder->spare.allocator = &ct_allocator_destroyed;
    return 0;
}

static int tostring(lua_State *L) {
    const ct_recorder *recorder = self_of(L);
    return ct_bind_return_format(L, "Recorder (%d of %d snapshots)", (int)recorder->count,
                                 (int)recorder->keep);
}

void ct_bind_open_recorder(lua_State *L) {
    static const luaL_Reg methods[] = {{"frame", ct_bind_record_frame},
                                       {"rewind", ct_bind_rewind_frames},
                                       {"count", count},
                                       {"bytes", bytes},
                                       {NULL, NULL}};
    ct_bind_open_snapshot(L);
    ct_bind_class_new(L, &recorder_class, methods, collect_recorder, tostring);
    ct_bind_add_function(L, "recorder", new_recorder);
    ct_bind_add_function(L, "recorded", recorded);
}
