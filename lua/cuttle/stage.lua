--- Stage: spawns and unloads the levels of a large world around a view.
-- Does not depend on where resources come from, nor on the contents of the levels.
--
-- A level is spawned while its Level object has entities. A restore of a snapshot can empty a Level object, or fill one
-- again that was unloaded. Therefore each entry keeps weak references to its earlier Level objects: if a snapshot can
-- restore a level, the snapshot keeps the object. A save makes new Level objects, which are found by the name that the
-- stage gives to its levels.
--
-- An error can end `look` and `clear` between two levels. The names of the levels that have changed by then stay in
-- `self.spawned` and `self.unloaded`, and the next call returns them.
-- @module cuttle.stage

local argument = require "cuttle.argument"
local core = require "cuttle.core"
local each = require "cuttle.each"
local failure = require "cuttle.failure"

local format, getmetatable, ipairs, pcall, type = string.format, getmetatable, ipairs, pcall, type
local is_from_save, restores, type_name = core.level_is_from_save, core.restores, core.messages.type_name
local INFINITE = math.huge

local Stage = {}
Stage.__index = Stage
Stage.__metatable = "Stage"

-- Arguments --------------------------------------------------------------------------------------------------------

local function is_finite(value) return type(value) == "number" and value > -INFINITE and value < INFINITE end

local function show(value) return type(value) == "number" and tostring(value) or type_name(value) end

-- Returns what is wrong with a length, or nil.
local function length_trouble(value)
  if is_finite(value) and value >= 0 then return nil end
  return "finite number from 0 on expected, got " .. show(value)
end

local function states_trouble(value)
  if type(value) ~= "table" then return "table expected, got " .. type_name(value) end
  for name, state in each, value do
    if type(name) ~= "string" then return "names expected as keys, got " .. type_name(name) end
    if type(state) ~= "string" then return format("%s: string expected, got %s", name, type_name(state)) end
  end
end

local OPTIONS = argument.option_list {
  { "load", "function" }, { "margin", length_trouble }, { "ahead", length_trouble }, { "remember", "boolean" },
  { "states", states_trouble },
}
local LOOK = argument.option_list { { "all", "boolean" } }

local NUMBERS = { "x", "y", "w", "h" }

-- Returns what is wrong with an entry of the index, or nil.
local function entry_trouble(given, by_name)
  if type(given) ~= "table" then return "table expected, got " .. type_name(given) end
  local name = given.name
  if type(name) ~= "string" then return "name: string expected, got " .. type_name(name) end
  if by_name[name] then return format("name: '%s' is the name of an earlier level", name) end
  for place, key in ipairs(NUMBERS) do
    local value = given[key]
    if not is_finite(value) then return format("%s: finite number expected, got %s", key, show(value)) end
    if place > 2 and value < 0 then return format("%s: number from 0 on expected, got %s", key, show(value)) end
  end
end

-- Copies the index. Returns nil and what is wrong if it is invalid.
local function read_index(index)
  if type(index) ~= "table" then return nil, "table expected, got " .. type_name(index) end
  local entries, by_name = {}, {}
  for place, given in ipairs(index) do
    local trouble = entry_trouble(given, by_name)
    if trouble then return nil, format("[%d]: %s", place, trouble) end
    local entry = { place = place, name = given.name, left = given.x, top = given.y, right = given.x + given.w,
      bottom = given.y + given.h, was = setmetatable({}, { __mode = "k" }) }
    entries[place], by_name[entry.name] = entry, entry
  end
  return entries, by_name
end

-- Returns the entry of a name, or nil and why there is none.
local function entry_of(self, name)
  if type(name) ~= "string" then return nil, "string expected, got " .. type_name(name) end
  local entry = self.by_name[name]
  if entry then return entry end
  local names = {}
  for place, known in ipairs(self.entries) do names[place] = known.name end
  return nil, format("no level of the index is called '%s'%s", name, failure.hint(name, names))
end

-- Levels -----------------------------------------------------------------------------------------------------------

-- Calls a method of the core and returns up to two results. Its errors name no line, as argument.call expects it.
local function core_call(fn, ...)
  local ok, first, second = pcall(fn, ...)
  if not ok then error(first, 0) end
  return first, second
end

-- Returns the Level of an entry if it is spawned, or nil.
local function level_of(entry)
  local level = entry.level
  if not level or entry.is_empty or level:count() > 0 then return level end
  entry.was[level] = true
  entry.level = nil
end

-- Takes over the levels of a loaded save that have the name of an entry.
local function adopt(self)
  for _, level in ipairs(self.world:levels()) do
    local entry = is_from_save(level) and self.by_name[level:name()]
    if entry and (entry.is_empty or not level_of(entry)) then entry.level, entry.is_empty = level, false end
  end
end

-- Finds the levels that a restore has filled again or made.
local function follow_restore(self)
  for _, entry in ipairs(self.entries) do
    if not level_of(entry) then
      for level in each, entry.was do
        if level:count() > 0 then
          entry.level, entry.is_empty = level, false
          break
        end
      end
    end
  end
  adopt(self)
