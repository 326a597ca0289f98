-- Worlds and levels of the maximum size: destroying, saving, restoring and patching them. `make limits` runs it:
--
--     luajit bench/limits.lua [PART]
--
-- It takes about 5 GB of memory; spec/limits_spec.lua has the smaller limits. It prints seconds, but does not check
-- them. Code with quadratic time, or with a C stack as deep as a tree, does not finish here. Exits with 1 if anything
-- is wrong.

local cuttle = require "cuttle"

local FULL = cuttle.MAX_ENTITIES

local function memory()
  local file = io.open "/proc/self/status"
  local now = file and file:read "*a":match "VmRSS:%s+(%d+)"
  if file then file:close() end
  return now and ("%6d MB"):format(now / 1024) or ""
end

-- Prints how long a call takes, and returns its results.
local function timed(name, fn, ...)
  local start = os.clock()
  local function finish(...)
    io.write(("  %-36s %6.2f s %s\n"):format(name, os.clock() - start, memory()))
    io.flush()
    return ...
  end
  return finish(fn(...))
end

local function equal(expected, got, name)
  if expected ~= got then
    error(("%s: expected %s, got %s"):format(name, tostring(expected), tostring(got)), 2)
  end
end

-- Tests a state: validates it, hashes it, takes a snapshot, writes a save, ends the state by 'ending', and restores
-- both.
local function there_and_back(entities, world, count, ending)
  timed("validate", function() assert(entities:validate() and assert(world:validate())) end)
  local hash = timed("hash", entities.hash, entities)
  local snapshot = timed("snapshot", entities.snapshot, entities)
  local text = timed("save", snapshot.tostring, snapshot)
  timed("end", ending)
  timed("gc", world.gc, world, "all")
  assert(world:validate())
  timed("restore", entities.restore, entities, snapshot)
  equal(hash, entities:hash(), "the hash after a restore")
  snapshot = nil -- luacheck: ignore
  collectgarbage()
  timed("restore from a save", function() assert(entities:restore(assert(cuttle.snapshot(text)))) end)
  equal(hash, entities:hash(), "the hash after a save was restored")
  equal(count, entities:count(), "entities")
end

local function forest()
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local list = entities:create_list(FULL)
  world.transform:create_many(list, { position = { 0, 0, 1 } })
  return entities, world, world.transform, list
end

