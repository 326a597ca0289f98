#!/bin/sh
# Looks at the module for Windows, and runs the specs with it under wine, on interpreters for Windows that are built from
# the sources of Debian's packages. Says what was not run, and why.
#
# usage: tools/windows.sh FOLDER     with cuttle/core.dll and test/cuttle/core.dll; what else is needed is put there too
# The environment tells the programs' names: MINGW (the prefix of the cross tools), LUA51.
set -eu
build=$1
mingw=${MINGW:-x86_64-w64-mingw32}
hosts=$build/hosts
sources=$build/sources

# ---- The file itself: who it needs, what it offers -------------------------------------------

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
        echo "$dll offers other than luaopen_cuttle_core: $offered" >&2
        exit 1
    }
done

not_run() {
    echo "NOT RUN on Windows: all specs, because $1"
    exit 0
}

# ---- Interpreters, and the modules in C that the specs use -----------------------------------

wine=$(command -v wine64 || command -v wine || echo /usr/lib/wine/wine64)
[ -x "$wine" ] || not_run "there is no wine"

# From the servers that the system's packages come from. Its own lists stay as they are.
fetch() {
    mkdir -p "$sources/lists/partial" "$sources/cache/archives/partial"
    # shellcheck disable=SC2016 # apt-get fills these in
    apt-get indextargets --format '$(ORIGIN) deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        sed -n -e 's/^Debian //p' -e 's/^Ubuntu //p' | sort -u >"$sources/sources.list"
    cat >"$sources/apt.conf" <<EOF
Dir::Etc::sourcelist "$PWD/$sources/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$PWD/$sources/lists";
Dir::Cache "$PWD/$sources/cache";
APT::Sandbox::User "root";
EOF
    (export APT_CONFIG="$PWD/$sources/apt.conf" && cd "$sources" && apt-get update -qq &&
        apt-get source -qq --download-only lua5.1 luajit lua-filesystem lua-cjson)
}

# unpack NAME: the upstream part of a package alone. Some have a folder of their own in it, some have none.
unpack() {
    rm -rf "${sources:?}/$1" && mkdir "$sources/$1"
    tar -xf "$sources/$1"_*.orig.tar.* -C "$sources/$1"
    find "$sources/$1" -name "$2" -exec dirname {} \; | head -n 1
}

compile_hosts() {
    cc="$mingw-gcc -O2 -shared -static-libgcc"
    mkdir -p "$hosts/puc" "$hosts/jit"
    lua=$(unpack lua5.1 lapi.c)
    core=$(find "$lua" -name 'l*.c' ! -name lua.c ! -name luac.c)
    # shellcheck disable=SC2086 # the lists are meant to split
    $cc -DLUA_BUILD_AS_DLL $core -o "$hosts/puc/lua51.dll" -Wl,--out-implib,"$hosts/liblua51.a"
    "$mingw-gcc" -O2 -DLUA_BUILD_AS_DLL "$lua/lua.c" "$hosts/liblua51.a" -static-libgcc -o "$hosts/puc/lua.exe"
    jit=$(unpack luajit lj_api.c)
    env -u MAKEFLAGS -u MFLAGS -u CC -u CFLAGS -u LDFLAGS make -s -C "$jit" \
        HOST_CC="gcc" CROSS="$mingw-" TARGET_SYS=Windows >/dev/null
    lfs=$(unpack lua-filesystem lfs.c)
    $cc -I"$lua" "$lfs/lfs.c" "$hosts/liblua51.a" -o "$hosts/puc/lfs.dll"
    cjson=$(unpack lua-cjson lua_cjson.c)
    $cc -w -I"$lua" "$cjson/lua_cjson.c" "$cjson/strbuf.c" "$cjson/fpconv.c" "$hosts/liblua51.a" -o "$hosts/puc/cjson.dll"
    cp "$jit/luajit.exe" "$jit/lua51.dll" "$hosts/puc/lfs.dll" "$hosts/puc/cjson.dll" "$hosts/jit"
}

if [ ! -f "$hosts/complete" ]; then
    command -v apt-get >/dev/null || not_run "the sources of Lua are taken from apt-get, which is not here"
    fetch || not_run "the sources of Lua could not be had from the packages"
    compile_hosts
    touch "$hosts/complete"
fi

# ---- The specs -------------------------------------------------------------------------------

export WINEPREFIX="$PWD/$build/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
mkdir -p "$WINEPREFIX"
"$wine" cmd /c "exit 0" </dev/null >/dev/null 2>&1 || not_run "wine does not start"

# These start a shell, a compiler, or other interpreters in the way of Unix.
unix='contributing_spec hostile_spec hosts/ bench/programs_spec close_spec examples/ cli_process_spec makefile_spec no_ffi_spec tiled_editor_spec plugin_api_spec plugin_world_spec browser_spec'
# These are about what Unix says of a file, or want other names for temporary files than wine gives.
FILTER_OUT='^matrix products
says that a file is a folder$
says that a device is full
does not put a file in the place of a folder$
^the command validates all files, whatever is wrong
^separate level files are read in the directory told with a text$'
SPEC=${SPEC:-$(find spec -name '*_spec.lua' | sort)}
left_out=
for name in $unix; do
    left_out="$left_out$(echo "$SPEC" | tr ' ' '\n' | grep "$name" | sed 's/^/    /')
"
    SPEC=$(echo "$SPEC" | tr ' ' '\n' | grep -v "$name" | tr '\n' ' ')
done
export SPEC FILTER_OUT

# Busted and what it needs in Lua are the system's.
# shellcheck disable=SC2046 # one word for each place
set -- $("${LUA51:-lua5.1}" -e 'print((package.path:gsub(";", " ")))')
shared=
for place in "$@"; do
    case $place in /usr*) shared="${shared}Z:$place;" ;; esac
done
path="LUA_PATH='$shared;' CUTTLE_BUILD=$build/test $wine"
status=0
"${LUA51:-lua5.1}" tools/specs.lua \
    "LuaJIT for Windows, test build: $path $hosts/jit/luajit.exe" \
    "Lua 5.1 for Windows, test build: $path $hosts/puc/lua.exe" || status=$?
echo "NOT RUN on Windows, because they start programs as Unix does:"
printf '%s' "$left_out" | grep .
echo "NOT RUN on Windows, because they are about files of Unix, or want other names for temporary files than wine gives:"
echo "$FILTER_OUT" | sed 's/^/    /'
echo "NOT RUN on Windows: the release build, LuaJIT without JIT, and any Windows but wine"
exit $status
