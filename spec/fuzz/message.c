// Fuzz target: any bytes as messages of a publisher, which a subscriber applies with limited
// memory. An input: one byte of options, then messages: two bytes with the length, and the bytes.
#include "scene.h"

#include "base/hash.h"
#include "level/replication/message.h"
#include "level/replication/subscriber.h"

// Sets the checksum of a message.
static void seal_message(unsigned char *message, size_t count) {
    if (count < CT_MESSAGE_HEAD) return;
    uint32_t crc = ct_hash_crc32(0, message + CT_MESSAGE_AT_SESSION, count - CT_MESSAGE_AT_SESSION);
    for (uint32_t i = 0; i < 4; ++i)
        message[CT_MESSAGE_AT_CRC + i] = (unsigned char)(crc >> (8 * i));
}

static void apply(scene *s, ct_subscriber *subscriber, const unsigned char *bytes, size_t count) {
    ct_message message;
    bool ok = true;
    uint64_t before = scene_hash(s);
    uint32_t frame = subscriber->frame;
    ct_status status = ct_subscriber_apply(subscriber, bytes, count, NULL, &ok, &message);
    scene_validate(s);
    if (status == CT_OK) return;
    REQUIRE(scene_hash(s) == before && subscriber->frame == frame);
}

// Applies the messages of the input. Each is in a block of its own, so that reads behind it are
// found.
static void apply_all(scene *s, ct_subscriber *subscriber, feed *in) {
    while (feed_left(in) > 2) {
        size_t count = feed_byte(in);
        count |= (size_t)feed_byte(in) << 8;
        if (count > feed_left(in)) count = feed_left(in);
        unsigned char *bytes = malloc(count + 1);
        REQUIRE(bytes != NULL);
        feed_take(in, bytes, count);
        seal_message(bytes, count);
        apply(s, subscriber, bytes, count);
        free(bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static scene s;
    static const ct_subscriber_options options = {.max_bytes = 65536, .max_entities = 1000};
    feed in = {bytes, bytes + count};
    ct_subscriber subscriber;
    ct_message message;
    uint32_t written;
    bool ok = true;
    scene_open(&s);
    REQUIRE(ct_subscriber_init(&subscriber, &s.allocator, &s.world, &options) == CT_OK);
    scene_limit(&s, feed_byte(&in));
    apply_all(&s, &subscriber, &in);
    s.memory.left = SIZE_MAX;
    for (uint32_t i = 0; i < subscriber.frame % 3; ++i) {
        ct_entity first = ct_entity_manager_at(&s.entities, i);
        ct_entity_manager_destroy(&s.entities, 1, &first, NULL);
    }
    (void)ct_subscriber_put_back(&subscriber, NULL, 0, NULL, &written, &message);
    scene_validate(&s);
    REQUIRE(ct_subscriber_reset(&subscriber, true, NULL, &ok, &message) == CT_OK);
    ct_subscriber_free(&subscriber);
    scene_validate(&s);
    scene_close(&s);
    return 0;
}
