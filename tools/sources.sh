# Sources of Debian's packages, from the servers of the system's packages; the system's lists are not changed. For other
# scripts: `. tools/sources.sh`.

# sources_fetch FOLDER PACKAGE...: downloads the sources into the folder
sources_fetch() {
    mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
    taken=$(cd "$1" && pwd)
    shift
    # shellcheck disable=SC2016 # apt-get fills these in
    apt-get indextargets --format '$(ORIGIN) deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        sed -n -e 's/^Debian //p' -e 's/^Ubuntu //p' | sort -u >"$taken/sources.list"
    cat >"$taken/apt.conf" <<EOF
Dir::Etc::sourcelist "$taken/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$taken/lists";
Dir::Cache "$taken/cache";
APT::Sandbox::User "root";
EOF
    (export APT_CONFIG="$taken/apt.conf" && cd "$taken" && apt-get update -qq &&
        apt-get source -qq --download-only "$@")
}

# sources_unpack FOLDER PACKAGE FILE: unpacks the upstream sources of a package, and prints the folder of FILE, which
# may be a subfolder or not.
sources_unpack() {
    rm -rf "${1:?}/$2" && mkdir "$1/$2"
    tar -xf "$1/$2"_*.orig.tar.* -C "$1/$2"
    find "$1/$2" -name "$3" -exec dirname {} \; | head -n 1
}
