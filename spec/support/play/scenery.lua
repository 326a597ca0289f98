-- The contents of a run's worlds: components, fields, resources, and the creation of a world. A new component type is
-- one line here.

local cuttle = require "cuttle"

local scenery = {}

-- Component name -> its fields, and the options `multiple`, `lookup` and `own` (defined by the script).
local EVERYTHING = {
  { "f", "float", 1.5 }, { "d", "double", 0.1 }, { "i8", "int8", -1 }, { "u8", "uint8" }, { "i16", "int16" },
  { "u16", "uint16", 515 }, { "i32", "int32" }, { "u32", "uint32" }, { "on", "bool", true }, { "v2", "vec2" },
  { "v3", "vec3", { 1, 2, 3 } }, { "v4", "vec4" }, { "q", "quat" }, { "m", "mat4" }, { "c", "color" },
  { "foe", "entity" }, { "text", "string", "none" }, { "state", "enum", { "idle", "run", "dead" } },
  { "d2", "dvec2" }, { "d3", "dvec3", { 0.1, 0.2, 0.3 } }, own = true,
}

scenery.COMPONENTS = {
  transform = {},
  debug_name = { { "name", "string" } },
  point_mass = { { "mass", "float" }, { "position", "vec3" }, { "velocity", "vec3" }, { "acceleration", "vec3" } },
  mesh = { { "resource", "string", "box", values = { "box", "ball" } }, { "color", "color" },
    { "visible", "bool", true }, multiple = true, required = "resource" },
  actor = { { "shape", "string" }, { "mass", "float" } },
  model = { { "resource", "string", "leg", values = { "leg", "arm" } }, required = "resource" },
  stats = EVERYTHING,
  item = { { "kind", "string" }, { "state", "enum", { "new", "old" } }, { "owner", "entity" }, { "at", "vec2" },
    { "bag", "value" },
    multiple = true, own = true, hidden = { "at" } },
  flag = { { "on", "bool" }, { "mind", "value" }, lookup = "array", own = true },
  tag = { { "text", "string", "?" }, { "n", "int16" }, multiple = true, lookup = "array", own = true },
  -- Two by two cells: each cell is a field here, its number times 8 plus its flips (see scenery.given). `own_methods`
  -- means that generic methods cannot write it.
  grid = { { "tiles", "string" }, { "cell_size", "vec2", { 16, 16 }, values = { { 16, 16 }, { 8, 4 } } },
    { "cell1", "uint32" }, { "cell2", "uint32" }, { "cell3", "uint32" }, { "cell4", "uint32" }, own_methods = true },
}

local SIDE = 2

--- Returns the number and the flips of a cell.
function scenery.cell(values, i)
  local field = values["cell" .. i] or 0
  return math.floor(field / 8), field % 8
end

-- Values for create and for levels.
function scenery.given(m, values)
  if m ~= "grid" then return values end
  local cells, flips = {}, {}
  for i = 1, SIDE * SIDE do cells[i], flips[i] = scenery.cell(values, i) end
  return { width = SIDE, height = SIDE, tiles = values.tiles, cell_size = values.cell_size, cells = cells,
    flips = flips }
end

