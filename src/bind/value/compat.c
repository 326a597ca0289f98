// Replacements for behaviour of Lua 5.3 to 5.5 that differs from Lua 5.1.
#include "bind/value/compat.h"

#if LUA_VERSION_NUM > 501
#include <math.h>
#include <stdio.h>

void ct_bind_push_read(lua_State *L, lua_Number number) {
    if (fabs(number) <= 9007199254740992.0 && floor(number) == number &&
        !(number == 0 && signbit(number)))
        lua_pushinteger(L, (lua_Integer)number);
    else
        lua_pushnumber(L, number);
}

const char *ct_bind_push_format(lua_State *L, const char *format, va_list values) {
    luaL_Buffer b;
    char digits[64];
    luaL_buffinit(L, &b);
    for (; *format != '\0'; ++format) {
        if (*format != '%') {
            luaL_addchar(&b, *format);
            continue;
        }
        switch (*++format) {
        case 's': luaL_addstring(&b, va_arg(values, const char *)); continue;
        case 'd': snprintf(digits, sizeof digits, "%d", va_arg(values, int)); break;
        default: snprintf(digits, sizeof digits, LUA_NUMBER_FMT, va_arg(values, LUAI_UACNUMBER));
        }
        luaL_addstring(&b, digits);
    }
    luaL_pushresult(&b);
    return lua_tostring(L, -1);
}
#endif
