// Where Defold keeps this header.
#include <dmsdk/lua/lauxlib.h>
