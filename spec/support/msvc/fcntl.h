// The flags for opening a file as Microsoft's headers define them (see math.h).
#pragma once
#define _O_WRONLY 1
#define _O_NOINHERIT 0x80
#define _O_CREAT 0x100
#define _O_TRUNC 0x200
#define _O_EXCL 0x400
#define _O_BINARY 0x8000
