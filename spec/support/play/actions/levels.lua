-- Actions that spawn levels, once and in copies, and that unload, restart and patch them.

local cuttle = require "cuttle"
local compare = require "spec.support.play.compare"
local growth = require "spec.support.play.growth"
local levels = require "spec.support.play.levels"
local need = require("spec.support.play.run").need
local patched = require "spec.support.play.patched"
local poses = require "spec.support.play.poses"
local resources = require "spec.support.play.resources"
local scenery = require "spec.support.play.scenery"
local spawned = require "spec.support.play.spawned"

local actions = {}

local has_mood, resource = resources.has_mood, resources.get

-- Tests if a level can be spawned: components may have gained fields since, but not lost any. Otherwise `spawn` must
-- fail.
local function can_be_spawned(run, k, v, spawn)
  if not has_mood(k, v) or growth.outlives(run.host.versions.field) then return true end
  local level, message = spawn()
  run.equal(nil, level, "a level of other fields")
  run.equal("string", type(message), "the message of a failed spawn")
  return false
end

-- ---------------------------------------------------------------- spawning

local function options_of(run, options)
  if options.parent then
    run:transform("field", options.parent)
    need(poses.depth(run.state.worlds.field, options.parent) <= 2)
  end
  return { position = not options.positions and options.position or nil, overrides = options.overrides,
    parent = options.parent and run:entity(options.parent) or nil, name = options.name }
end

