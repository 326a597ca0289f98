-- Finalizers that change objects in the middle of any call. Runs in an interpreter of its own, whose small heap lets
-- the collector run a cycle for every kilobyte: require("spec.support.haunted").run(number, rounds).

local cuttle = require "cuttle"

local haunted = {}

-- Calls `change` in a finalizer as often as the collector allows. Errors in it are ignored, like those of other
-- finalizers. `play` receives a function that it calls before each of its actions.
local function haunt(change, play)
  local busy, calls, stop, budget = false, 0, false, 0
  local function ghost()
    local proxy = newproxy(true)
    getmetatable(proxy).__gc = function()
      -- One of two overlapping finalizers ends here, because Lua 5.1 would nest them until the C stack overflows.
      if stop or busy or budget == 0 then return end
      busy = true
      calls, budget = calls + 1, budget - 1
      pcall(change, calls)
      -- Restores the normal pause of the collector after the last finalizer.
      if budget == 0 then collectgarbage("setpause", 200) else ghost() end
      busy = false
    end
  end
  collectgarbage("setstepmul", 1000000)
  play(function()
    budget = 60
    ghost()
    ghost()
    -- The pause begins at the end of a cycle.
    collectgarbage("setpause", 1)
    collectgarbage()
  end)
  stop = true
  collectgarbage()
  return calls
end

local LONG = ("text that no pool holds "):rep(10)

-- Models are added later, because the collector's settings need a small heap.
local function add_models(s)
  s.world.model:define_resource("rig", { nodes = { { name = LONG }, { name = "tip", parent = LONG } } })
  s.world.model:define_resource("pole", { nodes = { {} } })
  s.world.model:create_many(s.list, { resource = "rig" })
end

local function define(world)
  world:define("health", { { "hp", "float" }, { "text", "string", "x" }, { "pos", "vec3" }, { "foe", "entity" } })
  world:define("part", { { "size", "int16" }, { "text", "string" } }, { multiple = true })
  world:define("chest", { { "loot", "value" }, { "text", "string" } })
  return world
end

-- A level with everything that can be spawned: names, references, several components of a type, opaque sections.
local function compile_level()
  local compiler = cuttle.compiler(define(cuttle.world(cuttle.entity_manager())))
  compiler:register("spikes", function(config, context)
    return context.writer():string(config.text):u32(7):tostring()
  end, 50)
  return assert(cuttle.resource((assert(compiler:compile { entities = {
    { name = "pit", components = { transform = {}, spikes = { text = LONG }, health = { text = LONG, foe = "foe" },
      chest = { loot = { 1, { LONG, deep = { {} } } }, text = LONG } },
      children = { { name = "foe", components = { transform = {}, part = { { id = "a" }, { text = LONG } }, actor = {},
        spikes = { text = "" } } } } },
    { name = "bare", components = { debug_name = {} } } } }))))
end

function haunted.setup()
  local s = { resource = compile_level() }
  s.entities = cuttle.entity_manager { minimum_free_indices = 0, trace = true }
  s.recorder = cuttle.recorder(s.entities, { keep = 3 })
  -- Reads its data, and creates components for its entities as a script would.
  function s.spawn_spikes(lookup, count, index, data)
    for i = 1, count do
      local r = cuttle.reader(data[i])
      s.world.debug_name:set_debug_name(lookup[index[i] + 1], r:string())
      s.world:create { health = { hp = r:u32(), text = LONG .. i, foe = lookup[1] } }
    end
  end
  function s.renew()
    s.world = define(cuttle.world(s.entities))
    s.world:register_spawner("spikes", s.spawn_spikes)
    s.world.actor:on_spawn(function(e) return { e } end)
    s.list = s.world:create({ health = { text = LONG }, part = { { id = "a" }, { id = "b" } },
      debug_name = { name = "known" }, transform = {}, chest = { loot = LONG } }, 20)
  end
  s.renew()
  return s
end

