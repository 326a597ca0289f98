--- Support for LÖVE: finds the native module, and reads and writes files through LÖVE. `require "cuttle"` loads this
-- file inside LÖVE.
-- Does not depend on entities and levels.
--
-- Does nothing outside of LÖVE. The module's table has the path of the loaded native module, `native`.
--
-- The native module, `cuttle/core.so` (`.dll` on Windows, `.dylib` or `.so` on macOS), is searched for beside the Lua
-- files of cuttle, then in the folder that contains the game (for a fused game: the program), then on Lua's own path.
-- In a .love or a fused game it cannot be loaded directly, so it is copied to the save directory: completely or not at
-- all, and again if its contents changed. If it is missing, the error message describes what to do.
--
-- After this file is loaded, relative paths of `cuttle.load`, `compile`, `compile_file` and importers are LÖVE's: files
-- are read from the game or the save directory, and written to the save directory. Absolute paths still refer to the
-- disk.
-- @module cuttle.love

local files = require "cuttle.files"

local love = rawget(_G, "love")
local filesystem = type(love) == "table" and love.filesystem
-- Substitutes for LÖVE in a game's tests may lack some of these functions.
for _, name in ipairs { "getInfo", "getRealDirectory", "getSaveDirectory", "getSourceBaseDirectory", "read" } do
  filesystem = type(filesystem) == "table" and filesystem[name] and filesystem
end
-- `native`: the path of the native module, nil if it was not loaded by this file.
local module = {}
if not filesystem then return module end

local NAME, OPENER = "cuttle.core", "luaopen_cuttle_core"
-- Folder of the copies in the save directory. Each copy has its own folder, because some systems cannot replace a
-- loaded library.
local COPIES = "cuttle-native"

local disk_read, disk_write, disk_real = files.read, files.write, files.real

-- The system -------------------------------------------------------------------------------------------------------

local function system_name()
  if love.system and love.system.getOS then return love.system.getOS() end
  return rawget(love, "_os") or jit and jit.os or "Linux"
end

local SYSTEM = system_name()
local IS_MACOS = SYSTEM == "OS X" or SYSTEM == "OSX"
local ENDINGS = SYSTEM == "Windows" and { ".dll" } or IS_MACOS and { ".dylib", ".so" } or { ".so" }
local ADVICE = {
  Android = "LÖVE for Android loads no native module from a game: it must be built into the app",
  iOS = "LÖVE for iOS loads no native module from a game: it must be linked into the app",
}

-- Loading ----------------------------------------------------------------------------------------------------------

-- Loads the module through LÖVE's loader, which supports every path. On Windows, package.loadlib supports only paths
-- that the code page can express.
local function require_at(template)
  if not filesystem.setCRequirePath then return false end
  local c_require_path, path, cpath = filesystem.getCRequirePath(), package.path, package.cpath
  filesystem.setCRequirePath(template)
  package.path, package.cpath = "", ""
  local loaded = pcall(require, NAME)
  filesystem.setCRequirePath(c_require_path)
  package.path, package.cpath = path, cpath
  return loaded
end

-- Loads the library at a path of the disk. `template` is the pattern of the same file for LÖVE's C require path.
local function load_library(path, template)
  local opener, trouble = package.loadlib(path, OPENER)
  if opener then
    package.preload[NAME] = opener
    require(NAME)
  elseif not (template and require_at(template)) then
    return nil, ("cuttle: the native module %s cannot be loaded: %s"):format(path, trouble)
  end
  module.native = path
  return true
end

-- The copy in the save directory -----------------------------------------------------------------------------------

