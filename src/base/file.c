// Files: what stands at a path, and writing one so that nobody ever sees half of it.
// Knows nothing of what is in them.
#ifndef _WIN32
#define _DEFAULT_SOURCE 1 // for stat, flock; NOLINT(bugprone-reserved-identifier)
#define _DARWIN_C_SOURCE 1 // NOLINT(bugprone-reserved-identifier)
#endif

#include "base/file.h"

#include "base/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// One call writes at most this much: some systems refuse more than 2 GB.
#define CT_WRITTEN_AT_ONCE (1u << 30)

static bool refuse(ct_message *why, int problem) {
    return ct_message_set(why, "%s", strerror(problem));
}

#ifdef _WIN32

#include <windows.h>

#include <io.h>
#include <share.h>

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

bool ct_file_is_terminal(void) { return _isatty(_fileno(stderr)) != 0; }

#else

#include <sys/file.h>
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

bool ct_file_is_terminal(void) { return isatty(STDERR_FILENO) != 0; }

#endif

static bool write_all(int file, const char *bytes, size_t count) {
    while (count > 0) {
        int64_t put = file_put(file, bytes, count < CT_WRITTEN_AT_ONCE ? count : CT_WRITTEN_AT_ONCE);
        if (put < 0) return false;
        bytes += put;
        count -= (size_t)put;
    }
    return true;
}

bool ct_file_write(const char *path, const char *temporary, const void *bytes, size_t count,
                   ct_message *why) {
    int file = file_open(temporary);
    if (file < 0) return refuse(why, errno);
    if (write_all(file, bytes, count) && file_finish(file, path, temporary)) return true;
    file_drop(file, temporary);
    return refuse(why, errno);
}
