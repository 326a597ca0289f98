// Publishers: recording of frames.
#include "level/replication/publisher.h"

#include "level/replication/record.h"

#include <float.h>

// ---------------------------------------------------------------- publications

static void free_publication(ct_publication *publication, const ct_allocator *allocator) {
    if (publication == NULL) return;
    for (uint32_t t = 0; t < publication->watched_count; ++t)
        ct_watched_free(&publication->watched[t], allocator);
    ct_mirror_free(&publication->mirror);
    ct_published_free(&publication->published);
    ct_free(allocator, publication->removals,
            publication->removal_capacity * sizeof *publication->removals);
    ct_free(allocator, publication->nodes, publication->node_capacity * sizeof(ct_attached_node));
    ct_free(allocator, publication, sizeof *publication);
}

static ct_status find_managers(const ct_publisher *publisher, ct_manager **managers,
                               ct_message *message) {
    if (publisher->world->destroyed) return CT_ERR_OVER;
    for (uint32_t t = 0; t < publisher->options.component_count; ++t) {
        managers[t] =
            ct_world_find_named(publisher->world, publisher->options.components[t], message);
        if (managers[t] == NULL) return CT_ERR_DATA;
    }
    return CT_OK;
}

static ct_status check_steps(const ct_publisher *publisher, ct_manager *const *managers,
                             ct_message *message) {
    const ct_publisher_options *options = &publisher->options;
    for (uint32_t i = 0; i < options->step_count; ++i) {
        const ct_publisher_step *step = &options->steps[i];
        uint32_t t = 0;
        while (t < options->component_count && strcmp(managers[t]->name, step->component) != 0)
            t++;
        if (t == options->component_count) {
            ct_message_set(message, "steps: '%s' is not a published component", step->component);
            return CT_ERR_DATA;
        }
        if (ct_published_find_stepped(managers[t], step->field) == managers[t]->input_count) {
            ct_message_set(message, "steps: %s.%s is not a published field of floats or doubles",
                           step->component, step->field);
            return CT_ERR_DATA;
        }
    }
    return CT_OK;
}

// Writes the text of the components as they are defined now.
static ct_status write_text(ct_publisher *publisher, ct_manager **managers, ct_message *message) {
    const ct_publisher_options *options = &publisher->options;
    ct_status status = find_managers(publisher, managers, message);
    if (status == CT_OK) status = check_steps(publisher, managers, message);
    if (status != CT_OK) return status;
    publisher->text.count = 0;
    ct_published_write(managers, options->component_count, options->steps, options->step_count,
                       &publisher->text);
    status = publisher->text.status;
    publisher->text.status = CT_OK;
    return status;
}

static ct_status new_publication(const ct_publisher *publisher, ct_manager *const *managers,
                                 ct_publication **out) {
    const ct_allocator *allocator = publisher->allocator;
    ct_publication *publication = ct_alloc_zero(allocator, sizeof *publication);
    if (publication == NULL) return ct_out_of_memory(allocator);
    ct_published_init(&publication->published, allocator);
    ct_status status =
        ct_published_read(&publication->published, publisher->text.bytes, publisher->text.count);
    ct_mirror_init(&publication->mirror, allocator, &publication->published, true);
    publication->first = publisher->frame + 1;
    if (status != CT_OK) {
        free_publication(publication, allocator);
        return status;
    }
    publication->watched_count = publisher->options.component_count;
    for (uint32_t t = 0; t < publication->watched_count; ++t)
        ct_watched_init(&publication->watched[t], managers[t]);
    *out = publication;
    return CT_OK;
}

