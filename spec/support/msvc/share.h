// The sharing modes of files as Microsoft's headers define them (see math.h).
#pragma once
#define _SH_DENYRW 0x10
