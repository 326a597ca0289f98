--- Levels that follow their files while the game runs: who saves a level in an editor sees it in the game.
-- Knows nothing of the game.
--
--     local watched = watch.new(world, compiler)
--     local level = assert(watched:spawn "street.json")
--     -- once a frame, or a few times a second:
--     for _, news in ipairs(watched:poll()) do print(watch.describe(news)) end

local cuttle = require "cuttle"
local lfs = require "lfs"

local watch = {}
local Watch = {}
Watch.__index = Watch

-- What changes when a file is saved: the time of change has seconds, so its size is looked at, too.
local function stamp_of(path)
  local found = lfs.attributes(path)
  return found and found.modification .. " " .. found.size or "none"
end

local function stamps_of(paths)
  local stamps = {}
  for _, path in ipairs(paths) do stamps[path] = stamp_of(path) end
  return stamps
end

-- The resource at a path, with the files that it was made of, the prefabs too; or nil and a message.
local function load(self, path)
  local file, trouble = io.open(path, "rb")
  if not file then return nil, trouble end
  local text = file:read "*a"
  file:close()
  local blob, files = self.compiler:compile(text, { name = path, directory = path:match "^(.*)/" })
  if not blob then return nil, files end
  files[#files + 1] = path
  return cuttle.resource(blob, path), files
end

-- A world keeps its levels, but for those that have no entities.
local function keep_if_empty(entry, level)
  entry.empty = level:count() == 0 and level or nil
end

--- Spawns a level source file into the world, and watches it.
-- @tparam string path
-- @tparam[opt] table options as for `world:spawn`
-- @treturn[1] Level
-- @treturn[2] nil
-- @treturn[2] string
function Watch:spawn(path, options)
  -- Before it is read: what changes meanwhile is seen at the next poll.
  local stamp = stamp_of(path)
  local resource, files = load(self, path)
  if not resource then return nil, files end
  local level, message = self.world:spawn(resource, options)
  if not level then return nil, message end
  local entry = { path = path, level = setmetatable({ level }, { __mode = "v" }), stamps = stamps_of(files) }
  entry.stamps[path] = stamp
  keep_if_empty(entry, level)
  self.entries[#self.entries + 1] = entry
  return level
end

-- The level, if it lives; and whether it can live again: an unloaded one, by `restart` or `entities:restore`, while
-- somebody has it.
local function level_of(entry)
  local level = entry.level[1]
  local there, count = pcall(function() return level:count() end)
  if not there then return nil, false end -- collected, or its world is destroyed
  return (count > 0 or entry.empty) and level or nil, true
end

--- The resource that a file makes now.
-- @treturn[1] Resource
-- @treturn[2] nil
-- @treturn[2] string
function Watch:read(path) return load(self, path) end

local function has_changed(entry)
  for path, stamp in pairs(entry.stamps) do
    if stamp_of(path) ~= stamp then return true end
  end
end

-- A file that is half written, or wrong, leaves the level as it was; it is read again when it changes again.
local function follow(self, entry, level)
  local paths = {}
  for path in pairs(entry.stamps) do paths[#paths + 1] = path end
  local stamps = stamps_of(paths)
  local resource, files = load(self, entry.path)
  if not resource then
    entry.stamps = stamps
    return { path = entry.path, message = files }
  end
  entry.stamps = stamps_of(files)
  for path, stamp in pairs(stamps) do
    if entry.stamps[path] then entry.stamps[path] = stamp end
  end
  -- It raises where a hook raised that heard of something that goes: all is done then.
  local sound, told, message = pcall(level.patch, level, resource)
  keep_if_empty(entry, level)
  if not sound then return { path = entry.path, message = tostring(told), raised = true } end
  return { path = entry.path, told = told, message = message }
end

--- Looks for files that have changed since, and brings their levels to what they say now.
-- @treturn table of each that had changed: `path`, and `told` (what `level:patch` returned) or `message`, with `raised`
-- where the level has followed, and a hook raised that
function Watch:poll()
  local news, entries = {}, {}
  for _, entry in ipairs(self.entries) do
    local level, stays = level_of(entry)
    if level and has_changed(entry) then news[#news + 1] = follow(self, entry, level) end
    if stays then entries[#entries + 1] = entry end
  end
  self.entries = entries
  return news
end

--- A line of what `poll` returned.
function watch.describe(news)
  local told = news.told
  if news.raised then return news.message .. " (the level has followed)" end
  if not told then return news.message .. " (the level is as it was)" end
  return ("%s: %d came, %d went, %d changed, %d moved"):format(news.path, told.added, told.removed, told.changed,
    told.moved)
end

--- @treturn table that watches levels of a world
function watch.new(world, compiler)
  return setmetatable({ world = world, compiler = compiler, entries = {} }, Watch)
end

return watch
