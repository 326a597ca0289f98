#!/bin/sh
# Checks that the system has the dependencies of a make target, and prints nothing if it has them. Missing ones are
# listed and, if the system has apt, installed.
#
# usage: tools/setup.sh TARGET NEED...
# Environment: CC, CXX, LUA, LUAJIT, LUA51, LUA54 (the programs' names), LUA_INCDIR and LUA54_INCDIR (the folders of
# lua.h), SPEC (the spec files or folders of a target, optional).
set -u

target=$1
shift

has_specs() {
    # shellcheck disable=SC2086 # several paths
    found=$(find $SPEC -name '*_spec.lua' 2>/dev/null) && [ -n "$found" ]
}

case " $* " in
    *" busted "*)
        [ -z "${SPEC:-}" ] || has_specs || {
            echo "make $target: no specs there: SPEC=$SPEC" >&2
            exit 1
        }
        ;;
esac

has_command() {
    command -v "$1" >/dev/null 2>&1
}

# Every installed interpreter must find the module, because the specs run under both.
has_module() {
    found=1
    for lua in "$LUAJIT" "$LUA51"; do
        has_command "$lua" || continue
        "$lua" -e "require '$1'" >/dev/null 2>&1 || return 1
        found=0
    done
    return $found
}

# A compiler is not enough: Debian's gcc has no headers of the C library.
has_compiler() {
    echo '#include <stdint.h>
          #include <string.h>' | ${CC:-cc} -E - >/dev/null 2>&1
}

has_cxx() {
    echo '#include <cmath>' | ${CXX:-c++} -x c++ -E - >/dev/null 2>&1
}

# Debian's clang has no libraries for -fsanitize.
has_fuzzer() {
    echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
        clang -x c -fsanitize=fuzzer,address -o /dev/null - >/dev/null 2>&1
}

present() {
    case $1 in
        cxx) has_cxx ;;
        cc) has_compiler ;;
        lua.h) [ -f "$LUA_INCDIR/lua.h" ] ;;
        lua) has_command "$LUA" ;;
        luajit) has_command "$LUAJIT" ;;
        lua5.1) has_command "$LUA51" ;;
        libfuzzer) has_fuzzer ;;
        lua5.4) has_command "$LUA54" ;;
        lua5.4/lua.h) [ -f "$LUA54_INCDIR/lua.h" ] ;;
        lib*.a) [ "$(${CC:-cc} -print-file-name="$1")" != "$1" ] ;;
        wine64) has_command wine64 || has_command wine || [ -x /usr/lib/wine/wine64 ] ;;
        # PATH may not contain root's programs.
        debootstrap) has_command debootstrap || [ -x /usr/sbin/debootstrap ] ;;
        busted) has_module busted.runner ;;
        argparse | cjson | lfs | lxp | socket) has_module "$1" ;;
        # Blender uses the Python of the system.
        numpy) /usr/bin/python3 -c 'import numpy' 2>/dev/null ;;
        mkdocs-material) mkdocs build --help 2>/dev/null | grep -q material ;;
        *) has_command "$1" ;;
    esac
}

