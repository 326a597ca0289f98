// File types and _stat64 as Microsoft's headers declare them (see math.h).
#pragma once
#define _S_IFMT 0xF000
#define _S_IFDIR 0x4000
#define _S_IFREG 0x8000
#define _S_IREAD 0x0100
#define _S_IWRITE 0x0080
struct _stat64 {
    unsigned short st_mode;
    long long st_size;
};
int _stat64(const char *path, struct _stat64 *out);
