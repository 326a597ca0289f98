// errno as Microsoft's headers declare it (see math.h).
#pragma once
int *_errno(void);
#define errno (*_errno())
#define ENOENT 2
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define EINVAL 22
