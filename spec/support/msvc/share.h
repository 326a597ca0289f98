// See math.h.
#pragma once
#define _SH_DENYRW 0x10
