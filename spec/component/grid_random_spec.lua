-- Random operations on grids, compared with plain tables: writes, levels, patches, snapshots and saves.

local cuttle = require "cuttle"
local random = require "spec.support.random"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local STEPS = 250

describe(("random operations on grids, seed %d,"):format(seed), function()
  local pick = random(seed)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local grid = world.grid
  local model = {} -- entity -> { width =, height =, cells = }
  local readers = {} -- entity -> reader
  local levels = {} -- { level =, entity =, values = of its resource }
  local kept = {} -- { snapshot or save, model then }

  local function number()
    local kind = pick(10)
    return kind <= 4 and 0 or kind <= 8 and pick(3) or kind == 9 and pick(300) or pick(2 ^ 31) * 2 - pick(2)
  end

  local function new_values(width, height)
    local values = { width = width or pick(5), height = height or pick(5), cells = {} }
    for i = 1, values.width * values.height do values.cells[i] = number() end
    return values
  end

  local function copy(values)
    return values and { width = values.width, height = values.height, cells = { unpack(values.cells) } }
  end

  local function copy_all(all)
    local copies = {}
    for e, values in pairs(all) do copies[e] = copy(values) end
    return copies
  end

  local function any()
    local all = {}
    for e in grid:each() do all[#all + 1] = e end
    return #all > 0 and all[pick(#all)] or nil
  end

  local function resource(values)
    return assert(cuttle.resource(assert(cuttle.compiler(world):compile {
      entities = { { id = "map", components = { grid = copy(values) } } } })))
  end

  local function spawn(from, values)
    local level = assert(world:spawn(from))
    model[level:entity(1)] = copy(values)
    levels[#levels + 1] = { level = level, entity = level:entity(1), values = values }
  end

  local actions = {
    function()
      local values = new_values()
      model[world:create { grid = copy(values) }] = values
    end,
    function() -- two grids of one resource, which share their cells
      local values = new_values()
      local from = resource(values)
      spawn(from, values)
      spawn(from, values)
    end,
    function()
      local e = any()
      local values = e and model[e]
      for _ = 1, e and pick(3) or 0 do
        local x, y, value = pick(values.width) - 1, pick(values.height) - 1, number()
        grid:set_cell(e, x, y, value)
        values.cells[y * values.width + x + 1] = value
      end
    end,
    function()
      local e = any()
      if not e then return end
      local before, after = model[e], { width = pick(5), height = pick(5), cells = {} }
      for y = 0, after.height - 1 do
        for x = 0, after.width - 1 do
          local inside = x < before.width and y < before.height
          after.cells[#after.cells + 1] = inside and before.cells[y * before.width + x + 1] or 0
        end
      end
      grid:set(e, { width = after.width, height = after.height })
      model[e] = after
    end,
    function()
      local e = any()
      if not e then return end
      if pick(2) == 1 then entities:destroy(e) else grid:destroy(e) end
      model[e] = nil
      if pick(2) == 1 then world:gc() end
    end,
    function() kept[#kept + 1] = { entities:snapshot(), copy_all(model), entities:hash() } end,
    function()
      local text = entities:snapshot():tostring()
      kept[#kept + 1] = { assert(cuttle.snapshot(text)), copy_all(model), entities:hash() }
    end,
    function()
      local back = kept[pick(math.max(#kept, 1))]
      if not back then return end
      entities:restore(back[1])
      model = copy_all(back[2])
      assert.are.equal(back[3], entities:hash())
      levels = {} -- later levels are empty after the restore and are not tested here
    end,
    function() -- a patch: cells that differ are written, except those that a script changed
      local one = levels[pick(math.max(#levels, 1))]
      local now = one and model[one.entity]
      if not now then return end
      local old, new = one.values, copy(one.values)
      if pick(3) == 1 then new = new_values() end
      for _ = 1, pick(3) do new.cells[pick(#new.cells)] = number() end
      assert(one.level:patch(resource(new)))
      one.values = new
      local same_size = old.width == new.width and old.height == new.height
      local as_old = now.width == old.width and now.height == old.height
      local untouched = as_old
      for i, value in ipairs(old.cells) do untouched = untouched and now.cells[i] == value end
      if same_size and as_old then
        for i, value in ipairs(old.cells) do
          if now.cells[i] == value then now.cells[i] = new.cells[i] end
        end
      elseif untouched then
        model[one.entity] = copy(new)
      end
    end,
  }

  local function check()
    local count = 0
    for e, values in pairs(model) do
      count = count + 1
      local found = grid:get(e)
      assert.are.same({ values.width, values.height }, { found.width, found.height })
      assert.are.same(values.cells, found.cells)
      readers[e] = readers[e] or grid:reader(e)
      for i, value in ipairs(values.cells) do assert.are.equal(value, readers[e][i - 1]) end
      assert.is_nil(readers[e][#values.cells])
      local at = 0
      for x, y, value in grid:cells(e) do
        at = at + 1
        while values.cells[at] == 0 do at = at + 1 end
        assert.are.same({ values.cells[at], at - 1 }, { value, y * values.width + x })
      end
    end
    local living = 0
    for _ in grid:each() do living = living + 1 end
    assert.are.equal(count, living)
    for e, reader in pairs(readers) do
      if not model[e] then assert.is_false((pcall(function() return reader[0] end))) end
    end
    valid(world)
  end

  it("give the same cells as plain tables", function()
    for _ = 1, STEPS do
      actions[pick(#actions)]()
      if pick(3) == 1 then check() end
    end
    check()
  end)
end)