end

-- Finds the levels after a restore. Raises if the world is destroyed. Called by methods of Stage.
local function open(self)
  local ok, count = pcall(restores, self.world)
  local message = count
  if ok and self.restores ~= count then
    ok, message = pcall(follow_restore, self)
    if ok then self.restores = count end
  end
  if not ok then error(message, 3) end
end

-- Returns the resource of an entry, or nil if it is not ready or has failed.
local function resource_of(self, entry)
  if entry.resource then return entry.resource end
  local resource, message = self.load(entry.name)
  if resource == nil or resource == false then
    if message ~= nil then self.failures[entry.name] = tostring(message) end
    return nil
  end
  if getmetatable(resource) ~= "Resource" then
    error(format("load: Resource or nil expected for '%s', got %s", entry.name, type_name(resource)), 0)
  end
  entry.resource = resource
  return resource
end

-- Makes room in a list of names, so that adding them allocates nothing.
local function reserve(names, count)
  local used = #names
  for place = used + 1, used + count do names[place] = false end
  for place = used + count, used + 1, -1 do names[place] = nil end
end

-- Spawns the level of an entry. Returns false if it is not ready or fails.
local function spawn(self, entry)
  local resource = resource_of(self, entry)
  if not resource then return false end
  local name = entry.name
  local level, message = core_call(self.world.spawn, self.world, resource, { state = self.kept[name], name = name })
  if not level then
    self.failures[name], entry.resource = message, nil -- `retry` loads it again: the file may be mended
    return false
  end
  entry.level, entry.is_empty, entry.resource = level, level:count() == 0, nil
  self.spawned[#self.spawned + 1] = name
  return true
end

-- Keeps the state of a level. Returns false if it cannot be saved, which the next call tries again.
local function remember(self, entry)
  local state, message = core_call(entry.level.save, entry.level)
  self.failures[entry.name] = message
  if not state then return false end
  self.kept[entry.name] = state
  return true
end

-- Notes that a level was unloaded: after its spawn if that was not returned yet, and before any later one.
local function note_unloaded(self, name)
  for place, spawned in ipairs(self.spawned) do
    if spawned == name then
      table.remove(self.spawned, place)
      return
    end
  end
  self.unloaded[#self.unloaded + 1] = name
end

-- Unloads the level of an entry. Returns false if its state cannot be saved. An error of a callback is raised when the
-- level is unloaded. After any other error it is still spawned.
local function unload(self, entry)
  local level = entry.level
  if self.remember and not entry.is_empty and not remember(self, entry) then return false end
  entry.was[level] = true
  local ok, message = pcall(level.unload, level)
  if ok or level:count() == 0 then
    entry.level = nil
    note_unloaded(self, entry.name)
  end
  if not ok then error(message, 0) end
  return true
end

-- The view ---------------------------------------------------------------------------------------------------------

local function touches(entry, x, y, half_w, half_h)
  return entry.left <= x + half_w and entry.right >= x - half_w and entry.top <= y + half_h
    and entry.bottom >= y - half_h
end

-- Returns the square of the distance from a point to the rectangle of an entry.
local function distance_to(entry, x, y)
  local dx = entry.left > x and entry.left - x or x > entry.right and x - entry.right or 0
  local dy = entry.top > y and entry.top - y or y > entry.bottom and y - entry.bottom or 0
  return dx * dx + dy * dy
end

-- Adds an entry to a list that may be nil, and returns the list. `sign` -1 sorts the farthest entries first.
local function add_near(list, entry, x, y, sign)
  list = list or {}
  entry.key = sign * distance_to(entry, x, y)
  list[#list + 1] = entry
  return list
end

local function comes_before(a, b)
  if a.key ~= b.key then return a.key < b.key end
  return a.place < b.place
end

-- Calls `act` for the entries in order until one succeeds, or for all.
local function act_on(self, list, all, act)
  for place = 1, list and #list or 0 do
    if act(self, list[place]) and not all then break end
  end
end

-- Compares the view with all levels: returns the entries to spawn and to unload, nearest and farthest first; nil for
-- none. Loads what is ahead, and drops the resources of what is not.
local function compare(self, x, y, half_w, half_h)
  local wanted, left
  local ahead = self.ahead
  for _, entry in ipairs(self.entries) do
    local level = level_of(entry)
    if touches(entry, x, y, half_w, half_h) then
      if not level and not self.failures[entry.name] then wanted = add_near(wanted, entry, x, y, 1) end
    else
      if level then left = add_near(left, entry, x, y, -1) end
      local is_ahead = not level and ahead > 0 and touches(entry, x, y, half_w + ahead, half_h + ahead)
      if not is_ahead then
        entry.resource = nil
      elseif not entry.resource and not self.failures[entry.name] then
        resource_of(self, entry)
      end
    end
  end
  return wanted, left
end

local function look(self, x, y, half_w, half_h, all)
  local wanted, left = compare(self, x, y, half_w, half_h)
  if wanted then table.sort(wanted, comes_before) end
  if left then table.sort(left, comes_before) end
  if wanted or left then
    reserve(self.spawned, wanted and #wanted or 0)
    reserve(self.unloaded, left and #left or 0)
  elseif #self.spawned == 0 and #self.unloaded == 0 then
    return nil
  end
  local next_spawned, next_unloaded = {}, {}
  act_on(self, left, all, unload)
  act_on(self, wanted, all, spawn)
  local spawned, unloaded = self.spawned, self.unloaded
  if #spawned == 0 and #unloaded == 0 then return nil end
  self.spawned, self.unloaded = next_spawned, next_unloaded
  return spawned, unloaded
end

--- Moves the view. Spawns the nearest level that it touches and unloads the farthest one that it does not touch, or
-- with `all` every one of them.
-- @tparam number x centre
-- @tparam number y
-- @tparam[opt=0] number w size
-- @tparam[opt=0] number h
-- @tparam[opt] table given `all`
-- @treturn table|nil names of spawned levels; nil if nothing changed
-- @treturn table|nil names of unloaded levels
function Stage:look(x, y, w, h, given)
  argument.check_self(self, "Stage", "look")
  open(self)
  if type(w) == "table" and h == nil and given == nil then w, given = nil, w end
  if not is_finite(x) then argument.bad(1, "look", "finite number expected, got %s", show(x)) end
  if not is_finite(y) then argument.bad(2, "look", "finite number expected, got %s", show(y)) end
  local trouble = w ~= nil and length_trouble(w)
  if trouble then argument.bad(3, "look", "%s", trouble) end
  trouble = h ~= nil and length_trouble(h)
  if trouble then argument.bad(4, "look", "%s", trouble) end
  local all = given ~= nil and argument.options(given, 5, "look", LOOK).all
  local half_w, half_h = (w or 0) / 2 + self.margin, (h or 0) / 2 + self.margin
  local spawned, unloaded = argument.call(look, self, x, y, half_w, half_h, all)
  if not spawned then return nil end
  return spawned, unloaded
end

--- Returns the Level of a name if it is spawned, or nil.
function Stage:level(name)
  argument.check_self(self, "Stage", "level")
  open(self)
  local entry, trouble = entry_of(self, name)
  if not entry then argument.bad(1, "level", "%s", trouble) end
  local level = argument.call(level_of, entry)
  return level
end

--- Returns the spawned levels, by name.
function Stage:levels()
  argument.check_self(self, "Stage", "levels")
  open(self)
  local levels = {}
  for _, entry in ipairs(self.entries) do levels[entry.name] = argument.call(level_of, entry) end
  return levels
end

local function copy(from)
  local result = {}
  for key, value in each, from do result[key] = value end
  return result
end

--- Returns the messages of the levels that failed, by name.
function Stage:failed()
  argument.check_self(self, "Stage", "failed")
  argument.check_world(self.world, "failed")
  return copy(self.failures)
end

--- Lets the stage try a level again that failed.
-- @treturn boolean whether it had failed
function Stage:retry(name)
  argument.check_self(self, "Stage", "retry")
  argument.check_world(self.world, "retry")
  local entry, trouble = entry_of(self, name)
  if not entry then argument.bad(1, "retry", "%s", trouble) end
  local had_failed = self.failures[name] ~= nil
  self.failures[name] = nil
  return had_failed
end

--- Returns the states of the levels that the stage has unloaded, by name.
function Stage:states()
  argument.check_self(self, "Stage", "states")
  argument.check_world(self.world, "states")
  return copy(self.kept)
end

local function clear(self)
  local next_unloaded = {}
  reserve(self.unloaded, #self.entries)
  for _, entry in ipairs(self.entries) do
    entry.resource = nil
    if level_of(entry) then unload(self, entry) end
  end
  next_unloaded, self.unloaded = self.unloaded, next_unloaded
  return next_unloaded
end

--- Unloads all levels, except those whose state cannot be saved.
-- @treturn table names of unloaded levels
function Stage:clear()
  argument.check_self(self, "Stage", "clear")
  open(self)
  local names = argument.call(clear, self)
  return names
end

function Stage:__tostring() return format("Stage (%d levels)", #self.entries) end

--- Makes a stage.
-- @param world a world
-- @tparam table index an array of levels: `name`, `x`, `y`, `w`, `h`
-- @tparam table options `load`, `margin`, `ahead`, `remember`, `states`
return function(world, index, options)
  argument.check_world(world, "stage")
  local entries, by_name = read_index(index)
  if not entries then argument.bad(2, "stage", "%s", by_name) end
  local given = argument.options(options, 3, "stage", OPTIONS)
  if not given.load then argument.bad(3, "stage", "load: required") end
  local self = { restores = restores(world), world = world, entries = entries, by_name = by_name,
    load = given.load, margin = given.margin or 0, ahead = given.ahead or 0, remember = given.remember or false,
    failures = {}, kept = copy(given.states or {}), spawned = {}, unloaded = {} }
  argument.call(adopt, self)
  return setmetatable(self, Stage)
end
