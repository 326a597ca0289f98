// Includes Defold's copy of this header.
#include <dmsdk/lua/lauxlib.h>
