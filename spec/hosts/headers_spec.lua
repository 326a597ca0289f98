-- Installed headers and the amalgamation: each compiles alone, as C99 and as C++11.

-- tags: once

local folders = require "spec.support.folder"
local quoted = require("spec.support.command_line").quoted

-- One run is enough, because headers do not depend on the interpreter or the build.
local jit = rawget(_G, "jit")
if os.getenv "CUTTLE_BUILD" ~= "build" or not (jit and jit.status()) then
  it("each installed header compiles alone", function() pending "only LuaJIT with the release build runs it" end)
  return
end

local COMPILERS = { { "gcc", "c99" }, { "clang", "c99" }, { "g++", "c++11" }, { "clang++", "c++11" } }

describe("the installed files", function()
  local folder

  local function shell(line, ...)
    local pipe = io.popen(("{ " .. line .. " ; } 2>&1; echo \"exit $?\""):format(...))
    local output = pipe:read "*a"
    pipe:close()
    local text, code = output:match "^(.-)exit (%d+)\n$"
    return code == "0", text
  end

  local function make(line, ...)
    local done, text = shell("env -u MAKEFLAGS make -s " .. line, ...)
    assert.is_true(done, text)
    return text
  end

  -- Checks that a command compiles all files without output.
  local function assert_compiles(compiler, standard, include, files)
    if not shell("command -v %s", compiler) then return pending(compiler .. " is not installed") end
    local flags = "-pedantic-errors -fsyntax-only -I" .. include .. " -isystem " .. quoted(os.getenv "LUA_INCDIR")
    assert.same({ true, "" }, { shell("%s -std=%s %s %s", compiler, standard, flags, table.concat(files, " ")) })
  end

  setup(function()
    folder = folders.new()
    make("amalgamation BUILD=%s", quoted(folder.path))
  end)
  teardown(function() folder:remove() end)

  for _, compiler in ipairs(COMPILERS) do
    local name, standard = compiler[1], compiler[2]
    local ending = standard:gsub("%d+$", "")

    it(("compile, each header alone: %s, %s"):format(name, standard), function()
      local files = {}
      local headers = make "--eval='headers: ; @echo $(PUBLIC_HEADERS)' headers"
      for header in headers:gmatch "src/(%S+)" do
        files[#files + 1] = folder:write(("%d.%s"):format(#files, ending:gsub("%+%+", "pp")),
          ('#include "%s"\n'):format(header))
      end
      assert.equal(3, #files)
      assert_compiles(name, standard, "src", files)
    end)

    it(("compile, the header of the amalgamation alone: %s, %s"):format(name, standard), function()
      local source = folder:write("amalgamated." .. ending:gsub("%+%+", "pp"), '#include "cuttle.h"\n')
      assert_compiles(name, standard, folder:at "amalgamation", { source })
    end)

    if standard == "c99" then
      it(("compile, the source of the amalgamation alone: %s"):format(name), function()
        assert_compiles(name, standard, folder:at "amalgamation", { folder:at "amalgamation/cuttle.c" })
      end)
    end
  end
end)
