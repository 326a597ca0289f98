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
  it("restores snapshots with values in their slots and levels in their blocks", function()
    local large, small = compiled(40), compiled(3)
    local program = host_program.compile("spec/hosts/snapshots.c", host_program.archives())
    local done, output = host_program.run(("%s %s %s"):format(program, large, small))
    for _, path in ipairs { program, large, small } do os.remove(path) end
    assert.equal([[
back, 2 alive
bytes: same, kept: same
back, 2 alive
bytes: same, kept: same
back, 42 alive
40 in the level
a level was given another resource after the snapshot, 2 alive
back, 42 alive
]], output)
    assert.is_true(done)
  end)
end)
