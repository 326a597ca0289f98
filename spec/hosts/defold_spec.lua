-- The extension for Defold, compiled with a mock of Defold's header and run by a mock of the engine.

local file = require "spec.support.file"
local folders = require "spec.support.folder"
local host_program = require "spec.support.host_program"
local plugins = require "spec.support.plugins"

describe("the extension for Defold", function()
  local library = host_program.lua_library "static"
  local program, folder

  if not library or not plugins.has_cxx() then
    it("runs", function() pending "there is no Lua to link, or no C++ compiler" end)
    return
  end

  setup(function()
    folder = folders.new()
    program = host_program.compile("examples/defold/cuttle/src/extension.cpp spec/hosts/defold.cpp",
      host_program.archives(true) .. " " .. library .. " -Iexamples/defold/cuttle/include -Ispec/hosts/defold")
  end)
  teardown(function()
    os.remove(program)
    folder:remove()
  end)

  -- As in Defold, a name with dots is one path, and a folder has no init file.
  local function run_with(path)
    local script = folder:write("main.lua", ("package.path = %q\n"):format(path) .. [[
      package.cpath = ""
      local cuttle = require "cuttle.init"
      require "cuttle.import.ldtk"
      local world = cuttle.world(cuttle.entity_manager())
      local blob = assert(cuttle.compiler(world):compile { entities = { { name = "lamp" }, {} } })
      local texts = { ["/street.level"] = blob }
      local level = world:spawn(assert(cuttle.load("/street.level", { read = function(path) return texts[path] end })))
      print(level:count(), level:find "lamp" == level:entity(1), pcall(require, "cuttle"))
    ]])
    local done, output = host_program.run(program .. " " .. script)
    assert.matches("^2\ttrue\tfalse\tmodule 'cuttle' not found", output)
    assert.is_true(done)
  end

  it("opens the module, which core.lua passes to the other files", function()
    run_with "examples/defold/?.lua;lua/?.lua"
  end)

  it("is in a package with all files that the manual names", function()
    if not (io.popen("command -v zip"):read() and io.popen("command -v unzip"):read()) then
      return pending "zip or unzip is not installed"
    end
    folder:make "files"
    folder:write("files/cuttle.c", "// all sources\n")
    folder:write("files/cuttle.h", "// all headers\n")
    local line = ("tools/defold_package.sh %s %s && unzip -q %s -d %s"):format(folder:at "defold.zip",
      folder:at "files", folder:at "defold.zip", folder:at "packed")
    local done, output = host_program.run(line)
    assert.is_true(done, output)
    local listed, count = file.read("docs/defold.md"):match "\n```text\ncuttle/\n(.-)\n```", 0
    for name in ("\n" .. listed:gsub("include/lua.h, lauxlib.h", "include/lua.h")):gmatch "\n +([%w_/.]+)" do
      assert.is_truthy(folder:read("packed/cuttle/" .. name), name)
      count = count + 1
    end
    assert.is_true(count > 5)
    assert.equal("[project]\ntitle = cuttle\n\n[library]\ninclude_dirs = cuttle\n", folder:read "packed/game.project")
    run_with(folder:at "packed/?.lua")
  end)
end)
