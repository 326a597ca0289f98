-- Records which public functions are called: those of the module, and the methods of a run's objects. Methods of all
-- managers count once ("manager:get"), and methods of one by its name ("transform:link"). calls.begin() begins to watch
-- the process, and calls.look(run) watches the current objects of a run.

local cuttle = require "cuttle"
local methods = require "spec.support.methods"
local scenery = require "spec.support.play.scenery"

-- The names of all functions, and of those that were called.
local calls = { all = {}, called = {} }

local seen, views, common = {}, setmetatable({}, { __mode = "k" }), nil

local function wrap_all(functions, label_of)
  if seen[functions] then return end
  seen[functions] = true
  local found = {}
  for name, value in pairs(functions) do
    if type(value) == "function" and not name:find "^__" then found[name] = value end
  end
  for name, fn in pairs(found) do
    local label = label_of(name)
    calls.all[label] = true
    functions[name] = function(...)
      calls.called[label] = true
      return fn(...)
    end
  end
end

local function watch(kind, object)
  for _, functions in ipairs(methods.tables(object)) do
    wrap_all(functions, function(name) return kind .. ":" .. name end)
  end
end

-- ---------------------------------------------------------------- columns

-- A view may be FFI data, whose methods cannot be wrapped: scripts receive a table in its place.
local Proxy, column_methods = {}, {}

-- The annotations list the methods that tables do not contain.
local function find_column_methods()
  for line in io.lines "lua/cuttle/meta.lua" do
    local name = line:match "^function column:([%w_]+)%("
    if name then
      calls.all["column:" .. name] = true
      column_methods[name] = function(proxy, other, ...)
        calls.called["column:" .. name] = true
        local view = views[proxy]
        return view[name](view, views[other] or other, ...)
      end
    end
  end
end

function Proxy.__index(proxy, key) return column_methods[key] or views[proxy][key] end
function Proxy.__newindex(proxy, key, value) views[proxy][key] = value end

-- ---------------------------------------------------------------- managers

-- Finds the methods that every manager has.
local function find_common()
  for _, manager in cuttle.world(cuttle.entity_manager()):managers() do
    local functions = methods.of(manager)
    if not common then
      common = {}
      for name in pairs(functions) do common[name] = true end
    end
    for name in pairs(common) do common[name] = functions[name] and true end
  end
end

local function watch_manager(kind, manager)
  local functions = methods.tables(manager)[1]
  if seen[functions] then return end
  local column = functions.column
  function functions.column(...)
    local view, proxy = column(...), {}
    views[proxy] = view
    return setmetatable(proxy, Proxy)
  end
  wrap_all(functions, function(name) return (common[name] and "manager" or kind) .. ":" .. name end)
end

-- ---------------------------------------------------------------- all objects

-- Creates an object of each class whose objects share their methods.
function calls.begin()
  find_common()
  find_column_methods()
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local compiler = cuttle.compiler(world)
  local resource = assert(cuttle.resource((assert(compiler:compile { entities = {} }))))
  local publisher = cuttle.publisher(world, { components = { "transform" } })
  for kind, object in pairs { list = cuttle.list(), compiler = compiler, resource = resource,
    level = world:spawn(resource), snapshot = entities:snapshot(), recorder = cuttle.recorder(entities),
    template = world:template {}, buffer = world:buffer(), query = world:query "transform",
    space = world:query "transform":space { cell = 1 }, watch = world.transform:watch(),
    publisher = publisher, peer = publisher:peer(), subscriber = cuttle.subscriber(world),
    rollback = cuttle.rollback(entities, { step = function() end }) } do
    watch(kind, object)
  end
  wrap_all(cuttle, function(name) return "cuttle." .. name end)
end

function calls.look(run)
  for _, host in ipairs { run.host, run.other } do
    watch("entities", host.entities)
    for w, world in pairs(host.worlds) do
      watch("world", world)
      for _, m in ipairs(scenery.WORLDS[w]) do watch_manager(m, world:manager(m)) end
    end
  end
end

return calls
