// A game of ten seconds that goes back by two: a recorder without Lua.
#include "cuttle_host.h"

#include <stdio.h>
#include <stdlib.h>

static ct_host_entities *host;

static void check(ct_status status) {
    if (status == CT_OK) return;
    fprintf(stderr, "%s: %s\n", ct_host_status_text(status), ct_host_message(host));
    exit(1);
}

// Makes a recorder of ten seconds at 60 frames a second.
static ct_host_recorder start_recorder(void) {
    ct_host_recorder recorder;
    ct_host_recorder_options options;
    ct_host_recorder_options_init(&options, sizeof options); // defaults: every frame, 600 of them
    options.every = 6;
    options.keep = 100;
    check(ct_host_recorder_new(host, &options, &recorder));
    return recorder;
}

// Goes back by two seconds.
static void go_back(ct_host_recorder recorder) {
    uint64_t back;
    check(ct_host_rewind(host, recorder, 120, &back));
    printf("%u frames back\n", (unsigned)back);
}

// Moves the ball by one metre along x, which is the simulation of a frame.
static void step(ct_host_world world, ct_entity ball) {
    ct_pose pose;
    const ct_values poses = {&pose, 0};
    check(ct_host_poses(host, world, CT_HOST_LOCAL, 1, &ball, &pose));
    pose.position[0] += 1;
    check(ct_host_set_poses(host, world, CT_HOST_LOCAL, 1, &ball, &poses, NULL));
}

static void show(ct_host_world world, ct_entity ball, ct_host_recorder recorder) {
    ct_pose pose;
    ct_host_recording recording;
    recording.size = sizeof recording;
    check(ct_host_poses(host, world, CT_HOST_LOCAL, 1, &ball, &pose));
    check(ct_host_recording_of(host, recorder, &recording));
    printf("the ball is at %.0f, %u frames are recorded\n", pose.position[0],
           (unsigned)recording.frames);
}

int main(void) {
    ct_host_world world;
    ct_host_component transform;
    ct_entity ball;
    check(ct_host_new(NULL, &host));
    check(ct_host_world_new(host, NULL, &world));
    check(ct_host_find_component(host, world, "transform", &transform));
    const ct_host_part parts[] = {{transform, NULL, 0}};
    check(ct_host_create_with(host, world, 1, 1, parts, &ball));

    const ct_host_recorder recorder = start_recorder();
    for (int frame = 1; frame <= 600; ++frame) {
        step(world, ball);
        check(ct_host_record(host, recorder)); // at the end of each frame
    }
    show(world, ball, recorder);
    go_back(recorder);
    show(world, ball, recorder);
    return ct_host_free(host) == CT_OK ? 0 : 1;
}
