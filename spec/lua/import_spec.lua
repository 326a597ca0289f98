-- The table of importers, which loads an importer at its first use.

local cuttle = require "cuttle"
local raises = require "spec.support.raises"

describe("the importers", function()
  it("are found by name", function()
    for _, name in ipairs({ "ldtk", "tiled", "gltf" }) do
      assert.equal(require("cuttle.import." .. name), cuttle.import[name])
    end
  end)

  it("raise for a misspelt name, and suggest the nearest one", function()
    raises("unknown importer 'ltdk' (did you mean 'ldtk'?)", function() return cuttle.import.ltdk("x") end)
    raises("unknown importer 'Tiled' (did you mean 'tiled'?)", function() return cuttle.import.Tiled end)
  end)

  it("report a misspelt name at the caller's line", function()
    local line = debug.getinfo(1, "l").currentline + 1
    local _, message = pcall(function() return cuttle.import.gltv end)
    assert.matches(("import_spec.lua:%d: unknown importer 'gltv'"):format(line), message, 1, true)
  end)

  -- A script can therefore test if a newer importer exists.
  it("are nil for a name that resembles none of them", function()
    assert.is_nil(cuttle.import.aseprite)
    assert.is_nil(cuttle.import[5])
    assert.is_nil(cuttle.import[{}])
  end)

  it("are not stored in the table before their first use", function()
    assert.is_nil(rawget(cuttle.import, "ltdk"))
    for name in pairs(cuttle.import) do assert.equal("string", type(name)) end
  end)

  it("can be extended by a script", function()
    local function mine() end
    cuttle.import.tile = mine
    assert.equal(mine, cuttle.import.tile)
    cuttle.import.tile = nil
  end)
end)
