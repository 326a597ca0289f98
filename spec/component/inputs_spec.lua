-- The inputs of the built-in components. The core describes them once; the lists that repeat them must agree, and so
-- must the rules about which inputs exclude each other, in the core and in the schema for editors.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local each = require "cuttle.each"
local is_valid = require "spec.support.json_schema"
local json = require "cuttle.json"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local world = cuttle.world(cuttle.entity_manager())
world.mesh:define_resource("box", {})
world.model:define_resource("box", { nodes = { { name = "a" } } })

local META, SCHEMA = read "lua/cuttle/meta.lua", read "lua/cuttle/schema.lua"

-- The comment before a class in meta.lua.
local function class_comment(name)
  local class = name:gsub("^%l", string.upper):gsub("_(%l)", string.upper)
  local head = assert(META:match("^(.*)\n%-%-%-@class cuttle%." .. class .. " : cuttle%.Manager\n"), class)
  return head:match "^.*\n\n(.*)$"
end

-- A value that an input accepts.
local function value_of(input)
  if input.cells then return { 1, 2, 3, 4 } end
  if input.type == "string" then return input.name == "parent_node" and "a" or "box" end
  if input.type == "uint32" then return 2 end
  if input.type == "bool" then return true end
  return input.default
end

for name, known in each, core.schema.component_types(world) do
  if known.spawn_order < 100 then
    local inputs, plain = core.schema.component_fields(world, name), {}
    for _, input in ipairs(inputs) do
      -- Skips entities: in level source the hierarchy gives the parent.
      if input.type ~= "entity" then plain[#plain + 1] = input end
    end

    describe("each input of " .. name, function()
      for _, input in ipairs(inputs) do
        it("is listed: " .. input.name, function()
          assert.truthy(class_comment(name):find("%f[%w_]" .. input.name .. "%f[^%w_]"),
            "the comment of the class in lua/cuttle/meta.lua does not contain it")
          assert.truthy(read("src/component/" .. name .. ".h"):find("%f[%w_]" .. input.name .. "%f[^%w_]"),
            "src/component/" .. name .. ".h does not contain it")
        end)
      end

      it("has its number in the header, if inputs have numbers there", function()
        local place = 0
        local header = read("src/component/" .. name .. (name == "grid" and "_internal" or "") .. ".h")
        for number in header:gmatch("\n    CT_" .. name:upper() .. "_IN_([%u_]+)") do
          place = place + 1
          assert.are.equal(inputs[place].name, number:lower())
        end
        assert.is_true(place == 0 or place == #inputs, "the header and the core have different counts")
      end)

      it("is known, if schema.lua describes it", function()
        local names = { id = true }
        for _, input in ipairs(inputs) do names[input.name] = true end
        local texts = assert(loadstring("return " .. SCHEMA:match "FIELD_DESCRIPTIONS = (%b{})"))()[name] or {}
        for field in pairs(texts) do assert.is_true(names[field], field) end
      end)
    end)

    describe("two inputs of " .. name, function()
      local schema = assert(json.decode(cuttle.schema(world)))
      local compiler = cuttle.compiler(world)
      local required = {}
      for _, input in ipairs(inputs) do
        if input.required then required[input.name] = value_of(input) end
      end

      local function level(...)
        local values = {}
        for key, value in pairs(required) do values[key] = value end
        for _, input in ipairs { ... } do values[input.name] = value_of(input) end
        return { entities = { { name = "a", components = { [name] = values } } } }
      end

      for i, one in ipairs(plain) do
        for j = i + 1, #plain do
          local other = plain[j]
          it(("exclude each other everywhere or nowhere: %s and %s"):format(one.name, other.name), function()
            local document = level(one, other)
            local bytes, message = compiler:compile(document)
            local excluded = bytes == nil
            assert.is_true(not excluded or message:find("not together with", 1, true) ~= nil, message)
            assert.are.equal(not excluded, is_valid(schema, document), "schema.lua")
          end)
        end
      end
    end)
  end
end
