-- Holds the reference in lua/cuttle/meta.lua against the real tables, both ways.

local bytes = require "cuttle.bytes"
local cuttle = require "cuttle"
local inspector = require "cuttle.inspector"

-- class -> set of the functions that meta.lua documents for it
local function documented()
  local classes, file = {}, assert(io.open "lua/cuttle/meta.lua")
  for line in file:lines() do
    local class, name = line:match "^function ([%w_]+)[.:]([%w_]+)%("
    if class then
      classes[class] = classes[class] or {}
      classes[class][name] = true
    end
  end
  file:close()
  return classes
end

local function with(base, more)
  local all = {}
  for name in pairs(base) do all[name] = true end
  for name in pairs(more or {}) do all[name] = true end
  return all
end

-- The functions of a table, as a set; of an object, those of its class.
local function functions(table_or_object)
  if type(table_or_object) ~= "table" then table_or_object = debug.getmetatable(table_or_object).__index end
  local found = {}
  for name, value in pairs(table_or_object) do
    if type(value) == "function" and not name:match "^__" then found[name] = true end
  end
  return found
end

local function difference(a, b)
  local only = {}
  for name in pairs(a) do
    if not b[name] then only[#only + 1] = name end
  end
  table.sort(only)
  return only
end

describe("the reference", function()
  local meta = documented()
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local plain = world:define("plain", {})
  local compiler = cuttle.compiler(world)
  local blob = assert(compiler:compile { entities = { { name = "a" } } })
  local resource = assert(cuttle.resource(blob))
  local level = assert(world:spawn(resource))

  local listening = inspector.listen(entities, { port = 0 })
  if listening then listening:close() end

  local real = {
    { "cuttle", functions(cuttle), meta.cuttle },
    { "EntityManager", functions(entities), meta.EntityManager },
    { "list", functions(cuttle.list()), meta.list },
    { "World", functions(world), meta.World },
    { "Manager", functions(plain), meta.Manager },
    { "Compiler", functions(debug.getmetatable(compiler).__index), meta.Compiler },
    { "Writer", functions(bytes.writer(false)), meta.Writer },
    { "Reader", functions(cuttle.reader ""), meta.Reader },
    { "Resource", functions(resource), meta.Resource },
    { "Level", functions(level), meta.Level },
    { "Template", functions(world:template {}), meta.Template },
    { "Snapshot", functions(world.entities:snapshot()), meta.Snapshot },
    { "Recorder", functions(cuttle.recorder(entities)), meta.Recorder },
    { "inspector", functions(inspector), meta.inspector },
  }
  if listening then
    real[#real + 1] = { "Inspector", functions(debug.getmetatable(listening).__index), meta.Inspector }
  end
  -- The class of the manager point_mass is PointMass.
  for name, manager in world:managers() do
    if name ~= "plain" then
      local class = ("_" .. name):gsub("_(%l)", string.upper)
      real[#real + 1] = { class, functions(manager), with(meta.Manager, meta[class]), manager }
    end
  end

  for _, class in ipairs(real) do
    local name, found, told, manager = class[1], class[2], class[3], class[4]

    it("tells of every function of " .. name, function()
      local untold = difference(found, told or {})
      -- Accessors of fields are described once for all: m:FIELD, m:set_FIELD.
      local accessors = {}
      for _, field in ipairs(manager and manager:fields() or {}) do
        accessors[field[1]], accessors["set_" .. field[1]] = true, true
      end
      for i = #untold, 1, -1 do
        if accessors[untold[i]] then table.remove(untold, i) end
      end
      assert.are.same({}, untold)
    end)

    it("tells of no function that " .. name .. " has not", function()
      assert.are.same({}, difference(told or {}, found))
    end)
  end
end)
