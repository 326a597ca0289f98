// See math.h.
#pragma once
#include <stdarg.h>
#include <stddef.h>
#define BUFSIZ 512
typedef struct FILE FILE;
FILE *__acrt_iob_func(unsigned number);
#define stderr (__acrt_iob_func(2))
int _fileno(FILE *file);
int remove(const char *path);
int snprintf(char *to, size_t bytes, const char *format, ...);
int vsnprintf(char *to, size_t bytes, const char *format, va_list arguments);
