#!/bin/sh
# What a program for WebAssembly has beside the module: Lua 5.1, lua-cjson and lua-filesystem, compiled by emscripten from
# the sources of Debian's packages. And runs the specs with it in node, and its page in a browser.
#
# usage: tools/wasm.sh FOLDER          makes FOLDER/liblua.a and FOLDER/include, if they are not there
#        tools/wasm.sh FOLDER specs    with FOLDER/test/lua.js and FOLDER/index.html; says what was not run
# The environment tells the programs' names: LUA51.
set -eu
build=$1
sources=$build/sources

compile() {
    . tools/sources.sh
    sources_fetch "$sources" lua5.1 lua-cjson lua-filesystem
    lua=$(sources_unpack "$sources" lua5.1 lapi.c)
    cjson=$(sources_unpack "$sources" lua-cjson lua_cjson.c)
    lfs=$(sources_unpack "$sources" lua-filesystem lfs.c)
    mkdir -p "$build/include" "$build/lua"
    cp "$lua/lua.h" "$lua/luaconf.h" "$lua/lualib.h" "$lua/lauxlib.h" "$build/include"
    # An error of Lua is a longjmp, which WebAssembly's own exceptions make cheap. The interpreter's main opens what
    # examples/web/host.c opens.
    for file in $(find "$lua" -name 'l*.c' ! -name luac.c) "$cjson/lua_cjson.c" "$cjson/strbuf.c" "$cjson/fpconv.c" \
        "$lfs/lfs.c"; do
        opens=
        [ "$(basename "$file")" != lua.c ] || opens=-DluaL_openlibs=host_open_libraries
        echo "-I$lua $opens $file -o $build/lua/$(basename "$file" .c).o"
    done | xargs -P "$(nproc)" -L 1 emcc -O3 -w -DLUA_USE_MKSTEMP -fwasm-exceptions -sSUPPORT_LONGJMP=wasm -c
    rm -f "$build/liblua.a"
    emar rcs "$build/liblua.a" "$build"/lua/*.o
}

if [ $# -lt 2 ]; then
    [ -f "$build/liblua.a" ] || compile
    exit 0
fi

# ---- The specs -------------------------------------------------------------------------------

# Links, a compiler, and another validator.
FILTER_OUT='^matrix products
does not put its output in the place of its input by a link$
does not write over an input by another name$
means the same to a validator of JSON Schema$'
export FILTER_OUT
. tools/elsewhere.sh
status=0
"${LUA51:-lua5.1}" tools/specs.lua "--without $elsewhere_without" \
    "Lua 5.1 in WebAssembly, test build: LUA_PATH='$(elsewhere_path '')' node $build/test/lua.js" || status=$?
echo "the game of make run, in Chromium:"
node spec/support/web_page.js chromium "$build/index.html" || status=$?
elsewhere_tell WebAssembly
echo "NOT RUN on WebAssembly, because they want links, a compiler, or another program:"
echo "$FILTER_OUT" | sed 's/^/    /'
exit $status
