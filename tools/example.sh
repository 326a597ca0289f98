#!/bin/sh
# Builds FOLDER/cuttle/core.so from the sources in FOLDER/src and, for all that did not change, the
# objects of BUILD: tools/example.sh build/test FOLDER.
set -eu
build=$1 folder=$2
case $build in
*/test) objects=${build%/test}/obj/test flags="-O1 -DCT_TEST=1" ;;
*) objects=$build/obj/release flags="-O2" ;;
esac
include=$(sed -n 's/.*-isystem \([^ ]*\).*/\1/p' "$objects/compile.stamp" | head -n 1)
list=
for object in $(cd "$objects" && find . -name '*.o'); do
    source=${object%.o}.c
    cmp -s "src/$source" "$folder/src/$source" && list="$list $objects/$object"
done
for source in $(cd "$folder/src" && find . -name '*.c'); do
    cmp -s "src/$source" "$folder/src/$source" && continue
    object=$folder/$(echo "$source" | tr / _).o
    # shellcheck disable=SC2086
    ${CC:-cc} $flags -std=c99 -fPIC -fvisibility=hidden -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
        -Wno-sign-conversion -Wmissing-prototypes -Wstrict-prototypes -Wundef -Wvla -Werror -I"$folder/src" \
        -isystem "$include" -c "$folder/src/$source" -o "$object"
    list="$list $object"
done
# shellcheck disable=SC2086
${CC:-cc} -shared $list -lm -o "$folder/cuttle/core.so"