-- Calls of every kind, which may raise.
local function plays(s)
  local values = { hp = { 1, 2, 3 }, text = { "a", LONG .. "1", LONG .. "2" }, pos = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } }
  local components = { health = { text = LONG .. "3" }, part = { { id = "x" .. LONG }, { text = LONG } },
    debug_name = {}, chest = { loot = { LONG } } }
  local loot = { { LONG }, false, LONG }
  local template
  local overrides = { pit = { health = { text = LONG .. "o" }, point_mass = {},
      chest = { loot = { { LONG .. "l" } } } },
    ["pit/foe"] = { transform = { angle = 1 }, part = { { id = "a", text = LONG }, { id = LONG } },
      actor = { shape = LONG } }, bare = { transform = {}, actor = {} } }
  return {
    function() s.entities:create(50) end,
    function() s.entities:create_list(50):totable() end,
    function() s.entities:destroy(s.list) end,
    function() s.entities:destroy(cuttle.list(s.list)) end,
    function() for e in s.entities:each() do s.entities:alive(e) end end,
    function() s.entities:off_destroy(s.entities:on_destroy(function() return {} end)) end,
    function() s.world.health:create(s.entities:create(), { text = LONG .. "4", pos = { 1, 2, 3 } }) end,
    function() s.world.health:create_many(s.entities:create(3), values) end,
    function() s.world.part:create_many(s.list, { id = "new", text = LONG }) end,
    function() s.world.part:create(s.list[1], { id = LONG }) end,
    function() for _, e in ipairs(s.list) do s.world.health:get(e) end end,
    function() for _, e in ipairs(s.list) do s.world.part:ids(e) end end,
    function() for _, e in ipairs(s.list) do s.world.health:set(e, { text = LONG .. "5", hp = 1 }) end end,
    function() for _, e in ipairs(s.list) do s.world.health:text(e) end end,
    function() s.world.debug_name:find_all "known" end,
    function() s.world.chest:set_loot(s.list[1], { s.world }); s.world.chest:get(s.list[1]) end,
    function() s.world.chest:set(s.list[2], { loot = { s }, text = LONG .. "v" }); s.world.chest:loot(s.list[2]) end,
    function() s.world.chest:create_many(s.entities:create(3), { loot = loot }) end,
    function() s.world.chest:write_many({ s.list[1], s.list[2], s.list[3] }, "loot", loot) end,
    function() template = s.world:template(components) end,
    function() template:create(3) end,
    function() for i = 1, s.level:count() do s.world.chest:loot(s.level:entity(i)) end end,
    function() s.world.debug_name:set_debug_name(s.list[2], LONG .. "6") end,
    function() s.world.health:lookup_many(s.list) end,
    function() s.world.health:fields() end,
    function() local view = s.world.health:column "text"; view:set(0, view[1] .. "y") end,
    function() s.world.health:column("pos")[0].x = 5 end,
    function() for e, i in s.world:join("health", "part") do s.world.health:read(i, "text"); cuttle.tag(e) end end,
    function() for i in s.world:rows("health", "part") do cuttle.list():count(i) end end,
    function() for i in s.world:rows("health", "!model", "?part") do cuttle.list():count(i) end end,
    function() for e in s.world:join("health", "?part", "!debug_name") do s.world.part:create(e); cuttle.tag(e) end end,
    function() for i in s.world.part:instances(s.list[5]) do s.world.part:read(i, "text") end end,
    function() s.world:create(components) end,
    function() s.world:create(components, 10) end,
    function() s.world:create(components, 10, cuttle.list()) end,
    function() s.world:define("health", { { "hp", "float" }, { "text", "string", LONG }, { "pos", "vec3" },
      { "foe", "entity" } }) end,
    function()
      s.world:define("health", { { "hp", "double" }, { "text", "string" } }, { migrate = true })
      s.world:define("health", { { "hp", "float" }, { "text", "string", "x" }, { "pos", "vec3" }, { "foe", "entity" } },
        { migrate = true })
    end,
    function() s.world:define("extra", { { "a", "string", LONG .. "7" } }) end,
    function() s.world:define("extra", { { "b", "string", LONG .. "8" } }) end,
    function() s.world:attach "notes"[s.list[3]] = {} end,
    function() s.world:inspect(s.list[4]) end,
    function() s.world:dump() end,
    function() s.world:memory() end,
    function() for _ in s.world:managers() do s.world:gc() end end,
    function() cuttle.world(s.entities) end,
    function() cuttle.world(s.entities, { name = "named" }) end,
    function() s.world:clear() end,
    function() s.world:destroy { entities = true } end,
    function() s.world.transform:create(s.entities:create(), { parent = s.list[1] }) end,
    function() s.world.transform:link(s.list[2], s.list[1]) end,
    function() s.world.transform:local_matrix(s.list[1]) end,
    function() for e in s.world.transform:children(s.list[1]) do s.world.transform:unlink(e) end end,
    function() s.world.transform:destroy_tree(s.list[1]) end,
    function() s.world.model:create(s.entities:create(), { resource = "rig" }) end,
    function() s.world.model:create_many(s.entities:create(3), { resource = { "rig", "pole", "rig" } }) end,
    function() s.world.model:define_resource("new", { nodes = { { name = LONG .. "a" }, { parent = 1 } } }) end,
    function() s.world.model:define_resource("rig", { nodes = { { name = LONG .. "b" }, { parent = 1 } } }) end,
    function() s.world.model:define_resource("rig", { nodes = { {}, { parent = "d" }, { name = "d" } } }) end,
    function() for _, e in ipairs(s.list) do s.world.model:node_matrices(e) end end,
    function() for _, e in ipairs(s.list) do s.world.model:node_pose(e, "tipp") end end,
    function() for _, e in ipairs(s.list) do s.world.model:node_world_matrix(e, 3) end end,
    function() for _, e in ipairs(s.list) do s.world.model:set_resource(e, "pole") end end,
    function() s.world.model:set_node_pose(s.list[1], 1, 1, 2, 3, 0, 0, 0, 1, 1, 1, 1); s.world.model:evaluate() end,
    function() s.world.model:resource_data "pole" end,
    function() s.level = s.world:spawn(s.resource, { parent = s.list[1] }) end,
    function() s.level = s.world:spawn(s.resource, { position = { 1, 2, 3 }, overrides = overrides }) end,
    function() s.level:restart() end,
    function() s.level:find "pit/foe"; s.level:skipped(); s.level:entities(); s.level:unload() end,
    function() s.resource:describe(); s.resource:component_types() end,
    function() s.world:register_spawner("spikes", s.spawn_spikes) end,
    function() s.snapshot = s.entities:snapshot(s.snapshot) end,
    function() s.entities:restore(s.snapshot) end,
    function() s.text = s.snapshot:tostring() end,
    function() s.world.chest:set_loot(s.list[1], s.world); s.entities:snapshot(s.snapshot):tostring() end,
    function() s.entities:restore(cuttle.snapshot(s.text)) end,
    function() for _ = 1, 4 do s.recorder:frame() end end,
    function() s.recorder:rewind(2) end,
    function() for _, e in ipairs(s.list) do s.world.chest:loot(e) end end,
  }
