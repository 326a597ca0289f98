local cuttle = require "cuttle"
local host_program = require "spec.support.host_program"

local function lamp(x, children)
  return { id = "lamp", name = "lamp", components = { transform = { position = { x, 0, 0 } } }, children = children }
end

local function compiled(list)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write((assert(cuttle.compiler(cuttle.world(cuttle.entity_manager())):compile { entities = list })))
  file:close()
  return path
end

describe("a program without Lua", function()
  it("patches levels, restores snapshots from before a patch, and runs out of memory during a patch", function()
    local old = compiled { lamp(1), { name = "post", components = { transform = {} } }, { name = "goes" } }
    local changed = compiled { { name = "post", components = { transform = {} }, children = {
      lamp(2, { { name = "moth", components = { transform = {} } }, { name = "fly" } }) } } }
    local program = host_program.compile("spec/hosts/patch.c", host_program.archives())
    local done, output = host_program.run(("%s %s %s"):format(program, old, changed))
    for _, path in ipairs { program, old, changed } do os.remove(path) end
    assert.equal([[
3 alive, the lamp at 1, valid
memory ran out often
2 added, 1 removed, 1 changed, 1 moved
the same lamp
4 alive, the lamp at 2, valid
3 alive, the lamp at 1, valid
2 added, 1 removed, 1 changed, 1 moved
4 alive, the lamp at 2, valid
the level is unloaded
]], output)
    assert.is_true(done)
  end)
end)
