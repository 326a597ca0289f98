// A mock of Defold: a program with a linked extension that runs a script.
#include <dmsdk/sdk.h>

#include <cstdio>

extern const extension cuttle;

int main(int argc, char **argv) {
    lua_State *L = luaL_newstate();
    if (argc < 2 || L == nullptr) return 2;
    luaL_openlibs(L);
    dmExtension::Params params = {L};
    bool fine = cuttle.initialize(&params) == dmExtension::RESULT_OK && lua_gettop(L) == 0;
    if (luaL_dofile(L, argv[1])) {
        std::printf("%s\n", lua_tostring(L, -1));
        fine = false;
    }
    lua_close(L);
    return fine && cuttle.finalize(&params) == dmExtension::RESULT_OK ? 0 : 1;
}
