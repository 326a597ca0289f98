local host_program = require "spec.support.host_program"

describe("a program without Lua", function()
  it("hooks into managers", function()
    local program = host_program.compile("spec/hosts/hooks.c", host_program.archives())
    local done, output = host_program.run(program)
    os.remove(program)
    local lines = {}
    for line in output:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.are.same({
      "create: transform of 0 comes transform of 1 comes point_mass of 0 comes point_mass of 1 comes; 4 rows",
      "remove: point_mass of 0 goes point_mass of 0 ends",
      "destroy: transform of 0 goes transform of 0 ends; 1 collected",
      "create: transform of 2 comes transform of 3 comes point_mass of 2 comes"
        .. " transform of 2 goes transform of 3 goes point_mass of 2 goes"
        .. " transform of 2 ends point_mass of 2 ends transform of 3 ends point_mass of 3 ends; 2 rows",
      "clear: transform of 1 goes point_mass of 1 goes transform of 1 ends point_mass of 1 ends; 0 rows, sound",
      "valid: 1",
      "listeners: 0",
    }, lines)
    assert.is_true(done)
  end)
end)
