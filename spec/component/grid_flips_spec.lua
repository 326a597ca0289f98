-- Flips of cells: in components, levels, patches, snapshots, saves and hashes.

local cuttle = require "cuttle"
local core = require "cuttle.core"
local raises = require "spec.support.raises"
local random = require "spec.support.random"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

describe("the flips of a grid", function()
  local entities, world, grid

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    grid = world.grid
  end)

  local function new(cells, flips)
    return world:create { grid = { width = 2, height = 2, cells = cells or { 1, 2, 3, 4 }, flips = flips } }
  end

  local function bits(e, x, y)
    local h, v, d = grid:flips(e, x, y)
    return (h and 1 or 0) + (v and 2 or 0) + (d and 4 or 0)
  end

  local function all(e)
    local list, width, height = {}, grid:size(e)
    for y = 0, height - 1 do
      for x = 0, width - 1 do list[#list + 1] = bits(e, x, y) end
    end
    return list
  end

  it("are three booleans, and nil outside of the grid", function()
    local e = new(nil, { 1, 2, 4, 7 })
    assert.are.same({ true, false, false }, { grid:flips(e, 0, 0) })
    assert.are.same({ false, true, false }, { grid:flips(e, 1, 0) })
    assert.are.same({ false, false, true }, { grid:flips(e, 0, 1) })
    assert.are.same({ true, true, true }, { grid:flips(e, 1, 1) })
    assert.are.same({ false, false, false }, { grid:flips(new(), 1, 1) })
    for _, at in ipairs { { -1, 0 }, { 2, 0 }, { 0, 2 } } do
      assert.are.same({ n = 1 }, { n = select("#", grid:flips(e, at[1], at[2])), grid:flips(e, at[1], at[2]) })
    end
  end)

  it("are written one by one", function()
    local e = new()
    grid:set_flips(e, 1, 0, true, false, true)
    assert.are.same({ 0, 5, 0, 0 }, all(e))
    assert.are.equal(2, grid:cell(e, 1, 0))
    grid:set_flips(e, 1, 0, false, false, false)
    assert.are.same({ 0, 0, 0, 0 }, all(e))
  end)

  it("end when their cell is written, also with the same number", function()
    local e = new(nil, { 1, 2, 4, 7 })
    grid:set_cell(e, 0, 0, 9)
    grid:set_cell(e, 1, 0, 2)
    assert.are.same({ 0, 0, 4, 7 }, all(e))
    grid:fill(e, 0, 1, 0, 1, 3)
    assert.are.same({ 0, 0, 0, 7 }, all(e))
  end)

  it("are values of get, set and create, and nil if there are none", function()
    local e = new()
    assert.is_nil(grid:get(e).flips)
    grid:set(e, { flips = { 0, 3, 0, 6 } })
    assert.are.same({ 0, 3, 0, 6 }, grid:get(e).flips)
    assert.are.same({ 1, 2, 3, 4 }, grid:get(e).cells)
    local copy = world:create { grid = grid:get(e) }
    assert.are.same({ 0, 3, 0, 6 }, all(copy))
    grid:set(e, { width = 3 })
    assert.are.same({ 0, 3, 0, 0, 6, 0 }, all(e))
    grid:set(e, { flips = {} })
    assert.is_nil(grid:get(e).flips)
    grid:set(copy, { cells = { 9, 9, 9, 9 } })
    assert.is_nil(grid:get(copy).flips)
    grid:set_flips(copy, 0, 0, true, false, false)
    grid:set_flips(copy, 0, 0, false, false, false)
    assert.is_nil(grid:get(copy).flips)
  end)

  it("refuse other values, with nothing changed", function()
    local e = new(nil, { 1, 2, 4, 7 })
    raises("flips: expected 4 numbers, got 3", new, nil, { 1, 2, 3 })
    raises("flips: expected numbers from 0 to 7", new, nil, { 1, 2, 3, 8 })
    raises("flips: expected numbers from 0 to 7", new, nil, { 1, 2, 3, 70000 })
    raises("expected an integer in [0, 4294967295], got -1", new, nil, { 1, 2, 3, -1 })
    raises("flips: expected 4 numbers, got 5", grid.set, grid, e, { flips = { 0, 0, 0, 0, 0 } })
    raises("flips: expected 2 numbers, got 4", grid.set, grid, e, { height = 1, flips = { 0, 0, 0, 0 } })
    raises("boolean expected, got nil", grid.set_flips, grid, e, 0, 0, true, true, nil)
    raises("cell 2, 0 is outside of 2 x 2", grid.set_flips, grid, e, 2, 0, true, true, true)
    assert.are.same({ 1, 2, 4, 7 }, all(e))
    assert.are.equal(1, grid:count())
  end)

  it("are in snapshots, saves and hashes", function()
    local e = new(nil, { 1, 2, 4, 7 })
    local hash, snapshot, save = entities:hash(), entities:snapshot(), entities:snapshot():tostring()
    grid:set_flips(e, 0, 0, false, false, false)
    assert.are_not.equal(hash, entities:hash())
    for _, from in ipairs { snapshot, assert(cuttle.snapshot(save)) } do
      entities:restore(from)
      assert.are.equal(hash, entities:hash())
      assert.are.same({ 1, 2, 4, 7 }, all(e))
    end
    local other = cuttle.entity_manager()
    local copied = cuttle.world(other)
    other:restore(assert(cuttle.snapshot(save)))
    assert.are.same({ 1, 2, 4, 7 }, copied.grid:get(e).flips)
    grid:set(e, { flips = { 0, 0, 0, 0 } })
    local plain = entities:hash()
    grid:set(e, { flips = {} })
    assert.are.equal(plain, entities:hash())
    valid(world)
  end)

  local function compile(cells, flips)
    local values = { width = 2, height = 2, cells = cells, flips = flips }
    return assert(cuttle.compiler(world):compile { entities = { { id = "map", components = { grid = values } } } })
  end

  it("are in compiled levels, whose bytes do not change without them", function()
    local blob = compile({ 1, 2, 3, 4 }, { 0, 3, 0, 6 })
    local level = assert(world:spawn(cuttle.resource(blob)))
    assert.are.same({ 0, 3, 0, 6 }, all(level:entity(1)))
    assert.are.equal(compile { 1, 2, 3, 4 }, compile({ 1, 2, 3, 4 }, {}))
    level = assert(world:spawn(cuttle.resource(compile(nil, { 7, 0, 0, 0 }))))
    assert.are.same({ 7, 0, 0, 0 }, all(level:entity(1)))
    assert.are.same({ 0, 0, 0, 0 }, grid:get(level:entity(1)).cells)
    level = assert(world:spawn(cuttle.resource(compile({ 70000, 2, 3, 4 }, { 1, 1, 1, 1 }))))
    assert.are.same({ 70000, 2, 3, 4 }, grid:get(level:entity(1)).cells)
    local refused, message = cuttle.compiler(world):compile { entities = { { components = { grid = { width = 1,
      height = 1, flips = { 9 } } } } } }
    assert.is_nil(refused)
    assert.is_truthy(message:find("flips: expected numbers from 0 to 7", 1, true))
  end)

  it("are patched cell by cell, except those that a script changed", function()
    local level = assert(world:spawn(cuttle.resource(compile({ 1, 2, 3, 4 }, { 1, 0, 1, 0 }))))
    local e = level:entity(1)
    grid:set_flips(e, 0, 1, true, true, true)
    assert(level:patch(cuttle.resource(compile({ 1, 2, 3, 5 }, { 2, 0, 2, 4 }))))
    assert.are.same({ 2, 0, 7, 4 }, all(e))
    assert.are.same({ 1, 2, 3, 5 }, grid:get(e).cells)
    assert(level:patch(cuttle.resource(compile { 1, 2, 3, 5 })))
    assert.are.same({ 0, 0, 7, 0 }, all(e))
    valid(world)
  end)

  it("are shared until one is written", function()
    local resource = cuttle.resource(compile({ 1, 2, 3, 4 }, { 1, 2, 3, 4 }))
    local one, two = assert(world:spawn(resource)):entity(1), assert(world:spawn(resource)):entity(1)
    grid:set_flips(one, 0, 0, false, false, true)
    assert.are.same({ 4, 2, 3, 4 }, all(one))
    assert.are.same({ 1, 2, 3, 4 }, all(two))
    grid:set_cell(two, 1, 1, 9)
    assert.are.same({ 4, 2, 3, 4 }, all(one))
  end)

  it("take no memory if there are none, and a byte for each cell otherwise", function()
    if not core.testing then return end
    local e = world:create { grid = { width = 100, height = 100 } }
    local before = core.testing.held_bytes()
    grid:set_cell(e, 5, 5, 1)
    grid:set_flips(e, 5, 5, false, false, false)
    assert.are.equal(before, core.testing.held_bytes())
    grid:set_flips(e, 5, 5, true, false, false)
    assert.are.equal(before + 10000, core.testing.held_bytes())
    entities:destroy(e)
    world:gc()
    assert.is_true(core.testing.held_bytes() < before)
  end)
end)

