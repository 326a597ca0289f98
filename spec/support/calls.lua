-- Every function that scripts can call, found at run time, with a valid call for each. A function without a valid call
-- fails the specs that use this list, with a message that says what to add. These specs replace cuttle.files.write.

local bytes = require "cuttle.bytes"
local cuttle = require "cuttle"
local methods = require "spec.support.methods"
local slow = require "spec.support.slow"

local long = os.getenv "CUTTLE_LONG" == "1"

local calls = {}

local LONG = ("a text that is in no pool yet "):rep(5)

local function nothing() end

-- Values for creating a component of each built-in manager; the other managers need none.
local VALUES = { mesh = { resource = "crate" }, model = { resource = "rig" }, grid = { width = 2, height = 2 } }

local SOURCE = { entities = {
  { name = "pit", id = "pit",
    components = { spikes = {}, health = { text = LONG, target = "foe", loot = { 1, { 2 } } } },
    children = { { name = "foe",
      components = { part = { { id = "a" }, { text = LONG } }, transform = {}, actor = {} } } } },
  { name = "map", components = { grid = { width = 2, height = 2, cells = { 1, 2, 3, 4 } }, debug_name = {} } } } }

-- Defines the components of a scene.
local function define(world)
  world:define("health", { { "hp", "float" }, { "text", "string", LONG }, { "pos", "vec3" },
    { "target", "entity" }, { "on", "bool" }, { "loot", "value" }, { "state", "enum", { "idle", "run" } } })
  world:define("part", { { "size", "int16" }, { "text", "string" } }, { multiple = true })
  return world
end

--- Creates a world with everything that the calls need: `one` and its child `two` have a component of every manager,
--- `bare` and `other` have none, `dead` had all.
function calls.scene(compiled)
  local s = { nothing = nothing }
  s.entities = cuttle.entity_manager { minimum_free_indices = 0 }
  s.world = cuttle.world(s.entities)
  local world = define(s.world)
  s.health, s.part = world.health, world.part
  world.mesh:define_resource("crate", {})
  world.model:define_resource("rig", { nodes = { { name = "root" }, { name = "tip", parent = 1 } } })
  world.grid:define_resource("tiles", { { solid = true } })
  s.one, s.two, s.bare, s.other, s.dead = unpack(s.entities:create(5))
  for name, manager in world:managers() do
    manager:create_many({ s.one, s.two, s.dead }, VALUES[name])
  end
  -- These two have no bodies: if Lua runs out of memory while a table grows, the table loses its number keys.
  world.actor:on_spawn(function() return {} end)
  world.transform:link(s.two, s.one)
  world.grid:set_cell(s.one, 0, 0, 1)
  s.list = cuttle.list { s.one, s.two }
  s.stale = s.health:lookup(s.dead)
  s.entities:destroy(s.dead)
  s.compiler = cuttle.compiler(world)
  s.compiler:register("spikes", function() return "iron" end)
  world:register_spawner("spikes", nothing)
  s.blob = compiled or assert(s.compiler:compile(SOURCE))
  s.resource = assert(cuttle.resource(s.blob))
  s.level = assert(world:spawn(s.resource))
  s.template = world:template { health = { text = LONG .. "t" }, part = { {}, { id = "b" } }, transform = {} }
  s.query = world:query("health", "?part", "!grid", "?transform")
  s.narrow = s.query:where("health.hp >= least", { least = -1 })
  s.formula = world:formula("health.hp += by", { by = 1 })
  s.space = world:query("transform", "?part", "?health"):space { cell = 4, radius = "health.hp", mask = "part.size" }
  s.spots = world:query("transform"):space { cell = 4 }
  s.space:update()
  s.spots:update()
  s.watch = world.transform:watch()
  s.buffer = world:buffer()
  s.buffer:add(s.bare, "health", { text = LONG .. "q" })
  s.writer, s.reader = bytes.writer(false), cuttle.reader(("\0"):rep(100))
  s.hp, s.texts, s.places = s.health:column "hp", s.health:column "text", s.health:column "pos"
  s.recorder = cuttle.recorder(s.entities, { keep = 3 })
  s.recorder:frame()
  s.rollback = cuttle.rollback(s.entities, { step = nothing, delay = 0 })
  s.stage = cuttle.stage(world, { { name = "pit", x = 0, y = 0, w = 9, h = 9 } },
    { load = function() return s.resource end, remember = true })
  s.publisher = cuttle.publisher(world, { components = { "transform", "health", "part", "grid" }, keep = 4 })
  s.publisher:frame()
  s.peer = s.publisher:peer()
  s.other_entities = cuttle.entity_manager()
  s.subscriber = cuttle.subscriber(define(cuttle.world(s.other_entities)))
  assert(s.subscriber:apply(s.publisher:message(0)))
  world.health:set_text(s.one, LONG .. "r")
  s.publisher:frame()
  s.snapshot = s.entities:snapshot()
  s.cells = world.grid:reader(s.one)
  return s