local parts = {
  { "a chain of 4,194,304", function()
    local entities, world, transform, list = forest()
    -- Rows in the wrong order: each parent is behind its child.
    local first, last = list:get(FULL), list:get(1)
    timed("link", function()
      transform:batch(function()
        for i = 2, FULL do transform:link(list:get(i - 1), list:get(i)) end
      end)
    end)
    timed("move the root", transform.set_local_position, transform, first, 1, 0, 1)
    equal(FULL, select(3, transform:world_position(last)), "the position of the last")
    equal(FULL - 1, transform:depth(last), "the depth of the last")
    local ok, message = pcall(timed, "refuse a cycle", transform.link, transform, first, last)
    assert(not ok and message:find("cycle", 1, true), message)
    timed("sort", transform.sort, transform)
    there_and_back(entities, world, FULL, function()
      equal(FULL, transform:destroy_tree(first), "destroyed with the tree")
    end)
    transform:set_mode "deferred"
    transform:set_local_position(first, 2, 0, 1)
    timed("propagate", transform.propagate, transform)
    equal(2, (transform:world_position(last)), "the position of the last")
    -- Each destruction leaves a chain with a first node that keeps its world pose.
    local order = cuttle.list()
    for i = FULL, 1, -1 do order:add(list:get(i)) end
    timed("destroy from the root on", entities.destroy, entities, order)
    timed("gc", world.gc, world)
    assert(world:validate())
  end },
  { "4,194,303 children of one", function()
    local entities, world, transform, list = forest()
    local root = list:get(1)
    timed("link", function()
      transform:batch(function()
        for i = 2, FULL do transform:link(list:get(i), root) end
      end)
    end)
    timed("move the root", transform.set_local_position, transform, root, 1, 0, 0)
    local count = 0
    timed("visit the children", function()
      for _ in transform:children(root) do count = count + 1 end
    end)
    equal(FULL - 1, count, "children")
    there_and_back(entities, world, FULL, function()
      equal(true, entities:destroy(root), "destroyed")
      equal(1, (transform:world_position(list:get(FULL))), "the position of an orphan")
    end)
    timed("destroy the tree", transform.destroy_tree, transform, root)
    timed("gc", world.gc, world)
    assert(world:validate())
  end },
  { "4,194,304 rows of 60 doubles", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local fields, component = {}, ("c"):rep(63)
    for i = 1, 60 do fields[i] = { ("f"):rep(60) .. i, "double", i } end
    local last = fields[60][1]
    local manager = world:define(component, fields)
    local list = entities:create_list(FULL)
    timed("create", manager.create_many, manager, list)
    manager:write(list:get(FULL), last, 0.5)
    equal(0.5, manager:read(list:get(FULL), last), "the last field of the last row")
    equal(60, manager:read(list:get(FULL - 1), last), "the last field of another row")
    local hash = timed("hash", entities.hash, entities)
    local snapshot = timed("snapshot", entities.snapshot, entities)
    timed("destroy", entities.destroy, entities, list)
    equal(FULL, timed("gc", world.gc, world, "all"), "removed rows")
    timed("restore", entities.restore, entities, snapshot)
    equal(hash, entities:hash(), "the hash after a restore")
    timed("validate", function() assert(world:validate()) end)
  end },
  { "a level of 1 GB", function()
    local COUNT = 280000
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local fields, source = {}, { entities = {} }
    for i = 1, 60 do fields[i] = { "f" .. i, "mat4" } end
    local manager = world:define("big", fields)
    for i = 1, COUNT do source.entities[i] = { components = { big = {} } } end
    local blob = assert(timed("compile", function() return cuttle.compiler(world):compile(source) end))
    assert(#blob > 2 ^ 30, "more than 1 GB")
    source = nil -- luacheck: ignore
    local resource = assert(timed("check", cuttle.resource, blob))
    blob = nil -- luacheck: ignore
    collectgarbage()
    local level = assert(timed("spawn", world.spawn, world, resource))
    equal(1, select(16, manager:f60(level:entity(COUNT))), "the last number of the last entity")
    local counts = assert(timed("patch", level.patch, level, resource))
    equal(0, counts.changed + counts.added + counts.removed, "the changes of a patch with itself")
    equal(level, timed("restart", level.restart, level), "restart")
    equal(COUNT, timed("unload", level.unload, level), "unloaded")
    timed("gc", world.gc, world)
    equal(0, manager:count(), "rows")
  end },
  { "all generations of all indices", function()
    local entities = cuttle.entity_manager { minimum_free_indices = 0 }
    local world = cuttle.world(entities)
    local manager = world:define("part", { { "n", "uint32" } }, { lookup = "array" })
    local list = entities:create_list(FULL)
    local first, last = list:get(1), list:get(FULL)
    manager:create_many(list)
    timed("die 256 times", function()
      for generation = 1, 256 do
        entities:destroy(list)
        list = nil
        collectgarbage()
        list = entities:create_list(FULL)
        equal(generation % 256, cuttle.entity_generation(list:get(FULL)), "generation")
      end
    end)
    equal(true, list:get(1) == first and list:get(FULL) == last, "the same ids again")
    equal(false, manager:has(first) or manager:has(last), "the component of another entity")
    equal(FULL, timed("gc", world.gc, world, "all"), "rows of dead entities")
    timed("validate", function() assert(entities:validate() and assert(world:validate())) end)
  end },
  { "queries of 4,194,304 entities", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    world:define("body", { { "x", "float" } })
    world:define("speed", { { "v", "float", 1 } })
    world:define("mark", {})
    local list, reverse = entities:create_list(FULL), cuttle.list()
    for i = FULL, 1, -1 do reverse:add(list:get(i)) end
    world.body:create_many(list)
    world.speed:create_many(reverse) -- rows of another order than those of body
    local query = world:query("body", "speed")
    equal(FULL, timed("count", query.count, query), "matches")
    equal(FULL, timed("formula", world:formula "body.x += speed.v"), "matches of a formula")
    equal(FULL, timed("sum", query.sum, query, "body.x"), "the sum")
    equal(0, timed("where", function() return query:where("body.x > 1"):count() end), "matches of a condition")
    local values = timed("read", function() return (query:read "body.x") end)
    equal(1, values[FULL], "the last value")
    values[FULL] = 3
    equal(FULL, timed("write", query.write, query, "body.x", values), "written rows")
    equal(3, world.body:x(list:get(FULL)), "the last value in its row")
    equal(FULL + 2, timed("items", function()
      local sum = 0
      for body in query:items() do sum = sum + body.x end
      return sum
    end), "the sum of items")
    equal(FULL, timed("create", query.create, query, "mark"), "created components")
    equal(FULL, timed("remove", query.remove, query, "mark"), "removed components")
    equal(FULL, timed("destroy", query.destroy, query), "destroyed entities")
    equal(0, query:count(), "matches at the end")
    timed("gc", world.gc, world, "all")
    timed("validate", function() assert(entities:validate() and assert(world:validate())) end)
  end },
}

-- With too little memory free, the test would only show that.
local function has_memory()
  local file = io.open "/proc/meminfo"
  local free = file and tonumber(file:read("*a"):match "MemAvailable:%s+(%d+)")
  if file then file:close() end
  return not free or free / 2 ^ 20 > 7
end

if not has_memory() then
  print "limits: skipped, less than 7 GB of memory are free"
  os.exit(0)
end

local failed = false
for number, part in ipairs(parts) do
  if not arg[1] or tonumber(arg[1]) == number then
    io.write(part[1], "\n")
    local ok, message = xpcall(part[2], debug.traceback)
    if not ok then io.write("  FAILED: ", tostring(message), "\n") end
    failed = failed or not ok
    collectgarbage()
    collectgarbage()
  end
end
os.exit(failed and 1 or 0)
