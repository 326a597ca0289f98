// A mock of the header of Defold's SDK: the parts that examples/defold uses.
#ifndef DMSDK_SDK_H
#define DMSDK_SDK_H

extern "C" {
#include <dmsdk/lua/lauxlib.h>
#include <dmsdk/lua/lua.h>
#include <lualib.h>
}

namespace dmExtension {
enum Result { RESULT_OK = 0 };
struct AppParams;
struct Params {
    lua_State *m_L;
};
struct Event;
} // namespace dmExtension

struct extension {
    dmExtension::Result (*initialize)(dmExtension::Params *);
    dmExtension::Result (*finalize)(dmExtension::Params *);
};

#define DM_DECLARE_EXTENSION(symbol, name, app_init, app_final, init, update, on_event, final)     \
    extern const extension symbol;                                                                 \
    const extension symbol = {init, final};

#endif
