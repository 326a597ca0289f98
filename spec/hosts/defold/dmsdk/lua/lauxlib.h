// A mock of the header in Defold's SDK.
#pragma GCC system_header
#include_next <lauxlib.h>
