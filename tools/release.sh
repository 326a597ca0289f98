#!/bin/sh
# Writes the files of a release into a folder, with checksums: the committed sources as an archive and as a rock, the
# rockspec, the amalgamation, packages, and the notes of the version from CHANGELOG.md. The same commit gives the same
# bytes.
#
# usage: tools/release.sh VERSION SECTION                                       only checks whether it is possible
#        tools/release.sh VERSION SECTION URL FOLDER AMALGAMATION PACKAGE...    packages are zips named cuttle-...
# SECTION is the title of the section with the notes in CHANGELOG.md: the version, or Unreleased for a trial. URL is the
# address of the folder that the archives will be in.
# Environment: SOURCE_DATE_EPOCH, by default the time of the commit, is the time of files in packages.
set -eu

version=$1 section=$2

cannot() {
    echo "make release: $1" >&2
    exit 1
}

# The checkout may belong to another user.
git_here() {
    git -c safe.directory='*' "$@"
}

# `make soak` notes its steps in .ci/soaked, and this is one of them.
changes=$(git_here status --porcelain -- . ':!.ci/soaked' 2>/dev/null) ||
    cannot "this folder is no git checkout, and a release is made of a commit"
[ -z "$changes" ] || cannot "there are uncommitted changes, which a release cannot contain"

# Prints the section without its title and without empty lines at its ends.
notes() {
    awk -v title="## [$section]" '
        index($0, title) == 1 { found = 1; next }
        /^## / { found = 0 }
        found && /./ { while (empty > 0 && any) { print ""; empty-- } empty = 0; any = 1; print }
        found && !/./ { empty++ }' CHANGELOG.md
}

grep -qF "## [$section]" CHANGELOG.md || cannot "CHANGELOG.md has no section '## [$section]'. Move the content of \
[Unreleased] there; for a trial: make release NOTES=Unreleased"
[ "$section" = Unreleased ] || [ -n "$(notes)" ] || cannot "the section '## [$section]' of CHANGELOG.md is empty"
[ $# -gt 2 ] || exit 0

url=$3 folder=$4 amalgamation=$5
shift 5

rm -rf "$folder"
mkdir -p "$folder"
time=${SOURCE_DATE_EPOCH:-$(git_here log -1 --format=%ct)}
# Without names, times and rights of this machine.
archive=$folder/cuttle-$version.tar.gz
git_here -c tar.umask=0022 archive --format=tar --prefix="cuttle-$version/" HEAD | gzip -n9 >"$archive"
tools/rock.sh "$folder" "$version" "$archive" "$url" >/dev/null
tar -C "$(dirname "$amalgamation")" --owner=0 --group=0 --numeric-owner --sort=name --mtime="@$time" \
    --mode=u=rwX,go=rX --transform "s,^[^/]*,cuttle-$version-amalgamation," -cf - "$(basename "$amalgamation")" |
    gzip -n9 >"$folder/cuttle-$version-amalgamation.tar.gz"
for package in "$@"; do
    kind=${package##*/cuttle-}
    cp "$package" "$folder/cuttle-$version-${kind#"$version"-}"
done
{
    printf '# cuttle %s\n\n' "$version"
    notes
} >"$folder/cuttle-$version-notes.md"
(cd "$folder" && LC_ALL=C sha256sum -- * >SHA256SUMS)
(cd "$folder" && ls -l)
