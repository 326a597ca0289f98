--- world:attach: Lua tables keyed by entity. Destroying an entity removes its entries.
-- Does not depend on components.
--
-- An attached table is a plain table, so that pairs and next work in Lua 5.1; its metatable checks new keys. The core
-- removes the entries of destroyed entities. Weak keys would not work: light userdata are never collected.

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local attached, new_entry = core.attached, core.new_entry

local attach = {}

--- Returns the table with this name. The first call creates it.
-- @param world a world
-- @tparam string name
-- @treturn table
function attach.attach(world, ...)
  local name = ...
  argument.check_self(world, "cuttle", "attach", "world")
  if type(name) ~= "string" then
    argument.bad(1, "attach", "string expected, got %s", select("#", ...) == 0 and "no value" or type(name))
  end
  local existing = argument.call(attached, world, name)
  if existing then return existing end
  -- Creating the table may run a finalizer that destroys the world or attaches the same name: call the core again.
  local created = argument.call(attached, world, name,
    setmetatable({}, { __metatable = "attached", __newindex = argument.call(new_entry, world, name) }))
  return created
end

core.add_methods("world", attach)

return attach
