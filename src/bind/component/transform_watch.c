// Watches of transforms: lists of entities with changed world poses.
#include "bind/component/components.h"

#include "bind/value/list.h"
#include "component/transform.h"

static const ct_bind_kind watch_class = {"Watch"};

// The environment of a watch has the manager object. The watch also keeps the block of the manager
// alive, which exists after the end of the world.
typedef struct watch_object {
    ct_bind_header header;
    const ct_bind_manager *manager;
    uint32_t token; ///< 0: collected
} watch_object;

enum { WATCH = 1, OUT };

// m:watch() -> Watch
static int new_watch(lua_State *L) {
    ct_changed_poses changed;
    ct_bind_own_self(L);
    lua_settop(L, 1);
    watch_object *watch = ct_bind_object_over(L, &watch_class, sizeof *watch, 1, "manager");
    const ct_bind_manager *manager = ct_bind_own_self(L); // a finalizer may have ended the world
    ct_bind_check_status(L, ct_transform_watch(manager->core, &watch->token), "watches");
    watch->manager = manager;
    // A new watch of the core reports that everything has changed.
    (void)ct_transform_changed_poses(manager->core, watch->token, &changed);
    return 1;
}

static int collect(lua_State *L) {
    watch_object *watch = ct_bind_self(L, &watch_class);
    if (watch->token != 0 && watch->manager->destroyed == NULL)
        ct_transform_unwatch(watch->manager->core, watch->token);
    watch->token = 0;
    return 0;
}

static watch_object *self_of(lua_State *L) {
    watch_object *watch = ct_bind_self(L, &watch_class);
    if (watch->token == 0) luaL_error(L, "Watch was collected");
    if (watch->manager->destroyed != NULL) ct_bind_raise_destroyed(L, watch->manager);
    ct_bind_check_thawed(L, watch->manager->core->store.entities);
    return watch;
}

// watch:list([out]) -> list, whether everything may have changed
static int list(lua_State *L) {
    self_of(L);
    ct_changed_poses changed;
    lua_settop(L, OUT);
    ct_bind_list *out = ct_bind_prepare_list(L, OUT);
    const watch_object *watch = self_of(L);
    ct_manager *transforms = watch->manager->core;
    // Room for all owners, so that no change is lost because memory runs out.
    ct_bind_list_reserve(L, out, ct_store_count(&transforms->store));
    (void)ct_transform_changed_poses(transforms, watch->token, &changed);
    out->count = ct_transform_moved_owners(transforms, &changed, out->items);
    lua_settop(L, OUT);
    lua_pushboolean(L, changed.all);
    return 2;
}

const ct_bind_method ct_bind_transform_watch_methods[] = {{"watch", new_watch, NULL},
                                                          {NULL, NULL, NULL}};

void ct_bind_open_watches(lua_State *L) {
    static const luaL_Reg methods[] = {{"list", list}, {NULL, NULL}};
    ct_bind_class_new(L, &watch_class, methods, collect, NULL);
}
