-- The extension for Defold, compiled with a mock of Defold's header and run by a mock of the engine.

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
  it("opens the module, which core.lua passes to the other files", function()
    local script = folder:write("main.lua", [[
      package.path, package.cpath = "examples/defold/?.lua;lua/?.lua", ""
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
  end)
end)
