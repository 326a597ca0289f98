-- The checked functions for plugins and programs: definitions of components, and wrong arguments.

-- tags: once

local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("defines components as a plugin does, and wrong arguments do no harm", function()
    local output = host_program.output("spec/hosts/checked.c")
    assert.equal([[
'big mana' is not a valid component name (letters, digits, _)
mana: field 2: duplicate field 'points'
component names 'liquid' and 'costarring' have one hash: choose another
unknown mesh resource 'box'
unknown label 'box'
entity(0:0) already has a mesh with id 'box'
4 rows, the last has 4
mana is defined by a plugin and has 4 rows: destroy the components first
world is in use
world is being destroyed
rune is defined with other fields and has 1 row: destroy the components first, or keep what fits by {migrate = true}
rune.gone is gone (bool)
14 of 14 wrong calls refused
]], output)
  end)
end)
