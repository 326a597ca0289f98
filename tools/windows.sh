#!/bin/sh
# Checks the module for Windows, and runs the specs with it under wine, on interpreters for Windows that are built from
# the sources of Debian's packages. Prints what did not run, and why.
#
# usage: tools/windows.sh FOLDER     with cuttle/core.dll and test/cuttle/core.dll; other files are written there, too
# Environment: MINGW (the prefix of the cross tools), LUA51 (the program's name).
set -eu
build=$1
mingw=${MINGW:-x86_64-w64-mingw32}
hosts=$build/hosts
sources=$build/sources

# ---- The file: imports and exports -----------------------------------------------------------

for dll in "$build/cuttle/core.dll" "$build/test/cuttle/core.dll"; do
    tables=$("$mingw-objdump" -p "$dll")
    needed=$(echo "$tables" | sed -n 's/.*DLL Name: //p' | tr 'A-Z\n' 'a-z ')
    echo "$dll needs: $needed"
    for name in $needed; do
        case $name in
            kernel32.dll | msvcrt.dll | ucrtbase.dll | api-ms-win-crt-*) ;;
            lua51.dll) ;;
            *) echo "$dll needs $name, which not every Windows has" >&2 && exit 1 ;;
        esac
    done
    offered=$(echo "$tables" | awk '/Ordinal\/Name Pointer/ { on = 1; next } /^$/ { on = 0 } on { print $NF }')
    [ "$offered" = luaopen_cuttle_core ] || {
        echo "$dll exports more than luaopen_cuttle_core: $offered" >&2
        exit 1
    }
done

not_run() {
    echo "NOT RUN on Windows: all specs, because $1"
    exit 0
}

# ---- Interpreters, and the C modules of the specs --------------------------------------------

wine=$(command -v wine64 || command -v wine || echo /usr/lib/wine/wine64)
[ -x "$wine" ] || not_run "there is no wine"

. tools/sources.sh

compile_hosts() {
    cc="$mingw-gcc -O2 -shared -static-libgcc"
    mkdir -p "$hosts/puc" "$hosts/jit"
    lua=$(sources_unpack "$sources" lua5.1 lapi.c)
    core=$(find "$lua" -name 'l*.c' ! -name lua.c ! -name luac.c)
    # shellcheck disable=SC2086 # the lists are meant to split
    $cc -DLUA_BUILD_AS_DLL $core -o "$hosts/puc/lua51.dll" -Wl,--out-implib,"$hosts/liblua51.a"
    "$mingw-gcc" -O2 -DLUA_BUILD_AS_DLL "$lua/lua.c" "$hosts/liblua51.a" -static-libgcc -o "$hosts/puc/lua.exe"
    jit=$(sources_unpack "$sources" luajit lj_api.c)
    env -u MAKEFLAGS -u MFLAGS -u CC -u CFLAGS -u LDFLAGS make -s -C "$jit" \
        HOST_CC="gcc" CROSS="$mingw-" TARGET_SYS=Windows >/dev/null
    lfs=$(sources_unpack "$sources" lua-filesystem lfs.c)
    $cc -I"$lua" "$lfs/lfs.c" "$hosts/liblua51.a" -o "$hosts/puc/lfs.dll"
    cjson=$(sources_unpack "$sources" lua-cjson lua_cjson.c)
    $cc -w -I"$lua" "$cjson/lua_cjson.c" "$cjson/strbuf.c" "$cjson/fpconv.c" "$hosts/liblua51.a" -o "$hosts/puc/cjson.dll"
    cp "$jit/luajit.exe" "$jit/lua51.dll" "$hosts/puc/lfs.dll" "$hosts/puc/cjson.dll" "$hosts/jit"
}

if [ ! -f "$hosts/complete" ]; then
    command -v apt-get >/dev/null || not_run "the sources of Lua are downloaded with apt-get, which is missing"
    sources_fetch "$sources" lua5.1 luajit lua-filesystem lua-cjson ||
        not_run "the sources of Lua could not be downloaded"
    compile_hosts
    touch "$hosts/complete"
fi

# ---- The specs -------------------------------------------------------------------------------

export WINEPREFIX="$PWD/$build/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
mkdir -p "$WINEPREFIX"
"$wine" cmd /c "exit 0" </dev/null >/dev/null 2>&1 || not_run "wine does not start"

# These specs depend on Unix errors, or on names of temporary files that wine does not return.
FILTER_OUT='^matrix products
^cuttle compile reports a folder in the place of a file$
reports a full device
does not replace a folder by a file$
^the command validates all files, even if some are wrong
^separate level files are read from the option directory for a text$'
export FILTER_OUT
. tools/elsewhere.sh
path="LUA_PATH='$(elsewhere_path Z:)' CUTTLE_BUILD=$build/test $wine"
status=0
"${LUA51:-lua5.1}" tools/specs.lua "--without $elsewhere_without" \
    "LuaJIT for Windows, test build: $path $hosts/jit/luajit.exe" \
    "Lua 5.1 for Windows, test build: $path $hosts/puc/lua.exe" || status=$?
elsewhere_list Windows
echo "NOT RUN on Windows, because they depend on Unix files or on names of temporary files:"
echo "$FILTER_OUT" | sed 's/^/    /'
echo "NOT RUN on Windows: the release build, LuaJIT without JIT, and any Windows but wine"
exit $status
