-- Whoever keeps a string of a world holds a reference, and world:validate counts them: a leak or a reference too few
-- is told by the name of the string. No script can cause either, so here all doors are tried and the counts agree.

-- tags: ffi

local core = require "cuttle.core"
local cuttle = require "cuttle"
local valid = require "spec.support.valid"

local LONG = ("longer than what is copied in passing "):rep(20)

describe("the strings of a world", function()
  local entities, world, part, fail_in

  local function define(in_world)
    return in_world:define("part", { { "first", "string", "preset" }, { "second", "string" } }, { multiple = true })
  end

  before_each(function()
    entities = cuttle.entity_manager { minimum_free_indices = 0 }
    world = cuttle.world(entities)
    part = define(world)
    fail_in = core.testing and core.testing.fail_in
  end)

  after_each(function()
    if fail_in then fail_in(-1) end
    valid(world)
  end)

  -- Tries with no memory, with one allocation, two, until it works; answers how often it did not.
  local function sweep(f)
    local failures = 0
    while true do
      fail_in(failures)
      local ok, result, message = pcall(f)
      fail_in(-1)
      valid(world)
      if ok and result then return failures end
      assert.matches("not enough memory", ok and message or result)
      failures = failures + 1
    end
  end

  local function level()
    local source = { entities = {} }
    for i = 1, 12 do
      source.entities[i] = { name = "pit", components = {
        part = { { id = "lid", first = "same", second = "same" }, { id = "rim" .. i, first = LONG .. i },
          { first = "same" } },
        actor = { shape = i % 5 == 0 and "box" or "ball" } } }
    end
    return assert(cuttle.resource((assert(cuttle.compiler(world):compile(source)))))
  end

  it("are held as often as rows, ids and presets have them", function()
    local list = entities:create(10)
    part:create_many(list, { first = "a", second = "b", id = "lid" })
    part:create_many(list, { id = { "1", "2", "3", "4", "5", "6", "7", "8", "9", "a" } })
    valid(world)
    part:set_first(list[1], "b")
    part:set(list[2], { first = "c", second = "c" })
    part:column("second"):set(3, "a")
    valid(world)
    part:destroy(list[5])
    part:destroy(part:lookup(list[6], "lid"))
  end)

  it("are held by rows of the dead until these are collected", function()
    local list = entities:create(10)
    part:create_many(list, { first = "a", id = "lid" })
    world.debug_name:create_many(list, { name = "both" })
    entities:destroy(list)
    valid(world)
    -- Rows of nobody, too.
    part:create_many(entities:create(10), { second = "b" })
    valid(world)
    assert.equal(10, part:gc "all")
  end)

  it("are held by what is known, by defaults and by the nodes of models", function()
    world.mesh:define_resource("body", {})
    world.mesh:define_resource("body", { 1 })
    world.model:define_resource("rig", { nodes = { { name = "root" }, { name = "tip", parent = "root" } } })
    world.model:define_resource("rig", { nodes = { { name = "root" }, { name = "end", parent = "root" } } })
    world.model:define_resource("pole", { nodes = { { name = "root" } } })
    valid(world)
    local e = world:create { model = { resource = "pole" }, mesh = { resource = "body" } }
    world.model:set_resource(e, "rig")
    valid(world)
    entities:destroy(e)
    world.model:define_resource("rig", { nodes = { {} } })
    valid(world)
    world:define("part", { { "first", "string", "another" }, { "second", "string" } }, { multiple = true })
    valid(world)
    world:clear()
    world:define("part", { { "third", "string", "preset" } })
  end)

  it("are held once for each of a level's neighbours that are alike", function()
    local resource = level()
    local first, second = world:spawn(resource), world:spawn(resource)
    valid(world)
    local before = world:memory()
    first:unload()
    world:gc()
    valid(world)
    for _ = 1, 5 do
      first = world:spawn(resource)
      first:unload()
      world:gc()
    end
    valid(world)
    assert.equal(before, world:memory())
    second:unload()
  end)

  it("may be looked at in a finalizer while a long one is handed out", function()
    local e = entities:create()
    part:create(e, { first = LONG })
    local seen, problem, stop = 0, nil, false
    local function ghost()
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = function()
        if stop then return end
        seen = seen + 1
        local _, message = world:validate()
        problem = problem or message
        ghost()
      end
    end
    ghost()
    -- A table that grows asks for memory and leaves it to others to run the collector, which here are the getters. With
    -- these settings it runs through at once; they hold from the end of a cycle.
    local pause, step, filler = collectgarbage("setpause", 100), collectgarbage("setstepmul", 1e8), {}
    collectgarbage()
    for i = 1, 2000 do
      filler[i] = i
      if i % 16 == 1 then part:first(e) end
    end
    stop = true
    collectgarbage("setpause", pause)
    collectgarbage("setstepmul", step)
    assert.is_true(seen > 0 and #filler == 2000)
    assert.is_nil(problem)
  end)

  it("are let go when ids are given and values cannot be", function()
    if not fail_in then return pending "only test builds make allocations fail" end
    local list = entities:create(3)
    assert.is_true(sweep(function()
      return part:create_many(list, { id = { "x", "y", "z" }, first = { "p", "q", LONG } })
    end) > 3)
  end)

  it("are let go when an id comes twice", function()
    local e = entities:create()
    assert.has_error(function() part:create_many({ e, e, e }, { id = { "x", "y", "x" } }) end)
    assert.has_error(function() world:create { part = { { id = "x" }, { id = "x" } } } end)
  end)

  it("are let go when a level cannot be spawned wholly", function()
    if not fail_in then return pending "only test builds make allocations fail" end
    local resource = level()
    -- A new world each time: in one that was tried before, most of the memory is there already.
    local failures = 0
    repeat
      world = cuttle.world(entities)
      define(world)
      fail_in(failures)
      local spawned, message = world:spawn(resource)
      fail_in(-1)
      valid(world)
      failures = failures + 1
      assert.is_true(spawned ~= nil or message == "not enough memory")
    until spawned
    assert.is_true(failures > 20)
  end)

  it("are not counted when memory for the counts is missing, which validate says", function()
    if not fail_in then return pending "only test builds make allocations fail" end
    local s = cuttle.world(entities)
    define(s)
    fail_in(0)
    local ok, message = s:validate()
    fail_in(-1)
    assert.is_nil(ok)
    assert.matches("not enough memory", message)
    valid(s)
  end)

  -- Of each pair either goes, as FNV-1a goes on with the same number behind both.
  it("are found at once when somebody chose them so that a usual hash of all is one", function()
    if not core.testing then return pending "only test builds tell how long chains are" end
    local pairs_of = { { "UUyR56", "pTk0Nu" }, { "NQ0PzR", "P0Ig58" }, { "l69S7h", "gGH0wT" }, { "o8DRmB", "jXRnYG" },
      { "aKq2Fa", "8UwU94" }, { "XbtPOL", "KfVRVv" }, { "eCrBDH", "8xUBgx" }, { "fv711c", "xXdkY8" },
      { "BSxbqT", "kt5w5j" }, { "KpIHGo", "tEwSJ5" } }
    local texts = { "" }
    for _, pair in ipairs(pairs_of) do
      local longer = {}
      for _, text in ipairs(texts) do
        longer[#longer + 1], longer[#longer + 2] = text .. pair[1], text .. pair[2]
      end
      texts = longer
    end
    part:create_many(entities:create(#texts), { first = texts })
    assert.is_true(core.testing.longest_chain(part) < 20)
    valid(world)
  end)
end)
