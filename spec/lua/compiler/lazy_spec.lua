-- Lists whose entries are created when they are read; the command compiles them to the same bytes and errors.

local cuttle = require "cuttle"
local json = require "cuttle.json"
local lazy = require "cuttle.compiler.lazy"
local tiled_sample = require "spec.support.tiled_sample"
local floor, map = tiled_sample.floor, tiled_sample.map

local function world()
  local made = cuttle.world(cuttle.entity_manager())
  made:define("props", { { "value", "value" } })
  made:define("health", { { "target", "entity" } })
  return made
end

local function compile(level, options)
  return cuttle.compiler(world()):compile(level, options)
end

-- Returns a lazy list of plain entries, which reports positions for some of them. Counts in `made` how often entries
-- were created and positions were read.
local function lazily(list, made)
  local function count(kind) made[kind] = (made[kind] or 0) + 1 end
  return lazy.list(function(index)
    count "entries"
    return list[index]
  end, nil, function(index)
    count "positions"
    local entry = list[index]
    if not entry or entry.name or entry.children or not entry.components then return nil end
    local transform = entry.components.transform
    if next(entry.components) ~= "transform" or next(entry.components, "transform") then return nil end
    if transform.angle or #transform.position ~= 3 or transform.position[3] ~= 0 then return nil end
    return transform.position[1], transform.position[2]
  end)
end

local function tiles(x, more)
  local list = {}
  for index = 1, 5 do list[index] = { components = { transform = { position = { x * index, index / 3, 0 } } } } end
  for _, entry in ipairs(more or {}) do table.insert(list, 3, entry) end
  return list
end

local function level_of(children, after)
  return { entities = { { name = "floor", components = { transform = { position = { 1, 2, 3 } } },
    children = children }, after } }
end

describe("positions passed to the core", function()
  local section = require("cuttle.core").compile.section
  local made = world()
  made:define("label", { { "position", "string" } })

  it("require a component with a position of three numbers", function()
    for _, name in ipairs({ "label", "health" }) do
      assert.has_error(function() section(false, made, name, { 1 }, { 1 }, { 0 }, false, { 1, 2 }) end,
        "this component has no position")
    end
  end)

  it("require valid indices", function()
    for _, number in ipairs({ 0, 2, -1, 1.5, 0 / 0, 2 ^ 40 }) do
      assert.has_error(function() section(false, made, "transform", { number }, { 1 }, { 0 }, false, { 1, 2 }) end,
        "no place has this number")
    end
    assert.is_string((section(false, made, "transform", { 1 }, { 1 }, { 0 }, false, { 1, 2 })))
  end)
end)

describe("a lazy list of entries", function()
  local MORE = { { components = { transform = { position = { 1, 2, 5 } } } }, { name = "plain", components = {} },
    { name = "door", id = "d", components = { transform = { position = { 1, 2, 0 }, angle = 1 },
      health = { target = "lamp" } } },
    { components = { transform = { position = { 1, 2, 0 } }, props = { value = 5 } } },
    { children = { { name = "lamp" } } } }

  it("compiles to the bytes of a plain list", function()
    local made, lamp = {}, { name = "after", components = { health = { target = "door" } } }
    for _, endian in ipairs({ "little", "big" }) do
      local plain = assert(compile(level_of(tiles(1, MORE), lamp), { endian = endian }))
      assert.equal(plain, (assert(compile(level_of(lazily(tiles(1, MORE), made), lamp), { endian = endian }))))
    end
    assert.is_true(made.entries >= 2 * 5 and made.positions >= 2 * 10)
  end)

  it("is compiled by a function that was registered for transforms", function()
    local function compile_own(list)
      local compiler = cuttle.compiler(world())
      compiler:register("transform", function(values) return tostring(values.position[1]) end, 500)
      return assert(compiler:compile(level_of(list)))
    end
    assert.equal(compile_own(tiles(1)), compile_own(lazily(tiles(1), {})))
  end)

  it("compiles if it holds only positions, and if it is empty", function()
    assert.equal(compile(level_of(tiles(2))), (compile(level_of(lazily(tiles(2), {})))))
    assert.equal(compile(level_of {}), (compile(level_of(lazily({}, {})))))
  end)

  it("reports the same errors in it and after it as a plain list", function()
    for _, wrong in ipairs({ { components = { transform = { position = { 1 } } } }, { components = { helth = {} } },
      { nane = "x" } }) do
      local _, message = compile(level_of(tiles(1, { wrong })))
      assert.is_string(message)
      assert.equal(message, (select(2, compile(level_of(lazily(tiles(1, { wrong }), {}))))))
      _, message = compile(level_of(tiles(1), wrong))
      assert.equal(message, (select(2, compile(level_of(lazily(tiles(1), {}), wrong)))))
    end
  end)

  it("is written as JSON like a plain list of any length", function()
    local list = tiles(1, MORE)
    local lists = { list, {} }
    for index = 1, 3000 do lists[2][index] = list[index % #list + 1] end
    for _, plain in ipairs(lists) do
      local same = lazy.list(function(index) return plain[index] end, function() return #plain end)
      for _, indent in ipairs { 0, 2 } do
        local options = { indent = indent > 0 and indent or nil, arrays = { children = true } }
        assert.equal(json.encode({ children = plain }, options), (json.encode({ children = same }, options)))
      end
    end
    local none = lazy.list(function() return nil end, function() return 0 end)
    assert.equal("[]", (json.encode(none)))
  end)

  it("holds the tiles of the Tiled importer for the command", function()
    local text = tiled_sample.encode(map({ floor(1, "Floor", 3, 2, { 1, 2 + tiled_sample.FLIP_X, 0,
      3 + tiled_sample.FLIP_DIAGONAL, 0, 2 }), floor(2, "None", 1, 1, { 0 }) }))
    for _, fields in ipairs({ "props", false }) do
      local plain, expected = assert(cuttle.import.tiled(text, { tiles = true, fields = fields or nil }))
      local level, warnings = assert(cuttle.import.tiled(text, { tiles = true, fields = fields or nil, lazy = true }))
      assert.is_true(lazy.is(level.entities[1].children))
      assert.same(expected, warnings)
      assert.equal(compile(plain), (compile(level)))
      assert.equal(json.encode(plain, { indent = 2 }), (json.encode(level, { indent = 2 })))
      assert.is_nil(level.entities[2].children)
    end
  end)
end)
