#!/bin/sh
# Packs an archive of the sources as a source rock, which `luarocks install` builds anywhere, and writes its rockspec.
#
# usage: tools/rock.sh FOLDER VERSION ARCHIVE [URL]     FOLDER gets cuttle-VERSION-1.src.rock, cuttle-VERSION-1.rockspec
# URL is the address of the folder that the archive will be in. Without it, `luarocks install` of the rockspec finds the
# archive in the current folder.
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd) version=$2 url=${4:-}
archive=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A source rock is a zip of the rockspec and of the archive in its URL.
rockspec=cuttle-$version-1.rockspec
sed -e "s|^version = .*|version = \"$version-1\"|" -e "s|cuttle-scm\.tar\.gz|$(basename "$archive")|" \
    ${url:+-e "s|^local home = .*|local home = \"${url%/}/\"|"} cuttle-scm-1.rockspec >"$scratch/$rockspec"
cp "$scratch/$rockspec" "$folder"
cp "$archive" "$scratch"
tools/zip.sh "$folder/cuttle-$version-1.src.rock" "$scratch"
echo "$1/cuttle-$version-1.src.rock"