end

-- ---------------------------------------------------------------------------------------------- valid calls
-- Each function returns the arguments; for a method, the arguments after self.

local function text(s) return s.blob and LONG .. "2" end
local function one(s) return s.one end
local function fn(s) return s.nothing end
local function byte() return 7 end

local MATRIX = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1 }

local VALID = {
  cuttle = {
    entity_manager = function() return { minimum_free_indices = 5 } end,
    world = function(s) return s.entities, { name = "another", seed = 5 } end,
    list = function(s) return { s.one, s.bare } end,
    recorder = function(s) return s.entities, { keep = 2 } end,
    rollback = function(s) return s.entities, { step = s.nothing } end,
    stage = function(s) return s.world, { { name = "a", x = 0, y = 0, w = 1, h = 1 } }, { load = s.nothing } end,
    diff = function(s) return s.entities, s.other_entities end,
    publisher = function(s)
      return s.world, { components = { "health" }, steps = { ["health.hp"] = 0.5 }, keep = 2 }
    end,
    subscriber = function(s) return s.world, { components = { "health" }, max_bytes = 100 } end,
    entity_id = one, entity_index = one, entity_generation = one, entity_tostring = one, is_entity = one, tag = one,
    entity_from_id = byte,
    pretty_entities = false,
    sin = byte, cos = byte, exp = byte, log = byte, atan2 = function() return 1, 2 end,
    compiler = function(s) return s.world, {} end,
    schema = function(s) return s.world, { compiler = s.compiler } end,
    resource = function(s) return s.blob, "forest" end,
    snapshot = function(s) return s.snapshot:tostring() end,
    report = function(s) return s.entities, "report.html" end,
    load = function(s) return "a level", { read = function() return s.blob end } end,
    reader = text,
  },
  import = {
    ldtk = function() return [[{ "jsonVersion": "1.5.3", "levels": [],
      "defs": { "entities": [], "layers": [], "tilesets": [], "enums": [] } }]] end,
    tiled = function() return [[{ "width": 1, "height": 1, "tilewidth": 16, "tileheight": 16, "layers": [],
      "tilesets": [], "orientation": "orthogonal", "type": "map", "version": "1.10" }]] end,
    gltf = function() return [[{ "asset": { "version": "2.0" } }]] end,
  },
  entities = {
    create = function() return 3, {} end, create_list = byte, destroy = one, alive = one, alive_id = byte,
    count = nothing, each = nothing, hash = nothing, memory = nothing, validate = nothing,
    on_destroy = fn, on_restore = fn,
    off_destroy = function(s) return s.entities:on_destroy(nothing) end,
    off_restore = function(s) return s.entities:on_restore(nothing) end,
    snapshot = function(s) return s.snapshot end,
    restore = function(s) return s.snapshot, { resources = { forest = s.resource } } end,
  },
  snapshot = { bytes = nothing, tostring = nothing },
  recorder = { bytes = nothing, count = nothing, frame = nothing, rewind = function() return 0 end },
  rollback = { advance = byte, input = function() return 2, 1, 5 end, confirmed = nothing, stats = nothing },
  stage = {
    look = function() return 1, 2, 3, 4, { all = true } end, level = function() return "pit" end, levels = nothing,
    failed = nothing, retry = function() return "pit" end, states = nothing, clear = nothing,
  },
  publisher = { frame = nothing, message = byte, peer = nothing },
  peer = { message = function(s) return { s.one, s.two }, 500 end, waiting = nothing, acknowledge = byte },
  subscriber = {
    apply = function(s) return s.publisher:message(1) end, entity = function() return 0 end,
    id = function(s) return s.subscriber:entity(0) end, put_back = nothing, fields = nothing,
    reset = function() return { destroy = true } end,
  },
  list = {
    add = one, clear = nothing, count = nothing, each = nothing, get = function() return 1 end,
    set = function(s) return 1, s.bare end, totable = nothing,
  },
  world = {
    define = function() return "armour", { { "plate", "string", LONG .. "3" } }, { multiple = true } end,
    manager = function() return "health" end, managers = nothing, levels = nothing, memory = nothing, trim = nothing,
    reserve = function() return 100 end, random = byte, randomseed = byte,
    create = function(s)
      return { health = { text = LONG .. "4", loot = {} }, part = { {}, { id = "x" } }, actor = {},
        transform = { parent = s.one }, debug_name = { name = LONG } }, 3, cuttle.list()
    end,
    template = function() return { health = { text = LONG .. "5" }, part = { {}, {} } } end, buffer = nothing,
    join = function() return "health", "!part", "?transform" end,
    rows = function() return "health", "?transform" end,
    query = function() return "health", "!part", "?transform" end,
    formula = function() return "health.pos.x = 3 if has.part then part.size += add end", { add = 2 } end,
    copy = function() return "health", "pos", "transform", "local_position" end,
    add_scaled = function() return "health", "pos", "transform", "local_position", 2 end,
    gc = function() return "all" end, attach = text,
    spawn = function(s)
      return s.resource, { position = { 1, 2, 3 }, parent = s.one, overrides = { pit = { health = { hp = 3,
        text = LONG .. "6" } }, ["pit/foe"] = { actor = { shape = LONG } } } }
    end,
    capture = function(s) return { s.one }, { references = "nobody" } end,
    spawn_many = function(s) return s.resource, { positions = { 1, 2, 3, 4, 5, 6 } }, { unknown = "error" } end,
    register_spawner = function(s) return "spikes", s.nothing end,
    clear = function() return { entities = true } end, destroy = function() return { entities = true } end,
    profile = function() return true end, timings = nothing, inspect = one, dump = nothing, validate = nothing,
  },
  template = {
    create = function() return 2, {} end,
    create_with = function() return { health = { text = LONG .. "w", loot = {} }, part = { {}, {} }, actor = {} } end,
  },
  buffer = {
    create = function() return { health = {} } end, destroy = one, call = fn, flush = nothing, count = nothing,
    add = function(s) return s.bare, "health", { text = LONG .. "b" } end, clear = nothing,
    remove = function(s) return s.one, "part" end,
  },
  query = {
    each = nothing, rows = nothing, items = nothing, count = nothing, first = nothing,
    list = function() return cuttle.list() end, entities = function() return {} end,
    read = function() return "health.pos", {} end, write = function() return "health.hp", 3 end,
    create = function() return "part", { text = LONG .. "9" } end, remove = function() return "part" end,
    destroy = nothing, space = function() return { cell = 4, radius = "health.hp", mask = "part.size" } end,
    where = function() return "health.hp < most", { most = 3 } end,
    set = false, -- only for queries with a condition
    sum = function() return "health.pos * by", { by = 2 } end, min = function() return "health.hp" end,
    max = function() return "part.size + 1" end, lowest = function() return "health.pos.x" end,
    highest = function() return "health.hp * by", { by = -1 } end,
    sorted = function() return "health.hp", cuttle.list() end,
    formula = function() return "health.hp = part.size + by", { by = 2 } end,
  },
  narrow = { set = function() return "least", 2 end },
  formula = { describe = nothing },
  space = {
    update = nothing, count = nothing, memory = nothing,
    within = function() return 1, 2, 3, cuttle.list(), 1 end,
    box = function() return -9, -9, 9, 9, cuttle.list(), 1 end,
    nearest = function(s) return 1, 2, 50, s.bare, 1 end,
    nearest_many = function(s) return 2, 1, 2, 50, s.bare, 1 end,
    ray = function(s) return -9, 2, 9, 2, 1, s.bare, 1 end,
    pairs = function(s) return 4, cuttle.list(), s.spots end,
  },
  watch = { list = function() return cuttle.list() end },
  compiler = {
    compile = function() return SOURCE, { name = "level" } end,
    compile_file = false, -- reads and writes files
    register = function() return "thorns", function() return "" end, 2000 end,
  },
  resource = { bytes = nothing, component_types = nothing, describe = nothing, entity_count = nothing },
  level = {
    copy_range = function() return 1 end, count = nothing, entities = nothing, entity = function() return 1 end,
    find = function() return "pit/foe" end, list = nothing, roots = nothing, skipped = nothing, restart = nothing,
    release = function(s) return s.level:entity(1) end, unload = nothing, save = nothing, left = nothing,
    name = nothing,
    patch = function(s)
      return assert(cuttle.resource(assert(s.compiler:compile { entities = { { name = "pit", id = "pit",
        components = { health = { text = LONG .. "7", hp = 9 }, transform = {} } }, { name = "new",
        components = { part = { {}, {} }, grid = { width = 2, height = 1 } } } } })))
    end,
  },
  writer = { string = text, tostring = nothing },
  reader = { left = nothing },
  column = {
    get = function() return 0 end, set = function() return 0, 1 end, count = nothing,
    totable = function() return {} end,
    fill = byte, add_scaled = function(s) return s.health:column "hp", 2 end, scale = byte,
    pointer = false, -- refused if views are not compiled
  },
  texts = {
    set = function() return 0, LONG .. "8" end, fill = function() return LONG .. "9" end, add_scaled = false,
    scale = false, -- refused for strings
  },
  places = {
    set = function() return 0, 1, 2, 3 end, fill = function() return { 1, 2, 3 } end,
    add_scaled = function(s) return s.places, 2 end,
  },
  manager = {
    create = function(s, name) return s.bare, VALUES[name] or {} end,
    create_many = function(s, name) return { s.bare, s.other }, VALUES[name] end,
    lookup = one, lookup_many = function(s) return s.list, {} end, row = one, has = one, get = one, instances = one,
    destroy = one, destroy_many = function(s) return s.list end,
    at = function() return 0 end, entity_at = function() return 0 end,
    row_of_id = function(s) return cuttle.entity_id(s.one) end,
    count = nothing, each = nothing, fields = nothing, memory = nothing, name = nothing,
    gc = function() return "all" end, reserve = function() return 100 end,
    next = function(s, name) return s.world[name]:lookup(s.one) end,
    id = false, ids = false, -- refused, except for types that allow several components
    entity = function(s, name) return s.world[name]:lookup(s.one) end,
    on_add = fn, on_remove = fn,
    off_add = function(s, name) return s.world[name]:on_add(nothing) end,
    off_remove = function(s, name) return s.world[name]:on_remove(nothing) end,
  },
  debug_name = {
    debug_name = one, find = text, find_all = text, set_debug_name = function(s) return s.bare, text(s) end,
  },
  point_mass = { simulate = function() return 0.5 end },
  mesh = { define_resource = function(s) return text(s), {} end, resource_data = function() return "crate" end },
  actor = {
    body = one, set_body = function(s) return s.one, {} end,
    on_spawn = function() return function() return {} end end, on_destroy = fn,
  },
  model = {
    define_resource = function(s) return text(s), { nodes = { { name = LONG }, { parent = 1 } } } end,
    resource_data = function() return "rig" end, node_count = one, evaluate = nothing,
    set_node_pose = function(s) return s.one, "tip", 1, 2, 3, 0, 0, 0, 1, 1, 1, 1 end,
    node_pose = function(s) return s.one, 2 end, node_matrix = function(s) return s.one, 2, {} end,
    node_world_matrix = function(s) return s.one, 2, {} end, node_matrices = function(s) return s.one, {} end,
  },
  grid = {
    define_resource = function(s) return text(s), { { solid = true } } end, tile = function(s) return s.one, 1 end,
    size = one, cells = one, reader = one, cell = function(s) return s.one, 1, 1 end,
    set_cell = function(s) return s.one, 1, 1, 70000 end, cell_at = function(s) return s.one, 1, 1 end,
    rectangle = function(s) return s.one, 0, 0, 40, 40, {} end, ray = function(s) return s.one, -9, 3, 40, 4 end,
    move = function(s) return s.one, -9, 3, 4, 4, 40, 4, s.nothing end,
    fill = function(s) return s.one, 0, 0, 1, 1, 9 end,
    flips = function(s) return s.one, 1, 1 end, set_flips = function(s) return s.one, 1, 1, true, false, true end,
    colliders = function(s) return s.one, s.nothing end, outlines = one,
  },
  transform = {
    pose_2d = one, parent = one, parent_node = one, first_child = one, next_sibling = one, prev_sibling = one,
    root = one, depth = one, children = one, destroy_tree = one,
    unlink = function(s) return s.two, { keep = "world" } end,
    world_position = one, world_rotation = one, world_angle = one, world_scale = one, local_angle = one,
    world_matrix = function(s) return s.one, {} end, local_matrix = function(s) return s.one, {} end,
    set_local_angle = function(s) return s.one, 1 end,
    set_local_pose = function(s) return s.one, 1, 2, 3, 0, 0, 0, 1, 1, 1, 1 end,
    set_world_pose = function(s) return s.two, 1, 2, 3, 0, 0, 0, 1, 1, 1, 1 end,
    set_local_pose_2d = function(s) return s.one, 1, 2, 3, 1, 1 end,
    set_local_matrix = function(s) return s.one, MATRIX end, set_world_matrix = function(s) return s.two, MATRIX end,
    set_world_position = function(s) return s.two, 1, 2, 3 end,
    set_world_rotation = function(s) return s.two, 0, 0, 0, 1 end,
    read_poses_2d = function(s) return s.list, {} end,
    link = function(s) return s.two, s.one, { node = "tip" } end,
    set = function(s) return s.two, { position = { 1, 2, 3 }, parent = s.one } end,
    batch = fn, set_mode = function() return "deferred" end, propagate = nothing, dirty_count = nothing,
    sort = nothing, watch = nothing,
  },
}
for _, name in ipairs { "u8", "u16", "u32", "i8", "i16", "i32", "f32", "f64" } do
  VALID.writer[name], VALID.reader[name] = byte, nothing
