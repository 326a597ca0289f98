// The functions for strings and memory as Microsoft's headers declare them (see math.h).
#pragma once
#include <stddef.h>
void *memchr(const void *bytes, int byte, size_t count);
int memcmp(const void *a, const void *b, size_t count);
void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
char *strchr(const char *text, int byte);
int strcmp(const char *a, const char *b);
char *strerror(int number);
size_t strlen(const char *text);
char *strncat(char *to, const char *from, size_t count);
int strncmp(const char *a, const char *b, size_t count);
char *strncpy(char *to, const char *from, size_t count);
size_t strspn(const char *text, const char *bytes);
