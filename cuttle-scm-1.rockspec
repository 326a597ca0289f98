rockspec_format = "3.0"
package = "cuttle"
version = "scm-1"

-- The address of the folder with the archives of the sources: `make release RELEASE_URL=https://...`
-- writes it into the rockspec of a release. `luarocks make` in a checkout does not use it.
local home = "file://"

source = {
  url = home .. "cuttle-scm.tar.gz",
}

description = {
  summary = "Data-oriented entities, components, levels and resources",
  detailed = [[
    An entity system in C for LuaJIT, Lua 5.1 and Lua 5.4 after the Bitsquid engine's design: entities are plain ids,
    components are rows of packed columns, levels are compiled to resources and spawned in bulk.
  ]],
  license = "MIT",
}

supported_platforms = { "unix" }

dependencies = {
  "lua >= 5.1, ~= 5.2, < 5.6",
}

-- The Makefile is the one place that knows the sources and the flags.
build = {
  type = "make",
  install_target = "install-module",
  copy_directories = { "docs" },
  build_variables = {
    -- A folder of its own, so that a checkout's build keeps its flags and is not built again.
    BUILD = "build/rock",
    CC = "$(CC)",
    -- LuaRocks says -O2 by default; the loops over columns want the vectoriser of -O3.
    CFLAGS = "$(CFLAGS) -O3",
    LIBFLAG = "$(LIBFLAG)",
    LUA_INCDIR = "$(LUA_INCDIR)",
  },
  install_variables = {
    BUILD = "build/rock",
    CC = "$(CC)",
    CFLAGS = "$(CFLAGS) -O3",
    LIBFLAG = "$(LIBFLAG)",
    LUA_INCDIR = "$(LUA_INCDIR)",
    INST_BINDIR = "$(BINDIR)",
    INST_LUADIR = "$(LUADIR)",
    INST_LIBDIR = "$(LIBDIR)",
    INST_INCDIR = "$(PREFIX)/include",
  },
}