end

local CHANGES = {
  { "destroys entities", function(s, n) s.entities:destroy(s.list[n % 20 + 1]) end },
  { "creates entities and components", function(s)
    -- Limits the number of rows, because any allocation runs this.
    if s.entities:count() > 300 then return s.entities:destroy(s.list) end
    s.world:create({ health = { text = LONG .. "9" }, part = {}, debug_name = { name = "ghost" } }, 3)
  end },
  { "removes components", function(s, n)
    s.world.health:destroy(s.list[n % 20 + 1])
    s.world.part:destroy(s.list[(n + 7) % 20 + 1])
    s.world.debug_name:destroy(s.list[(n + 3) % 20 + 1])
    s.world.chest:destroy(s.list[(n + 2) % 20 + 1])
    s.world.model:destroy(s.list[(n + 5) % 20 + 1])
  end },
  { "collects and sweeps", function(s, n)
    s.entities:destroy(s.list[n % 20 + 1])
    s.world:gc()
    s.world.health:gc "all"
    s.world.model:gc "all"
  end },
  { "frees unused memory", function(s) s.world:trim() end },
  { "clears the world", function(s) s.world:clear() end },
  { "clears the world and its entities", function(s) s.world:clear { entities = true } end },
  { "destroys the world", function(s) s.world:destroy() end },
  { "destroys the world and its entities", function(s) s.world:destroy { entities = true } end },
  { "redefines components", function(s, n)
    s.world:clear()
    s.world:define("health", { { "hp", "double" }, { "text", "string", LONG .. n } })
    s.world:define("extra", { { "c" .. n % 3, "string", LONG .. n } })
    s.world:define("health", { { "hp", "float" }, { "text", "string", "x" }, { "pos", "vec3" }, { "foe", "entity" } })
  end },
  { "redefines models", function(s, n)
    local nodes = {}
    for i = 1, n % 3 + 1 do nodes[i] = { name = LONG .. n .. "/" .. i } end
    s.world.model:destroy(s.list[n % 20 + 1])
    s.entities:destroy(s.list[(n + 9) % 20 + 1])
    pcall(s.world.model.define_resource, s.world.model, "rig", { nodes = nodes })
    s.world.model:define_resource("pole", { nodes = { { position = { n, 0, 0 } } } })
  end },
  { "creates worlds with any name", function(s, n)
    cuttle.world(s.entities, { name = "world" .. n % 9 + 1 })
    cuttle.world(s.entities, { name = "named" })
  end },
  { "adds and removes callbacks", function(s)
    s.tokens = s.tokens or {}
    table.insert(s.tokens, s.entities:on_destroy(function() return {} end))
    if #s.tokens > 10 then s.entities:off_destroy(table.remove(s.tokens, 1)) end
  end },
  { "unloads, restarts and spawns levels, and changes their spawner", function(s, n)
    if n % 3 == 0 then s.level:unload() end
    if n % 3 == 1 then s.world:register_spawner("spikes", n % 2 == 0 and s.spawn_spikes or nil) end
    if n % 3 == 2 then s.level:restart() end
    if s.entities:count() < 300 then s.world:spawn(s.resource, { unknown = "skip" }) end
  end },
  { "takes and restores snapshots", function(s, n)
    s.snapshots = s.snapshots or {}
    local kept = s.snapshots[n % 3]
    if n % 2 == 0 then s.snapshots[n % 3] = s.entities:snapshot(kept) end
    if n % 5 == 0 then s.snapshot = s.entities:snapshot(s.snapshot) end
    if n % 7 == 0 then s.snapshots[n % 3] = nil end
    if n % 4 == 0 then s.recorder:rewind(n % 3) else s.recorder:frame() end
    s.world.chest:set_loot(s.list[n % 20 + 1], { LONG .. n, s.snapshots })
    if kept then s.entities:restore(kept) end
  end },
  { "renames all entities", function(s, n)
    for _, e in ipairs(s.list) do
      s.world.debug_name:set_debug_name(e, LONG .. n)
      s.world.health:set_text(e, LONG .. n)
    end
    s.world.chest:set_loot(s.list[n % 20 + 1], { LONG .. n, s.world })
  end },
}