describe(("random flips, seed %d,"):format(seed), function()
  local pick = random(seed)

  it("are the same as in a table", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local grid, model, kept = world.grid, {}, {}
    local e = world:create { grid = { width = 4, height = 3 } }
    for i = 1, 12 do model[i] = 0 end
    for _ = 1, 400 do
      local x, y, kind = pick(4) - 1, pick(3) - 1, pick(8)
      if kind <= 4 then
        local value = pick(8) - 1
        grid:set_flips(e, x, y, value % 2 == 1, value % 4 >= 2, value >= 4)
        model[y * 4 + x + 1] = value
      elseif kind == 5 then
        grid:set_cell(e, x, y, pick(9))
        model[y * 4 + x + 1] = 0
      elseif kind == 6 then
        kept[#kept + 1] = { entities:snapshot(), { unpack(model) }, entities:hash() }
      elseif kind == 7 then
        local save = assert(cuttle.snapshot(entities:snapshot():tostring()))
        kept[#kept + 1] = { save, { unpack(model) }, entities:hash() }
      elseif #kept > 0 then
        local back = kept[pick(#kept)]
        entities:restore(back[1])
        model = { unpack(back[2]) }
        assert.are.equal(back[3], entities:hash())
      end
      for i = 1, 12 do
        local h, v, d = grid:flips(e, (i - 1) % 4, math.floor((i - 1) / 4))
        assert.are.equal(model[i], (h and 1 or 0) + (v and 2 or 0) + (d and 4 or 0))
      end
    end
    valid(world)
  end)
end)
