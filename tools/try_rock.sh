#!/bin/sh
# Installs a source rock as an unprivileged user into the tree in the user's home (--local), for Lua 5.1 and then for
# 5.4. Each time runs the command and loads the module from another folder. Root becomes the user nobody for this.
#
# usage: tools/try_rock.sh ROCK
set -eu

rock=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
home=$scratch/home
mkdir "$home"
cp "$rock" "$home"

if [ "$(id -u)" -eq 0 ]; then
    chown -R nobody "$scratch"
    without_rights="setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups"
else
    without_rights=
fi

# Runs a program in that home, with no other environment.
as_user() {
    # shellcheck disable=SC2086 # the words of a command
    (cd "$home" && $without_rights env -i HOME="$home" PATH="$PATH" MAKEFLAGS="-j$(nproc)" "$@")
}

# quietly PROGRAM...: prints the output only after a failure
quietly() {
    as_user "$@" >"$scratch/log" 2>&1 || {
        cat "$scratch/log" >&2
        exit 1
    }
}

# try VERSION INTERPRETER...: tests the installation for a version of Lua
try() {
    version=$1 tree=$home/.luarocks
    shift
    as_user "$tree/bin/cuttle" --version
    printf '{ "entities": [ { "name": "a" } ] }' | as_user "$tree/bin/cuttle" compile - -o "$home/a.level"
    as_user "$tree/bin/cuttle" validate --verbose "$home/a.level"
    for lua in "$@"; do
        as_user env LUA_PATH="$tree/share/lua/$version/?.lua;$tree/share/lua/$version/?/init.lua;;" \
            LUA_CPATH="$tree/lib/lua/$version/?.so;;" "$lua" -e '
            local cuttle, entities = require "cuttle", require "cuttle".entity_manager()
            assert(entities:alive(entities:create()) and cuttle.MAX_ENTITIES == 2^22)
            assert(require "cuttle.import.ldtk", "the importers are part of the package")
        '
    done
    echo "installed without rights for Lua $version: works under $*"
}

name=$(basename "$rock" .src.rock)
quietly luarocks --lua-version=5.1 unpack "$home/$name.src.rock"
quietly sh -c "cd $name/cuttle-*/ && luarocks --lua-version=5.1 --local make"
try 5.1 lua5.1 luajit
quietly luarocks --lua-version=5.4 --local install "$home/$name.src.rock"
try 5.4 lua5.4
