// The functions for file descriptors as Microsoft's headers declare them (see math.h).
#pragma once
int _close(int file);
int _isatty(int file);
int _sopen(const char *path, int flags, int shared, ...);
int _write(int file, const void *bytes, unsigned count);
