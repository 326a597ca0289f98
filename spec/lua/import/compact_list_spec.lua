-- The lazy list of tiles: numbers for entries that are only places, and the other entries as they are.

-- tags: pure_lua

local compact_list = require "cuttle.import.compact_list"
local lazy = require "cuttle.compiler.lazy"

local function at(x, y, z)
  return { components = { transform = { position = { x, y, z } } } }
end

describe("a compact list", function()
  it("stores only the numbers of entries that are only places", function()
    local append, list = compact_list.list()
    local entries = { at(3, 4, 0), at(5.5, -6, 0), at(0, 0, 0) }
    for i, entry in ipairs(entries) do
      assert.is_true(append(entry))
      assert.equal(i, lazy.length(list))
    end
    for i, entry in ipairs(entries) do
      assert.same(entry, list[i])
      assert.is_false(rawequal(entry, list[i]))
      local x, y = lazy.place(list, i)
      assert.same(entry.components.transform.position, { x, y, 0 })
    end
    assert.is_nil(list[0])
    assert.is_nil(list[4])
    assert.is_nil(lazy.place(list, 4))
  end)

  it("keeps other entries as they are, in their places", function()
    local named, rotated, more = at(1, 1, 0), at(1, 1, 0), at(1, 1, 0)
    named.name, rotated.components.transform.angle, more.components.mesh = "a", 90, {}
    local others = { named, rotated, more, at(1, 1, 2), at("1", 1, 0), at(1, false, 0), at(1, 1), {},
      { components = {} }, { components = { transform = {} } }, { components = { transform = { position = 5 } } },
      { components = { transform = { position = { 1, 2, 0, 4 } } } } }
    local append, list = compact_list.list()
    for i, entry in ipairs(others) do
      assert.is_false(append(entry), i)
      assert.is_true(append(at(i, -i, 0)))
    end
    assert.equal(2 * #others, lazy.length(list))
    for i, entry in ipairs(others) do
      assert.is_true(rawequal(entry, list[2 * i - 1]), i)
      assert.is_nil(lazy.place(list, 2 * i - 1))
      assert.same(at(i, -i, 0), list[2 * i])
      assert.same({ i, -i }, { lazy.place(list, 2 * i) })
    end
  end)
end)
