-- Levels are spawned, once and in copies, unloaded and restarted.

local cuttle = require "cuttle"
local growth = require "spec.support.play.growth"
local fields = require "spec.support.play.fields"
local levels = require "spec.support.play.levels"
local need = require("spec.support.play.run").need
local poses = require "spec.support.play.poses"
local scenery = require "spec.support.play.scenery"

local actions = {}

local function has_mood(k, v)
  for _, entity in ipairs(levels.flat(k, v)) do
    if entity.components.mood then return true end
  end
  return false
end

-- Compiled once for each host, while components are as they were at first.
local function resource(run, k, v)
  local key = k .. "." .. v
  local host = run.host
  if not host.resources[key] then
    need(host.versions.field == 1)
    local blob = assert(cuttle.compiler(host.worlds.field):compile(levels.source(k, v)))
    host.resources[key] = assert(cuttle.resource(blob))
  end
  return host.resources[key]
end

-- Whether that may be spawned: levels outlive components that have got more fields, not those that have lost some.
-- Where it may not be, 'spawn' says so.
local function can_be_spawned(run, k, v, spawn)
  if not has_mood(k, v) or growth.outlives(run.host.versions.field) then return true end
  local level, message = spawn()
  run.equal(nil, level, "a level of other fields")
  run.equal("string", type(message), "what is said of it")
  return false
end

-- ---------------------------------------------------------------- what a spawn writes

-- Values of a component with names for the entities of the level. 'first' is the name of the level's first entity.
-- Defaults are those of the time when it was compiled.
local function named(m, values, flat, first)
  local out = {}
  if scenery.COMPONENTS[m].versions then values = fields.fill(scenery.COMPONENTS[m], values) end
  for key, value in pairs(values) do out[key] = value end
  for _, field in ipairs(scenery.COMPONENTS[m]) do
    if field[2] == "entity" and values[field[1]] then
      for place, entity in ipairs(flat) do
        if entity.name == values[field[1]] then out[field[1]] = first + place - 1 end
      end
    end
  end
  return out
end

-- The nearest ancestor that has a transform, or the parent that the options tell.
local function parent_of(flat, place, base, options)
  local above = flat[place].parent
  while above and not flat[above].components.transform do above = flat[above].parent end
  if above then return base + above - 1, true end
  return options.parent or nil, false
end

local function shift(values, position)
  if not position then return values end
  local p = values.position or { 0, 0, 0 }
  local out = {}
  for key, value in pairs(values) do out[key] = value end
  out.position = { p[1] + position[1], p[2] + position[2], p[3] + position[3] }
  return out
end

local function spawn_transform(run, flat, place, base, options)
  local values = flat[place].components.transform
  local parent, inside = parent_of(flat, place, base, options)
  if not inside then values = shift(values, options.position) end
  local given = {}
  for key, value in pairs(values) do given[key] = value end
  given.parent = parent
  run.state:add("field", "transform", base + place - 1, given)
end

-- The components of one entity of a level, with what the options override.
local function components_of(entity, options)
  local override = options.overrides and options.overrides[entity.name]
  if not override then return entity.components end
  local out = {}
  for m, values in pairs(entity.components) do out[m] = values end
  for m, values in pairs(override) do
    out[m] = fields.copy(out[m] or {})
    for key, value in pairs(values) do out[m][key] = value end
  end
  return out
end

-- All components of what a spawn of a level has brought to life under the names from 'base' on: kind by kind, and of
-- each copy by copy.
local function furnish(run, flat, m, base, options)
  for place, entity in ipairs(flat) do
    local n, values = base + place - 1, components_of(entity, options)[m]
    if m == "debug_name" then
      run.state:add("field", m, n, { name = entity.name })
    elseif m == "transform" and values then
      spawn_transform(run, flat, place, base, options)
    elseif values and scenery.COMPONENTS[m].multiple then
      for _, item in ipairs(values) do run.state:add("field", m, n, named(m, item, flat, base)) end
    elseif values then
      run.state:add("field", m, n, named(m, values, flat, base))
    end
  end
end

-- ---------------------------------------------------------------- actions

local function options_of(run, options)
  if options.parent then
    run:transform("field", options.parent)
    need(poses.depth(run.state.worlds.field, options.parent) <= 2)
  end
  return { position = not options.positions and options.position or nil, overrides = options.overrides,
    parent = options.parent and run:live(options.parent) or nil }
end

local function copies_of(options) return options.positions and #options.positions / 3 or 1 end

-- Names of the entities of a level are numbers in a row, from 'base' on.
local function arrive(run, name, level, base, entry)
  local flat, options = levels.flat(entry.k, entry.v), entry.options
  run:born(base, level:entities())
  entry = { k = entry.k, v = entry.v, base = base, count = #flat * copies_of(options), options = options }
  run.host.levels[name], run.state.levels[name], run.host.known_levels[name] = level, entry, entry
  for _, m in ipairs(scenery.WORLDS.field) do
    for copy = 0, copies_of(options) - 1 do
      local its = { parent = options.parent, position = options.position, overrides = options.overrides }
      if options.positions then its.position = { unpack(options.positions, copy * 3 + 1, copy * 3 + 3) } end
      furnish(run, flat, m, base + copy * #flat, its)
    end
  end
end

-- The first entity of a level is always there, a root, and alone with its name.
local function random_options(gen)
  local options = {}
  if gen.random(2) == 1 then options.position = gen:pose().position end
  if gen.random(3) == 1 then options.parent = gen:owner("field", "transform") end
  if gen.random(3) == 1 then
    local m = ({ "stats", "flag", "point_mass" })[gen.random(3)]
    local values = gen:values("field", m)
    values.who = nil
    options.overrides = { e1 = { [m] = values } }
  end
  return options
end

actions.spawn = { weight = 5,
  make = function(gen)
    local k, v = gen.random(levels.LEVELS), gen.random(levels.VERSIONS)
    return gen:fresh(#levels.flat(k, v)), k, v, random_options(gen)
  end,
  play = function(run, base, k, v, options)
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
    return gen:fresh(#levels.flat(k, v) * copies_of(options)), k, v, options
  end,
  play = function(run, base, k, v, options)
    need(options.positions and #options.positions % 3 == 0)
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
  for n = entry.base, entry.base + entry.count - 1 do
    if run.state.alive[n] then count = count + 1 end
    run:kill(n)
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
    entry.count = 0
  end,
}

actions.restart = { weight = 1,
  make = function(gen)
    local name = gen:level()
    local entry = gen.run.state.levels[name]
    return name, entry and gen:fresh(#levels.flat(entry.k, entry.v) * copies_of(entry.options))
  end,
  play = function(run, name, base)
    local entry, level = level_of(run, name)
    options_of(run, entry.options)
    if not can_be_spawned(run, entry.k, entry.v, function() return level:restart() end) then return end
    run.equal(level, assert(level:restart()), "restart")
    kill_level(run, entry)
    arrive(run, name, level, base, entry)
  end,
}

return actions
