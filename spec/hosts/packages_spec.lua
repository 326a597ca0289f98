-- Installed files in other build systems: pkg-config and CMake's find_package.

-- tags: once

local folders = require "spec.support.folder"
local quoted = require("spec.support.command_line").quoted

local RELEASE = "build"
local HOST = [[
#include "cuttle_host.h"
#include <stdio.h>
int main(void) {
    ct_host_entities *host;
    ct_entity e;
    int ok = ct_host_new(NULL, &host) == CT_OK && ct_host_create(host, 1, &e) == CT_OK && ct_host_alive(host, e);
    ct_host_free(host);
    puts(ok ? "an entity lives" : "none");
    return 0;
}
]]
local PLUGIN = [[
#include <lua.h>
#include <cuttle.h>
int luaopen_plugin(lua_State *L);
int luaopen_plugin(lua_State *L) { return ct_api_get(L) == NULL; }
]]
local LISTS = ([[
cmake_minimum_required(VERSION 3.10)
project(host C)
find_package(cuttle VERSION REQUIRED COMPONENTS %s)
add_executable(host host.c)
target_link_libraries(host cuttle::core)
if(TARGET cuttle::host)
    add_executable(loader host.c)
    target_link_libraries(loader cuttle::host)
endif()
]]):gsub("cuttle VERSION", "cuttle " .. require("cuttle")._VERSION:match "%d+%.%d+")

-- Users install the release build, and it does not depend on the interpreter, so one run is enough.
local jit = rawget(_G, "jit")
if os.getenv "CUTTLE_BUILD" ~= RELEASE or not (jit and jit.status()) then return end

describe("the installed library", function()
  local folder

  local function shell(line, ...)
    local pipe = io.popen(("{ " .. line .. " ; } 2>&1; echo \"exit $?\""):format(...))
    local output = pipe:read "*a"
    pipe:close()
    local text, code = output:match "^(.-)exit (%d+)\n$"
    return code == "0", text
  end

  local function has(program)
    return (shell("command -v %s", program))
  end

  local function run(...)
    local ok, text = shell(...)
    assert.is_true(ok, text)
    return text
  end

  setup(function()
    folder = folders.new()
    local flags = "LUA_INCDIR=" .. quoted(os.getenv "LUA_INCDIR" or "")
    -- Files that exist are not built again (-o), because other specs use them.
    run("env -u MAKEFLAGS make -s -o build/cuttle/core.so -o build/libcuttle.a -o build/libcuttle_lua.a "
      .. "install install-static PREFIX=%s %s", quoted(folder:at "prefix"), flags)
  end)
  teardown(function() folder:remove() end)

  local function flags_of(package, option)
    return (run("PKG_CONFIG_PATH=%s pkg-config %s %s", quoted(folder:at "prefix/lib/pkgconfig"), option, package)
      :gsub("\n", ""))
  end

  it("is found by pkg-config as a core for programs", function()
    if not has "pkg-config" then return pending "pkg-config is not installed" end
    local source = folder:write("host.c", HOST)
    run("cc -std=c99 %s %s -o %s %s", flags_of("cuttle-core", "--cflags"), source, folder:at "host",
      flags_of("cuttle-core", "--libs"))
    assert.equal("an entity lives\n", run(folder:at "host"))
  end)

  it("is found by pkg-config as a shared library for programs", function()
    if not has "pkg-config" then return pending "pkg-config is not installed" end
    local source = folder:write("loader.c", HOST)
    run("cc -std=c99 %s %s -o %s %s", flags_of("cuttle-host", "--cflags"), source, folder:at "loader",
      flags_of("cuttle-host", "--libs"))
    assert.equal("an entity lives\n", run("LD_LIBRARY_PATH=%s %s", folder:at "prefix/lib", folder:at "loader"))
  end)

  it("has no other headers than the public ones", function()
    assert.equal("cuttle.h cuttle_host.h cuttle_lua.h\n", run("cd %s && echo *", folder:at "prefix/include"))
  end)

  it("is found by pkg-config as a header for plugins, and as a binding", function()
    if not has "pkg-config" then return pending "pkg-config is not installed" end
    local source = folder:write("plugin.c", PLUGIN)
    run("cc -std=c99 -fPIC -shared -I%s %s %s -o %s", quoted(os.getenv "LUA_INCDIR"), flags_of("cuttle", "--cflags"),
      source, folder:at "plugin.so")
    assert.matches("%-lcuttle_lua .*%-lcuttle ", flags_of("cuttle-lua", "--libs"))
    assert.equal(flags_of("cuttle-core", "--modversion"), flags_of("cuttle-lua", "--modversion"))
  end)

  it("compiles as one file without warnings, with and without Lua", function()
    run("env -u MAKEFLAGS make -s amalgamation BUILD=%s", quoted(folder.path))
    local source = folder:at "amalgamation/cuttle.c"
    run("cc -std=c99 -fsyntax-only -ffp-contract=off -Wall -Wextra -Wpedantic -Werror -isystem %s %s",
      quoted(os.getenv "LUA_INCDIR"), source)
    folder:write("amalgamation/host.c", HOST)
    run("cc -std=c99 -O0 -ffp-contract=off -DCT_WITHOUT_LUA %s %s -o %s -lm", folder:at "amalgamation/host.c", source,
      folder:at "one")
    assert.equal("an entity lives\n", run(folder:at "one"))
  end)

  it("is found by CMake", function()
    if not has "cmake" then return pending "cmake is not installed" end
    folder:write("host.c", HOST)
    folder:write("CMakeLists.txt", LISTS:format "core host plugin lua")
    run("cd %s && cmake -S . -B out -DCMAKE_PREFIX_PATH=%s && cmake --build out", quoted(folder.path),
      quoted(folder:at "prefix"))
    assert.equal("an entity lives\n", run(folder:at "out/host"))
    assert.equal("an entity lives\n", run(folder:at "out/loader"))
  end)

  it("is refused by CMake with the name of a missing component", function()
    if not has "cmake" then return pending "cmake is not installed" end
    folder:write("CMakeLists.txt", LISTS:format "core other")
    local ok, text = shell("cd %s && cmake -S . -B missing -DCMAKE_PREFIX_PATH=%s", quoted(folder.path),
      quoted(folder:at "prefix"))
    assert.is_false(ok)
    assert.matches("cuttle::other is not installed", (text:gsub("%s+", " ")))
  end)
end)
