-- Hooks in a program without Lua: which events they get, in which order.

-- tags: once

local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("hooks into managers", function()
    local output = host_program.output("spec/hosts/hooks.c")
    local lines = {}
    for line in output:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.are.same({
      "create: transform of 0 added (create) transform of 1 added (create)"
        .. " point_mass of 0 added (create) point_mass of 1 added (create); 4 rows",
      "remove: point_mass of 0 removed (remove) point_mass of 0 ended (remove)",
      "destroy: transform of 0 removed (destroy) transform of 0 ended (destroy); 1 collected",
      "create: transform of 2 added (create) transform of 3 added (create) point_mass of 2 added (create)"
        .. " transform of 2 removed (undo) transform of 3 removed (undo) point_mass of 2 removed (undo)"
        .. " transform of 2 ended (undo) point_mass of 2 ended (undo)"
        .. " transform of 3 ended (undo) point_mass of 3 ended (undo); 2 rows",
      "clear: transform of 1 removed (clear) point_mass of 1 removed (clear)"
        .. " transform of 1 ended (clear) point_mass of 1 ended (clear); 0 rows, sound",
      "valid: 1",
      "listeners: 0",
    }, lines)
  end)
end)
