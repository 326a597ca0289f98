#!/bin/sh
# Packs the files of a folder into a zip whose bytes depend only on names and contents: order, times and modes are the
# same everywhere. All files get the time SOURCE_DATE_EPOCH, by default the time of the last commit, and without one the
# first time that a zip can hold.
#
# usage: tools/zip.sh ZIP FOLDER     changes the times and modes of the folder's files
set -eu

zip=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$2
time=${SOURCE_DATE_EPOCH:-$(git -c safe.directory='*' log -1 --format=%ct 2>/dev/null || echo 315532800)}

chmod -R u=rwX,go=rX "$folder"
find "$folder" -exec touch -d "@$time" {} +
rm -f "$zip"
(cd "$folder" && find . -type f | LC_ALL=C sort | TZ=UTC zip -q -X -9 -@ "$zip")
