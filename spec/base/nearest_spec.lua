-- The nearest name that messages suggest for an unknown one.

local core = require "cuttle.core"

local nearest = core.messages.nearest

describe("the nearest name", function()
  it("is the one with the fewest edits", function()
    assert.equal("levels", nearest("levles", { "leaves", "levels", "tiles" }))
  end)

  it("may have letters removed, added or changed, or two neighbours swapped", function()
    for _, wanted in ipairs { "helth", "heallth", "healtk", "haelth" } do
      assert.equal("health", nearest(wanted, { "mesh", "health" }))
    end
  end)

  it("is the one nearest in length, of several with equally few edits", function()
    assert.equal("tiles", nearest("tilse", { "tile", "tiles" }))
    assert.equal("tiles", nearest("tilse", { "tiles", "tile" }))
  end)

  it("is the first one, of several with the same length too", function()
    assert.equal("cat", nearest("bat", { "cat", "rat" }))
    assert.equal("rat", nearest("bat", { "rat", "cat" }))
  end)

  it("ignores case", function()
    assert.equal("Player", nearest("player", { "Door", "Player" }))
    assert.equal("Entities", nearest("ENTITIES", { "Tiles", "Entities" }))
  end)

  it("is the one in the same case, of several that differ only in case", function()
    assert.equal("door", nearest("door", { "Door", "door", "DOOR" }))
  end)

  it("is one that begins with the wanted name: after a candidate with one edit, before one with two", function()
    assert.equal("position", nearest("pos", { "angle", "position", "parent" }))
    assert.equal("rotation", nearest("ROT", { "position", "rotation" }))
    assert.equal("pot", nearest("pos", { "position", "pot" }))
    assert.equal("position", nearest("pos", { "pit", "position" }))
    assert.equal("colour", nearest("col", { "colour_of_all", "colour" }))
    assert.is_nil(nearest("p", { "position" }))
  end)

  it("is one that contains the wanted name, if no other candidate is near", function()
    assert.equal("local_position", nearest("position", { "local_scale", "local_position", "world_position" }))
    assert.equal("local", nearest("loal", { "nonlocal", "local" }))
    assert.is_nil(nearest("os", { "the_position" }))
  end)

  it("is nil if no candidate is near", function()
    assert.is_nil(nearest("zebra", { "tile", "levels" }))
    assert.is_nil(nearest("", { "tile", "levels" }))
    assert.is_nil(nearest("tile", {}))
  end)

  it("is nil for very long names", function()
    assert.is_nil(nearest(("a"):rep(49), { ("a"):rep(49) }))
    assert.equal(("a"):rep(48), nearest(("a"):rep(48), { ("a"):rep(48) }))
  end)
end)