// Returns the publication for the components as they are defined now, which may be a new one.
static ct_status find_publication(ct_publisher *publisher, ct_publication **out,
                                  ct_message *message) {
    ct_manager *managers[CT_MAX_PUBLISHED];
    ct_publication *now = publisher->now;
    ct_status status = write_text(publisher, managers, message);
    if (status != CT_OK) return status;
    bool same = now != NULL && publisher->text.count == now->published.text_bytes &&
                memcmp(publisher->text.bytes, now->published.text, publisher->text.count) == 0;
    for (uint32_t t = 0; same && t < now->watched_count; ++t)
        same = now->watched[t].manager == managers[t];
    *out = now;
    return same ? CT_OK : new_publication(publisher, managers, out);
}

// ---------------------------------------------------------------- construction

static const char *copy_name(ct_publisher *publisher, const char *name) {
    size_t bytes = strlen(name) + 1;
    char *copy = ct_scratch_take(&publisher->memory, bytes);
    return copy != NULL ? memcpy(copy, name, bytes) : NULL;
}

static ct_status copy_options(ct_publisher *publisher, const ct_publisher_options *options) {
    const char **names =
        ct_scratch_take(&publisher->memory, options->component_count * sizeof *names);
    ct_publisher_step *steps =
        ct_scratch_take(&publisher->memory, (options->step_count + (size_t)1) * sizeof *steps);
    bool fine = names != NULL && steps != NULL;
    for (uint32_t i = 0; i < options->component_count && fine; ++i) {
        names[i] = copy_name(publisher, options->components[i]);
        fine = names[i] != NULL;
    }
    for (uint32_t i = 0; i < options->step_count && fine; ++i) {
        steps[i].component = copy_name(publisher, options->steps[i].component);
        steps[i].field = copy_name(publisher, options->steps[i].field);
        steps[i].step = options->steps[i].step;
        fine = steps[i].component != NULL && steps[i].field != NULL;
    }
    publisher->options = *options;
    publisher->options.components = names;
    publisher->options.steps = steps;
    return fine ? CT_OK : ct_out_of_memory(publisher->allocator);
}

static bool check_options(const ct_publisher_options *options, ct_message *message) {
    if (options->component_count == 0 || options->component_count > CT_MAX_PUBLISHED)
        return ct_message_set(message, "components: 1 to %u names expected", CT_MAX_PUBLISHED);
    for (uint32_t i = 0; i < options->component_count; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            if (strcmp(options->components[i], options->components[j]) == 0)
                return ct_message_set(message, "components: '%s' is listed twice",
                                      options->components[i]);
        }
    }
    for (uint32_t i = 0; i < options->step_count; ++i) {
        double step = options->steps[i].step;
        if (!(step > 0 && step <= DBL_MAX))
            return ct_message_set(message, "steps: %s.%s: number above 0 expected",
                                  options->steps[i].component, options->steps[i].field);
    }
    return options->keep > 0 || ct_message_set(message, "keep: number from 1 on expected");
}

ct_status ct_publisher_init(ct_publisher *publisher, const ct_allocator *allocator, ct_world *world,
                            const ct_publisher_options *options, ct_message *message) {
    memset(publisher, 0, sizeof *publisher);
    publisher->allocator = allocator;
    publisher->world = world;
    ct_scratch_init(&publisher->memory, allocator);
    ct_writer_init(&publisher->text, allocator, false);
    ct_writer_init(&publisher->message, allocator, false);
    publisher->session = ct_hash_mix(ct_hash_seed(publisher), ct_hash_seed(&world));
    if (!check_options(options, message)) return CT_ERR_DATA;
    ct_status status = copy_options(publisher, options);
    if (status == CT_OK) status = find_publication(publisher, &publisher->now, message);
    if (status != CT_OK) ct_publisher_free(publisher);
    return status;
}

void ct_publisher_free(ct_publisher *publisher) {
    free_publication(publisher->now, publisher->allocator);
    publisher->now = NULL;
    ct_scratch_free(&publisher->memory);
    ct_writer_free(&publisher->text);
    ct_writer_free(&publisher->message);
}

// ---------------------------------------------------------------- frames

