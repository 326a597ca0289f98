#!/bin/sh
# Compiles the libraries of a program for WebAssembly: Lua 5.1, lua-cjson and lua-filesystem from the sources of
# Debian's packages, with emscripten. Also runs the specs in node, and the page in a browser.
#
# usage: tools/wasm.sh FOLDER          creates FOLDER/liblua.a and FOLDER/include if they are missing
#        tools/wasm.sh FOLDER specs    with FOLDER/test/lua.js and FOLDER/index.html; prints the specs that did not run
# Environment: LUA51 (the program's name).
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
    # An error of Lua is a longjmp, which is fast with WebAssembly's exceptions. The interpreter opens the libraries of
    # examples/web/host.c.
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

# These specs need links, a compiler, or another validator.
FILTER_OUT='^matrix products
does not overwrite its input through a link$
does not write the rules of --deps over an input with a second name$
accepts the same documents in Python$'
export FILTER_OUT
. tools/elsewhere.sh
status=0
"${LUA51:-lua5.1}" tools/specs.lua "--without $elsewhere_without" \
    "Lua 5.1 in WebAssembly, test build: LUA_PATH='$(elsewhere_path '')' node $build/test/lua.js" || status=$?
echo "the game of make run, in Chromium:"
node spec/support/web_page.js chromium "$build/index.html" || status=$?
elsewhere_list WebAssembly
echo "NOT RUN on WebAssembly, because they need links, a compiler, or another program:"
echo "$FILTER_OUT" | sed 's/^/    /'
exit $status
