-- Objects of every kind that are destroyed in every order, while every method is called in every kind of callback and
-- finalizer. Runs in an interpreter of its own: require("spec.support.endings").collect(seed, rounds).

local calls = require "spec.support.endings_calls"
local cuttle = require "cuttle"
local new_random = require "spec.support.random"

local endings = {}

-- The limit of nested callbacks, and of calls for one set of objects.
local DEEPEST, MOST_CALLS = 3, 400

-- A new table each time, because calls write into their arguments.
local function new_source()
  return { entities = {
  { name = "pit", components = { transform = {}, spikes = {}, health = { hp = 1, target = "foe" },
    chest = { loot = { { { "gold" } } } } },
    children = { { name = "foe", components = { transform = {}, part = { {}, {} }, actor = {}, spikes = {} } } } },
  { name = "bare", components = { debug_name = {} } } } }
end

local function define(world)
  world:define("health", { { "hp", "float" }, { "title", "string", "x" }, { "target", "entity" } })
  world:define("part", { { "size", "int16" } }, { multiple = true })
  world:define("chest", { { "loot", "value" } })
end

-- Failures; the process prints them.
local failures = {}

-- The methods that are still to be called in a kind of callback: kind -> list of "kind.method", for all sets of a run.
local decks = {}
local dealt = 0