static void mark_row(const ct_manager *manager, ct_row row, unsigned char *marks) {
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        ct_value value;
        if (manager->fields[f].type != CT_FIELD_VALUE) continue;
        memcpy(&value, ct_manager_item(manager, &manager->fields[f], row), sizeof value);
        if (ct_value_pool_has(manager->values, value)) marks[value.slot] = 1;
    }
}

void ct_publisher_mark_values(const ct_publisher *publisher, const ct_entity *matches,
                              uint32_t match_count, unsigned char *marks) {
    for (uint32_t t = 0; t < publisher->options.component_count; ++t) {
        const ct_manager *manager =
            ct_world_find(publisher->world, publisher->options.components[t]);
        if (manager == NULL || !manager->has_values) continue;
        const ct_store *store = &manager->store;
        for (uint32_t i = 0; i < ct_store_count(store) && matches == NULL; ++i) {
            if (ct_store_owners(store)[i].id != CT_NOBODY) mark_row(manager, (ct_row){i}, marks);
        }
        for (uint32_t i = 0; i < match_count && matches != NULL; ++i) {
            ct_row row = ct_store_find(store, matches[i]);
            for (; row.i != CT_NO_ROW; row = ct_store_next(store, row))
                mark_row(manager, row, marks);
        }
    }
}

// Makes an array with a zero byte for each entity index. Returns NULL if memory runs out.
static unsigned char *take_marks(ct_recording *recording) {
    size_t indices = recording->publisher->world->entities->used + (size_t)1;
    unsigned char *marks = ct_scratch_take(&recording->memory, indices);
    if (marks != NULL) memset(marks, 0, indices);
    return marks;
}

// Marks the entities that are published.
static ct_status admit(ct_recording *recording) {
    const ct_entity_manager *entities = recording->publisher->world->entities;
    if (recording->matches == NULL) return CT_OK;
    recording->admitted = take_marks(recording);
    if (recording->admitted == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < recording->match_count; ++i) {
        if (ct_entity_manager_alive(entities, recording->matches[i]))
            recording->admitted[ct_entity_index(recording->matches[i])] = 1;
    }
    return CT_OK;
}

static ct_status run(ct_recording *recording) {
    recording->visited = take_marks(recording);
    ct_status status = recording->visited != NULL ? admit(recording) : CT_ERR_MEMORY;
    if (status == CT_OK) status = ct_watched_scan(recording);
    if (status == CT_OK) status = ct_recording_read(recording);
    if (status == CT_OK) status = ct_recording_find_removed(recording);
    if (status == CT_OK) status = ct_recording_reserve(recording);
    if (status != CT_OK) {
        ct_recording_release(recording);
        return status;
    }
    // Nothing below this line can fail.
    ct_recording_commit(recording);
    ct_watched_commit(recording);
    return CT_OK;
}

ct_status ct_publisher_frame(ct_publisher *publisher, const ct_entity *matches,
                             uint32_t match_count, const ct_save_values *values,
                             ct_message *message) {
    const ct_allocator *allocator = publisher->allocator;
    ct_publication *before = publisher->now, *now;
    ct_status status = ct_replication_check_idle(publisher->world, message);
    if (status == CT_OK) status = find_publication(publisher, &now, message);
    if (status != CT_OK) return status;
    ct_recording recording = {.publisher = publisher,
                              .values = values,
                              .message = message,
                              .frame = publisher->frame + 1,
                              .matches = matches,
                              .match_count = match_count};
    ct_scratch_init(&recording.memory, allocator);
    publisher->now = now;
    status = run(&recording);
    if (status == CT_OK) publisher->frame++;
    if (status != CT_OK) publisher->now = before;
    if (before != now) free_publication(status == CT_OK ? before : now, allocator);
    ct_free(allocator, recording.rows, recording.row_capacity * sizeof *recording.rows);
    ct_free(allocator, recording.items, recording.item_capacity * sizeof *recording.items);
    ct_free(allocator, recording.removed, recording.removed_capacity * sizeof *recording.removed);
    ct_scratch_free(&recording.memory);
    return status;
}
