// Streams and formatted text as Microsoft's headers declare them (see math.h).
#pragma once
#include <stdarg.h>
#include <stddef.h>
#define BUFSIZ 512
typedef struct FILE FILE;
FILE *__acrt_iob_func(unsigned number);
#define stderr (__acrt_iob_func(2))
int _fileno(FILE *file);
int fclose(FILE *file);
int ferror(FILE *file);
FILE *fopen(const char *path, const char *mode);
size_t fread(void *to, size_t bytes, size_t count, FILE *file);
int remove(const char *path);
int snprintf(char *to, size_t bytes, const char *format, ...);
int vsnprintf(char *to, size_t bytes, const char *format, va_list arguments);
