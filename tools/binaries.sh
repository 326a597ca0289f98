#!/bin/sh
# Packs the modules for several systems with the Lua files, unpacks the package elsewhere, and loads each module. Prints
# which modules cannot be loaded here, and why.
#
# usage: tools/binaries.sh ZIP BUILD SYSTEM...   the systems are linux-x86_64, linux-arm64 and windows-x86_64
# BUILD has portable/, aarch64/portable/ and windows/ for them, and arm64/ from tools/foreign.sh.
# Environment: LUAJIT, LUA51 (the programs' names).
set -eu

build=$(cd "$2" && pwd)
zip=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
name=$(basename "$zip" -binaries.zip)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
shift 2

module_of() {
    case $1 in
        linux-x86_64) echo "$build/portable/cuttle/core.so" ;;
        linux-arm64) echo "$build/aarch64/portable/cuttle/core.so" ;;
        windows-x86_64) echo "$build/windows/cuttle/core.dll" ;;
        *) echo "$1: linux-x86_64, linux-arm64 or windows-x86_64 expected" >&2 && exit 2 ;;
    esac
}

about() {
    case $1 in
        linux-x86_64) printf '%s\n' '   linux-x86_64      LUA_CPATH="linux-x86_64/?.so;;"      any Linux with glibc 2.14 or newer' ;;
        linux-arm64) printf '%s\n' '   linux-arm64       LUA_CPATH="linux-arm64/?.so;;"       any Linux with glibc 2.17 or newer' ;;
        *) printf '%s\n' '   windows-x86_64    LUA_CPATH="windows-x86_64\?.dll;;"   needs the lua51.dll of the program' ;;
    esac
}

root=$scratch/packed/$name
mkdir -p "$root/include" "$root/lua"
(cd lua && find cuttle -name '*.lua' -exec tar -cf - {} +) | tar -xf - -C "$root/lua"
cp src/cuttle.h "$root/include"
cp LICENSE "$root"
for system in "$@"; do
    module=$(module_of "$system")
    mkdir -p "$root/$system/cuttle"
    cp "$module" "$root/$system/cuttle"
done
{
    cat <<'END_OF_README'
cuttle, built for these systems. Each module serves Lua 5.1 and LuaJIT.

1. Put the folder lua on package.path:      LUA_PATH="lua/?.lua;lua/?/init.lua;;"
2. Put your system's folder on package.cpath:
END_OF_README
    for system in "$@"; do about "$system"; done
    cat <<'END_OF_README'
3. local cuttle = require "cuttle"

include/cuttle.h is for plugins in C and C++. SHA256SUMS has checksums of all files: sha256sum -c SHA256SUMS
END_OF_README
} >"$root/README.txt"
(cd "$root" && find . -type f | LC_ALL=C sort | xargs sha256sum >"$scratch/sums" && mv "$scratch/sums" SHA256SUMS)

tools/zip.sh "$zip" "$scratch/packed"
rm -rf "$root"

# ---- Test of the unpacked package ------------------------------------------------------------

unzip -q "$zip" -d "$scratch/packed"
(cd "$root" && sha256sum --quiet -c SHA256SUMS)
cat >"$scratch/try.lua" <<'END_OF_LUA'
local cuttle = require "cuttle"
local world = cuttle.world(cuttle.entity_manager())
world:define("age", { { "years", "double" } })
local source = { entities = { { name = "old", components = { age = { years = 1e6 }, transform = {} } } } }
local level = assert(world:spawn(cuttle.resource((assert(cuttle.compiler(world):compile(source))))))
assert(world.age:years(level:find "old") == 1e6 and assert(world:validate()))

-- The functions of the system: clock and files.
world:profile(true)
assert(world:create({ age = {} }, 1000) and world:timings().age.create.time > 0)
local files, path = require "cuttle.files", arg[1]
for _, text in ipairs { "one", "two" } do assert(files.write(path, text) and files.read(path) == text) end
local kind, bytes = require("cuttle.core").file.look(path)
assert(kind == "file" and bytes == 3 and os.remove(path))
print("loads: " .. arg[2])
END_OF_LUA

# load_by SYSTEM ENDING NAME PROGRAM...
load_by() {
    system=$1 ending=$2 by=$3
    shift 3
    (cd "$root" && LUA_PATH="lua/?.lua;lua/?/init.lua" LUA_CPATH="$system/?.$ending" \
        "$@" "$scratch/try.lua" tried "$system by $by")
}

load_windows() {
    wine=$(command -v wine64 || command -v wine || echo /usr/lib/wine/wine64)
    if [ -x "$wine" ] && [ -f "$build/windows/hosts/complete" ]; then
        export WINEPREFIX="$build/windows/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
        mkdir -p "$WINEPREFIX"
        load_by windows-x86_64 dll LuaJIT "$wine" "$build/windows/hosts/jit/luajit.exe"
        load_by windows-x86_64 dll "Lua 5.1" "$wine" "$build/windows/hosts/puc/lua.exe"
    else
        echo "NOT LOADED: windows-x86_64, because wine or interpreters for it are not here: make windows"
    fi
}

for packed in "$@"; do
    case $packed in
        linux-x86_64)
            load_by "$packed" so LuaJIT "${LUAJIT:-luajit}"
            load_by "$packed" so "Lua 5.1" "${LUA51:-lua5.1}"
            ;;
        linux-arm64)
            load_by "$packed" so LuaJIT "$build/arm64/bin/luajit"
            load_by "$packed" so "Lua 5.1" "$build/arm64/bin/lua5.1"
            ;;
        *) load_windows ;;
    esac
done
(cd "$(dirname "$zip")" && sha256sum "$(basename "$zip")")
