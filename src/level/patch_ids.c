// Ids of components in 'multiple' managers: in the shadow world and in the level.
#include "level/patch_internal.h"

ct_component_id ct_patch_given_id(const ct_manager *shadowed, ct_row row) {
    uint32_t id = ct_store_id(&shadowed->store, row);
    ct_component_id given = {0};
    if ((id & CT_ID_IS_STRING) != 0)
        given.text = ct_string_pool_text(shadowed->strings, (ct_string){id & ~CT_ID_IS_STRING});
    else if (!ct_patch_is_issued(id))
        given.number = id;
    return given;
}

uint32_t ct_patch_id_here(ct_manager *manager, ct_manager *shadowed, ct_entity in_before,
                          ct_row row, ct_row *at_here) {
    ct_store *store = &manager->store;
    if (!store->multiple) return 0;
    const ct_component_id given = ct_patch_given_id(shadowed, row);
    if (!ct_patch_is_issued(ct_store_id(&shadowed->store, row)))
        return ct_manager_find_id(manager, &given);
    while (at_here->i != CT_NO_ROW) {
        uint32_t number = ct_store_id(store, *at_here);
        *at_here = ct_store_next(store, *at_here);
        if ((number & CT_ID_IS_STRING) == 0 &&
            (ct_patch_is_issued(number) ||
             ct_store_find_id(&shadowed->store, in_before, number).i == CT_NO_ROW))
            return number;
    }
    return 0;
}
