// Files, as the modules written in Lua need them: what Lua itself has no words for.
// Knows nothing of what is in them.
#ifndef _WIN32
#define _DEFAULT_SOURCE 1  // for stat, flock; NOLINT(bugprone-reserved-identifier)
#define _DARWIN_C_SOURCE 1 // NOLINT(bugprone-reserved-identifier)
#endif

#include "bind/value/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// One call writes at most this much: some systems refuse more than 2 GB.
#define CT_WRITTEN_AT_ONCE (1u << 30)

// The most that one call reads.
#define CT_READ_AT_MOST (1u << 30)

typedef enum ct_file_kind {
    CT_FILE_NONE, // nothing, or nothing that may be asked about
    CT_FILE_PLAIN,
    CT_FILE_FOLDER,
    CT_FILE_SPECIAL, // a device, a pipe, a socket: reading one may never end
} ct_file_kind;

typedef struct ct_file_info {
    ct_file_kind kind;
    uint64_t bytes;        // of a plain file
    uint64_t device, node; // together one file's, whatever path leads to it; 0 on Windows
} ct_file_info;

#ifdef _WIN32

#include <windows.h>

#include <io.h>
#include <share.h>

// What stands at a path, links followed. Opens nothing: a pipe's writer does not notice.
static ct_file_info look_at(const char *path) {
    ct_file_info info = {CT_FILE_NONE, 0, 0, 0};
    struct _stat64 found;
    if (_stat64(path, &found) != 0) return info;
    bool plain = (found.st_mode & _S_IFMT) == _S_IFREG;
    bool folder = (found.st_mode & _S_IFMT) == _S_IFDIR;
    info.kind = plain ? CT_FILE_PLAIN : folder ? CT_FILE_FOLDER : CT_FILE_SPECIAL;
    info.bytes = plain ? (uint64_t)found.st_size : 0;
    return info;
}

static int file_open(const char *path) {
    return _sopen(path, _O_WRONLY | _O_CREAT | _O_TRUNC | _O_BINARY | _O_NOINHERIT, _SH_DENYRW,
                  _S_IREAD | _S_IWRITE);
}

static int64_t file_put(int file, const char *bytes, size_t count) {
    return _write(file, bytes, (unsigned)count);
}

// A file that is open cannot get another name here.
static bool file_finish(int file, const char *path, const char *temporary) {
    if (_close(file) != 0) return false;
    if (MoveFileExA(temporary, path, MOVEFILE_REPLACE_EXISTING)) return true;
    errno = GetLastError() == ERROR_PATH_NOT_FOUND ? ENOENT : EACCES;
    return false;
}

static void file_drop(int file, const char *temporary) {
    int problem = errno;
    _close(file); // again after file_finish: refused, and nothing happens
    remove(temporary);
    errno = problem;
}

static bool shows_errors(void) { return _isatty(_fileno(stderr)) != 0; }

#else

#include <sys/file.h>
#include <unistd.h>

static ct_file_info look_at(const char *path) {
    ct_file_info info = {CT_FILE_NONE, 0, 0, 0};
    struct stat found;
    if (stat(path, &found) != 0) return info;
    bool plain = S_ISREG(found.st_mode), folder = S_ISDIR(found.st_mode);
    info.kind = plain ? CT_FILE_PLAIN : folder ? CT_FILE_FOLDER : CT_FILE_SPECIAL;
    info.bytes = plain ? (uint64_t)found.st_size : 0;
    info.device = (uint64_t)found.st_dev;
    info.node = (uint64_t)found.st_ino;
    return info;
}

// Whoever wrote before may have given the file its name between our opening and our locking.
static bool is_still_there(int file, const char *path) {
    struct stat ours, there;
    return fstat(file, &ours) == 0 && lstat(path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

// The file, empty and locked; -1 with errno. A link of that name is no file of ours.
static int file_open(const char *path) {
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; ++i) {
        int file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
        if (file < 0 && (errno == ELOOP || errno == ENXIO) && unlink(path) == 0) continue;
        if (file < 0) return -1;
        int problem = 0;
        if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            problem = EBUSY;
        } else if (is_still_there(file, path)) {
            if (ftruncate(file, 0) == 0) return file;
            problem = errno;
        }
        close(file);
        errno = problem;
        if (problem != 0) return -1;
    }
    errno = EBUSY;
    return -1;
}