# Need -> "Debian's packages: purpose".
describe() {
    case $1 in
        cc) echo "gcc libc6-dev: a C compiler" ;;
        cxx) echo "g++: a C++ compiler, for plugins in C++" ;;
        lua.h) echo "libluajit-5.1-dev: lua.h, to compile the module" ;;
        lua | luajit) echo "luajit: the LuaJIT interpreter" ;;
        lua5.1) echo "lua5.1: the Lua 5.1 interpreter" ;;
        lua5.4) echo "lua5.4: the Lua 5.4 interpreter" ;;
        lua5.4/lua.h) echo "liblua5.4-dev: lua.h of Lua 5.4, to compile the module for it" ;;
        liblua5.1.a) echo "liblua5.1-0-dev: Lua 5.1 as a library, to link programs with" ;;
        liblua5.4.a) echo "liblua5.4-dev: Lua 5.4 as a library, to link programs with" ;;
        libluajit-5.1.a) echo "libluajit-5.1-dev: LuaJIT as a library, to link programs with" ;;
        x86_64-w64-mingw32-gcc) echo "gcc-mingw-w64-x86-64: a C compiler for Windows" ;;
        emcc) echo "emscripten: a C compiler for WebAssembly" ;;
        wine64) echo "wine64: runs programs for Windows" ;;
        argparse) echo "lua-argparse: reads the arguments of the command cuttle" ;;
        cjson) echo "lua-cjson: reads levels written in JSON" ;;
        tmxrasterizer) echo "tiled: draws Tiled's maps" ;;
        blender) echo "blender: draws glTF, some 600 MB" ;;
        numpy) echo "python3-numpy: for Blender, to read glTF" ;;
        lxp) echo "lua-expat: reads Tiled's files, which are XML" ;;
        socket) echo "lua-socket: connections, for the inspector" ;;
        chromium) echo "chromium: a browser, to try the inspector's page in" ;;
        node) echo "nodejs: drives the browser" ;;
        lfs) echo "lua-filesystem: lists folders" ;;
        busted) echo "lua-busted: runs the specs" ;;
        cmake) echo "cmake: finds the installed library" ;;
        pkg-config) echo "pkg-config: finds the installed library" ;;
        luacheck) echo "lua-check: luacheck, reads the Lua code" ;;
        luarocks) echo "luarocks: checks the rockspec" ;;
        mkdocs) echo "mkdocs: builds the manual" ;;
        mkdocs-material) echo "mkdocs-material: the theme of the manual" ;;
        gcc) echo "gcc libc6-dev: the first compiler" ;;
        clang) echo "clang: the second compiler" ;;
        libfuzzer) echo "libclang-rt-14-dev: libFuzzer and the sanitizers of clang" ;;
        aarch64-linux-gnu-gcc) echo "gcc-aarch64-linux-gnu: a compiler for ARM64" ;;
        s390x-linux-gnu-gcc) echo "gcc-s390x-linux-gnu: a compiler for a big-endian machine" ;;
        qemu-aarch64-static | qemu-i386-static | qemu-s390x-static) echo "qemu-user-static: runs programs for that machine" ;;
        love) echo "love: LÖVE, in which games run" ;;
        xvfb-run) echo "xvfb xauth: a screen in memory" ;;
        zip) echo "zip: packs games and packages" ;;
        unzip) echo "unzip: unpacks packages" ;;
        pngquant) echo "pngquant: compresses pictures" ;;
        git) echo "git: checks out the sources" ;;
        gnuplot) echo "gnuplot-nox: draws the plots" ;;
        debootstrap) echo "debootstrap: creates a minimal Debian system" ;;
        clang-format) echo "clang-format: formats the C code" ;;
        clang-tidy) echo "clang-tidy: checks the C code" ;;
        cppcheck) echo "cppcheck: checks the C code" ;;
        *) echo "$1: needed here" ;;
    esac
}

packages=
list=
for need in "$@"; do
    present "$need" && continue
    about=$(describe "$need")
    packages="$packages ${about%%:*}"
    list="$list$(printf '  %-20s %s' "${about%%:*}" "${about#*: }")
"
done
[ -z "$packages" ] && exit 0

echo "make $target needs these, which are missing here (Debian's package names):"
printf '%s' "$list"

if ! has_command apt-get; then
    echo "This machine has no apt-get. Install them in its own way, then make $target again." >&2
    exit 1
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! has_command sudo; then
        echo "You are not root and there is no sudo. As root: apt-get install$packages" >&2
        exit 1
    fi
    as_root=sudo
fi

echo "Installing them: $as_root apt-get install$packages"
# Does not remove conflicting packages, such as gcc-multilib and compilers for other machines.
# shellcheck disable=SC2086 # the lists are meant to split
$as_root apt-get update -qq &&
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends --no-remove $packages >/dev/null || {
    echo "apt-get could not install them: see its message above." >&2
    exit 1
}
