// Recorder objects: rings of Snapshot objects, with one call per frame.
#include "bind/snapshot/recorder.h"

#include "bind/entities/entities.h"
#include "bind/snapshot/snapshot.h"
#include "bind/value/options.h"
#include "bind/value/values.h"
#include "level/recorder.h"

// The environment of a recorder has the EntityManager object as 'entities', and the Snapshot
// objects by their places, from 1 on; false reserves a place.
static const ct_bind_kind recorder_class = {"Recorder"};

typedef struct recorder_object {
    ct_bind_header header;
    ct_recorder core;
} recorder_object;

#define MOST 1048576u

static ct_recorder *self_of(lua_State *L) {
    return &((recorder_object *)ct_bind_self(L, &recorder_class))->core;
}

// cuttle.recorder(entities [, {every = 1, keep = 600}])
static int new_recorder(lua_State *L) {
    enum { EVERY = 4, KEEP };
    ct_bind_check_entities(L, 1);
    lua_settop(L, 2);
    recorder_object *object = ct_bind_object_new(L, &recorder_class, sizeof *object); // 3
    lua_newtable(L);
    ct_bind_set_owned(L, 3);
    lua_pushvalue(L, 1);
    ct_bind_set_own(L, 3, "entities");
    ct_bind_read_options(L, 2, "recorder", 2);
    ct_recorder_init(&object->core, (uint32_t)ct_bind_option_whole(L, EVERY, 1, MOST, 1),
                     (uint32_t)ct_bind_option_whole(L, KEEP, 1, MOST, 600));
    lua_settop(L, 3);
    return 1;
}

// Sets the stack to the EntityManager, the snapshot of a place (nil: none, but its place is
// reserved) and the recorder.
static void push_place(lua_State *L, uint32_t place) {
    lua_settop(L, 1);
    ct_bind_push_owned(L, 1);
    lua_rawgeti(L, 2, (int)place + 1);
    if (lua_isnil(L, 3)) {
        lua_pushboolean(L, 0);
        lua_rawseti(L, 2, (int)place + 1);
    }
    lua_getfield(L, 2, "entities");
    lua_replace(L, 2);
    if (!lua_isuserdata(L, 3)) {
        lua_pushnil(L);
        lua_replace(L, 3);
    }
    lua_pushvalue(L, 1);
    lua_remove(L, 1);
}

// recorder:frame()
int ct_bind_record_frame(lua_State *L) {
    enum { SNAPSHOT = 2, RECORDER };
    ct_recorder *recorder = self_of(L);
    uint32_t place = ct_recorder_next(recorder);
    if (place != CT_RECORDER_NO_PLACE) {
        push_place(L, place);
        ct_bind_take_snapshot(L);
        // Nothing below this line can fail.
        ct_bind_push_owned(L, RECORDER);
        lua_pushvalue(L, SNAPSHOT);
        lua_rawseti(L, -2, (int)place + 1);
    }
    // If a finalizer has recorded a frame meanwhile, this frame counts as the same one.
    if (place == ct_recorder_next(recorder)) ct_recorder_add(recorder, place);
    return 0;
}

typedef struct rewound {
    ct_recorder *recorder;
    uint32_t place;
    uint64_t frames;
} rewound;

static void went(void *context) {
    rewound *r = context;
    r->frames = ct_recorder_rewind(r->recorder, r->place);
}

// recorder:rewind(frames) -> number of frames of the rewind
int ct_bind_rewind_frames(lua_State *L) {
    ct_recorder *recorder = self_of(L);
    double frames = ct_bind_check_whole(L, 2, 0, CT_BIND_MOST_FRAMES);
    rewound r = {recorder, ct_recorder_find(recorder, (uint64_t)frames), 0};
    if (r.place != CT_RECORDER_NO_PLACE) {
        push_place(L, r.place);
        ct_bind_restore_notified(L, went, &r);
    }
    return ct_bind_return_whole(L, r.frames);
}

// core.recorded(recorder, frames) -> the Snapshot that a rewind would restore, and the number of
// frames to it; nothing if there is no snapshot
static int recorded(lua_State *L) {
    uint64_t back;
    const recorder_object *object = ct_bind_check(L, 1, &recorder_class);
    double frames = ct_bind_check_whole(L, 2, 0, 9007199254740991.0);
    uint32_t place = ct_recorder_distance(&object->core, (uint64_t)frames, &back);
    if (place == CT_RECORDER_NO_PLACE) return 0;
    ct_bind_push_owned(L, 1);
    lua_rawgeti(L, -1, (int)place + 1);
    ct_bind_push_whole(L, back);
    return 2;
}

// recorder:count() -> number of snapshots
static int count(lua_State *L) { return ct_bind_return_whole(L, self_of(L)->count); }

// recorder:bytes() -> bytes held by snapshots
static int bytes(lua_State *L) {
    size_t sum = 0;
    self_of(L);
    ct_bind_push_owned(L, 1);
    for (int place = 1;; ++place, lua_pop(L, 1)) {
        lua_rawgeti(L, -1, place);
        if (lua_isnil(L, -1)) break;
        if (lua_isuserdata(L, -1)) sum += ct_bind_snapshot_bytes(L, -1);
    }
    return ct_bind_return_whole(L, sum);
}

static int tostring(lua_State *L) {
    const ct_recorder *recorder = self_of(L);
    lua_pushfstring(L, "Recorder (%d of %d snapshots)", (int)recorder->count, (int)recorder->keep);
    return 1;
}

void ct_bind_open_recorder(lua_State *L) {
    static const luaL_Reg methods[] = {{"frame", ct_bind_record_frame},
                                       {"rewind", ct_bind_rewind_frames},
                                       {"count", count},
                                       {"bytes", bytes},
                                       {NULL, NULL}};
    ct_bind_open_snapshot(L);
    ct_bind_class_new(L, &recorder_class, methods, NULL, tostring);
    ct_bind_add_function(L, "recorder", new_recorder);
    ct_bind_add_function(L, "recorded", recorded);
}