static int64_t file_put(int file, const char *bytes, size_t count) {
    ssize_t put = write(file, bytes, count);
    return put < 0 && errno == EINTR ? 0 : (int64_t)put;
}

// Some file systems tell only when a file is closed that it could not be written; a copy is closed,
// since the lock has to hold until the file has its name.
static bool file_finish(int file, const char *path, const char *temporary) {
    int copy = dup(file);
    if (copy < 0 || close(copy) != 0) return false;
    if (rename(temporary, path) != 0) return false;
    close(file);
    return true;
}

static void file_drop(int file, const char *temporary) {
    int problem = errno;
    unlink(temporary);
    close(file);
    errno = problem;
}

static bool shows_errors(void) { return isatty(STDERR_FILENO) != 0; }

#endif

static bool write_all(int file, const char *bytes, size_t count) {
    while (count > 0) {
        int64_t put =
            file_put(file, bytes, count < CT_WRITTEN_AT_ONCE ? count : CT_WRITTEN_AT_ONCE);
        if (put < 0) return false;
        bytes += put;
        count -= (size_t)put;
    }
    return true;
}

// Writes a file whole or not at all: into the file at 'temporary', which then takes the place of
// what stands at 'path'. A link there is replaced, not followed. Whoever is killed in the middle
// leaves 'path' as it was, and a temporary file that the next call overwrites; of two that write at
// the same time the later is refused. 0, or the number of what went wrong: 'path' is as it was
// then. Does not wait for the disk: a power cut may lose what was written last.
static int replace_file(const char *path, const char *temporary, const char *bytes, size_t count) {
    int file = file_open(temporary);
    if (file < 0) return errno;
    if (write_all(file, bytes, count) && file_finish(file, path, temporary)) return 0;
    file_drop(file, temporary);
    return errno;
}

// ---------------------------------------------------------------- for Lua

// core.file.look(path) -> "file", "folder" or "special", bytes, a string that tells the one file
// from all others (nil where the system does not say); nothing where there is none
static int look(lua_State *L) {
    static const char *const kinds[] = {
        [CT_FILE_PLAIN] = "file", [CT_FILE_FOLDER] = "folder", [CT_FILE_SPECIAL] = "special"};
    ct_file_info info = look_at(luaL_checkstring(L, 1));
    if (info.kind == CT_FILE_NONE) return 0;
    uint64_t identity[2] = {info.device, info.node};
    lua_pushstring(L, kinds[info.kind]);
    ct_bind_push_whole(L, info.bytes);
    if (info.node == 0) return 2;
    lua_pushlstring(L, (const char *)identity, sizeof identity);
    return 3;
}

// core.file.read(path, bytes) -> what the file holds, its first 'bytes' at most; or nil and why
// not. Takes twice the bytes while it reads; io.read of Lua 5.1 takes four times as many.
static int read_whole(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    size_t bytes = (size_t)ct_bind_check_whole(L, 2, 0, CT_READ_AT_MOST);
    char *block = lua_newuserdata(L, bytes + 1);
    FILE *file = fopen(path, "rb");
    size_t count = file != NULL ? fread(block, 1, bytes, file) : 0;
    int problem = file != NULL && ferror(file) == 0 ? 0 : errno;
    if (file != NULL) fclose(file);
    if (problem != 0) {
        lua_pushstring(L, strerror(problem));
        return ct_bind_return_failure(L);
    }
    lua_pushlstring(L, block, count);
    return 1;
}

// core.file.write(path, temporary, bytes) -> true, or nil and why not
static int write_whole(lua_State *L) {
    size_t count;
    const char *path = luaL_checkstring(L, 1), *temporary = luaL_checkstring(L, 2);
    const char *bytes = luaL_checklstring(L, 3, &count);
    int problem = replace_file(path, temporary, bytes, count);
    if (problem != 0) {
        lua_pushstring(L, strerror(problem));
        return ct_bind_return_failure(L);
    }
    lua_pushboolean(L, 1);
    return 1;
}

static int is_terminal(lua_State *L) {
    lua_pushboolean(L, shows_errors());
    return 1;
}

static const luaL_Reg functions[] = {{"look", look},
                                     {"read", read_whole},
                                     {"write", write_whole},
                                     {"is_terminal", is_terminal},
                                     {NULL, NULL}};

void ct_bind_open_file(lua_State *L) { ct_bind_add_functions(L, "file", functions); }
