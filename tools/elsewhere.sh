# shellcheck shell=sh
# Systems on which programs are not started as on Unix. Read by scripts that run specs on such systems.
# Environment: LUA51 (the program's name).

# The tags (see tools/specs.lua) of specs that start a shell, a compiler, or other interpreters as on Unix.
# shellcheck disable=SC2034 # for the scripts that read this
elsewhere_without="unix hosts examples"

# elsewhere_path DRIVE: the paths of busted, and of the Lua modules that it needs, which are those of this system
elsewhere_path() {
    "${LUA51:-lua5.1}" -e 'print((package.path:gsub(";", "\n")))' | sed -n "s|^/usr.*|$1&;|p" | tr -d '\n'
}

# elsewhere_list SYSTEM: lists the spec files that have one of these tags
elsewhere_list() {
    echo "NOT RUN on $1, because they start programs as on Unix:"
    {
        find spec/hosts spec/examples -name '*_spec.lua'
        grep -rlE --include='*_spec.lua' '^-- tags:.* unix( |$)' spec
    } | sort -u | sed 's/^/    /'
}
