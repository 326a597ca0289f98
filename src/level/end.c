// Destruction of a world and all its levels.
#include "level/end.h"

#include "world/hooks/hooks.h"
#include "world/host.h"

// Frees the world, unless a callback closed the Lua state and its finalizers have freed the world.
static void finish(ct_levels *levels, void *context) {
    ct_world *world = levels->world;
    const ct_host *host = world->host;
    if (world->destroyed) return;
    ct_levels_end(levels);
    if (host != NULL && host->ended != NULL) host->ended(context);
    ct_world_free(world);
}

bool ct_world_end(ct_levels *levels, const ct_owners *owners, void *context) {
    ct_world *world = levels->world;
    const ct_host *host = world->host;
    uint32_t died;
    world->ending = CT_WORLD_ENDING;
    bool ok = ct_levels_unload_for(levels, CT_REASON_WORLD, context);
    ok = ct_world_destroy_owners(world, owners, CT_REASON_WORLD, context, &died) && ok;
    ok = ct_hooks_clear(world, CT_REASON_WORLD, context) && ok;
    if (host != NULL && host->clearing != NULL) ok = host->clearing(context, true) && ok;
    finish(levels, context);
    return ok;
}