end
VALID.reader.string = nothing
for _, name in ipairs { "part", "mesh" } do
  VALID[name] = VALID[name] or {}
  VALID[name].id, VALID[name].ids = function(s) return s.world[name]:lookup(s.one) end, one
end

-- A value of each field type, except for types that refer to something.
local OF_TYPE = {
  float = { 3 }, uint32 = { 3 }, int16 = { 3 }, bool = { true }, value = { { 1 } }, vec2 = { 1, 2 },
  vec3 = { 1, 2, 3 }, quat = { 0, 0, 0, 1 }, color = { 1, 1, 1, 0 }, string = { LONG .. "f" }, enum = { "run" },
  mat4 = { MATRIX },
}
local OF_FIELD = { mesh = { resource = { "crate" } }, model = { resource = { "rig" } }, grid = { tiles = { "tiles" } } }

-- The field that is used for functions of all managers that take a field name.
local WRITTEN = { transform = "local_position", debug_name = "name", model = "resource", mesh = "color",
  point_mass = "position", actor = "shape", grid = "tiles", health = "text", part = "text" }

-- A field of numbers and a value to add, of the managers that have such a field.
local NUMBERS = { transform = { "local_position", { 1, 2, 3 } }, mesh = { "color", { 0, 0, 0, 1 } },
  point_mass = { "position", { 1, 2, 3 } }, health = { "hp", 1 }, part = { "size", 1 } }

