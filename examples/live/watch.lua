--- Levels that follow their files while the game runs: a level that is saved in an editor changes in the game.
-- Must not depend on the game.
--
--     local watched = watch.new(world, compiler)
--     local level = assert(watched:spawn "street.json")
--     -- once a frame, or a few times a second:
--     for _, change in ipairs(watched:poll()) do print(watch.describe(change)) end

local cuttle = require "cuttle"
local lfs = require "lfs"

local watch = {}
local Watch = {}
Watch.__index = Watch

-- Returns a text that changes when a file is saved. The modification time has a resolution of a second, so the text
-- also contains the size, and whether that second is over: until then the file can change unnoticed.
local function stamp_of(path)
  local found = lfs.attributes(path)
  if not found then return "none" end
  return found.modification .. " " .. found.size .. (os.time() > found.modification and "" or " at this moment")
end

local function stamps_of(paths)
  local stamps = {}
  for _, path in ipairs(paths) do stamps[path] = stamp_of(path) end
  return stamps
end

local function read(path)
  local file, trouble = io.open(path, "rb")
  if not file then return nil, trouble end
  local text = file:read "*a"
  file:close()
  return text
end

-- Returns the compiled level of a file, or nil; the list of the files that were read, including prefabs, and one that
-- is missing or has a mistake; and the message if there is no level.
local function load(self, path)
  local files = { path }
  local function read_and_list(name)
    files[#files + 1] = name
    return read(name)
  end
  local text, trouble = read(path)
  if not text then return nil, files, trouble end
  local options = { name = path, directory = path:match "^(.*)/", read = read_and_list }
  local blob, message = self.compiler:compile(text, options)
  return blob, files, message
end

-- Keeps a reference to a level without entities, because the world keeps only levels with entities.
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
  -- The stamp is taken before the file is read, so the next poll notices a change during the reading.
  local stamp = stamp_of(path)
  local blob, files, message = load(self, path)
  if not blob then return nil, message end
  local level
  level, message = self.world:spawn(cuttle.resource(blob, path), options)
  if not level then return nil, message end
  local entry = { path = path, blob = blob, stamps = stamps_of(files) }
  entry.level = setmetatable({ level }, { __mode = "v" })
  entry.stamps[path] = stamp
  keep_if_empty(entry, level)
  self.entries[#self.entries + 1] = entry
  return level
end

-- Returns the level if it has entities, and whether it can have entities again: `restart` and `entities:restore` revive
-- an unloaded level that is still referenced.
local function level_of(entry)
  local level = entry.level[1]
  local there, count = pcall(function() return level:count() end)
  if not there then return nil, false end -- collected, or its world is destroyed
  return (count > 0 or entry.empty) and level or nil, true
end

--- Compiles a level file.
-- @treturn[1] Resource
-- @treturn[2] nil
-- @treturn[2] string
function Watch:read(path)
  local blob, _, message = load(self, path)
  if not blob then return nil, message end
  return cuttle.resource(blob, path)
end

local function has_changed(entry)
  for path, stamp in pairs(entry.stamps) do
    if stamp_of(path) ~= stamp then return true end
  end
end

-- Patches a level to its file, and returns the change, or nil if there is none. An incomplete or wrong file leaves the
-- level unchanged, and is read again after its next change, also if a level names it for the first time.
local function follow(self, entry, level)
  local paths = {}
  for path in pairs(entry.stamps) do paths[#paths + 1] = path end
  local stamps = stamps_of(paths)
  local blob, files, message = load(self, entry.path)
  entry.stamps = stamps_of(files)
  for path, stamp in pairs(stamps) do
    if entry.stamps[path] then entry.stamps[path] = stamp end
  end
  if not blob then return { path = entry.path, message = message } end
  if blob == entry.blob then return nil end
  -- patch raises the error of a hook for removed entities after the patch is complete.
  local done, counts
  done, counts, message = pcall(level.patch, level, cuttle.resource(blob, entry.path))
  keep_if_empty(entry, level)
  if counts then entry.blob = blob end
  if not done then return { path = entry.path, message = tostring(counts), raised = true } end
  return { path = entry.path, counts = counts, message = message }
end

--- Patches the levels of all files that have changed since the last call.
-- @treturn table a table for each of them: `path`, and `counts` (the result of `level:patch`) or `message`. If `raised`
-- is true, the level was patched, and a hook raised the message.
function Watch:poll()
  local changes, entries = {}, {}
  for _, entry in ipairs(self.entries) do
    local level, stays = level_of(entry)
    if level and has_changed(entry) then changes[#changes + 1] = follow(self, entry, level) end
    if stays then entries[#entries + 1] = entry end
  end
  self.entries = entries
  return changes
end

--- Returns a line of text for a result of `poll`.
function watch.describe(change)
  local counts = change.counts
  if change.raised then return change.message .. " (the level was patched)" end
  if not counts then return change.message .. " (the level is unchanged)" end
  return ("%s: %d added, %d removed, %d changed, %d moved"):format(change.path, counts.added, counts.removed,
    counts.changed, counts.moved)
end

--- @treturn table an object that watches levels of a world
function watch.new(world, compiler)
  return setmetatable({ world = world, compiler = compiler, entries = {} }, Watch)
end

return watch
