local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("hooks into managers", function()
    local program = host_program.compile("spec/hosts/hooks.c", host_program.archives())
    local done, output = host_program.run(program)
    os.remove(program)
    local lines = {}
    for line in output:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.are.same({
      "create: transform of 0 comes (create) transform of 1 comes (create)"
        .. " point_mass of 0 comes (create) point_mass of 1 comes (create); 4 rows",
      "remove: point_mass of 0 goes (remove) point_mass of 0 ends (remove)",
      "destroy: transform of 0 goes (destroy) transform of 0 ends (destroy); 1 collected",
      "create: transform of 2 comes (create) transform of 3 comes (create) point_mass of 2 comes (create)"
        .. " transform of 2 goes (undo) transform of 3 goes (undo) point_mass of 2 goes (undo)"
        .. " transform of 2 ends (undo) point_mass of 2 ends (undo)"
        .. " transform of 3 ends (undo) point_mass of 3 ends (undo); 2 rows",
      "clear: transform of 1 goes (clear) point_mass of 1 goes (clear)"
        .. " transform of 1 ends (clear) point_mass of 1 ends (clear); 0 rows, sound",
      "valid: 1",
      "listeners: 0",
    }, lines)
    assert.is_true(done)
  end)
end)
