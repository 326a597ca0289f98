-- A world with components of all field types of formulas, and functions that evaluate texts in it.
--
--     local place = formula_world()
--     place.number("1 + 2 * 3")      -- 7, computed for one entity
--     place.mistake("velocty.v = 1") -- the message

local cuttle = require "cuttle"
local world_of = {}

--- The labels of the field `body.state`.
world_of.STATES = { "idle", "run", "dead" }

--- Fields by component.
world_of.SCHEMAS = {
  body = { { "x", "float" }, { "m", "double" }, { "w", "double" }, { "v", "vec2" }, { "p", "vec3" }, { "c", "color" },
    { "q", "quat" }, { "hp", "int32" }, { "level", "uint8" }, { "on", "bool" }, { "target", "entity" },
    { "state", "enum", world_of.STATES }, { "flat", "dvec2" }, { "far", "dvec3" } },
  extra = { { "a", "float", 2.5 }, { "k", "vec3" }, { "who", "entity" }, { "mode", "enum", { "x", "y" } },
    { "n", "int16", 7 } },
  loot = { { "value", "double", 9 }, { "origin", "vec3" }, { "owner", "entity" } },
  -- The fields that texts of single expressions are assigned to.
  out = { { "number", "double" }, { "boolean", "bool" }, { "vec2", "vec2" }, { "vec3", "vec3" }, { "vec4", "vec4" },
    { "other", "entity" }, { "integer", "int8" } },
  odd = { { "title", "string" }, { "bag", "value" }, { "grid", "mat4" }, { "end", "float" } },
  ["end"] = { { "x", "float" } },
  frozen = {},
}

--- Defines the components in a world.
function world_of.define(world)
  for _, name in ipairs { "body", "extra", "loot", "out", "odd", "end", "frozen" } do
    world:define(name, world_of.SCHEMAS[name])
  end
  return world
end

--- Makes the world, with one entity that has every component but `frozen`, `extra` and `loot`.
function world_of.new()
  local place = {}
  place.entities = cuttle.entity_manager()
  place.world = world_of.define(cuttle.world(place.entities))
  local world = place.world
  place.entity = world:create { transform = {}, point_mass = {}, body = {}, out = {}, odd = {}, ["end"] = {} }

  -- Runs `out.KIND = expression` and returns the field.
  local function evaluate(kind)
    return function(text, parameters)
      world:formula("out." .. kind .. " = " .. text, parameters)()
      return world.out:read(place.entity, kind)
    end
  end
  for _, field in ipairs(world_of.SCHEMAS.out) do place[field[1]] = evaluate(field[1]) end

  -- Runs a text and returns the fields of a component.
  function place.run(text, parameters, component)
    world:formula(text, parameters)()
    return world:manager(component or "out"):get(place.entity)
  end

  -- Returns the message of a text that does not compile.
  function place.mistake(text, parameters)
    local ok, message = pcall(world.formula, world, text, parameters)
    if ok then error("a mistake was expected in: " .. text, 2) end
    return message
  end
  return place
end

return world_of