-- The names of all changes in order; run takes their numbers.
haunted.names = {}
for i, change in ipairs(CHANGES) do haunted.names[i] = change[1] end

local function check(s)
  assert(s.entities:validate())
  if pcall(s.world.gc, s.world) then assert(s.world:validate()) end
end

-- Makes all calls with a change in the middle of each. Prints how often the change ran.
function haunted.run(number, rounds)
  local s = haunted.setup()
  add_models(s)
  local calls = haunt(function(n) CHANGES[number][2](s, n) end, function(arm)
    for _ = 1, rounds do
      for _, play in ipairs(plays(s)) do
        arm()
        pcall(play)
        if not pcall(s.world.gc, s.world) or s.entities:count() < 20 or s.world.health:count() < 5 then
          if pcall(s.renew) then pcall(add_models, s) end
        end
      end
      check(s)
    end
  end)
  check(s)
  print("in order, " .. calls .. " times")
end

-- Values and components that change while they are read.
function haunted.run_changing(rounds)
  local s = haunted.setup()
  local values, components = {}, {}
  local function restore()
    for k in pairs(values) do values[k] = nil end
    for k in pairs(components) do components[k] = nil end
    values.hp, values.text, values.foe = 1, { "a" .. LONG, "b" .. LONG, "c" .. LONG }, s.list[1]
    components.health = { text = "d" .. LONG }
    components.part = { { id = "e" .. LONG }, { text = "f" .. LONG } }
  end
  -- Compiled code could enter a finalizer at every allocation, and never end.
  if rawget(_G, "jit") then jit.off(restore) end
  local calls = haunt(function(n)
    if n % 3 == 0 then
      values.text, values.hp, values.pos = nil, { 1, 2, 3 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9 }
      components.part = { {}, {}, {}, {}, {}, {} }
      components.health, components.debug_name = nil, { name = LONG }
    elseif n % 3 == 1 then
      values.text = LONG .. n
      components.part, components.health = nil, { text = LONG, hp = 5 }
    else
      values.wombat, values.text = 5, 7
      components.wombat = {}
    end
    -- Lua 5.1 does not support this everywhere.
    if rawget(_G, "jit") then collectgarbage() end
  end, function(arm)
    for _ = 1, rounds do
      arm()
      restore()
      pcall(s.world.health.create_many, s.world.health, s.entities:create(3), values)
      restore()
      values.text = LONG .. "!"
      pcall(s.world.health.create, s.world.health, s.entities:create(), values)
      restore()
      pcall(s.world.create, s.world, components)
      restore()
      pcall(s.world.create, s.world, components, 3)
      restore()
      pcall(s.world.health.set, s.world.health, s.list[1], { text = LONG, hp = 2 })
    end
  end)
  check(s)
  print("in order, " .. calls .. " times")
