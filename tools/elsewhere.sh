# Where no programs are started as Unix does. To be read by scripts that run specs there: leaves in SPEC those that can
# be run. The environment tells the programs' names: LUA51.

# These start a shell, a compiler, or other interpreters in the way of Unix.
unix='contributing_spec spec/hostile_spec hosts/ bench/programs_spec close_spec endings_spec examples/ cli_process_spec
    makefile_spec no_ffi_spec tiled_editor_spec plugin_api_spec plugin_world_spec browser_spec
    view_finalizers_spec plugin_layout_spec'
SPEC=${SPEC:-$(find spec -name '*_spec.lua' | sort)}
left_out=
for name in $unix; do
    left_out="$left_out$(echo "$SPEC" | tr ' ' '\n' | grep "$name" | sed 's/^/    /')
"
    SPEC=$(echo "$SPEC" | tr ' ' '\n' | grep -v "$name" | tr '\n' ' ')
done
export SPEC

# elsewhere_path DRIVE: where busted lies, and what it needs in Lua: they are the system's
elsewhere_path() {
    "${LUA51:-lua5.1}" -e 'print((package.path:gsub(";", "\n")))' | sed -n "s|^/usr.*|$1&;|p" | tr -d '\n'
}

# elsewhere_tell SYSTEM: what the list above has left out
elsewhere_tell() {
    echo "NOT RUN on $1, because they start programs as Unix does:"
    printf '%s' "$left_out" | grep .
}
