// What components keep with the binding: what their worlds do about it.
// Knows nothing of what is kept.
#include "bind/world/attachment.h"

#include "world/create.h"

ct_bind_manager *ct_bind_hosted_manager(const ct_bind_world *world) { return world->hosted; }

void ct_bind_detach_all(lua_State *L, int world, int error_slot, bool last) {
    const ct_bind_manager *manager = ct_bind_hosted_manager(lua_touserdata(L, world));
    error_slot = ct_bind_absindex(L, error_slot);
    if (manager == NULL) return;
    ct_bind_push_manager(L, world, manager->core);
    ct_bind_attachment_of(L)->detach_all(L, lua_gettop(L), error_slot, last);
    lua_pop(L, 1);
}

void ct_bind_undo_entities(lua_State *L, int world, uint32_t count, const ct_entity *entities) {
    ct_bind_world *object = lua_touserdata(L, world);
    int top = lua_gettop(L);
    ct_bind_push_world_entities(L, world);
    lua_pushnil(L);
    ct_bind_destroy destroy = {L, top + 1, top + 2};
    ct_entity_manager_destroy(object->core.entities, count, entities, &destroy);
    ct_world_strip(&object->core, count, entities);
    lua_settop(L, top);
}
