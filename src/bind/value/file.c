// File operations for the Lua files of the module that Lua itself lacks.
//
// With CT_NO_FILES no system call is made: each path has kind CT_FILE_NONE, and no file is written.
// For consoles, and for iOS, where calls of stat must be declared.
#ifndef _WIN32
#define _DEFAULT_SOURCE 1  // for stat, flock; NOLINT(bugprone-reserved-identifier)
#define _DARWIN_C_SOURCE 1 // NOLINT(bugprone-reserved-identifier)
#endif

#include "bind/value/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifndef CT_NO_FILES
#include <fcntl.h>
#include <sys/stat.h>
#endif

// Limit of one write call: some systems refuse more than 2 GB.
#define CT_WRITTEN_AT_ONCE (1u << 30)

// Result of write_once besides errno values: another process is writing the same file.
#define CT_FILE_BUSY (-1)

// Time between two attempts to write a file that another process is writing.
#define CT_PAUSE_MILLISECONDS 10

// Limit of one read.
#define CT_READ_AT_MOST (1u << 30)

typedef enum ct_file_kind {
    CT_FILE_NONE, // no file, or an inaccessible one
    CT_FILE_PLAIN,
    CT_FILE_FOLDER,
    CT_FILE_SPECIAL, // a device, a pipe or a socket: a read may never end
} ct_file_kind;

typedef struct ct_file_info {
    ct_file_kind kind;
    uint64_t bytes;        // of a plain file
    uint64_t device, node; // together identify a file, independently of its path; 0 on Windows
} ct_file_info;

#if defined(CT_NO_FILES)

static ct_file_info look_at(const char *path) {
    (void)path;
    return (ct_file_info){CT_FILE_NONE, 0, 0, 0};
}

static bool read_link(const char *path, char *text, size_t room) {
    (void)path, (void)text, (void)room;
    return false;
}

static bool real_path(const char *path, char *text, size_t room) {
    (void)path, (void)text, (void)room;
    return false;
}

static bool shows_errors(void) { return false; }

#elif defined(_WIN32)

// For GetFinalPathNameByHandle.
#if !defined(_WIN32_WINNT) || _WIN32_WINNT < 0x0600
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0600 // NOLINT(bugprone-reserved-identifier)
#endif

#include <windows.h>

#include <io.h>
#include <share.h>
#include <stdlib.h>

// Returns the kind of file at a path; follows links. Opens no file, so the writer of a pipe is not
// affected.
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

// Links of Windows are not supported: its C library has no function that reads them.
static bool read_link(const char *path, char *text, size_t room) {
    (void)path, (void)text, (void)room;
    return false;
}

// Writes the absolute path of a file or folder, with all links resolved; returns false if there is
// none.
static bool real_path(const char *path, char *text, size_t room) {
    HANDLE file = CreateFileA(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE) return false;
    DWORD length = GetFinalPathNameByHandleA(file, text, (DWORD)room, FILE_NAME_NORMALIZED);
    CloseHandle(file);
    return length > 0 && length < room;
}

typedef int ct_held_signals;
static ct_held_signals hold_signals(void) { return 0; }
static void release_signals(const ct_held_signals *before) { (void)before; }

static void pause_milliseconds(unsigned count) { Sleep(count); }

static int file_open(const char *path, int *problem) {
    int file = _sopen(path, _O_WRONLY | _O_CREAT | _O_TRUNC | _O_BINARY | _O_NOINHERIT, _SH_DENYRW,
                      _S_IREAD | _S_IWRITE);
    *problem = _doserrno == ERROR_SHARING_VIOLATION ? CT_FILE_BUSY : errno;
    return file;
}

static int64_t file_put(int file, const char *bytes, size_t count) {
    return _write(file, bytes, (unsigned)count);
}

