-- Every method of every object, found at run time, with arguments that are valid in most cases.

local each = require "cuttle.each" -- child processes run these loops hot
local methods_of = require("spec.support.methods").of

local calls = {}

-- The arguments of methods, a letter each: e entity, l list, t entities (a table), i instance, n number, N count of
-- rows, h component, F its field, c components with values, v values of a component, f callback, S snapshot, R
-- resource, o options, s text, p path, k type of opaque section, a argument of gc, P poses of a resource's copies, x
-- anything.
local SHAPES = {
  entities = { create = "n", create_list = "n", destroy = "t", on_destroy = "f", off_destroy = "n", restore = "S",
    snapshot = "S", on_restore = "f", off_restore = "n", alive = "e", alive_id = "n" },
  world = { define = "hdo", create = "cn", template = "c", join = "hh", rows = "hh", attach = "s", spawn = "Ro",
    spawn_many = "RP", register_spawner = "kf", manager = "h", copy = "hFhF", add_scaled = "hFhFn", clear = "o",
    destroy = "o", gc = "a", inspect = "e", profile = "x" },
  manager = { create = "ev", create_many = "tv", destroy = "e", set = "ev", get = "e", read = "eF", write = "eFn",
    write_many = "tFn", read_many = "tF", column = "F", lookup = "e", lookup_many = "t", row = "e", at = "n",
    next = "i", entity = "i", entity_at = "n", row_of_id = "n", instances = "e", ids = "e", id = "i", has = "e",
    gc = "a", on_add = "f", on_remove = "f", off_add = "n", off_remove = "n", link = "ee", unlink = "e", batch = "f",
    children = "e", destroy_tree = "e", set_mode = "m", read_poses_2d = "t", define_resource = "sd", on_spawn = "f",
    on_destroy = "f", resource_data = "s", find = "s", find_all = "s", simulate = "n" },
  level = { entity = "n", find = "p", patch = "R", copy_range = "n" },
  list = { add = "e", get = "n", set = "ne" },
  template = { create = "n", create_with = "c" },
  buffer = { create = "c", destroy = "e", add = "ehv", remove = "eh", call = "f" },
  recorder = { rewind = "n" },
  compiler = { compile = "C", register = "kf", compile_file = "x" },
  column = { get = "n", set = "nnnn", fill = "n", scale = "n", add_scaled = "xn", totable = "" },
  module = { entity_manager = "", world = "Eo", list = "t", recorder = "E", snapshot = "s", resource = "s",
    compiler = "W", reader = "s", schema = "W", entity_id = "e", tag = "e" },
  loop = { step = "" },
}

local COLUMN = { "get", "set", "count", "pointer", "totable", "fill", "add_scaled", "scale" }

-- The functions of the module that are called: none that write files or change the metatable of light userdata.
local MODULE = { "entity_manager", "world", "list", "recorder", "snapshot", "resource", "compiler", "reader", "schema",
  "entity_id", "entity_from_id", "entity_index", "entity_tostring", "is_entity", "tag" }

local ARGUMENTS = {
  e = function(s, random) return s.list[random(#s.list)] end,
  l = function(s) return s.packed end,
  t = function(s, random)
    if random(3) == 1 then return s.packed end
    return random(3) == 1 and s.list[random(#s.list)] or { s.list[random(#s.list)], s.list[random(#s.list)] }
  end,
  i = function(s, random)
    local found, instance = pcall(s.health.lookup, s.health, s.list[random(#s.list)])
    return found and instance or 0
  end,
  n = function(_, random) return random(6) - 1 end,
  h = function(_, random) return ({ "health", "part", "chest", "transform", "actor", "late" })[random(6)] end,
  F = function(_, random) return ({ "hp", "name", "loot", "target", "local_position", "body" })[random(6)] end,
  d = function(_, random)
    return ({ { { "hp", "double" } }, { { "text", "string" }, { "bag", "value" } },
      { nodes = { {}, { parent = 1 } } } })[random(3)]
  end,
  c = function(_, random)
    return ({ { health = { hp = 3 } }, { transform = {}, actor = {} }, { chest = { loot = { {} } }, part = { {}, {} } },
      { transform = {}, health = {}, chest = {}, model = { resource = "rig" }, debug_name = { name = "new" } } })[
      random(4)]
  end,
  v = function(_, random) return ({ { hp = 2 }, { loot = { {} } }, {}, { name = "other" } })[random(4)] end,
  f = function(s) return function() s.use "a late callback" end end,
  S = function(s) return s.snapshot end,
  R = function(s, random) return random(2) == 1 and s.resource or s.newer end,
  E = function(s) return s.entities end,
  W = function(s) return s.world end,
  o = function(_, random)
    return ({ nil, { entities = true }, { migrate = true }, { position = { 1, 2, 3 } } })[random(4)]
  end,
  s = function(s, random) return ({ "rig", "known", "notes", s.text })[random(4)] end,
  p = function(_, random) return ({ "pit", "pit/foe", "missing" })[random(3)] end,
  k = function() return "spikes" end,
  a = function(_, random) return ({ nil, "all", 3 })[random(3)] end,
  m = function(_, random) return ({ "immediate", "deferred" })[random(2)] end,
  P = function(_, random) return random(2) == 1 and 2 or { positions = { 1, 2, 3, 4, 5, 6 } } end,
  C = function(s) return s.source end,
}

local LETTERS = "eltinhFdcvfSREWoskpamPC"
function ARGUMENTS.x(s, random)
  local at = random(#LETTERS)
  return ARGUMENTS[LETTERS:sub(at, at)](s, random)
end

local function sorted_functions(methods)
  local names = {}
  for name, value in each, methods do
    if type(value) == "function" and not name:find "^__" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- Lists everything that can be called on the object, as { kind =, name =, object =, f = }. The methods are read now,
-- because a destroyed object has others.
function calls.of(kind, object)
  local list = {}
  local methods, names
  if kind == "column" then
    names, methods = COLUMN, object
  elseif kind == "module" then
    names, methods = MODULE, object
  elseif kind == "loop" then
    return { { kind = kind, name = "step", object = object, f = object } }
  else
    methods = methods_of(object)
    names = sorted_functions(methods)
  end
  for _, name in ipairs(names) do
    list[#list + 1] = { kind = kind, name = name, object = kind ~= "module" and object or nil, f = methods[name] }
  end
  return list
end

-- Makes a call and returns the results of pcall.
function calls.play(s, call, random)
  local shape = (SHAPES[call.kind] or {})[call.name]
    or (call.kind == "manager" and (call.name:find "^set_" and "ennnnnnnnnn" or "e")) or ""
  if random(5) == 1 then shape = "xxx" end
  local arguments = {}
  for i = 1, #shape do arguments[i] = ARGUMENTS[shape:sub(i, i)](s, random) end
  if call.object == nil then return pcall(call.f, unpack(arguments, 1, #shape)) end
  -- Calls through the object like a script: a destroyed object has other methods.
  if random(2) == 1 and call.kind ~= "loop" then
    return pcall(function() return call.object[call.name](call.object, unpack(arguments, 1, #shape)) end)
  end
  return pcall(call.f, call.object, unpack(arguments, 1, #shape))
end

return calls
