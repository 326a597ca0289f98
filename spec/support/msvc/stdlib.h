// Memory, sorting and searching as Microsoft's headers declare them (see math.h).
#pragma once
#include <stddef.h>
unsigned long *__doserrno(void);
#define _doserrno (*__doserrno())
void *malloc(size_t bytes);
void *realloc(void *block, size_t bytes);
void free(void *block);
void qsort(void *items, size_t count, size_t bytes, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *items, size_t count, size_t bytes,
              int (*compare)(const void *, const void *));
