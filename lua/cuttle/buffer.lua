--- world:buffer: a command buffer, for changes of a world that must wait.
-- Does not depend on any component type.
-- @module cuttle.buffer

local argument = require "cuttle.argument"
local compat = require "cuttle.compat"
local core = require "cuttle.core"

local error, pcall, type = error, pcall, type
local is_entity, type_name = core.is_entity, core.messages.type_name

-- `queue` has four values for each command, from the place `first` on: the function that runs it, an entity, and two
-- arguments. `given` counts all commands, `done` those that were run or cleared.
local Buffer = {}
local class = { __index = Buffer, __metatable = "Buffer" }

-- Error level of the script, for an error that a method raises itself.
local SCRIPT = 2

function class.__tostring(self)
  return ("Buffer (%d commands)"):format(self.given - self.done)
end

-- Appends a command. The last place is written first: if memory runs out, the buffer is unchanged.
local function append(self, run, entity, first, second)
  local queue, place = self.queue, self.first + 4 * (self.given - self.done)
  queue[place + 3], queue[place + 2], queue[place + 1], queue[place] = second or false, first, entity, run
  self.given = self.given + 1
end

-- Removes the oldest command and returns it.
local function take(self)
  local queue, place = self.queue, self.first
  local run, entity, first, second = queue[place], queue[place + 1], queue[place + 2], queue[place + 3]
  queue[place], queue[place + 1], queue[place + 2], queue[place + 3] = nil, nil, nil, nil
  self.done = self.done + 1
  self.first = self.done < self.given and place + 4 or 1
  return run, entity, first, second
end

-- Returns the reason in a message about an argument of a core function, or nil for other messages.
local function reason(message)
  return type(message) == "string" and message:match "^bad argument #%d+ to '[^']*' %((.*)%)$" or nil
end

-- Commands -----------------------------------------------------------------------------------------------------------
-- Each returns false if it skipped a dead entity.

-- Calls a method of the core. Raises its errors at the script that flushes, with the name of the command.
local function call(command, method, ...)
  local ok, result = pcall(method, ...)
  if ok then return result end
  local message = reason(result)
  if message then result = command .. ": " .. message end
  -- The errors of hooks have a position already.
  local positioned = not message and (type(result) ~= "string" or result:find "^[^\n]-:%d+: ")
  error(result, positioned and 0 or SCRIPT + 2)
end

local function create(world, _, components)
  call("create", world.create, world, components)
end

local function destroy(world, entity)
  return call("destroy", world.entities.destroy, world.entities, entity)
end

local function add(world, entity, name, values)
  if not world.entities:alive(entity) then return false end
  local manager = world:manager(name)
  call("add", manager.create, manager, entity, values or nil)
end

local function remove(world, entity, name)
  if not world.entities:alive(entity) then return false end
  local manager = world:manager(name)
  call("remove", manager.destroy, manager, entity)
end

local function call_function(_, _, fn, arguments)
  fn(compat.unpack(arguments, 1, arguments.n))
end

-- Methods ------------------------------------------------------------------------------------------------------------

-- Checks the first two arguments of a method: an entity, and a component by name or as a manager of the world. Returns
-- the component's name, or nil, the number of the wrong argument and a message.
local function check_component(world, entity, component)
  if not is_entity(entity) then return nil, 1, "entity expected, got " .. type_name(entity) end
  local ok, name = pcall(core.schema.manager_name, world, component)
  if ok then return name end
  return nil, 2, reason(name) or name
end

--- Creates an entity at the next flush.
-- @tparam table components as for `world:create`; read at the flush
function Buffer:create(components)
  argument.check_self(self, "Buffer", "create")
  argument.check_world(self.world, "create")
  if type(components) ~= "table" then
    argument.bad(1, "create", "table expected, got %s", type_name(components))
  end
  append(self, create, false, components)
end

--- Destroys an entity at the next flush.
-- @param entity
function Buffer:destroy(entity)
  argument.check_self(self, "Buffer", "destroy")
  argument.check_world(self.world, "destroy")
  if not is_entity(entity) then argument.bad(1, "destroy", "entity expected, got %s", type_name(entity)) end
  append(self, destroy, entity, false)
end

--- Adds a component at the next flush.
-- @param entity
-- @param component a name or manager
-- @tparam[opt] table values read at the flush
function Buffer:add(entity, component, values)
  argument.check_self(self, "Buffer", "add")
  argument.check_world(self.world, "add")
  local name, number, trouble = check_component(self.world, entity, component)
  if not name then argument.bad(number, "add", "%s", trouble) end
  if values ~= nil and type(values) ~= "table" then
    argument.bad(3, "add", "table of values expected, got %s", type_name(values))
  end
  append(self, add, entity, name, values)
end

--- Removes all components of one manager from an entity at the next flush.
-- @param entity
-- @param component a name or manager
function Buffer:remove(entity, component)
  argument.check_self(self, "Buffer", "remove")
  argument.check_world(self.world, "remove")
  local name, number, trouble = check_component(self.world, entity, component)
  if not name then argument.bad(number, "remove", "%s", trouble) end
  append(self, remove, entity, name)
end

--- Calls a function at the next flush.
-- @tparam function fn
-- @param ... arguments for it
function Buffer:call(fn, ...)
  argument.check_self(self, "Buffer", "call")
  argument.check_world(self.world, "call")
  if type(fn) ~= "function" then argument.bad(1, "call", "function expected, got %s", type_name(fn)) end
  append(self, call_function, false, fn, { n = select("#", ...), ... })
end

--- Runs the commands in order. Commands that are added meanwhile wait for the next flush. An error stops the flush;
-- the commands after it stay in the buffer.
-- @treturn number how many were run, without those that were skipped because their entity is dead
function Buffer:flush()
  argument.check_self(self, "Buffer", "flush")
  argument.check_world(self.world, "flush")
  local count, stop = 0, self.given
  while self.done < stop do
    local run, entity, first, second = take(self)
    if run(self.world, entity, first, second) ~= false then count = count + 1 end
  end
  return count
end

--- Returns the number of commands.
-- @treturn number
function Buffer:count()
  argument.check_self(self, "Buffer", "count")
  argument.check_world(self.world, "count")
  return self.given - self.done
end

--- Removes all commands without running them.
function Buffer:clear()
  argument.check_self(self, "Buffer", "clear")
  argument.check_world(self.world, "clear")
  while self.done < self.given do take(self) end
end

local world_methods = {}

--- Makes a command buffer.
-- @param world a world
-- @treturn Buffer
function world_methods.buffer(world)
  argument.check_world(world, "buffer")
  return setmetatable({ world = world, queue = {}, first = 1, given = 0, done = 0 }, class)
end

core.add_methods("world", world_methods)

return world_methods
