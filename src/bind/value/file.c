// Files, as the modules written in Lua need them: what Lua itself has no words for.
// Knows nothing of what is in them.
#include "base/file.h"

#include "bind/value/check.h"

// core.file.look(path) -> "file", "folder" or "special", bytes, a string that tells the one file
// from all others (nil where the system does not say); nothing where there is none
static int look(lua_State *L) {
    static const char *const kinds[] = {
        [CT_FILE_PLAIN] = "file", [CT_FILE_FOLDER] = "folder", [CT_FILE_SPECIAL] = "special"};
    ct_file_info info = ct_file_look(luaL_checkstring(L, 1));
    if (info.kind == CT_FILE_NONE) return 0;
    uint64_t identity[2] = {info.device, info.node};
    lua_pushstring(L, kinds[info.kind]);
    lua_pushnumber(L, (lua_Number)info.bytes);
    if (info.node == 0) return 2;
    lua_pushlstring(L, (const char *)identity, sizeof identity);
    return 3;
}

// core.file.write(path, temporary, bytes) -> true, or nil and why not
static int write_whole(lua_State *L) {
    size_t count;
    ct_message why;
    const char *path = luaL_checkstring(L, 1), *temporary = luaL_checkstring(L, 2);
    const char *bytes = luaL_checklstring(L, 3, &count);
    if (!ct_file_write(path, temporary, bytes, count, &why)) {
        lua_pushstring(L, why.text);
        return ct_bind_return_failure(L);
    }
    lua_pushboolean(L, 1);
    return 1;
}

static int is_terminal(lua_State *L) {
    lua_pushboolean(L, ct_file_is_terminal());
    return 1;
}

static const luaL_Reg functions[] = {
    {"look", look}, {"write", write_whole}, {"is_terminal", is_terminal}, {NULL, NULL}};

void ct_bind_open_file(lua_State *L) { ct_bind_add_functions(L, "file", functions); }