-- Adds all components in the order of a spawn: type by type, and copy by copy.
local function furnish(run, flat, names, options)
  for _, m in ipairs(scenery.WORLDS.field) do
    for i, n in ipairs(names) do
      local copy, place = math.floor((i - 1) / #flat), (i - 1) % #flat + 1
      for _, values in ipairs(spawned.written(flat, place, copy, names, options)[m] or {}) do
        if m == "transform" then
          local ancestor = spawned.ancestor(flat, place)
          values.parent = ancestor and names[copy * #flat + ancestor] or options.parent
        end
        run.state:add("field", m, n, values)
      end
    end
  end
end

-- Adds the entities of a level, whose names are consecutive numbers from `base` on.
local function arrive(run, name, level, base, entry)
  local flat, names = levels.flat(entry.k, entry.v), {}
  run:created(base, level:entities())
  for i = 1, #flat * spawned.copies(entry.options) do names[i] = base + i - 1 end
  entry = { k = entry.k, v = entry.v, names = names, options = entry.options, level = level }
  run.host.levels[name], run.state.levels[name], run.host.known_levels[name] = level, entry, entry
  furnish(run, flat, names, entry.options)
end

-- The first entity of a level always exists, is a root, and has a unique name.
local function random_options(gen)
  local options = {}
  if gen.random(2) == 1 then options.position = gen:pose().position end
  if gen.random(3) == 1 then options.name = "level " .. gen.random(9) end
  if gen.random(3) == 1 then options.parent = gen:owner("field", "transform") end
  if gen.random(3) == 1 then
    local m = ({ "stats", "flag", "point_mass" })[gen.random(3)]
    local values = gen:values("field", m)
    values.foe = nil
    options.overrides = { e1 = { [m] = values } }
  end
  return options
end

actions.spawn = { weight = 5,
  make = function(gen)
    local k, v = gen.random(levels.LEVELS), gen.random(levels.VERSIONS)
    return gen:new_names(#levels.flat(k, v)), k, v, random_options(gen)
  end,
  play = function(run, base, k, v, options)
    run:unused(base, #levels.flat(k, v))
    local given = options_of(run, options)
    local function spawn() return run:world("field"):spawn(resource(run, k, v), given) end
    if not can_be_spawned(run, k, v, spawn) then return end
    local level = assert(spawn())
    arrive(run, base, level, base, { k = k, v = v, options = options })
  end,
}

actions.spawn_many = { weight = 1,
  make = function(gen)
    local k, v, options = gen.random(levels.LEVELS), gen.random(levels.VERSIONS), random_options(gen)
    options.positions = {}
    for i = 1, gen.random(3) * 3 do options.positions[i] = gen.random(9) - 5 end
    return gen:new_names(#levels.flat(k, v) * spawned.copies(options)), k, v, options
  end,
  play = function(run, base, k, v, options)
    need(options.positions and #options.positions % 3 == 0)
    run:unused(base, #levels.flat(k, v) * spawned.copies(options))
    local given = options_of(run, options)
    local function spawn()
      return run:world("field"):spawn_many(resource(run, k, v), { positions = options.positions }, given)
    end
    if not can_be_spawned(run, k, v, spawn) then return end
    local level = assert(spawn())
    arrive(run, base, level, base, { k = k, v = v, options = options })
  end,
}

local function kill_level(run, entry)
  local count = 0
  for _, n in ipairs(entry.names) do
    if run.state.alive[n] then count = count + 1 end
    if n ~= levels.RELEASED then run:kill(n) end
  end
  return count
end

local function level_of(run, name)
  return need(run.state.levels[name]), need(run.host.levels[name])
end

actions.unload = { weight = 1,
  make = function(gen) return gen:level() end,
  play = function(run, name)
    local entry, level = level_of(run, name)
    run.equal(kill_level(run, entry), level:unload(), "unload")
    entry.names = {}
  end,
}

-- Tests if an entity of a level is below another, in the level or by transforms.
local function is_below(run, entry, i, top)
  local flat = levels.flat(entry.k, entry.v)
  local per, place = #flat, (i - 1) % #flat + 1
  if math.floor((i - 1) / per) == math.floor((top - 1) / per) then
    local wanted = (top - 1) % per + 1
    while place and place ~= wanted do place = flat[place].parent end
    if place then return true end
  end
  local n = entry.names[i]
  while n and n ~= entry.names[top] do
    local list = run.state:list("field", "transform", n)
    n = list and list[1].parent
  end
  return n ~= nil and n == entry.names[top]
end

-- A capture changes nothing, and has each entity once.
actions.capture = { weight = 1,
  make = function(gen) return gen:owner("field", "transform"), gen:owner("field", "stats") end,
  play = function(run, one, other)
    local list = { run:entity(one), run:entity(other), run:entity(one) }
    local blob = run:world("field"):capture(list, { references = "nobody" })
    run.equal(one == other and 1 or 2, assert(cuttle.resource(blob)):entity_count(), "captured entities")
    run.equal(blob, run:world("field"):capture(list, { references = "nobody" }), "the capture again")
  end,
}

-- A state changes nothing, and is the same for the same contents.
actions.save_level = { weight = 1,
  make = function(gen) return gen:level() end,
  play = function(run, name)
    local entry, level = level_of(run, name)
    if entry.options.name then run.equal(entry.options.name, level:name(), "the name") end
    run.equal("string", type(level:name()), "the type of the name")
    local state, message = level:save()
    if entry.missing then return run.equal(nil, state, "the state of a level without its resource") end
    if not state then return run.equal("string", type(message), "the message without a state") end
    run.equal(state, level:save(), "the state again")
    run.equal(0, #level:left(), "what a state left out")
  end,
}

actions.release = { weight = 1,
  make = function(gen) return gen:level(), gen.random(12) end,
  play = function(run, name, top)
    local entry, level = level_of(run, name)
    need(not entry.unsure and entry.names[top] and run.state.alive[entry.names[top]])
    local names = {}
    for i, n in ipairs(entry.names) do names[i] = is_below(run, entry, i, top) and levels.RELEASED or n end
    run.equal(level, level:release(run.state.ids[entry.names[top]]), "release")
    run.equal(false, (pcall(level.release, level, run.state.ids[entry.names[top]])), "release again")
    local now = { k = entry.k, v = entry.v, names = names, options = entry.options, level = level,
      missing = entry.missing }
    run.state.levels[name], run.host.known_levels[name] = now, now
  end,
}

actions.restart = { weight = 1,
  make = function(gen)
    local name = gen:level()
    local entry = gen.run.state.levels[name]
    return name, entry and gen:new_names(#levels.flat(entry.k, entry.v) * spawned.copies(entry.options))
  end,
  play = function(run, name, base)
    local entry, level = level_of(run, name)
    need(not entry.unsure and not entry.missing)
    options_of(run, entry.options)
    run:unused(base, #levels.flat(entry.k, entry.v) * spawned.copies(entry.options))
    if not can_be_spawned(run, entry.k, entry.v, function() return level:restart() end) then return end
    run.equal(level, assert(level:restart()), "restart")
    kill_level(run, entry)
    arrive(run, name, level, base, entry)
  end,
}

-- Patches a level to another version of its resource.
actions.patch = { weight = 3,
  make = function(gen)
    local name, version = gen:level(), gen.random(levels.VERSIONS)
    local entry = gen.run.state.levels[name]
    return name, version, entry and gen:new_names(#levels.flat(entry.k, version) * spawned.copies(entry.options))
  end,
  play = function(run, name, version, base)
    local entry, level = level_of(run, name)
    need(not entry.missing)
    if entry.options.parent then options_of(run, entry.options) end
    need(run.host.versions.field == 1 or not has_mood(entry.k, entry.v) and not has_mood(entry.k, version))
    local living = false
    for _, n in ipairs(entry.names) do living = living or run.state.alive[n] end
    need(living)
    run:unused(base, #levels.flat(entry.k, version) * spawned.copies(entry.options))
    -- Afterwards, parts of a matrix are those that the manager computed.
    for n in pairs(run.state.alive) do compare.entity(run, n) end
    local result = assert(level:patch(resource(run, entry.k, version)))
    local names, counts = patched(run, entry, version, base, function(n, at) run:created(n, { level:entity(at) }) end)
    for key, value in pairs(counts) do run.equal(value, result[key], "patch: " .. key) end
    run.equal(0, #result.left, "patch: left")
    local now = { k = entry.k, v = version, names = names, options = entry.options, level = level }
    run.state.levels[name], run.host.known_levels[name] = now, now
  end,
}

return actions
