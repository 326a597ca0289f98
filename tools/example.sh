#!/bin/sh
# Builds FOLDER/cuttle/core.so from the sources in FOLDER/src and, for unchanged ones, from the objects of BUILD, with
# the compiler and the flags of that build: tools/example.sh build/test FOLDER.
set -eu
build=$1 folder=$2
case $build in
*/test) objects=${build%/test}/obj/test ;;
*) objects=$build/obj/release ;;
esac
compile=$(sed "s| -Isrc | -I$folder/src |" "$objects/compile.stamp")
link=$(sed 's| -o .*||' "$objects/link.stamp")
list=
# Test builds include this file of spec/support.
[ ! -f "$objects/bind/testing.o" ] || list=$objects/bind/testing.o
for object in $(cd "$objects" && find . -name '*.o'); do
    source=${object%.o}.c
    cmp -s "src/$source" "$folder/src/$source" && list="$list $objects/$object"
done
for source in $(cd "$folder/src" && find . -name '*.c'); do
    cmp -s "src/$source" "$folder/src/$source" && continue
    object=$folder/$(echo "$source" | tr / _).o
    # shellcheck disable=SC2086
    $compile -Werror -c "$folder/src/$source" -o "$object"
    list="$list $object"
done
# shellcheck disable=SC2086
$link $list -lm -o "$folder/cuttle/core.so"
