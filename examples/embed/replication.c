// Two entity managers in one program: a server with a ball, and a client that follows it. A real
// program sends the bytes over a network.
#include "cuttle_host.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct machine {
    ct_host_entities *host;
    ct_host_world world;
    ct_host_component transform;
} machine;

static void check(const machine *m, ct_status status) {
    if (status == CT_OK) return;
    fprintf(stderr, "%s: %s\n", ct_host_status_text(status), ct_host_message(m->host));
    exit(1);
}

static void start(machine *m) {
    check(m, ct_host_new(NULL, &m->host));
    check(m, ct_host_world_new(m->host, NULL, &m->world));
    check(m, ct_host_find_component(m->host, m->world, "transform", &m->transform));
}

static ct_host_publisher publish(const machine *server) {
    static const char *const components[] = {"transform"};
    static const ct_host_step steps[] = {{"transform", "local_position", 0.01}};
    ct_host_replication_options options;
    ct_host_publisher publisher;
    ct_host_replication_options_init(&options, sizeof options);
    options.components = components;
    options.component_count = 1;
    options.steps = steps; // positions are sent as hundredths
    options.step_count = 1;
    check(server, ct_host_publisher_new(server->host, server->world, &options, &publisher));
    return publisher;
}

static void place(const machine *m, ct_entity e, float x) {
    const ct_pose pose = {{x, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const ct_values poses = {&pose, 0};
    check(m, ct_host_set_poses(m->host, m->world, CT_HOST_LOCAL, 1, &e, &poses, NULL));
}

static float position(const machine *m, ct_entity e) {
    ct_pose pose;
    check(m, ct_host_poses(m->host, m->world, CT_HOST_LOCAL, 1, &e, &pose));
    return pose.position[0];
}

// Records a frame of the server and writes a message for one client.
static ct_host_packet record(const machine *server, ct_host_publisher publisher,
                             ct_host_peer peer) {
    ct_host_packet packet;
    packet.size = sizeof packet;
    check(server, ct_host_frame(server->host, publisher, NULL));
    check(server, ct_host_peer_message(server->host, peer, NULL, 0, 0, &packet));
    return packet;
}

// Applies a message at the client. The frame that it is at goes back to the server.
static void deliver(const machine *server, ct_host_peer peer, const machine *client,
                    ct_host_subscriber subscriber, const ct_host_packet *packet) {
    uint32_t frame;
    check(client, ct_host_apply(client->host, subscriber, packet->bytes, packet->count, &frame));
    check(server, ct_host_acknowledge(server->host, peer, frame));
    printf("the client is at frame %u\n", (unsigned)frame);
}

int main(void) {
    machine server, client;
    ct_host_peer peer;
    ct_host_subscriber subscriber;
    ct_host_packet packet;
    ct_entity ball, here;
    uint32_t written;
    start(&server);
    start(&client);
    const ct_host_publisher publisher = publish(&server);
    check(&server, ct_host_peer_new(server.host, publisher, &peer));
    check(&client, ct_host_subscriber_new(client.host, client.world, NULL, &subscriber));

    const ct_host_part parts[] = {{server.transform, NULL, 0}};
    check(&server, ct_host_create_with(server.host, server.world, 1, 1, parts, &ball));
    place(&server, ball, 1);
    packet = record(&server, publisher, peer);
    deliver(&server, peer, &client, subscriber, &packet);
    check(&client, ct_host_received(client.host, subscriber, 1, &ball, &here));
    printf("the ball is at %.2f\n", position(&client, here));

    place(&server, ball, 2);
    record(&server, publisher, peer); // this message is lost: the next one has the change, too
    place(&server, ball, 3.14159f);
    packet = record(&server, publisher, peer);
    deliver(&server, peer, &client, subscriber, &packet);
    printf("the ball is at %.2f\n", position(&client, here));

    place(&client, here, 100); // a prediction
    check(&client, ct_host_put_back(client.host, subscriber, &here, 1, &written));
    printf("%u value back, the ball is at %.2f\n", (unsigned)written, position(&client, here));

    if (ct_host_apply(client.host, subscriber, "damaged", 7, NULL) != CT_OK)
        printf("%s\n", ct_host_message(client.host));
    check(&server, ct_host_destroy(server.host, 1, &ball, NULL));
    packet = record(&server, publisher, peer);
    deliver(&server, peer, &client, subscriber, &packet);
    printf("%u entities\n", (unsigned)ct_host_count(client.host));
    ct_host_free(server.host);
    ct_host_free(client.host);
    return 0;
}
