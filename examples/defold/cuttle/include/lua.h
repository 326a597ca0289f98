// Where Defold keeps this header.
#include <dmsdk/lua/lua.h>
