#!/bin/sh
# Packs an archive of the sources as a source rock, which `luarocks install` builds anywhere.
#
# usage: tools/rock.sh FOLDER VERSION ARCHIVE     FOLDER gets cuttle-VERSION-1.src.rock
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd) version=$2
archive=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# LuaRocks wants to know where the sources are, and finds them in the rock itself afterwards.
sed -e "s|^version = .*|version = \"$version-1\"|" -e "s|^  url = .*|  url = \"file://$archive\",|" \
    -e '/^  -- A placeholder/d; /^  -- .luarocks make/d' cuttle-scm-1.rockspec >"$scratch/cuttle-$version-1.rockspec"
(cd "$scratch" && luarocks --lua-version=5.1 pack "cuttle-$version-1.rockspec" >"$scratch/log" 2>&1) || {
    cat "$scratch/log" >&2
    exit 1
}
# In the rock the path of this machine has no meaning.
sed -i 's|file://.*/|file://|' "$scratch/cuttle-$version-1.rockspec"
(cd "$scratch" && zip -q -X "cuttle-$version-1.src.rock" "cuttle-$version-1.rockspec")
cp "$scratch/cuttle-$version-1.src.rock" "$folder"
echo "$1/cuttle-$version-1.src.rock"
