#!/bin/sh
# Fails if a module needs a newer glibc than a version, or exports more than it should.
#
# usage: tools/old_glibc.sh MODULE VERSION
set -eu

module=$1 limit=$2
symbols=$(LC_ALL=C readelf -W --dyn-syms "$module")
newest=$(printf 'GLIBC_%s\n%s\n' "$limit" "$symbols" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
[ "$newest" = "GLIBC_$limit" ] || {
    echo "$module needs a glibc newer than $limit, for:" >&2
    echo "$symbols" | grep -F "$newest" | awk '{ print "    " $8 }' >&2
    exit 1
}
offered=$(echo "$symbols" | awk '$5 == "GLOBAL" && $7 ~ /^[0-9]+$/ { print $8 }')
[ "$offered" = luaopen_cuttle_core ] || {
    echo "$module exports more than luaopen_cuttle_core: $offered" >&2
    exit 1
}
