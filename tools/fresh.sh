#!/bin/sh
# Tests the promises of the README on a minimal Debian 12 with git, make and gcc: the first `make run` works, and so
# does the first `make test`. debootstrap creates the system once, and a packed copy is kept. Every run unpacks it,
# clones the committed files into it, and calls each target once in an empty environment. If this is not possible,
# prints the reason, which is a failure with CI=true.
#
# usage: tools/fresh.sh     as root
# Environment: CUTTLE_CACHE (the folder of the system, by default ~/.cache/cuttle), CUTTLE_MIRROR (Debian's archive, by
# default apt's source of Debian 12, or deb.debian.org), CUTTLE_TALLY (see tools/specs.lua; the specs that ran in the
# system are added).
set -eu
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin:/sbin
umask 022

release=bookworm
packages=git,make,gcc,libc6-dev
# A few specs that need different packages of `make test`.
specs="spec/makefile_spec.lua spec/readme_spec.lua spec/examples/plugins_spec.lua spec/hosts/embed_spec.lua"

cannot() {
    echo "NOT RUN on a minimal Debian 12, because $1" >&2
    [ "${CI:-}" != true ] || exit 1
    exit 0
}

[ "$(id -u)" -eq 0 ] || cannot "only root can make one"
command -v debootstrap >/dev/null || cannot "there is no debootstrap"

# git in a checkout of possibly another user, which is trusted like its Makefile. Nothing in it is changed to root's
# ownership.
git_here() {
    git --no-optional-locks -c safe.directory='*' "$@"
}
commit=$(git_here rev-parse --short HEAD 2>/dev/null) || cannot "this folder is no git checkout"

# ---- A folder for this run -------------------------------------------------------------------

cache=${CUTTLE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/cuttle}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
# Not in /tmp, which may be too small, or not allow devices.
run=$(mktemp -d "$cache/fresh-XXXXXX")
root=$run/root

clean() {
    # debootstrap also mounts file systems.
    awk -v run="$run/" 'index($2, run) == 1 { print $2 }' /proc/mounts | sort -r | while read -r place; do
        umount "$place" || umount -l "$place" || true
    done
    rm -rf --one-file-system "$run"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

# ---- Access to Debian's archive --------------------------------------------------------------

# shellcheck disable=SC2016 # apt-get fills this in
mirror=${CUTTLE_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' "Release: $release" 'Component: main' \
    'Created-By: Packages' 2>/dev/null | grep '^https\?:' | head -n 1)}
mirror=${mirror:-http://deb.debian.org/debian}
mirror=${mirror%/}
scheme=${mirror%%:*}
[ "$scheme" != https ] || packages=$packages,ca-certificates

proxy=
eval "$(apt-config shell proxy "Acquire::$scheme::Proxy" 2>/dev/null)"
proxy=${proxy:-$(printenv "${scheme}_proxy" || true)}
[ "$proxy" != DIRECT ] || proxy=
echo "Debian's archive: $mirror, proxy: ${proxy:-none}" | sed 's|//[^/ ]*@|//|g'

# The system's apt does not have this environment, so its files describe the access to the archive.
connect() {
    echo "deb $mirror $release main" >"$root/etc/apt/sources.list"
    {
        apt-config dump 2>/dev/null | grep -E '^Acquire::(https?|Check|Max|Force|Retries)' | grep -vi 'auto-\?detect' ||
            true
        [ -z "$proxy" ] || echo "Acquire::$scheme::Proxy \"$proxy\";"
    } >"$root/etc/apt/apt.conf.d/90archive"
    cat /etc/resolv.conf >"$root/etc/resolv.conf"
    cat /etc/hosts >"$root/etc/hosts"
}

# ---- The system ------------------------------------------------------------------------------

kept=$cache/fresh-$release-$(uname -m)-$packages.tar.gz
mkdir "$root"
if [ -f "$kept" ]; then
    echo "Unpacking $kept"
    tar -xzpf "$kept" --numeric-owner -C "$root"
else
    echo "Making a minimal system with $packages, to be kept as $kept"
    env ${proxy:+"${scheme}_proxy=$proxy"} debootstrap --variant=minbase --include="$packages" "$release" "$root" \
        "$mirror" >"$run/log" 2>&1 || {
        tail -n 20 "$run/log" >&2
        echo "debootstrap could not make a minimal system: see its last lines above." >&2
        exit 1
    }
    rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
    # Renamed when it is complete, because other runs may read it.
    tar -I 'gzip -1' -cpf "$run/packed" --numeric-owner --one-file-system -C "$root" .
    mv "$run/packed" "$kept"
fi
connect
mount -t proc proc "$root/proc" || echo "The system has no /proc."
mount -t devpts devpts "$root/dev/pts" || echo "The system has no /dev/pts."

# Runs a command in the system, with only HOME and PATH in its environment.
inside() {
    folder=$1
    shift
    # shellcheck disable=SC2016 # for the shell inside
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@" </dev/null
}

# ---- A clone, and one try of each target -----------------------------------------------------

# A push also works from shallow checkouts and checkouts without a branch.
git init -q --bare --initial-branch=main "$root/srv/cuttle.git"
git -C "$root/srv/cuttle.git" config receive.shallowUpdate true
git_here push -q --no-verify "$root/srv/cuttle.git" HEAD:refs/heads/main
inside /root git clone -q /srv/cuttle.git cuttle
[ -z "$(git_here status --porcelain)" ] || changes=", without the uncommitted changes"
echo "Cloned the commit $commit${changes:-}"

failed=
try() {
    printf '\n## %s\n' "$*"
    inside /root/cuttle "$@" || failed="$failed
    $*"
}
try make run
try make test SPEC="$specs" CUTTLE_TALLY=/root/tally
[ -z "${CUTTLE_TALLY:-}" ] || [ ! -f "$root/root/tally" ] || cat "$root/root/tally" >>"$CUTTLE_TALLY"

if [ -n "$failed" ]; then
    printf '\nOn a minimal Debian 12 these failed at their first call:%s\n' "$failed" >&2
    exit 1
fi
printf '\nOn a minimal Debian 12 make run and make test work at their first call.\n'
