#!/bin/sh
# Checks that libraries load on systems with pages of a size: every loaded segment is aligned to it, or to a multiple.
#
# usage: tools/page_size.sh BYTES LIBRARY...
# Environment: READELF (the program's name).
set -eu

bytes=$1
shift
for library in "$@"; do
    alignments=$("${READELF:-readelf}" -lW "$library" | awk '$1 == "LOAD" { print $NF }')
    [ -n "$alignments" ] || { echo "$library: not a library with segments" >&2 && exit 1; }
    for alignment in $alignments; do
        [ $((alignment % bytes)) -eq 0 ] || {
            echo "$library: a segment is aligned to $((alignment)) bytes, $bytes expected" >&2
            exit 1
        }
    done
    echo "$library: aligned for pages of $bytes bytes"
done
