// Names of the worlds of one entity manager.
#include "world/names.h"

#include "base/hash.h"
#include "base/message.h"

#include <string.h>

static uint32_t list_of(const char *text) {
    return ct_hash_fnv1a(CT_FNV1A_START, text, strlen(text)) % CT_WORLD_NAME_LISTS;
}

bool ct_world_names_has(const ct_world_names *names, const char *text) {
    const ct_world_name *name = names->lists[list_of(text)];
    while (name != NULL && strcmp(name->text, text) != 0)
        name = name->next;
    return name != NULL;
}

void ct_world_names_choose(ct_world_names *names, ct_world_name *name) {
    ct_message text;
    do
        ct_message_set(&text, "world%u", ++names->number);
    while (ct_world_names_has(names, text.text));
    memcpy(name->text, text.text, strlen(text.text) + 1);
}

void ct_world_names_add(ct_world_names *names, ct_world_name *name, struct ct_world *world) {
    ct_world_name **list = &names->lists[list_of(name->text)];
    name->world = world;
    name->older = names->youngest;
    name->link = &names->youngest;
    if (name->older != NULL) name->older->link = &name->older;
    names->youngest = name;
    name->next = *list;
    name->own_link = list;
    if (name->next != NULL) name->next->own_link = &name->next;
    *list = name;
}

void ct_world_names_remove(ct_world_name *name) {
    if (name->link == NULL) return;
    if (name->older != NULL) name->older->link = name->link;
    *name->link = name->older;
    name->link = NULL;
    if (name->next != NULL) name->next->own_link = name->own_link;
    *name->own_link = name->next;
}