-- A folder name from the length and a checksum of the bytes. The contents are compared as well.
local function name_of(bytes)
  local low, high = 1, 0
  for index = 1, #bytes, 64 do
    for _, value in ipairs { bytes:byte(index, index + 63) } do
      low = (low + value) % 65521
      high = (high + low) % 65521
    end
  end
  return ("%d-%04x%04x"):format(#bytes, high, low)
end

-- Deletes a folder. A file that is in use may remain; a later start tries again.
local function remove_tree(path)
  local found = filesystem.getInfo(path)
  if found and found.type == "directory" then
    for _, name in ipairs(filesystem.getDirectoryItems(path)) do remove_tree(path .. "/" .. name) end
  end
  filesystem.remove(path)
end

local function remove_others(current)
  for _, name in ipairs(filesystem.getDirectoryItems(COPIES)) do
    if name ~= current then remove_tree(COPIES .. "/" .. name) end
  end
end

-- Writes a new file as cuttle.files does, but without the native module, which is not loaded yet.
local function create(path, bytes)
  local temporary = path .. ".cuttle.tmp"
  local file = io.open(temporary, "wb")
  if not file then return false end
  local written, closed = file:write(bytes), file:close()
  if written and closed and os.rename(temporary, path) then return true end
  os.remove(temporary)
  return false
end

-- Writes a file of the save directory: with `write`, or through LÖVE if the disk does not accept the path.
local function write_saved(path, bytes, write)
  local folder = files.directory_of(path)
  if folder ~= "" and not filesystem.createDirectory(folder) then
    return nil, path .. ": cannot create its folder in the save directory"
  end
  if write(filesystem.getSaveDirectory() .. "/" .. path, bytes) then return true end
  local written, trouble = filesystem.write(path, bytes)
  if written then return true end
  return nil, path .. ": " .. tostring(trouble)
end

-- Copies the library. Returns the path of the copy and its pattern for LÖVE, or nil and a message.
local function copy(path, ending)
  local bytes, trouble = filesystem.read(path)
  if not bytes then return nil, ("cuttle: the native module %s cannot be read: %s"):format(path, tostring(trouble)) end
  local name = name_of(bytes)
  local target = ("%s/%s/cuttle/core%s"):format(COPIES, name, ending)
  if filesystem.read(target) ~= bytes then
    filesystem.remove(target)
    local written, problem = write_saved(target, bytes, create)
    if not written or filesystem.read(target) ~= bytes then
      filesystem.remove(target)
      return nil, ("cuttle: the native module cannot be copied to the save directory: %s"):format(problem or target)
    end
  end
  remove_others(name)
  return filesystem.getSaveDirectory() .. "/" .. target, COPIES .. "/" .. name .. "/??"
end

-- Search ------------------------------------------------------------------------------------------------------------

local function is_file(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

-- Searches inside the game, where LÖVE searches for Lua files.
local function load_from_game(ending)
  for template in (filesystem.getRequirePath and filesystem.getRequirePath() or "?.lua"):gmatch "[^;]+" do
    local path, count = template:gsub("%?%.lua$", "cuttle/core" .. ending)
    local found = count == 1 and filesystem.getInfo(path)
    if found and found.type ~= "directory" then
      local real = (filesystem.getRealDirectory(path) or "") .. "/" .. path
      if is_file(real) then return load_library(real, (template:gsub("%?%.lua$", "??"))) end
      local copied, at = copy(path, ending)
      if not copied then return nil, at end
      return load_library(copied, at)
    end
  end
end

-- Searches the folder that contains the game.
local function load_from_beside(ending)
  local path = filesystem.getSourceBaseDirectory() .. "/cuttle/core" .. ending
  if is_file(path) then return load_library(path) end
end

local function missing()
  local advice = ADVICE[SYSTEM] or ("put cuttle/core%s of cuttle's package for LÖVE beside cuttle's Lua files, and "
    .. "into the .love; or, in a folder cuttle, beside the .love or the game's program"):format(ENDINGS[1])
  return ("cuttle: the native module for %s is missing: %s"):format(SYSTEM, advice)
end

local function find()
  if package.loaded[NAME] or package.preload[NAME] then return true end
  for _, ending in ipairs(ENDINGS) do
    for _, load in ipairs { load_from_game, load_from_beside } do
      local loaded, trouble = load(ending)
      if loaded or trouble then return loaded, trouble end
    end
  end
  local loaded, trouble = pcall(require, NAME)
  if loaded then return true end
  -- If Lua found a module that does not load, the reason matters and not the list of paths.
  return nil, tostring(trouble):find("error loading module", 1, true) and trouble or missing()
end

-- Files ------------------------------------------------------------------------------------------------------------

local function read_game_file(path)
  return filesystem.read(files.normalize(path))
end

function files.read(path, read, limit)
  return disk_read(path, read or not files.is_absolute(path) and read_game_file or nil, limit)
end

function files.real(path)
  return files.is_absolute(path) and disk_real(path) or nil
end

function files.write(path, bytes)
  if files.is_absolute(path) then return disk_write(path, bytes) end
  return write_saved(files.normalize(path), bytes, disk_write)
end

local found, trouble = find()
if not found then error(trouble, 0) end

return module
