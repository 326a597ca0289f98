--- world:register_spawner: spawn functions of scripts, for component types that the core does not have.
-- Does not depend on how levels are spawned.

local argument = require "cuttle.argument"
local components = require "cuttle.compiler.components"
local core = require "cuttle.core"
local managers = require("cuttle.world").managers

local spawners_of = core.spawners

local spawners = {}

-- Returns an error message if the hash of the name equals that of another component type.
local function collision(name, world, registered)
  for other in managers(world) do
    local trouble = core.schema.collision(name, other)
    if trouble then return trouble end
  end
  return components.collision(name, registered)
end

--- Registers the spawn function of a component type (Bitsquid part 4). It replaces an earlier one.
-- @param world a world
-- @tparam string name an identifier
-- @tparam function|nil fn the spawn function; nil removes the registered one
function spawners.register_spawner(world, ...)
  local name, fn = ...
  argument.check_self(world, "cuttle", "register_spawner", "world")
  local registered = argument.call(spawners_of, world, {})
  local given = select("#", ...)
  if type(name) ~= "string" then
    argument.bad(1, "register_spawner", "string expected, got %s", given == 0 and "no value" or type(name))
  elseif not name:find "^[A-Za-z_][A-Za-z0-9_]*$" then
    argument.bad(1, "register_spawner", "'%s' is not a valid component name (letters, digits, _)",
      name:match("^%Z*"):sub(1, 64))
  elseif type(fn) ~= "function" and (fn ~= nil or given < 2) then
    argument.bad(2, "register_spawner", "function expected, got %s", given < 2 and "no value" or type(fn))
  end
  local trouble = fn and collision(name, world, registered)
  if trouble then argument.bad(1, "register_spawner", "%s", trouble) end
  registered[name] = fn
end

core.add_methods("world", spawners)

return spawners
