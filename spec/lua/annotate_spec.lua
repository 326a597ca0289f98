-- Annotations of components for editors, compared with the real managers.

local annotate = require "cuttle.annotate"
local cuttle = require "cuttle"
local raises = require "spec.support.raises"

-- Parses annotations: class -> field -> type.
local function read(text)
  local classes, class = {}, ""
  for line in text:gmatch "([^\n]*)\n" do
    local name = line:match "^%-%-%-@class ([%w_.]+)"
    local field, type_name = line:match "^%-%-%-@field (%S+) (.+)$"
    if name then
      class = name
      classes[name] = {}
    elseif field then
      classes[class][field] = type_name
    else
      assert(line == "" or line:find "^%-%-", line)
    end
  end
  return classes
end

describe("annotations", function()
  local world = cuttle.world(cuttle.entity_manager())
  local fields = { { "count", "uint8" }, { "secret", "float" } }
  for kind in pairs(require "cuttle.field_types") do
    if kind ~= "enum" then fields[#fields + 1] = { "a_" .. kind, kind } end
  end
  fields[#fields + 1] = { "mood", "enum", { "calm", 'so "so"', "two\nlines" } }
  local every = world:define("every", fields, { hidden = { "count", "secret" } })
  world:define("tag", { { "text", "string" } }, { multiple = true })
  world:define("frozen", {})
  local text = annotate.text(world)
  local classes = read(text)

  it("are a Lua file that does nothing when it runs", function()
    assert(loadstring(text))()
    assert.equal("---@meta\n", text:sub(1, 9))
    assert.equal(text, annotate.text(world))
  end)

  it("list each component of a script as a field of the world, and no other component", function()
    assert.are.same({ every = "cuttle.component.every", tag = "cuttle.component.tag",
      frozen = "cuttle.component.frozen" }, classes["cuttle.World"])
  end)

  it("list each accessor of a manager, and no other function", function()
    local annotated = classes["cuttle.component.every"]
    for name in pairs(annotated) do assert.is_function(every[name], name) end
    for _, field in ipairs(every:fields()) do
      if field[1] ~= "count" and field[1] ~= "secret" then
        assert.is_string(annotated[field[1]], field[1])
        assert.is_string(annotated["set_" .. field[1]], field[1])
      end
    end
    for _, name in ipairs { "count", "set_count", "secret", "set_secret" } do assert.is_nil(annotated[name]) end
  end)

  it("list as many results as a getter returns, and as many values as a setter takes", function()
    local e = world:create { every = {} }
    local annotated = classes["cuttle.component.every"]
    for _, field in ipairs(every:fields()) do
      local name, kind = field[1], field[2]
      if name ~= "count" and name ~= "secret" and kind ~= "mat4" then
        local results = select(2, annotated[name]:match("%): (.+)$"):gsub(",", "")) + 1
        assert.equal(select("#", every[name](every, e)), results, name)
        local values = select(2, annotated["set_" .. name]:match("cuttle%.target, (.+)%)$"):gsub(": ", ""))
        assert.equal(results, values, name)
      end
    end
    local _, commas = annotated.a_mat4:match("%): (.+)$"):gsub(",", "")
    assert.equal(16, commas + 1)
  end)

  it("give the types of accessors, columns and values", function()
    local annotated, values = classes["cuttle.component.every"], classes["cuttle.values.every"]
    assert.equal("fun(self: cuttle.component.every, target: cuttle.target): number, number, number", annotated.a_vec3)
    assert.equal("fun(self: cuttle.component.every, target: cuttle.target, x: number, y: number)", annotated.set_a_vec2)
    assert.equal("integer", values["a_uint8?"])
    assert.equal("cuttle.entity|nil", values["a_entity?"])
    assert.equal([["calm"|"so \"so\""|"two\nlines"]], values["mood?"])
    assert.equal("string|integer", classes["cuttle.values.tag"]["id?"])
    assert.equal("{ r: number, g: number, b: number, a: number }",
      classes["cuttle.column.every.a_color"]["[integer]"])
    assert.is_nil(classes["cuttle.column.every.a_value"])
  end)

  it("refuse anything but a world", function()
    raises("calling 'annotate' on bad self", annotate.text, {})
  end)
end)
