// Functions that are newer than glibc 2.14, in their oldest version, so that a distributed module
// can be loaded on older systems. Linked into such modules, and hidden from other code.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier)

#include <dlfcn.h>
#include <stddef.h>
#include <sys/stat.h>
#include <time.h>

#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#define STAT_VERSION 1
#elif defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#define STAT_VERSION 0
#else
#error "add glibc's oldest version for this machine here"
#endif

#define OLD(name) __asm__(".symver old_" #name "," #name "@" OLDEST)

// Weak, because they were in separate libraries, libdl and librt, which a program may not have.
__typeof__(dlopen) old_dlopen __attribute__((weak));
__typeof__(dladdr) old_dladdr __attribute__((weak));
__typeof__(clock_gettime) old_clock_gettime __attribute__((weak));
OLD(dlopen);
OLD(dladdr);
OLD(clock_gettime);

// The function behind stat before version 2.33, in which stat became a function.
int __xstat(int version, const char *path, struct stat *out);
int __lxstat(int version, const char *path, struct stat *out);
int __fxstat(int version, int file, struct stat *out);

#pragma GCC visibility push(hidden)

void *dlopen(const char *path, int flags) {
    return old_dlopen != NULL ? old_dlopen(path, flags) : NULL;
}

int dladdr(const void *address, Dl_info *out) {
    return old_dladdr != NULL ? old_dladdr(address, out) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
    return old_clock_gettime != NULL ? old_clock_gettime(clock, out) : -1;
}

int stat(const char *path, struct stat *out) { return __xstat(STAT_VERSION, path, out); }

int lstat(const char *path, struct stat *out) { return __lxstat(STAT_VERSION, path, out); }

int fstat(int file, struct stat *out) { return __fxstat(STAT_VERSION, file, out); }

#pragma GCC visibility pop
