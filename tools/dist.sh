#!/bin/sh
# Writes the files of a release into a folder, with checksums: the committed sources as an archive and as a rock, the
# package for LÖVE, the amalgamation, and the modules for several systems.
#
# usage: tools/dist.sh FOLDER VERSION LOVE_ZIP AMALGAMATION BINARIES_ZIP
set -eu

folder=$1 version=$2 love_zip=$3 amalgamation=$4 binaries=$5

if [ -n "$(git status --porcelain)" ]; then
    echo "make dist: there are uncommitted changes, which a release cannot contain" >&2
    exit 1
fi

rm -rf "$folder"
mkdir -p "$folder"
# Without names and times of this machine: the same commit gives the same bytes.
git archive --format=tar --prefix="cuttle-$version/" HEAD | gzip -n9 >"$folder/cuttle-$version.tar.gz"
tools/rock.sh "$folder" "$version" "$folder/cuttle-$version.tar.gz"
cp "$love_zip" "$folder/cuttle-$version-love.zip"
cp "$binaries" "$folder/cuttle-$version-binaries.zip"
tar -C "$(dirname "$amalgamation")" --owner=0 --group=0 --numeric-owner --sort=name \
    --mtime="@$(git log -1 --format=%ct)" --transform "s,^[^/]*,cuttle-$version-amalgamation," \
    -cf - "$(basename "$amalgamation")" | gzip -n9 >"$folder/cuttle-$version-amalgamation.tar.gz"
(cd "$folder" && sha256sum -- * >SHA256SUMS)
(cd "$folder" && ls -l)