// Windows cannot rename an open file. After the file is closed, another process may open or rename
// it.
static int file_finish(int file, const char *path, const char *temporary) {
    if (_close(file) != 0) return errno;
    if (MoveFileExA(temporary, path, MOVEFILE_REPLACE_EXISTING)) return 0;
    DWORD problem = GetLastError();
    if (problem == ERROR_SHARING_VIOLATION || problem == ERROR_FILE_NOT_FOUND) return CT_FILE_BUSY;
    return problem == ERROR_PATH_NOT_FOUND ? ENOENT : EACCES;
}

static void file_drop(int file, const char *temporary) {
    _close(file); // fails without effect if file_finish has closed the file
    remove(temporary);
}

static bool shows_errors(void) { return _isatty(_fileno(stderr)) != 0; }

#else

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
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

// Reads the target of the link at a path; returns false if there is no link, or its text is too
// long.
static bool read_link(const char *path, char *text, size_t room) {
    ssize_t bytes = readlink(path, text, room);
    if (bytes <= 0 || (size_t)bytes == room) return false;
    text[bytes] = '\0';
    return true;
}

// Writes the absolute path of a file or folder, with all links resolved; returns false if there is
// none.
static bool real_path(const char *path, char *text, size_t room) {
    return room >= PATH_MAX && realpath(path, text) != NULL;
}

// Blocks signals while a file is written, so that a signal that ends the process leaves no
// temporary file.
typedef sigset_t ct_held_signals;

static ct_held_signals hold_signals(void) {
    sigset_t all, before;
    sigfillset(&all);
    sigemptyset(&before);
    sigprocmask(SIG_BLOCK, &all, &before);
    return before;
}

static void release_signals(const ct_held_signals *before) {
    sigprocmask(SIG_SETMASK, before, NULL);
}

static void pause_milliseconds(unsigned count) {
    struct timespec time = {.tv_sec = 0, .tv_nsec = (long)count * 1000000};
    nanosleep(&time, NULL);
}

