-- Names of methods of built-in managers. Each is found literally in the files of its component, or in those that all
-- managers share, so no name is composed by code. A name that continues after a zero byte is not the name before it.

local cuttle = require "cuttle"
local raises = require "spec.support.raises"
local tree = require "spec.support.tree"

local function read_all(folder, wanted)
  local text = {}
  for _, path in ipairs(tree.files(folder)) do
    local content = tree.read(path)
    if wanted(path:match "[^/]+$", content) then text[#text + 1] = content end
  end
  return table.concat(text)
end

local methods_of = require("spec.support.methods").of

-- These fields are written only by `set`, because a new size changes the cells.
local BY_SET = { grid = { width = true, height = true } }

describe("methods of built-in managers", function()
  local common = read_all("src/bind/manager", function() return true end)

  for type_name, manager in cuttle.world(cuttle.entity_manager()):managers() do
    local in_c = read_all("src/bind/component", function(name) return name:find("^" .. type_name) end)
    local in_lua = read_all("lua/cuttle", function(_, content)
      return content:find('core.add_methods("' .. type_name .. '"', 1, true)
    end)

    it("have literal names in the source: " .. type_name, function()
      for method in pairs(methods_of(manager)) do
        local quoted = '"' .. method .. '"'
        local found = in_c:find(quoted, 1, true)
          or common:find(quoted, 1, true)
          or in_lua:find("\nfunction [%w_]+%." .. method .. "%(")
        assert.is_truthy(found, ("%s:%s is not in the source"):format(type_name, method))
      end
    end)

    it("include a getter and a setter for each field: " .. type_name, function()
      for _, field in ipairs(manager:fields()) do
        assert.is_function(methods_of(manager)[field[1]])
        local by_set = BY_SET[type_name] and BY_SET[type_name][field[1]]
        assert.equal(by_set and "nil" or "function", type(methods_of(manager)["set_" .. field[1]]), field[1])
      end
    end)
  end
end)

describe("a name with a zero byte", function()
  local entities, world, things, e, query
  local WRONG = "a name cannot hold a zero byte"

  before_each(function()
    entities = cuttle.entity_manager()
    world = cuttle.world(entities)
    things = world:define("thing", { { "hp", "float", 7 }, { "layer", "uint8" }, { "v", "vec2" } })
    e = world:create { thing = {}, transform = {}, actor = {} }
    query = world:query("thing", "transform", "actor")
  end)

  it("names no component", function()
    for _, call in ipairs { world.query, world.join, world.rows } do
      raises(WRONG, call, world, "thing\0x")
      for _, role in ipairs { "", "!", "?" } do raises(WRONG, call, world, "transform", role .. "thing\0x") end
    end
    raises(WRONG, world.copy, world, "thing\0x", "hp", "thing", "hp")
    for _, call in ipairs { query.create, query.remove } do raises(WRONG, call, query, "thing\0x") end
    assert.is_nil(world:manager "thing\0x")
    raises("unknown component", cuttle.publisher, world, { components = { "thing\0x" } })
  end)

  it("names no field", function()
    for _, call in ipairs { things.read, things.write } do raises(WRONG, call, things, e, "hp\0x", 1) end
    raises(WRONG, things.column, things, "hp\0x")
    for _, call in ipairs { things.read_many, things.write_many, things.add_many } do
      raises(WRONG, call, things, { e }, "hp\0x", 1)
    end
    for _, call in ipairs { query.read, query.write } do raises(WRONG, call, query, "thing.hp\0x", 1) end
    raises(WRONG, world.add_scaled, world, "thing", "hp", "thing", "hp\0x", 1)
    raises(WRONG, query.space, query, { cell = 1, radius = "thing.hp\0x" })
    raises(WRONG, query.space, query, { cell = 1, mask = "thing.layer\0x" })
    raises(WRONG, world.actor.read, world.actor, e, "body\0x")
    for thing in query:items() do
      for _, name in ipairs { "hp\0x", "entity\0x", "row\0x" } do
        raises(WRONG, function() return thing[name] end)
        raises(WRONG, function() thing[name] = 1 end)
      end
    end
    raises(WRONG, function() return things:column "v"[0]["x\0y"] end)
    assert.equal(7, things:hp(e))
    raises("not a published field", cuttle.publisher, world,
      { components = { "thing" }, steps = { ["thing.hp\0x"] = 1 } })
  end)

  it("names no type, and no way of an option", function()
    raises("unknown type", world.define, world, "other", { { "hp", "float\0x" } })
    raises("a limit", world.gc, world, "all\0x")
    raises("a limit", things.gc, things, "all\0x")
    raises('"immediate" or "deferred" expected', world.transform.set_mode, world.transform, "deferred\0x")
    assert.is_true(entities:alive(e))
  end)
end)
