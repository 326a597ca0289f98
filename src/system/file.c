// File operations that C's library and Lua lack, for the module.
#ifndef _WIN32
#define _DEFAULT_SOURCE 1  // for stat, flock; NOLINT(bugprone-reserved-identifier)
#define _DARWIN_C_SOURCE 1 // NOLINT(bugprone-reserved-identifier)
#endif

#include "system/file.h"

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

#if defined(CT_NO_FILES)

ct_file_info ct_file_look(const char *path) {
    (void)path;
    return (ct_file_info){CT_FILE_NONE, 0, 0, 0};
}

bool ct_file_link(const char *path, char text[CT_FILE_PATH]) {
    (void)path, (void)text;
    return false;
}

bool ct_file_real(const char *path, char text[CT_FILE_PATH]) {
    (void)path, (void)text;
    return false;
}

bool ct_file_shows_errors(void) { return false; }

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

ct_file_info ct_file_look(const char *path) {
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
bool ct_file_link(const char *path, char text[CT_FILE_PATH]) {
    (void)path, (void)text;
    return false;
}

bool ct_file_real(const char *path, char text[CT_FILE_PATH]) {
    HANDLE file = CreateFileA(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE) return false;
    DWORD length = GetFinalPathNameByHandleA(file, text, CT_FILE_PATH, FILE_NAME_NORMALIZED);
    CloseHandle(file);
    return length > 0 && length < CT_FILE_PATH;
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

bool ct_file_shows_errors(void) { return _isatty(_fileno(stderr)) != 0; }

#else

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

ct_file_info ct_file_look(const char *path) {
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

bool ct_file_link(const char *path, char text[CT_FILE_PATH]) {
    ssize_t bytes = readlink(path, text, CT_FILE_PATH);
    if (bytes <= 0 || bytes == CT_FILE_PATH) return false;
    text[bytes] = '\0';
    return true;
}

bool ct_file_real(const char *path, char text[CT_FILE_PATH]) {
    return CT_FILE_PATH >= PATH_MAX && realpath(path, text) != NULL;
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

bool ct_file_shows_errors(void) { return isatty(STDERR_FILENO) != 0; }

#endif

#ifdef CT_NO_FILES

const char *ct_file_write(const char *path, const char *temporary, const char *bytes, size_t count,
                          unsigned seconds) {
    (void)path, (void)temporary, (void)bytes, (void)count, (void)seconds;
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

const char *ct_file_write(const char *path, const char *temporary, const char *bytes, size_t count,
                          unsigned seconds) {
    unsigned most_pauses = seconds * (1000 / CT_PAUSE_MILLISECONDS);
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

const char *ct_file_read(const char *path, void *bytes, size_t room, size_t *count) {
    FILE *file = fopen(path, "rb");
    *count = file != NULL ? fread(bytes, 1, room, file) : 0;
    int problem = file != NULL && ferror(file) == 0 ? 0 : errno;
    if (file != NULL) fclose(file);
    return problem != 0 ? strerror(problem) : NULL;
}
