-- cuttle.list.

-- tags: machine

local cuttle = require "cuttle"
local collect = require "spec.support.collect"
local light_userdata = require "spec.support.light_userdata"
local raises = require "spec.support.raises"

local function e(id) return cuttle.entity_from_id(id) end

local function ids(list)
  local out = {}
  for i, entity in ipairs(list:totable()) do out[i] = cuttle.entity_id(entity) end
  return table.concat(out, " ")
end

describe("a cuttle.list", function()
  it("that was collected refuses entities from a finalizer, because their memory would never be freed", function()
    local message, count
    do
      local ghost, list = newproxy(true), cuttle.list { e(1) }
      getmetatable(ghost).__gc = function()
        message, count = select(2, pcall(list.add, list, e(5))), list:count()
      end
    end
    collect()
    assert.matches("cuttle.list was collected", message)
    assert.equal(0, count)
  end)

  it("is empty without arguments", function()
    assert.equal(0, cuttle.list():count())
    assert.equal(0, cuttle.list(nil):count())
    assert.same({}, cuttle.list():totable())
  end)

  it("is made from a table of entities", function()
    assert.equal("5 7 5", ids(cuttle.list { e(5), e(7), e(5) }))
  end)

  it("is an independent copy when it is made from another list", function()
    local one = cuttle.list { e(1), e(2) }
    local other = cuttle.list(one)
    other:set(1, e(9))
    assert.equal("1 2", ids(one))
    assert.equal("9 2", ids(other))
  end)

  it("accepts dead entities and ids of any manager", function()
    assert.equal("0 1073741823", ids(cuttle.list { e(0), e(2^30 - 1) }))
  end)

  it("is not made from a table with other values than entities", function()
    raises("[2]: entity expected, got number", cuttle.list, { e(1), 5 })
    raises("[1]: entity expected, got boolean", cuttle.list, { false })
  end)

  it("is not made from light userdata that are not entities", function()
    local null = light_userdata.null()
    if null == nil then return pending "no light userdata at hand" end
    raises("[1]: entity expected, got light userdata with tag 0", cuttle.list, { null })
  end)

  it("is not made from other values", function()
    raises("list of entities expected, got number", cuttle.list, 3)
    raises("list of entities expected, got entity", cuttle.list, e(3))
    raises("list of entities expected, got string", cuttle.list, "list")
  end)

  it("has a text with its name and its count", function()
    assert.equal("cuttle.list (2 entities)", tostring(cuttle.list { e(1), e(2) }))
  end)

  it("counts from 1", function()
    local list = cuttle.list { e(10), e(20), e(30) }
    assert.equal(e(10), list:get(1))
    assert.equal(e(30), list:get(3))
  end)

  it("sets an existing place", function()
    local list = cuttle.list { e(10), e(20) }
    list:set(2, e(99))
    assert.equal("10 99", ids(list))
  end)

  for _, place in ipairs { 0, -1, 4, 1e9, 2^53 - 1 } do
    it("has no place " .. place .. " if it has 3 entities", function()
      local list = cuttle.list { e(1), e(2), e(3) }
      raises("is outside the list (count 3)", list.get, list, place)
      raises("is outside the list (count 3)", list.set, list, place, e(1))
      assert.equal("1 2 3", ids(list))
    end)
  end

  for _, place in ipairs { 1.5, 0 / 0, math.huge, -math.huge } do
    it("refuses the place " .. place, function()
      local list = cuttle.list { e(1), e(2), e(3) }
      raises("integer in [", list.get, list, place)
      raises("integer in [", list.set, list, place, e(1))
    end)
  end

  it("refuses a place that is not a number", function()
    local list = cuttle.list { e(1) }
    raises("number expected, got string", list.get, list, "1")
    raises("number expected, got no value", list.get, list)
  end)

  it("grows at its end", function()
    local list = cuttle.list()
    for i = 1, 1000 do list:add(e(i)) end
    assert.equal(1000, list:count())
    assert.equal(e(1000), list:get(1000))
    assert.equal(e(500), list:get(500))
  end)

  it("accepts only entities in add and set", function()
    local list = cuttle.list { e(1) }
    raises("entity expected, got nil", list.add, list, nil)
    raises("entity expected, got number", list.add, list, 7)
    raises("entity expected, got no value", list.set, list, 1)
    raises("entity expected, got table", list.set, list, 1, {})
    assert.equal("1", ids(list))
  end)

  it("is emptied by clear and can be filled again", function()
    local list = cuttle.list { e(1), e(2) }
    list:clear()
    assert.equal(0, list:count())
    list:add(e(3))
    assert.equal("3", ids(list))
  end)

  it("is iterated by each in order", function()
    local seen = {}
    for entity in cuttle.list({ e(3), e(1), e(2) }):each() do seen[#seen + 1] = cuttle.entity_id(entity) end
    assert.same({ 3, 1, 2 }, seen)
  end)

  it("may grow and be cleared during a loop over it", function()
    local list, steps = cuttle.list { e(1), e(2), e(3) }, 0
    for _ in list:each() do
      steps = steps + 1
      if list:count() < 50 then for i = 1, 20 do list:add(e(i)) end end
      if steps == 10 then list:clear() end
    end
    assert.equal(10, steps)
  end)

  it("is copied into a new table by totable", function()
    local list = cuttle.list { e(1), e(2) }
    local out = list:totable()
    out[1] = nil
    assert.equal(2, list:count())
  end)

  it("is kept alive by its iterator", function()
    local iterate = cuttle.list({ e(5) }):each()
    collect()
    assert.equal(e(5), iterate())
    assert.is_nil(iterate())
    assert.is_nil(iterate())
  end)

  it("raises for a method that is called without a list", function()
    local list = cuttle.list()
    for _, name in ipairs { "count", "get", "set", "add", "clear", "each", "totable" } do
      raises("cuttle.list expected, got", list[name])
      raises("cuttle.list expected, got table", list[name], {})
      raises("cuttle.list expected, got userdata", list[name], io.stdout)
      raises("cuttle.list expected, got entity", list[name], e(1))
    end
  end)

  it("has no fields to write", function()
    assert.is_false((pcall(function() cuttle.list().count = 5 end)))
    assert.is_false((pcall(function() cuttle.list()[1] = e(5) end)))
  end)
end)
