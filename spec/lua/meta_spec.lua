-- Comparison of the reference in lua/cuttle/meta.lua with the real tables, in both directions.

local bytes = require "cuttle.bytes"
local cuttle = require "cuttle"
local inspector = require "cuttle.inspector"
local methods = require "spec.support.methods"

-- Class -> set of the functions that meta.lua documents for it.
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

-- The functions of a table, or of an object's class, as a set.
local function functions(table_or_object)
  if type(table_or_object) ~= "table" then table_or_object = methods.of(table_or_object) end
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

-- A call as meta.lua annotates it -> its result, by the annotated type.
describe("an overload", function()
  local KINDS = {
    ["cuttle.entity"] = cuttle.is_entity,
    ["cuttle.entity[]"] = function(value) return type(value) == "table" and cuttle.is_entity(value[1]) end,
    ["cuttle.list"] = function(value) return tostring(value):find "^cuttle%.list" ~= nil end,
    boolean = function(value) return type(value) == "boolean" end,
    integer = function(value) return type(value) == "number" end,
  }

  -- The overloads in meta.lua: the number of arguments, whether the last one is a list, and the result type.
  local function overloads_of(class, method)
    local overloads = {}
    for line in io.lines "lua/cuttle/meta.lua" do
      if line:find("function " .. class .. ":" .. method .. "(", 1, true) then return overloads end
      if not line:find "^%-%-" then overloads = {} end
      local given, result = line:match "^%-%-%-@overload fun%(self: [%w_.]+,? ?(.-)%): (%S+)"
      if given then
        local ends_in_list = given:find "cuttle%.list$" or given:find "cuttle%.entities$"
        overloads[#overloads + 1] = { select(2, given:gsub("[%w_]+%??:", "")), ends_in_list ~= nil, result }
      end
    end
  end

  local function check_overloads(class, method, object, arguments)
    it("of " .. class .. ":" .. method .. " returns the annotated type", function()
      local overloads = overloads_of(class, method)
      assert.is_true(#overloads > 0)
      for _, way in ipairs(overloads) do
        local count, with_list, kind = way[1], way[2], way[3]
        local given = { unpack(arguments, 1, count) }
        if with_list then given[count] = object.list() end
        assert.is_true(KINDS[kind](object.self[method](object.self, unpack(given, 1, count))), kind)
      end
    end)
  end

  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  local function list() return cuttle.list(entities:create(2)) end
  check_overloads("EntityManager", "create", { self = entities, list = list }, {})
  check_overloads("EntityManager", "destroy", { self = entities, list = list }, {})
  check_overloads("World", "create", { self = world, list = list }, { {}, 2 })
  check_overloads("Template", "create", { self = world:template {}, list = list }, { 2 })
end)

-- The type that meta.lua annotates for the first result of a manager's method, "cuttle.instance".
local function annotated_result(method)
  local result
  for line in io.lines "lua/cuttle/meta.lua" do
    if line:find("function Manager:" .. method .. "(", 1, true) then return result end
    if not line:find "^%-%-" then result = nil end
    result = result or line:match "^%-%-%-@return ([%w_.]+)"
  end
end

describe("entities and instances", function()
  local world = cuttle.world(cuttle.entity_manager())
  local tag = world:define("tag", { { "n", "int32" } }, { multiple = true })
  local e = world:create { tag = { n = 1 } }
  tag:create(e, { n = 2 })

  -- "cuttle.entity" or "cuttle.instance", nil for anything else.
  local function type_of(value)
    if cuttle.is_entity(value) then return "cuttle.entity" end
    return type(value) == "number" and tag:entity(value) == e and "cuttle.instance" or nil
  end

  it("have types of their own, which are not aliases of a number", function()
    local types = {}
    for line in io.lines "lua/cuttle/meta.lua" do
      local kind, name, rest = line:match "^%-%-%-@([ca]l%l+) cuttle%.(%l+)(.*)$"
      if name == "entity" or name == "instance" then types[name] = kind .. rest end
    end
    assert.are.same({ entity = "class", instance = "class : integer" }, types)
  end)

  local first = tag:lookup(e)
  for method, argument in pairs { create = e, create_many = { e }, lookup = e, at = 0, next = first, entity_at = 0,
    entity = first } do
    it("are distinguished in the results of " .. method, function()
      local result = tag[method](tag, argument)
      assert.is_string(type_of(result))
      assert.equal(type_of(result), annotated_result(method))
    end)
  end

  it("are distinguished in the arguments of hooks and the results of loops", function()
    local annotated = {}
    for line in io.lines "lua/cuttle/meta.lua" do
      local given = line:match "fun%(e: ([%w_.]+, instance: [%w_.]+), reason: cuttle.reason%)"
      if given then annotated[given] = true end
    end
    assert.are.same({ ["cuttle.entity, instance: cuttle.instance"] = true }, annotated)
    for owner, instance in tag:each() do
      assert.equal("cuttle.entity", type_of(owner))
      assert.equal("cuttle.instance", type_of(instance))
    end
    assert.equal("fun", annotated_result "each")
  end)
end)

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
    { "Buffer", functions(debug.getmetatable(world:buffer()).__index), meta.Buffer },
    { "Query", functions(world:query "plain"), meta.Query },
    { "Formula", functions { describe = world:query("plain"):formula("local a = 1").describe }, meta.Formula },
    { "Space", functions(world:query "transform":space { cell = 1 }), meta.Space },
    { "Watch", functions(world.transform:watch()), meta.Watch },
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
    local name, found, annotated, manager = class[1], class[2], class[3], class[4]

    it("documents every function of " .. name, function()
      local missing = difference(found, annotated or {})
      -- Accessors of fields are described once for all: m:FIELD, m:set_FIELD.
      local accessors = {}
      for _, field in ipairs(manager and manager:fields() or {}) do
        accessors[field[1]], accessors["set_" .. field[1]] = true, true
      end
      for i = #missing, 1, -1 do
        if accessors[missing[i]] then table.remove(missing, i) end
      end
      assert.are.same({}, missing)
    end)

    it("documents no function that " .. name .. " lacks", function()
      assert.are.same({}, difference(annotated or {}, found))
    end)
  end
end)
