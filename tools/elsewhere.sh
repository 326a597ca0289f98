# shellcheck shell=sh
# Where no programs are started as Unix does. Read by scripts that run specs on such systems. The environment tells the
# programs' names: LUA51.

# The tags (see tools/specs.lua) of specs that start a shell, a compiler, or other interpreters in the way of Unix.
# shellcheck disable=SC2034 # for the scripts that read this
elsewhere_without="unix hosts examples"

# elsewhere_path DRIVE: the paths of busted, and of the Lua modules that it needs: they are the system's
elsewhere_path() {
    "${LUA51:-lua5.1}" -e 'print((package.path:gsub(";", "\n")))' | sed -n "s|^/usr.*|$1&;|p" | tr -d '\n'
}

# elsewhere_tell SYSTEM: lists the spec files that have one of these tags
elsewhere_tell() {
    echo "NOT RUN on $1, because they start programs as Unix does:"
    {
        find spec/hosts spec/examples -name '*_spec.lua'
        grep -rlE --include='*_spec.lua' '^-- tags:.* unix( |$)' spec
    } | sort -u | sed 's/^/    /'
}