end

-- Defines components while finalizers clear the schema and overwrite its memory, each time at another moment. Prints
-- the number of wrong names and defaults.
function haunted.run_emptying(rounds)
  if rawget(_G, "jit") then jit.off() end
  local s, wrong = haunted.setup(), 0
  for round = 1, rounds do
    local schema = { { "field" .. round, "string", LONG .. round } }
    local left = round % 12
    local function ghost()
      getmetatable(newproxy(true)).__gc = function()
        if left < 0 then return end
        left = left - 1
        if left >= 0 then return ghost() end
        schema[1] = nil
        collectgarbage()
        return table.concat({ LONG, round }, "over") .. table.concat({ round, LONG }, "over")
      end
    end
    collectgarbage()
    collectgarbage "stop"
    ghost()
    collectgarbage("setpause", 1)
    collectgarbage("setstepmul", 1000000)
    collectgarbage "restart"
    local defined, m = pcall(s.world.define, s.world, "changing", schema)
    left = -1
    if defined then
      for name, value in pairs(m:get(m:create(s.list[1]))) do
        if name ~= "field" .. round or value ~= LONG .. round then wrong = wrong + 1 end
      end
      m:destroy(s.list[1])
    end
  end
  check(s)
  print(wrong .. " wrong")
end

-- Creates worlds and defines components while finalizers raise, each time at another moment. Prints the number of
-- errors.
function haunted.run_raising(rounds)
  -- An error in a finalizer that runs in compiled code terminates LuaJIT.
  if rawget(_G, "jit") then jit.off() end
  local raised = 0

  -- The results of pcall(f, ...) with finalizers that raise; `round` determines how soon they run.
  local function disturbed(round, f, ...)
    local armed = true
    collectgarbage()
    collectgarbage "stop"
    for _ = 1, round % 7 + 1 do
      getmetatable(newproxy(true)).__gc = function()
        if armed then error("finalizer", 0) end
      end
    end
    collectgarbage("setpause", 1)
    collectgarbage("setstepmul", 100 + round * 200)
    local ok, result = pcall(function(...)
      collectgarbage "restart"
      return f(...)
    end, ...)
    armed = false
    if not ok then raised = raised + 1 end
    collectgarbage()
    return ok, result
  end

  local entities = cuttle.entity_manager()
  local kept = cuttle.world(entities, { name = "kept" })
  for round = 0, rounds do
    local made, world = disturbed(round, cuttle.world, entities, { name = "named" })
    if not made then world = cuttle.world(entities, { name = "named" }) end
    world:destroy()

    local name = "health" .. round
    local defined = disturbed(round, kept.define, kept, name, { { "hp", "float" }, { "title", "string", "none" } })
    -- Lua 5.1 may run a finalizer at the end of a call, which then raises although the component is defined.
    assert(kept[name] ~= nil or not defined)
    assert(kept[name] == kept:manager(name))
    kept:define(name, { { "hp", "float" } })
    kept:create { [name] = { hp = 1 } }
    assert(kept:validate())
  end
  assert(entities:validate())
  print("in order, " .. raised .. " times")
end

return haunted
