-- Reference counts of strings, which world:validate checks: it names a string that is leaked or has too few references.
-- No script can cause either, so all calls that hold strings are made and the counts must agree.

-- tags: ffi

local core = require "cuttle.core"
local cuttle = require "cuttle"
local valid = require "spec.support.valid"

local LONG = ("longer than the buffer for short strings "):rep(20)

describe("references to the strings of a world", function()
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

  -- Calls f with the n-th allocation failing, until none fails. Returns the number of failures.
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

  it("are counted for rows, ids and defaults", function()
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

  it("are held by rows of dead entities until gc", function()
    local list = entities:create(10)
    part:create_many(list, { first = "a", id = "lid" })
    world.debug_name:create_many(list, { name = "both" })
    entities:destroy(list)
    valid(world)
    -- Orphaned rows hold them too.
    part:create_many(entities:create(10), { second = "b" })
    valid(world)
    assert.equal(10, part:gc "all")
  end)

  it("are held by resources, by defaults and by the nodes of models", function()
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

  it("are counted for each of equal adjacent rows of a level", function()
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

  it("are correct in a finalizer that runs while a long string is returned", function()
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
    -- A growing table allocates without running the collector, which leaves that to the getters here. With these
    -- settings the collector runs a full cycle at once; they take effect at the end of a cycle.
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

  it("are released if ids were given and values cannot be", function()
    if not fail_in then return pending "only test builds make allocations fail" end
    local list = entities:create(3)
    assert.is_true(sweep(function()
      return part:create_many(list, { id = { "x", "y", "z" }, first = { "p", "q", LONG } })
    end) > 3)
  end)

  it("are released if an id occurs twice", function()
    local e = entities:create()
    assert.has_error(function() part:create_many({ e, e, e }, { id = { "x", "y", "x" } }) end)
    assert.has_error(function() world:create { part = { { id = "x" }, { id = "x" } } } end)
  end)

  it("are released if a level cannot be spawned completely", function()
    if not fail_in then return pending "only test builds make allocations fail" end
    local resource = level()
    -- A new world for each try: a world that was used before has most of the memory already.
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

  it("are not checked if there is no memory for it, and validate returns a message", function()
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

  -- FNV-1a has the same value after either string of a pair, so all combinations have the same hash.
  it("are found fast even if their strings were chosen to have the same common hash", function()
    if not core.testing then return pending "only test builds return the length of chains" end
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
