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

# A source rock is a zip of the rockspec and of the archive in its URL.
sed -e "s|^version = .*|version = \"$version-1\"|" -e "s|^  url = .*|  url = \"file://$(basename "$archive")\",|" \
    -e '/^  -- A placeholder/d; /^  -- .luarocks make/d' cuttle-scm-1.rockspec >"$scratch/cuttle-$version-1.rockspec"
cp "$archive" "$scratch"
tools/zip.sh "$folder/cuttle-$version-1.src.rock" "$scratch"
echo "$1/cuttle-$version-1.src.rock"