local function value_of(s, manager, field)
  if field[2] == "entity" then return { s.bare } end
  return (OF_FIELD[manager:name()] or {})[field[1]] or OF_TYPE[field[2]]
end

local function field_called(manager, name)
  for _, field in ipairs(manager:fields()) do
    if field[1] == name then return field end
  end
end

-- Functions that take the name of a field.
local OF_FIELDS = {
  read = function(s, field) return s.one, field end,
  read_many = function(s, field) return s.list, field, {} end,
  column = function(_, field) return field end,
  write = function(s, field, value) return s.one, field, unpack(value) end,
  write_many = function(s, field, value) return s.list, field, value[2] and value or value[1] end,
  set = function(s, field, value) return s.one, { [field] = value[2] and value or value[1] } end,
}

local function of_manager(name, method)
  local own, of_field = (VALID[name] or {})[method], OF_FIELDS[method]
  if own ~= nil then return own end
  if method == "add_many" then
    return NUMBERS[name] ~= nil and function(s) return s.list, unpack(NUMBERS[name]) end
  end
  if of_field then
    return function(s)
      local manager = s.world[name]
      return of_field(s, WRITTEN[name], value_of(s, manager, field_called(manager, WRITTEN[name])))
    end
  end
  if VALID.manager[method] ~= nil then return VALID.manager[method] end
  return function(s)
    local manager = s.world[name]
    local written = method:match "^set_(.+)"
    local field = field_called(manager, written or method)
    assert(field, ("spec/support/calls.lua has no valid call of %s:%s: add one to VALID"):format(name, method))
    if not written then return s.one end
    return s.one, unpack(value_of(s, manager, field))
  end
