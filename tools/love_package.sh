#!/bin/sh
# Packs cuttle for games in LÖVE: the Lua files, the native modules, and instructions.
#
# usage: tools/love_package.sh ZIP MODULE...     modules are named core.so, core.dll, core.dylib
set -eu

zip=$1
shift
case $zip in /*) ;; *) zip=$PWD/$zip ;; esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Games run no command, and editors read meta.lua from the project.
(cd lua && find cuttle -name '*.lua' ! -path 'cuttle/cli*' ! -name meta.lua | tar -cf - -T -) | tar -xf - -C "$folder"
cp "$@" "$folder/cuttle"
cp LICENSE "$folder/cuttle/LICENSE"
cat >"$folder/README-cuttle.txt" <<'END'
cuttle for LÖVE 11.4

1. Copy the folder "cuttle" into your game, next to main.lua. It contains the Lua files and a native module for each
   system.
2. In main.lua:  local cuttle = require "cuttle"
3. Run the folder with love. Read levels through love.filesystem: cuttle.load "levels/street.level".
4. For a .love, zip the game with that folder in it. On the first start the module is copied to the save directory,
   because no system loads a module from a zip.
5. A fused game contains the .love and needs nothing more. The folder "cuttle" may also be next to the program.
6. For a single system, you may remove the other module: core.so is for Linux, core.dll for Windows, 64 bits.
7. macOS: build core.so with make on a Mac, and add it as cuttle/core.dylib. Android and iOS: build it into the app.
END

mkdir -p "$(dirname "$zip")"
tools/zip.sh "$zip" "$folder"
bytes=$(wc -c <"$zip")
echo "$zip: $((bytes)) bytes"
