// Files: what stands at a path, and writing one so that nobody ever sees half of it.
// Knows nothing of what is in them.
#ifndef CT_FILE_H
#define CT_FILE_H

#include "base/base.h"

CT_BEGIN_C

typedef enum ct_file_kind {
    CT_FILE_NONE, ///< nothing, or nothing that may be asked about
    CT_FILE_PLAIN,
    CT_FILE_FOLDER,
    CT_FILE_SPECIAL, ///< a device, a pipe, a socket: reading one may never end
} ct_file_kind;

typedef struct ct_file_info {
    ct_file_kind kind;
    uint64_t bytes;        ///< of a plain file
    uint64_t device, node; ///< together one file's, whatever path leads to it; 0 on Windows
} ct_file_info;

/// What stands at a path, links followed. Opens nothing: a pipe's writer does not notice.
ct_file_info ct_file_look(const char *path);

/// Writes a file whole or not at all: into the file at 'temporary', which then takes the place of
/// what stands at 'path'. A link there is replaced, not followed. Whoever is killed in the middle
/// leaves 'path' as it was, and a temporary file that the next call overwrites; two that write at
/// the same time do not mix: the later is refused. False with a message when that fails, 'path' is
/// as it was then. Does not wait for the disk: a power cut may lose what was written last.
bool ct_file_write(const char *path, const char *temporary, const void *bytes, size_t count,
                   ct_message *why);

/// Whether standard error is a terminal.
bool ct_file_is_terminal(void);

CT_END_C

#endif
