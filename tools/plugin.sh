#!/bin/sh
# Builds a plugin, a Lua C module of one file in C or C++: tools/plugin.sh MODULE.so SOURCE [FLAG...]
# Environment: CC, CXX, LUA_INCDIR (the folder of lua.h). FLAGS are added to the command.
set -eu
output=$1 source=$2
shift 2
for folder in /usr/local/include/luajit-2.1 /usr/include/lua5.1 /usr/include/luajit-2.1; do
    [ -n "${LUA_INCDIR:-}" ] || [ ! -f "$folder/lua.h" ] || LUA_INCDIR=$folder
done
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wundef -Wvla"
case $(uname -s) in
Darwin) shared="-bundle -undefined dynamic_lookup" ;;
*) shared="-shared" ;;
esac
case $source in
*.cpp) compile="${CXX:-c++} -std=c++11 -fno-exceptions -fno-rtti -Wold-style-cast -Wzero-as-null-pointer-constant" ;;
*) compile="${CC:-cc} -std=c99 -Wmissing-prototypes -Wstrict-prototypes" ;;
esac
# shellcheck disable=SC2086 # commands and flags are meant to split
exec $compile -O2 -fPIC $shared $warnings "$@" -Isrc -isystem "$LUA_INCDIR" "$source" -o "$output"
