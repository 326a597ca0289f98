// File operations that C's library and Lua lack, for the module.
// Must not depend on the core of cuttle, nor on Lua: the core itself opens no files.
#ifndef CT_FILE_H
#define CT_FILE_H

#include "base/base.h"

// With CT_NO_FILES no system call is made: each path has kind CT_FILE_NONE, and no file is written.
// For consoles, and for iOS, where calls of stat must be declared.

typedef enum ct_file_kind {
    CT_FILE_NONE, ///< no file, or an inaccessible one
    CT_FILE_PLAIN,
    CT_FILE_FOLDER,
    CT_FILE_SPECIAL ///< a device, a pipe or a socket: a read may never end
} ct_file_kind;

typedef struct ct_file_info {
    ct_file_kind kind;
    uint64_t bytes;        ///< of a plain file
    uint64_t device, node; ///< together identify a file, independently of its path; 0 on Windows
} ct_file_info;

/// Room for the texts of ct_file_link and ct_file_real.
enum { CT_FILE_PATH = 4096 };

/// Returns the kind of file at a path; follows links. Opens no file, so the writer of a pipe is not
/// affected.
ct_file_info ct_file_look(const char *path);

/// Reads the target of the link at a path; returns false if there is no link, if its text is too
/// long, or on Windows.
bool ct_file_link(const char *path, char text[CT_FILE_PATH]);

/// Writes the absolute path of a file or folder, with all links resolved; returns false if there is
/// none.
bool ct_file_real(const char *path, char text[CT_FILE_PATH]);

/// Reads at most 'room' bytes of a file, and stores their number in *count. Returns NULL, or the
/// error message.
const char *ct_file_read(const char *path, void *bytes, size_t room, size_t *count);

/// Writes a file completely or not at all: writes the file at 'temporary' and renames it to 'path'.
/// A link at 'path' is replaced, not followed. If the process is killed, 'path' is unchanged, and
/// the next call overwrites the temporary file. While another process writes the same file, waits
/// for at most 'seconds' (up to 3600). Returns NULL, or the error message; 'path' is unchanged
/// then. Does not wait for the disk: a power failure may lose the last write.
const char *ct_file_write(const char *path, const char *temporary, const char *bytes, size_t count,
                          unsigned seconds);

/// Returns whether the standard error stream is a terminal.
bool ct_file_shows_errors(void);

#endif
