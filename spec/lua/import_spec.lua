-- The table of importers: loads each when it is first asked for.

local cuttle = require "cuttle"
local raises = require "spec.support.raises"

describe("the importers", function()
  it("are there by name", function()
    for _, name in ipairs({ "ldtk", "tiled", "gltf" }) do
      assert.equal(require("cuttle.import." .. name), cuttle.import[name])
    end
  end)

  it("are told by the nearest name when one is misspelt", function()
    raises("unknown importer 'ltdk' (did you mean 'ldtk'?)", function() return cuttle.import.ltdk("x") end)
    raises("unknown importer 'Tiled' (did you mean 'tiled'?)", function() return cuttle.import.Tiled end)
  end)

  it("are misspelt at the line of the caller", function()
    local line = debug.getinfo(1, "l").currentline + 1
    local _, message = pcall(function() return cuttle.import.gltv end)
    assert.matches(("import_spec.lua:%d: unknown importer 'gltv'"):format(line), message, 1, true)
  end)

  -- So that a script can ask whether there is one that came later.
  it("are nil by a name that is like none of them", function()
    assert.is_nil(cuttle.import.aseprite)
    assert.is_nil(cuttle.import[5])
    assert.is_nil(cuttle.import[{}])
  end)

  it("are told by nothing when they are asked for without a call", function()
    assert.is_nil(rawget(cuttle.import, "ltdk"))
    for name in pairs(cuttle.import) do assert.equal("string", type(name)) end
  end)

  it("may be more, which a script puts there", function()
    local function mine() end
    cuttle.import.tile = mine
    assert.equal(mine, cuttle.import.tile)
    cuttle.import.tile = nil
  end)
end)