// Checks that the path still names the opened file: before this process locked it, the previous
// writer may have renamed it.
static bool is_still_there(int file, const char *path) {
    struct stat ours, there;
    return fstat(file, &ours) == 0 && lstat(path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

// Opens, locks and empties the file; returns -1 and the error otherwise. Removes a link of that
// name.
static int file_open(const char *path, int *problem) {
    int file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
    *problem = errno;
    if (file < 0) {
        if ((*problem == ELOOP || *problem == ENXIO) && unlink(path) == 0) *problem = CT_FILE_BUSY;
        return -1;
    }
    if ((flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
        !is_still_there(file, path))
        *problem = CT_FILE_BUSY;
    else if (ftruncate(file, 0) == 0)
        return file;
    else
        *problem = errno;
    close(file);
    return -1;
}

static int64_t file_put(int file, const char *bytes, size_t count) {
    ssize_t put = write(file, bytes, count);
    return put < 0 && errno == EINTR ? 0 : (int64_t)put;
}

// Some file systems report a failed write only when the file is closed. This closes a duplicate,
// because the lock must last until the file is renamed.
static int file_finish(int file, const char *path, const char *temporary) {
    int copy = dup(file);
    if (copy < 0 || close(copy) != 0 || rename(temporary, path) != 0) return errno;
    close(file);
    return 0;
}

static void file_drop(int file, const char *temporary) {
    unlink(temporary);
    close(file);
}

static bool shows_errors(void) { return isatty(STDERR_FILENO) != 0; }

#endif

#ifdef CT_NO_FILES

static const char *replace_file(const char *path, const char *temporary, const char *bytes,
                                size_t count, unsigned most_pauses) {
    (void)path, (void)temporary, (void)bytes, (void)count, (void)most_pauses;
    return "this build writes no files (CT_NO_FILES)";
}

#else

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

// Returns 0, an errno value, or CT_FILE_BUSY.
static int write_once(const char *path, const char *temporary, const char *bytes, size_t count) {
    int problem, file = file_open(temporary, &problem);
    if (file < 0) return problem;
    problem = write_all(file, bytes, count) ? file_finish(file, path, temporary) : errno;
    if (problem != 0) file_drop(file, temporary);
    return problem;
}

// Writes a file completely or not at all: writes the file at 'temporary' and renames it to 'path'.
// A link at 'path' is replaced, not followed. If the process is killed, 'path' is unchanged, and
// the next call overwrites the temporary file. While another process writes the same file, waits
// for at most 'most_pauses' pauses. Returns NULL, or the error message; 'path' is unchanged then.
// Does not wait for the disk: a power failure may lose the last write.
static const char *replace_file(const char *path, const char *temporary, const char *bytes,
                                size_t count, unsigned most_pauses) {
    for (unsigned pauses = 0;; ++pauses) {
        ct_held_signals before = hold_signals();
        int problem = write_once(path, temporary, bytes, count);
        release_signals(&before);
        if (problem == 0) return NULL;
        if (problem != CT_FILE_BUSY) return strerror(problem);
        if (pauses == most_pauses) return "another process is writing it";
        pause_milliseconds(CT_PAUSE_MILLISECONDS);
    }
}

#endif

// ---------------------------------------------------------------- for Lua

// core.file.look(path) -> "file", "folder" or "special", bytes, a string that identifies the file
// (nil if the system has no such identity); nothing if there is no file
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

// core.file.read(path, bytes) -> the content of the file, at most 'bytes' bytes; or nil and the
// error. Uses twice the bytes during the read; io.read of Lua 5.1 uses four times as many.
static int read_whole(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    size_t bytes = (size_t)ct_bind_check_whole(L, 2, 0, CT_READ_AT_MOST);
    char *block = lua_newuserdata(L, bytes + 1);
    FILE *file = fopen(path, "rb");
    size_t count = file != NULL ? fread(block, 1, bytes, file) : 0;
    int problem = file != NULL && ferror(file) == 0 ? 0 : errno;
    if (file != NULL) fclose(file);
    if (problem != 0) return ct_bind_return_message(L, strerror(problem));
    lua_pushlstring(L, block, count);
    return 1;
}

// core.file.link(path) -> the target of the link at a path, relative to its folder; nothing if
// there is no link
static int link_text(lua_State *L) {
    enum { LONGEST = 4096 };
    char text[LONGEST];
    if (!read_link(luaL_checkstring(L, 1), text, sizeof text)) return 0;
    lua_pushstring(L, text);
    return 1;
}

// core.file.real(path) -> the absolute path of a file or folder, with all links resolved; nothing
// if there is none, or if the system does not support it
static int real(lua_State *L) {
    enum { LONGEST = 4096 };
    char text[LONGEST];
    if (!real_path(luaL_checkstring(L, 1), text, sizeof text)) return 0;
    lua_pushstring(L, text);
    return 1;
}

// core.file.write(path, temporary, bytes, seconds) -> true, or nil and the error. Waits at most
// 'seconds' while another process writes the file.
static int write_whole(lua_State *L) {
    size_t count;
    const char *path = luaL_checkstring(L, 1), *temporary = luaL_checkstring(L, 2);
    const char *bytes = luaL_checklstring(L, 3, &count);
    unsigned seconds = (unsigned)ct_bind_check_whole(L, 4, 0, 3600);
    unsigned most_pauses = seconds * (1000 / CT_PAUSE_MILLISECONDS);
    const char *problem = replace_file(path, temporary, bytes, count, most_pauses);
    if (problem != NULL) return ct_bind_return_message(L, problem);
    return ct_bind_return_bool(L, 1);
}

static int is_terminal(lua_State *L) { return ct_bind_return_bool(L, shows_errors()); }

static const luaL_Reg functions[] = {
    {"look", look},         {"link", link_text},          {"real", real}, {"read", read_whole},
    {"write", write_whole}, {"is_terminal", is_terminal}, {NULL, NULL}};

void ct_bind_open_file(lua_State *L) { ct_bind_add_functions(L, "file", functions); }
