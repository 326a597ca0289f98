#!/bin/sh
# Unpacks Debian's packages of another architecture into a folder, and adds bin/lua5.1, bin/luajit and bin/cc of that
# architecture and bin/run, which runs its programs here. The system is not changed. Does nothing if the folder is
# complete.
#
# usage: tools/foreign.sh ARCHITECTURE FOLDER PACKAGE...   i386, arm64 or s390x
#        tools/foreign.sh runs-i386                        succeeds if this machine runs 32-bit programs
set -eu

# Some virtual machines run 64-bit programs only; i386 needs qemu there.
runs_i386() {
    program=$(mktemp)
    # shellcheck disable=SC2016 # not variables of the shell
    printf '.globl _start\n_start: mov $1, %%eax; xor %%ebx, %%ebx; int $0x80\n' |
        gcc -m32 -nostdlib -static -x assembler -o "$program" - && "$program" 2>/dev/null && runs=true || runs=false
    rm -f "$program"
    $runs
}

architecture=$1
if [ "$architecture" = runs-i386 ]; then
    runs_i386
    exit
fi
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
root=$folder/root
stamp=$folder/packages

case $architecture in
i386)
    triple=i386-linux-gnu start="'$root/lib/ld-linux.so.2' --library-path '$root/lib/i386-linux-gnu'" named=--argv0
    runs_i386 || { start="qemu-i386-static -L '$root'" && named=-0; }
    ;;
arm64) triple=aarch64-linux-gnu start="qemu-aarch64-static -L '$root'" named=-0 ;;
s390x) triple=s390x-linux-gnu start="qemu-s390x-static -L '$root'" named=-0 ;;
*) echo "$architecture: i386, arm64 or s390x expected" >&2 && exit 2 ;;
esac

# The host's gcc compiles for i386 and lacks only headers and libraries.
[ "$architecture" != i386 ] || set -- "$@" "libgcc-$(gcc -dumpversion | cut -d. -f1)-dev"

wanted="$0 $* $start"
[ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && exit 0

for tool in apt-get dpkg-deb; do
    command -v $tool >/dev/null 2>&1 || {
        echo "$tool is missing here: the $architecture packages come from Debian's archive" >&2
        exit 1
    }
done

# apt with a separate state, which contains only the other architecture and no installed packages.
apt() {
    apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures::="$architecture" -o APT::Sandbox::User=root \
        -o Dir::State="$folder/apt" -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt" \
        -o Debug::NoLocking=true -o APT::Install-Recommends=false "$@"
}

echo "Unpacking Debian's packages for $architecture into $folder: $*"
rm -rf "$root" "$folder/apt" "$stamp"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$root/usr/lib" "$folder/bin"
: >"$folder/apt/status"
# A partial list may be enough: the next step reports if it is not.
apt update >"$folder/apt/log" 2>&1 || true
apt install -y --download-only "$@" >>"$folder/apt/log" 2>&1 || {
    grep '^[EW]: ' "$folder/apt/log" >&2
    echo "the $architecture packages could not be fetched (see above)" >&2
    exit 1
}
# The division of packages between /lib and /usr/lib depends on the release.
ln -s usr/lib "$root/lib"
for package in "$folder"/apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink --no-same-owner -f - -C "$root"
done
rm -rf "$folder/apt"
# Absolute links must lead into this folder: libm.a is linked through libm.so, for example.
find "$root" -type l -lname '/*' | while read -r link; do
    ln -sfn "$root$(readlink "$link")" "$link"
done

for lua in lua5.1 luajit; do
    if [ ! -x "$root/usr/bin/$lua" ]; then
        # The host's interpreter would be found instead.
        printf '#!/bin/sh\necho "%s: there is none for %s" >&2\nexit 127\n' $lua "$architecture" >"$folder/bin/$lua"
        continue
    fi
    cat >"$folder/bin/$lua" <<END
#!/bin/sh
LUA_PATH="\${LUA_PATH:-;};$root/usr/share/lua/5.1/?.lua;$root/usr/share/lua/5.1/?/init.lua" \\
LUA_CPATH="\${LUA_CPATH:-;};$root/usr/lib/$triple/lua/5.1/?.so" \\
exec $start $named "\$0" '$root/usr/bin/$lua' "\$@"
END
done
cat >"$folder/bin/run" <<END
#!/bin/sh
exec $start "\$@"
END

case $architecture in
i386) tools='' compiler="gcc -m32 -B'$(echo "$root"/usr/lib/gcc/*/*/)'" ;;
*) tools=$triple- compiler=$triple-gcc ;;
esac
cat >"$folder/bin/cc" <<END
#!/bin/sh
exec $compiler --sysroot='$root' "\$@"
END
[ -z "$tools" ] || printf '#!/bin/sh\nexec %ssize "$@"\n' "$tools" >"$folder/bin/size"
printf '#!/bin/sh\necho "c++: there is none for %s" >&2\nexit 127\n' "$architecture" >"$folder/bin/c++"
chmod +x "$folder"/bin/*
echo "$wanted" >"$stamp"
