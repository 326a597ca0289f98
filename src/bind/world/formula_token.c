// Names and operators of formula texts for lua/cuttle/formula/lexer.lua.
#include "bind/world/formula.h"

static bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }

// Letters of ASCII in every locale.
static bool is_letter(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Returns the length of the operator at the beginning of a text that ends with NUL, or 0.
static size_t operator_length(const char *text) {
    switch (text[0]) {
    case '-': return text[1] == '-' ? 0 : text[1] == '=' ? 2 : 1;
    case '.': return !is_digit((unsigned char)text[1]);
    case '~': return text[1] == '=' ? 2 : 0;
    case '+':
    case '*':
    case '/':
    case '=':
    case '<':
    case '>': return text[1] == '=' ? 2 : 1;
    case '%':
    case '^':
    case '(':
    case ')':
    case ',':
    case ';': return 1;
    default: return 0;
    }
}

// core.formula.token(text, from) -> place of the first byte that is no white space, the name at it
// or nil, the operator at it or nil
int ct_bind_formula_token(lua_State *L) {
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    size_t at = (size_t)ct_bind_check_whole(L, 2, 1, 4294967295.0) - 1;
    while (at < length && is_space((unsigned char)text[at]))
        at++;
    ct_bind_push_whole(L, (uint32_t)at + 1);
    if (at >= length) return 1;
    size_t end = at;
    if (is_letter((unsigned char)text[at]))
        while (is_letter((unsigned char)text[end]) || is_digit((unsigned char)text[end]))
            end++;
    if (end > at) {
        lua_pushlstring(L, text + at, end - at);
        return 2;
    }
    size_t taken = operator_length(text + at);
    if (taken == 0) return 1;
    lua_pushnil(L);
    lua_pushlstring(L, text + at, taken);
    return 3;
}