-- Fields from the values of a manager.
function scenery.from_manager(m, values)
  if m ~= "grid" then return values end
  local found = { tiles = values.tiles, cell_size = values.cell_size }
  assert(values.width == SIDE and values.height == SIDE and #values.cells == SIDE * SIDE, "the size of a grid")
  for i, cell in ipairs(values.cells) do found["cell" .. i] = cell * 8 + (values.flips and values.flips[i] or 0) end
  return found
end

-- The versions of "mood": more fields, another order, other types, fewer fields.
local MOOD = { { "a", "float", 1.5 }, { "b", "string", "b" }, { "state", "enum", { "idle", "run" } } }
scenery.COMPONENTS.mood = { MOOD[1], MOOD[2], MOOD[3], own = true, versions = { MOOD,
  { MOOD[2], { "c", "int16", 3 }, { "state", "enum", { "sit", "run", "idle" } }, MOOD[1], { "bag", "value" } },
  { { "a", "int32", 2 }, MOOD[3], { "foe", "entity" }, { "c", "int16", 4 } } } }

-- The options of each host's recorder.
scenery.RECORDER = { every = 2, keep = 3 }

-- The components of each world. Both worlds share the entities.
scenery.WORLDS = {
  field = { "transform", "debug_name", "mesh", "actor", "point_mass", "model", "stats", "item", "flag", "tag",
    "mood", "grid" },
  attic = { "transform", "debug_name", "flag", "item", "mood" },
}
scenery.WORLD_NAMES = { "field", "attic" }

-- The fields of a component that a run expects in a world.
function scenery.fields(world, m)
  local schema = scenery.COMPONENTS[m]
  return schema.versions and schema.versions[world[m].version] or schema
end

-- Calls fn while the first world has one more component, which `define` defines.
function scenery.with(name, schema, define, fn)
  schema.define = define
  scenery.COMPONENTS[name] = schema
  table.insert(scenery.WORLDS.field, name)
  local ok, message = pcall(fn)
  table.remove(scenery.WORLDS.field)
  scenery.COMPONENTS[name] = nil
  if not ok then error(message, 0) end
end

-- Nodes of models: names and parents. Each node is one step from the node before it.
scenery.MODELS = {
  leg = { names = { "hip", "knee" }, parents = { false, 1 } },
  arm = { names = { "knee", "hand", "thumb" }, parents = { false, 1, 2 } },
}

function scenery.rest(i) return { i, 0, 0 } end

local function describe_models(world)
  for name, model in pairs(scenery.MODELS) do
    local nodes = {}
    for i, parent in ipairs(model.parents) do
      nodes[i] = { name = model.names[i], parent = parent or nil, position = scenery.rest(i) }
    end
    world.model:define_resource(name, { nodes = nodes })
  end
end

-- The tile resource of grids with this name.
scenery.TILES_NAME, scenery.TILES = "sword", { [1000] = { solid = true }, [2000] = {} }

-- The error that hooks raise on request.
scenery.RAISED = {}

-- Counts an event of a subject, for comparison with callbacks that are registered later.
function scenery.count(host, subject) host.counts[subject] = host.counts[subject] + 1 end

local function zero() return 0 end

-- Registers hooks of a manager that record events.
local function listen(host, world, name)
  local manager = host.worlds[world]:manager(name)
  local function record(event)
    return function(e)
      host.events[#host.events + 1] = ("%s %s.%s %s"):format(event, world, name, cuttle.entity_tostring(e))
      host.calls = host.calls + 1
      if host.calls == host.raise_at then error(scenery.RAISED, 0) end
      scenery.count(host, ("%s %s.%s"):format(event, world, name))
    end
  end
  manager:on_add(record "add")
  manager:on_remove(record "remove")
end

-- Bodies of actors: host.bodies holds open bodies with their owners.
local function keep_bodies(host, world)
  world.actor:on_spawn(function(e)
    local body = {}
    host.bodies[body] = e
    return body
  end)
  world.actor:on_destroy(function(e, body)
    if host.bodies[body] ~= e then error("a wrong body, or one that was destroyed before", 0) end
    host.bodies[body] = nil
  end)
end

function scenery.open_world(host, name)
  local world = cuttle.world(host.entities, { name = name, seed = 7 })
  host.worlds[name], host.noted[name], host.versions[name], host.own[name] = world, {}, 1, {}
  host.notes[name] = world:attach "notes"
  for _, component in ipairs(scenery.WORLDS[name]) do
    local schema = scenery.COMPONENTS[component]
    if schema.define then schema.define(world) end
    if schema.own then
      local own = {}
      for i, field in ipairs(schema) do own[i] = field end
      world:define(component, own, { hidden = schema.hidden, multiple = schema.multiple,
        lookup = schema.lookup })
    end
    listen(host, name, component)
  end
  scenery.describe(host, name)
end

-- Defines resources and callbacks of a world, also repeatedly.
function scenery.describe(host, name)
  local world = host.worlds[name]
  for _, resource in ipairs { "box", "ball" } do world.mesh:define_resource(resource, { resource }) end
  describe_models(world)
  world.grid:define_resource(scenery.TILES_NAME, scenery.TILES)
  if name == "field" then keep_bodies(host, world) end
end

-- Creates an entity manager with its worlds and hooks. `minimum` indices must be free before one is reused. `raise_at`
-- is the number of the hook call that raises, counted in `calls`.
function scenery.open(minimum, trace)
  local host = { worlds = {}, notes = {}, noted = {}, events = {}, calls = 0, bodies = {}, levels = {},
    known_levels = {}, resources = {}, versions = {}, hooks = {}, templates = {}, own = {},
    counts = setmetatable({}, { __index = zero }) }
  host.entities = cuttle.entity_manager { minimum_free_indices = minimum, trace = trace }
  host.recorder, host.frame, host.frames = cuttle.recorder(host.entities, scenery.RECORDER), 0, {}
  for _, name in ipairs(scenery.WORLD_NAMES) do scenery.open_world(host, name) end
  host.entities:on_destroy(function(e)
    host.events[#host.events + 1] = "destroy " .. cuttle.entity_tostring(e)
    scenery.count(host, "destroy")
  end)
  host.entities:on_restore(function() scenery.count(host, "restore") end)
  return host
end

return scenery
