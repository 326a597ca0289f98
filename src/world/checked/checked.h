// Functions of managers for plugins, with checked arguments. Programs without Lua may use them too.
#ifndef CT_CHECKED_H
#define CT_CHECKED_H

#include "world/world.h"

// These functions are members of ct_api and are documented in cuttle.h. If a row, a field or an
// item is invalid, they return CT_ERR_DATA, NULL or CT_NO_ROW. While the entity manager is frozen
// (ct_entity_manager_freeze), and in a callback of a component, they change nothing and return
// CT_ERR_DATA.

ct_status ct_checked_create(ct_entity_manager *entities, uint32_t count, ct_entity *out);

ct_entity_manager *ct_checked_world_entities(ct_world *world);
ct_entity_manager *ct_checked_entities(const ct_manager *manager);
void *ct_checked_own(const ct_manager *manager, const ct_component *component);
void *ct_checked_reallocate(const ct_manager *manager, void *block, size_t old_bytes,
                            size_t new_bytes);

uint32_t ct_checked_count(const ct_manager *manager);
ct_row ct_checked_find(const ct_manager *manager, ct_entity e);
void ct_checked_find_many(const ct_manager *manager, uint32_t count, const ct_entity *entities,
                          ct_row *out);
ct_row ct_checked_next(const ct_manager *manager, ct_row row);
const ct_entity *ct_checked_owners(const ct_manager *manager);
uint32_t ct_checked_find_field(const ct_manager *manager, const char *name);
uint32_t ct_checked_field_count(const ct_manager *manager);
uint32_t ct_checked_field_type(const ct_manager *manager, uint32_t field);
void *ct_checked_column(ct_manager *manager, uint32_t field, uint32_t *stride);
ct_text ct_checked_text(const ct_manager *manager, uint32_t field, ct_row row);

ct_status ct_checked_add(ct_manager *manager, uint32_t count, const ct_entity *owners,
                         const ct_values *values, ct_row *first);
ct_status ct_checked_add_values(ct_manager *manager, uint32_t count, const ct_entity *owners,
                                uint32_t value_count, const ct_values *values, ct_row *first);
ct_status ct_checked_remove(ct_manager *manager, ct_row row);
ct_status ct_checked_write(ct_manager *manager, uint32_t field, ct_row row, const void *item);
uint32_t ct_checked_gc(ct_manager *manager, bool all);

const float *ct_checked_world_matrix(ct_manager *transforms, ct_row row);
ct_status ct_checked_local_pose(ct_manager *transforms, ct_row row, ct_pose *out);
ct_status ct_checked_set_local_pose(ct_manager *transforms, ct_row row, const ct_pose *pose);
ct_status ct_checked_link(ct_manager *transforms, ct_row child, ct_row parent, bool keep_world);
ct_status ct_checked_link_node(ct_manager *transforms, ct_row child, ct_row parent, uint32_t node,
                               bool keep_world);
ct_row ct_checked_parent(ct_manager *transforms, ct_row row);

ct_status ct_checked_world_pose(ct_manager *transforms, ct_row row, ct_pose *out);
ct_status ct_checked_set_world_position(ct_manager *transforms, ct_row row, const float *position);
ct_status ct_checked_set_world_rotation(ct_manager *transforms, ct_row row, const float *rotation);
ct_status ct_checked_set_world_pose(ct_manager *transforms, ct_row row, const ct_pose *pose);
ct_status ct_checked_set_local_poses(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                     const ct_values *poses);
ct_status ct_checked_set_world_positions(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                         const ct_values *positions, uint32_t *refused);
ct_status ct_checked_set_world_rotations(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                         const ct_values *rotations, uint32_t *refused);
ct_status ct_checked_set_world_poses(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                     const ct_values *poses, uint32_t *refused);
ct_row ct_checked_first_child(ct_manager *transforms, ct_row row);
ct_row ct_checked_next_sibling(ct_manager *transforms, ct_row row);
uint32_t ct_checked_child_count(ct_manager *transforms, ct_row row);
ct_status ct_checked_watch_poses(ct_manager *transforms, uint32_t *watch);
bool ct_checked_unwatch_poses(ct_manager *transforms, uint32_t watch);
ct_status ct_checked_changed_poses(ct_manager *transforms, uint32_t watch, ct_changed_poses *out);

const uint32_t *ct_checked_grid_cells(const ct_manager *grids, ct_row row, ct_grid_size *size);
uint32_t ct_checked_grid_cell(const ct_manager *grids, ct_row row, uint32_t x, uint32_t y);
ct_status ct_checked_set_grid_cells(ct_manager *grids, ct_row row, uint32_t x, uint32_t y,
                                    uint32_t count, const uint32_t *values);
bool ct_checked_grid_solid(const ct_manager *grids, ct_row row, uint32_t value);
bool ct_checked_grid_cell_at(const ct_world *world, ct_row row, double px, double py, uint32_t *x,
                             uint32_t *y);
uint32_t ct_checked_grid_box(const ct_world *world, ct_row row, const double *box,
                             uint32_t capacity, ct_grid_cell *out);
bool ct_checked_grid_ray(const ct_world *world, ct_row row, const double *ray, ct_grid_hit *hit);
bool ct_checked_grid_move(const ct_world *world, ct_row row, const double *box, const double *step,
                          ct_grid_where where, void *user, ct_grid_stop *out);
ct_status ct_checked_grid_colliders(const ct_manager *grids, ct_row row, ct_grid_where where,
                                    void *user, uint32_t capacity, ct_grid_rectangle *out,
                                    uint32_t *count);
ct_status ct_checked_grid_outlines(const ct_manager *grids, ct_row row, ct_grid_where where,
                                   void *user, uint32_t capacity, ct_grid_corner *out,
                                   uint32_t *count);
uint32_t ct_checked_grid_flips(const ct_manager *grids, ct_row row, uint32_t x, uint32_t y);
ct_status ct_checked_set_grid_flips(ct_manager *grids, ct_row row, uint32_t x, uint32_t y,
                                    uint32_t flips);
ct_status ct_checked_fill_grid(ct_manager *grids, ct_row row, uint32_t x, uint32_t y,
                               uint32_t width, uint32_t height, uint32_t value);

void ct_checked_join(ct_join *join, uint32_t count, ct_manager *const *managers,
                     const ct_query_role *roles);
ct_query_step ct_checked_join_next(ct_join *join, ct_row *rows);

ct_status ct_checked_query(ct_world *world, uint32_t count, ct_manager *const *managers,
                           const ct_query_role *roles, ct_query **query);
ct_status ct_checked_query_refresh(ct_query *query, uint32_t *count);

ct_status ct_checked_space(ct_world *world, uint32_t count, ct_manager *const *managers,
                           const ct_query_role *roles, const ct_space_options *options,
                           ct_space **space);
ct_status ct_checked_space_refresh(ct_space *space, uint32_t *count);
void ct_checked_space_free(ct_space *space);

#endif
