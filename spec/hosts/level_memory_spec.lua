local cuttle = require "cuttle"
local host_program = require "spec.support.host_program"

local function compiled(count)
  local source = { entities = {} }
  for i = 1, count do source.entities[i] = { name = "lamp" .. i, components = { transform = {} } } end
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write((assert(cuttle.compiler(cuttle.world(cuttle.entity_manager())):compile(source))))
  file:close()
  return path
end

describe("a program without Lua", function()
  it("releases levels at any time, and frees their memory after the last use", function()
    local old, changed = compiled(40), compiled(50)
    local program = host_program.compile("spec/hosts/level_memory.c", host_program.archives())
    local done, output = host_program.run(("%s %s %s"):format(program, old, changed))
    for _, path in ipairs { program, old, changed } do os.remove(path) end
    assert.equal([[
released: 0 alive, 0 in the first level, 1 and 0 hold the resources
back: 40 alive, 40 in the first level, 1 and 0 hold the resources
back again: 40 alive, 40 in the first level, 1 and 0 hold the resources
without snapshot: 40 alive, 40 in the first level, 1 and 0 hold the resources
unloaded: 0 alive, 0 in the first level, 0 and 0 hold the resources
patched: 50 alive, 50 in the first level, 1 and 1 hold the resources
before the patch: 40 alive, 40 in the first level, 1 and 0 hold the resources
patched once: 50 alive, 50 in the first level, 1 and 1 hold the resources
unloaded: 0 alive, 0 in the first level, 0 and 0 hold the resources
released while it is unloaded: 0 alive, 0 in the first level, 0 and 0 hold the resources
released while it is restarted: 40 alive, 40 in the first level, 1 and 0 hold the resources
released while it is patched: 50 alive, 50 in the first level, 1 and 1 hold the resources
unloaded: 0 alive, 0 in the first level, 0 and 0 hold the resources
few of 200 are left
0 blocks are left
]], output)
    assert.is_true(done)
  end)
end)
