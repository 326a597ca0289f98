-- Paths of names in every kind of search, compared with a search through all entities.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local new_random = require "spec.support.random"
local raises = require "spec.support.raises"
local seed = require "spec.support.seed"

-- Includes long names that differ at one end only. There are few, so that most paths match several entities.
local LONG = ("x"):rep(200)
local NAMES = { "a", "b", "a", "ab", LONG .. "a", LONG .. "b", "a" .. LONG }

-- Returns the source of a level, and its entities in the resource's order, each with its name or nil and its parent.
local function random_level(random, count)
  local source, nodes, open = { entities = {} }, {}, {}
  for i = 1, count do
    local depth = random(4) > 1 and #open or random(#open + 1) - 1
    local up, name = open[depth], NAMES[random(#NAMES + 1)]
    local entry = { name = name, components = { point_mass = {} }, children = {} }
    table.insert(up and up.entry.children or source.entities, entry)
    for at = depth + 1, #open do open[at] = nil end
    nodes[i] = { name = name, up = up, entry = entry }
    open[depth + 1] = nodes[i]
  end
  return source, nodes
end

-- Returns a path of the last names of a random entity, or of random names.
local function random_path(random, nodes)
  local names, node = {}, random(3) > 1 and nodes[random(#nodes)]
  for i = random(13), 1, -1 do
    names[i] = node and node.name or NAMES[random(#NAMES)]
    node = node and node.up
  end
  return table.concat(names, "/", 1, #names)
end

local function is_called(node, path)
  for name in (path:reverse() .. "/"):gmatch "([^/]*)/" do
    if not node or node.name ~= name:reverse() then return false end
    node = node.up
  end
  return true
end

local function matching(nodes, path)
  local found = {}
  for i, node in ipairs(nodes) do
    if is_called(node, path) then found[#found + 1] = i end
  end
  return found
end

describe("a path of names, seed " .. seed .. ",", function()
  local random, entities, world, nodes, resource

  local function load(source)
    return assert(cuttle.resource((assert(cuttle.compiler(world):compile(source)))))
  end

  before_each(function()
    random = new_random(seed)
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
  end)

  -- Calls fn(path) with many paths of many levels.
  local function try(fn)
    for _ = 1, 10 do
      local source
      source, nodes = random_level(random, random(80))
      resource = load(source)
      for _ = 1, 20 do fn(random_path(random, nodes)) end
    end
  end

  it("finds all entities that match it, one after another, in the resource's order", function()
    try(function(path)
      local level, found = assert(world:spawn(resource)), {}
      local number = {}
      for i, e in ipairs(level:entities()) do number[e] = i end
      local e = level:find(path)
      while e do
        found[#found + 1] = number[e]
        entities:destroy(e)
        e = level:find(path)
      end
      assert.same(matching(nodes, path), found, path)
      level:unload()
    end)
  end)

  it("applies overrides to all entities that match it, and to no others", function()
    try(function(path)
      local expected, found = matching(nodes, path), {}
      local options = { overrides = { [path] = { point_mass = { mass = 7 } } } }
      if #expected == 0 then
        -- The message contains only the end of a long path.
        local shown = #path > 80 and "..." .. path:sub(-80) or path
        return raises("overrides: " .. shown .. ": no entity", world.spawn, world, resource, options)
      end
      local level = assert(world:spawn(resource, options))
      for i, e in ipairs(level:entities()) do
        if world.point_mass:mass(e) == 7 then found[#found + 1] = i end
      end
      assert.same(expected, found, path)
      level:unload()
    end)
  end)

  it("can be searched in any order of lengths", function()
    local level = assert(world:spawn(load { entities = { { name = "a", children = { { name = "b", children = {
      { name = "c" } } } } } } }))
    local e = level:entity(3)
    assert.equal(e, level:find "a/b/c")
    assert.equal(e, level:find "c")
    assert.equal(e, level:find "b/c")
    assert.is_nil(level:find "a/a/b/c")
    assert.equal(e, level:find "a/b/c")
  end)

  it("may be longer than the hierarchy is deep, and than the paths in the index", function()
    local source, up = { entities = {} }, nil
    for i = 1, 30 do
      local entry = { name = i == 5 and "b" or "a", children = {} }
      table.insert(up and up.children or source.entities, entry)
      up = entry
    end
    local level = assert(world:spawn(load(source)))
    assert.equal(level:entity(20), level:find("b" .. ("/a"):rep(15)))
    assert.equal(level:entity(30), level:find("b" .. ("/a"):rep(25)))
    assert.is_nil(level:find("b" .. ("/a"):rep(26)))
    assert.is_nil(level:find(("a/"):rep(100) .. "a"))
  end)

  it("can be searched again after memory ran out for its index", function()
    if not core.testing then return pending "only test builds make allocations fail" end
    local level = assert(world:spawn(load { entities = { { name = "a", children = { { name = "b" } } } } }))
    for _, path in ipairs { "b", "a/b" } do
      core.testing.fail_in(0)
      raises("not enough memory", level.find, level, path)
      core.testing.fail_in(-1)
      assert.equal(level:entity(2), level:find(path))
    end
  end)

  it("matches nothing if a name in it is empty", function()
    local level = assert(world:spawn(load { entities = { { name = "a", children = { { name = "b" }, {} } } } }))
    for _, path in ipairs { "", "/", "/a", "a/", "a//b", "/a/b" } do assert.is_nil(level:find(path), path) end
  end)
end)
