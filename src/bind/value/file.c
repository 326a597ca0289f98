// core.file: file operations for the Lua files of the module.
#include "system/file.h"

#include "bind/value/check.h"

// core.file.look(path) -> "file", "folder" or "special", bytes, a string that identifies the file
// (nil if the system has no such identity); nothing if there is no file
static int look(lua_State *L) {
    static const char *const kinds[] = {
        [CT_FILE_PLAIN] = "file", [CT_FILE_FOLDER] = "folder", [CT_FILE_SPECIAL] = "special"};
    ct_file_info info = ct_file_look(luaL_checkstring(L, 1));
    if (info.kind == CT_FILE_NONE) return 0;
    uint64_t identity[2] = {info.device, info.node};
    lua_pushstring(L, kinds[info.kind]);
    ct_bind_push_whole(L, info.bytes);
    if (info.node == 0) return 2;
    lua_pushlstring(L, (const char *)identity, sizeof identity);
    return 3;
}

// core.file.read(path, bytes) -> the content of the file, at most 'bytes' bytes; or nil and the
// error. Uses twice the bytes during the read; io.read of Lua 5.1 uses four times as many.
static int read_whole(lua_State *L) {
    enum { MOST = 1 << 30 };
    const char *path = luaL_checkstring(L, 1);
    size_t count, bytes = (size_t)ct_bind_check_whole(L, 2, 0, MOST);
    char *block = lua_newuserdata(L, bytes + 1);
    const char *problem = ct_file_read(path, block, bytes, &count);
    if (problem != NULL) return ct_bind_return_message(L, problem);
    return ct_bind_return_bytes(L, block, count);
}

static int push_path(lua_State *L, bool (*find)(const char *path, char *text)) {
    char text[CT_FILE_PATH];
    if (!find(luaL_checkstring(L, 1), text)) return 0;
    return ct_bind_return_text(L, text);
}

// core.file.link(path) -> the target of the link at a path, relative to its folder; nothing if
// there is no link
static int link_text(lua_State *L) { return push_path(L, ct_file_link); }

// core.file.real(path) -> the absolute path of a file or folder, with all links resolved; nothing
// if there is none, or if the system does not support it
static int real(lua_State *L) { return push_path(L, ct_file_real); }

// core.file.write(path, temporary, bytes, seconds) -> true, or nil and the error. Waits at most
// 'seconds' while another process writes the file.
static int write_whole(lua_State *L) {
    size_t count;
    const char *path = luaL_checkstring(L, 1), *temporary = luaL_checkstring(L, 2);
    const char *bytes = luaL_checklstring(L, 3, &count);
    unsigned seconds = (unsigned)ct_bind_check_whole(L, 4, 0, 3600);
    const char *problem = ct_file_write(path, temporary, bytes, count, seconds);
    if (problem != NULL) return ct_bind_return_message(L, problem);
    return ct_bind_return_bool(L, 1);
}

static int is_terminal(lua_State *L) { return ct_bind_return_bool(L, ct_file_shows_errors()); }

static const luaL_Reg functions[] = {
    {"look", look},         {"link", link_text},          {"real", real}, {"read", read_whole},
    {"write", write_whole}, {"is_terminal", is_terminal}, {NULL, NULL}};

void ct_bind_open_file(lua_State *L) { ct_bind_add_functions(L, "file", functions); }