local function new_set(seed, options)
  local s = { random = new_random(seed), depth = 0, left = options.calls or MOST_CALLS, pieces = {},
    source = new_source() }
  local random = s.random

  local function add(kind, object)
    for _, call in ipairs(calls.of(kind, object)) do
      local name = call.kind .. "." .. call.name
      s.pieces[name] = s.pieces[name] or {}
      table.insert(s.pieces[name], call)
      s.names[#s.names + 1] = name
    end
    return object
  end
  s.names = {}

  -- Adds the result of a call to the set.
  local function keep(call, result)
    if type(result) ~= "userdata" or #s.names > 1500 then return end
    local metatable = debug.getmetatable(result)
    if type(metatable) ~= "table" or type(metatable.__index) ~= "table" then return end
    if call.name:find "spawn" then
      add("level", result)
    elseif call.name == "template" then
      add("template", result)
    end
  end

  local function pick(kind)
    local deck = decks[kind]
    if not deck or #deck == 0 or random(4) == 1 then return s.names[random(#s.names)] end
    local at = random(#deck)
    return deck[at], at
  end

  function s.use(kind, count)
    if s.depth >= DEEPEST then return end
    s.depth = s.depth + 1
    for _ = 1, count or 8 do
      if s.left <= 0 then break end
      s.left = s.left - 1
      if s.left == options.exit_at then s.exit() end
      local name, at = pick(kind)
      local list = s.pieces[name]
      if list then
        -- A method is removed from the deck only while the world exists.
        if at and pcall(s.world.manager, s.world, "health") then
          dealt = dealt + 1
          table.remove(decks[kind], at)
        end
        local call = list[random(#list)]
        local done, result = calls.play(s, call, random)
        if done then
          keep(call, result)
        elseif type(result) ~= "string" or result:find "not enough memory" then
          failures[#failures + 1] = ("%s in %s: %s"):format(name, kind, tostring(result))
        end
      elseif at then
        table.remove(decks[kind], at)
      end
    end
    s.depth = s.depth - 1
  end

  -- Finalizers older and younger than all objects; each calls random methods.
  s.sentinels = {}
  function s.sentinel()
    local proxy = newproxy(true)
    getmetatable(proxy).__gc = function() s.use "a finalizer" end
    s.sentinels[#s.sentinels + 1] = proxy
  end
  local function maybe() if random(3) == 1 then s.sentinel() end end

  maybe()
  s.entities = add("entities", cuttle.entity_manager { minimum_free_indices = 0, trace = random(2) == 1 })
  maybe()
  s.recorder = add("recorder", cuttle.recorder(s.entities, { keep = 2 }))
  s.world = add("world", cuttle.world(s.entities))
  maybe()
  define(s.world)
  s.health, s.chest, s.transform = s.world.health, s.world.chest, s.world.transform
  for _, manager in s.world:managers() do add("manager", manager) end
  s.world.model:define_resource("rig", { nodes = { {}, { parent = 1 } } })
  local function callback(kind) return function(e) s.use(kind) return { e } end end
  s.entities:on_destroy(callback "on_destroy")
  s.entities:on_restore(callback "on_restore")
  s.health:on_add(callback "on_add")
  s.health:on_remove(callback "on_remove")
  s.world.actor:on_spawn(callback "a body's on_spawn")
  s.world.actor:on_destroy(callback "a body's on_destroy")
  s.world:register_spawner("spikes", callback "a spawner")
  s.compiler = add("compiler", cuttle.compiler(s.world))
  s.compiler:register("spikes", function() s.use "a compiler" return "iron" end, 50)
  maybe()
  local depth = s.depth
  s.depth = DEEPEST -- no calls while the set is created
  s.resource = add("resource", assert(cuttle.resource((assert(s.compiler:compile(new_source()))))))
  s.newer = assert(cuttle.resource((assert(s.compiler:compile { entities = { { name = "pit",
    components = { transform = {}, actor = {}, health = { hp = 2 } } } } }))))
  s.list = s.world:create({ transform = {}, health = {}, actor = {}, part = { {} }, model = { resource = "rig" } }, 6)
  for i = 2, 3 do s.transform:link(s.list[i], s.list[1]) end
  s.packed = add("list", cuttle.list(s.list))
  s.level = add("level", assert(s.world:spawn(s.resource)))
  s.chest:create(s.list[1], { loot = { { s, s.world, s.level } } }) -- a reference cycle through the whole set
  maybe()
  s.template = add("template", s.world:template { transform = {}, health = {}, chest = { loot = { { s } } } })
  s.snapshot = add("snapshot", s.entities:snapshot())
  s.text = s.snapshot and (pcall(s.snapshot.tostring, s.snapshot)) and "known" or "unknown"
  add("column", s.health:column "hp")
  add("column", s.transform:column "local_position")
  add("loop", s.entities:each())
  add("loop", (s.health:each()))
  add("loop", (s.world:rows("health", "?part")))
  add("loop", (s.world:join("health", "transform")))
  add("loop", (s.transform:children(s.list[1])))
  add("module", cuttle)
  maybe()
  s.depth = depth
  return s
end

-- ---- situations in which callbacks run: each function leads to at least one kind

-- A loop whose body calls methods; some coroutines never finish it.
local function loop_of(iterate)
  return function(s, kind)
    local function body()
      for _ in iterate(s) do
        s.use(kind, 4)
        coroutine.yield()
      end
    end
    local co = coroutine.create(body)
    for _ = 1, s.random(3) do coroutine.resume(co) end
    s.suspended = s.suspended or {}
    table.insert(s.suspended, co)
  end
end

local SCENES = {
  { "on_destroy", function(s) s.entities:destroy(s.list[2]) end },
  { "on_destroy", function(s) s.entities:destroy(s.packed) end },
  { "on_destroy", function(s) s.transform:destroy_tree(s.list[1]) end },
  { "on_destroy", function(s) s.level:unload() end },
  { "on_remove", function(s) s.health:destroy(s.list[2]) end },
  { "on_remove", function(s) s.world:clear() end },
  { "on_remove", function(s) s.world:destroy { entities = true } end },
  { "on_add", function(s) s.world:create({ health = {}, actor = {} }, 3) end },
  { "on_add", function(s) s.template:create(2) end },
  { "on_add", function(s) s.level:patch(s.newer) end },
  { "a body's on_spawn", function(s) s.world:create({ actor = {} }, 2) end },
  { "a body's on_spawn", function(s) s.world:spawn_many(s.resource, 2) end },
  { "a body's on_destroy", function(s) s.world.actor:destroy(s.list[3]) end },
  { "a body's on_destroy", function(s) s.level:restart() end },
  { "on_restore", function(s) s.entities:restore(s.snapshot) end },
  { "on_restore", function(s) s.recorder:frame() s.recorder:frame() s.recorder:rewind(1) end },
  { "a spawner", function(s) s.world:spawn(s.resource) end },
  { "a spawner", function(s) s.level:restart() end },
  { "a compiler", function(s) s.compiler:compile(new_source()) end },
  { "a reader of prefabs", function(s)
    s.compiler:compile({ entities = { { prefab = "a.json" } } }, { read = function()
      s.use "a reader of prefabs"
      return nil, "missing"
    end })
  end },
  { "a JSON decoder", function(s)
    cuttle.compiler(s.world, { json = function() s.use "a JSON decoder" return new_source() end }):compile "[]"
  end },
  { "a batch", function(s) s.transform:batch(function() s.use "a batch" end) end },
  { "a batch in a coroutine", function(s)
    local co = coroutine.create(function()
      s.transform:batch(function() s.use "a batch in a coroutine" coroutine.yield() end)
    end)
    s.suspended = { co }
    coroutine.resume(co)
  end },
  { "a loop over entities", loop_of(function(s) return s.entities:each() end) },
  { "a loop over components", loop_of(function(s) return s.health:each() end) },
  { "a loop over rows", loop_of(function(s) return s.world:rows("health", "?part") end) },
  { "a join", loop_of(function(s) return s.world:join("health", "!chest") end) },
  { "a loop over children", loop_of(function(s) return s.transform:children(s.list[1]) end) },
  { "a loop over instances", loop_of(function(s) return s.world.part:instances(s.list[1]) end) },
  { "a loop over a list", loop_of(function(s) return s.packed:each() end) },
  { "a loop over managers", loop_of(function(s) return s.world:managers() end) },
  { "a finalizer", function(s)
    for _ = 1, 3 do s.sentinel() end
    s.sentinels = {}
    collectgarbage()
  end },
}

local function check(s, name)
  local sound, message = s.entities:validate()
  if sound and pcall(s.world.manager, s.world, "health") then sound, message = s.world:validate() end
  if not sound then failures[#failures + 1] = name .. ": " .. message end
end

-- Drops the references to the parts of a set in random order, with collections in between.
local RELEASED = { "entities", "world", "level", "snapshot", "recorder", "template", "resource", "compiler", "packed",
  "suspended", "sentinels", "health", "transform", "chest", "newer" }

local function release(s)
  local names = {}
  for i, name in ipairs(RELEASED) do names[i] = name end
  s.pieces, s.names = {}, { "none" }
  while #names > 0 do
    s[table.remove(names, s.random(#names))] = nil
    if s.random(4) == 1 then collectgarbage() end
  end
end

local function report()
  for i = 1, math.min(#failures, 10) do print(failures[i]) end
  print(#failures == 0 and "in order" or #failures .. " failures")
end

-- Calls every method at least once in every kind of callback, with random other calls, and drops sets in random order.
-- `rounds` limits the sets for each scene. Prints the failures.
function endings.collect(seed, rounds)
  local random = new_random(seed)
  local all, seen = {}, {}
  for _, name in ipairs(new_set(seed, { calls = 0 }).names) do
    if not seen[name] then all[#all + 1], seen[name] = name, true end
  end
  for _, scene in ipairs(SCENES) do decks[scene[1]] = { unpack(all) } end
  for round = 1, rounds do
    for number, scene in ipairs(SCENES) do
      if #decks[scene[1]] > 0 or round == 1 then
        local s = new_set(seed + round * 1000 + number, { calls = 120 })
        pcall(scene[2], s, scene[1])
        check(s, scene[1])
        if random(3) == 1 then release(s) end
      end
    end
  end
  local rest = 0
  for _, deck in pairs(decks) do rest = rest + #deck end
  collectgarbage()
  collectgarbage()
  report()
  return dealt, rest
end

-- Drops some objects of a set in every order, with a collection after each.
function endings.permute(seed)
  local names, number = { "world", "level", "snapshot", "suspended" }, 0
  local function play(order)
    number = number + 1
    local s = new_set(seed + number, { calls = 60 })
    SCENES[#SCENES - 1][2](s, "a loop over rows")
    s.pieces, s.names = {}, { "none" }
    for _, name in ipairs(RELEASED) do
      local listed = false
      for _, other in ipairs(order) do listed = listed or name == other end
      if not listed then s[name] = nil end
    end
    for _, name in ipairs(order) do
      s[name] = nil
      collectgarbage()
    end
  end
  local function permute(order, rest)
    if #rest == 0 then return play(order) end
    for i = 1, #rest do
      local taken, left = { unpack(order) }, { unpack(rest) }
      taken[#taken + 1] = table.remove(left, i)
      permute(taken, left)
    end
  end
  permute({}, names)
  report()
  return number
end

-- The number of scenes, and a function that plays one and calls os.exit(7, true) in the middle.
endings.scenes = #SCENES

function endings.exit(number)
  local s = new_set(number, {})
  kept = s -- luacheck: globals kept
  s.use = function() os.exit(7, true) end
  SCENES[number][2](s, SCENES[number][1])
end

-- Plays scenes and keeps all objects alive until the state closes. In a third of the runs, a callback calls
-- os.exit(code, true), which closes the state under LuaJIT.
function endings.close(seed)
  local random = new_random(seed)
  local last = newproxy(true) -- the oldest object is finalized last
  getmetatable(last).__gc = function()
    for i = 1, #failures do print("at the end: " .. failures[i]) end
  end
  local most = random(400)
  local s = new_set(seed, { calls = most, exit_at = random(3) == 1 and most - random(20) })
  local reported = false
  function s.exit()
    if not reported then report() end
    os.exit(0, true)
  end
  kept = { s, last } -- luacheck: globals kept
  for _ = 1, random(4) do
    local scene = SCENES[random(#SCENES)]
    pcall(scene[2], s, scene[1])
  end
  s.left = math.max(s.left, 200) -- for finalizers at the end
  reported = true
  report()
end

return endings