end

-- ---------------------------------------------------------------------------------------------- list of functions

local OBJECTS = { "entities", "snapshot", "recorder", "rollback", "stage", "publisher", "peer", "subscriber", "list",
  "world", "query", "narrow", "formula", "template", "buffer", "space", "watch", "compiler", "resource", "level",
  "writer", "reader", "hp", "texts", "places" }
local KINDS = { hp = "column", texts = "column", places = "column", formula = "Formula", narrow = "query" }

local FROM_REFERENCE = { column = true, Formula = true }

-- The functions of a class by name. Views and formulas have no tables of functions, so the reference names theirs.
local function functions_of(object, kind)
  local found = {}
  if not FROM_REFERENCE[kind] then
    for name, value in pairs(methods.of(object)) do
      if name:sub(1, 2) ~= "__" then found[name] = value end
    end
    return found
  end
  for line in io.lines "lua/cuttle/meta.lua" do
    local name = line:match("^function " .. kind .. ":([%w_]+)%(")
    if name and pcall(function() return object[name] end) then found[name] = object[name] end
  end
  return found
end

local function add(all, kind, name, object, arguments)
  assert(arguments ~= nil, ("spec/support/calls.lua has no valid call of %s.%s: add one to VALID"):format(kind, name))
  all[#all + 1] = { kind = kind, name = name, object = object, arguments = arguments, title = kind .. "." .. name }
end

--- Lists all functions in the same order on every host: { kind =, name =, title =, object = the name of self in the
--- scene (nil for a plain function), arguments = f(scene, kind) -> valid arguments, or false }.
function calls.all(s)
  local all = {}
  for _, module in ipairs { { "cuttle", cuttle }, { "import", { ldtk = true, tiled = true, gltf = true } } } do
    for name, value in pairs(module[2]) do
      if type(value) ~= "table" and type(value) ~= "string" and type(value) ~= "number" and name ~= "null" then
        add(all, module[1], name, nil, VALID[module[1]][name])
      end
    end
  end
  for _, object in ipairs(OBJECTS) do
    local kind = KINDS[object]
    for name in pairs(functions_of(s[object], kind)) do
      local own = (VALID[object] or {})[name]
      if own == nil and kind then own = VALID[kind][name] end
      add(all, object, name, object, own)
    end
  end
  for manager, object in s.world:managers() do
    for name in pairs(functions_of(object)) do add(all, manager, name, manager, of_manager(manager, name)) end
  end
  table.sort(all, function(a, b) return a.title < b.title end)
  return all
end

--- All functions with CUTTLE_LONG=1; otherwise each n-th from a random one on, by default every third under LuaJIT and
-- every sixth under other interpreters, in slow runs every tenth.
function calls.sample(all, random, n)
  local sample, step = {}, slow and 10 or long and 1 or n or rawget(_G, "jit") and 3 or 6
  for i = random(step), #all, step do sample[#sample + 1] = all[i] end
  return sample
end

--- Returns the function and its arguments in a scene, including self, as a list with n.
function calls.prepare(s, call)
  local arguments = { n = 0 }
  if call.arguments then arguments = { n = select("#", call.arguments(s, call.kind)), call.arguments(s, call.kind) } end
  if call.kind == "cuttle" then return cuttle[call.name], arguments end
  if call.kind == "import" then return cuttle.import[call.name], arguments end
  local object = s[call.object] or s.world[call.object]
  table.insert(arguments, 1, object)
  arguments.n = arguments.n + 1
  return object[call.name], arguments
end

return calls
