--- world:attach: Lua tables keyed by entity, which forget the dead.
-- Knows nothing of components.
--
-- An attached table is a plain one, so that pairs and next work in Lua 5.1; its metatable checks new keys. The core
-- forgets the dead: a weak key would not do, light userdata are never dropped.

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local attached, new_entry = core.attached, core.new_entry

local attach = {}

--- The table of a name, keyed by entities: a new one the first time.
-- @param world a world
-- @tparam string name
-- @treturn table
function attach.attach(world, ...)
  local name = ...
  argument.check_self(world, "cuttle", "attach", "world")
  if type(name) ~= "string" then
    argument.bad(1, "attach", "string expected, got %s", select("#", ...) == 0 and "no value" or type(name))
  end
  local there = argument.call(attached, world, name)
  if there then return there end
  -- A finalizer may have ended the world, or asked for the same name.
  local made = argument.call(attached, world, name,
    setmetatable({}, { __metatable = "attached", __newindex = argument.call(new_entry, world, name) }))
  return made
end

core.add_methods("world", attach)

return attach
