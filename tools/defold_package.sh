#!/bin/sh
# Packs cuttle as a library for Defold: the native extension with the sources in one file, and the Lua files.
#
# usage: tools/defold_package.sh ZIP AMALGAMATION     AMALGAMATION is the folder of cuttle.c and cuttle.h
set -eu

amalgamation=$2
mkdir -p "$(dirname "$1")"
zip=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cp -R examples/defold/cuttle "$folder"
# Games run no command, and editors read meta.lua from the project.
(cd lua && find cuttle -name '*.lua' ! -path 'cuttle/cli*' ! -name meta.lua | tar -cf - -T -) | tar -xf - -C "$folder"
cp "$amalgamation/cuttle.c" "$folder/cuttle/src"
cp "$amalgamation/cuttle.h" "$folder/cuttle/include"
cp LICENSE "$folder/cuttle"
# A project that has this one as a dependency gets the folder cuttle.
cat >"$folder/game.project" <<'END'
[project]
title = cuttle

[library]
include_dirs = cuttle
END
tools/zip.sh "$zip" "$folder"
bytes=$(wc -c <"$zip")
echo "$1: $((bytes)) bytes"
