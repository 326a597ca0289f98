-- A mock of LÖVE: a table `love` with texts in memory and a save directory on the disk, for running `require
-- "cuttle.love"`.

local files = require "cuttle.files"
local folders = require "spec.support.folder"
local lfs = require "lfs"

local host = {}

local Host = {}
Host.__index = Host

function host.new(system)
  local self = setmetatable({ folder = folders.new(), texts = {}, loaded = {}, read_only = false }, Host)
  self.save = self.folder:make "save"
  self.love = { system = { getOS = function() return system or "Linux" end }, filesystem = self:filesystem() }
  return self
end

-- A mock of love.filesystem: texts belong to the game, and the save directory precedes them.
function Host:filesystem()
  local fs, save = {}, self.save
  local function on_disk(path) return save .. "/" .. path end
  function fs.getRequirePath() return self.require_path or "?.lua;?/init.lua" end
  function fs.getSaveDirectory() return save end
  function fs.getSourceBaseDirectory() return self.folder.path end
  function fs.getInfo(path)
    local mode = lfs.attributes(on_disk(path), "mode")
    if mode then return { type = mode } end
    return self.texts[path] and { type = "file" } or nil
  end
  function fs.getRealDirectory(path)
    if lfs.attributes(on_disk(path), "mode") then return save end
    return self.game or "game.love"
  end
  function fs.read(path)
    local file = io.open(on_disk(path), "rb")
    local text = file and file:read "*a" or self.texts[path]
    if file then file:close() end
    if text then return text, #text end
    return nil, "Could not open file " .. path .. ". Does not exist."
  end
  function fs.createDirectory(path)
    local whole = save
    for part in path:gmatch "[^/]+" do
      whole = whole .. "/" .. part
      if self.read_only then return false end
      lfs.mkdir(whole)
    end
    return true
  end
  function fs.write() return false, "read-only" end
  function fs.getDirectoryItems(path)
    local names = {}
    if not lfs.attributes(on_disk(path), "mode") then return names end
    for name in lfs.dir(on_disk(path)) do
      if name ~= "." and name ~= ".." then names[#names + 1] = name end
    end
    return names
  end
  function fs.remove(path) return os.remove(on_disk(path)) ~= nil or lfs.rmdir(on_disk(path)) ~= nil end
  return fs
end

local NAME = "cuttle.core"
local system = require(NAME).file

-- Requires "cuttle.love", or the module `self.required`, and returns the results of pcall; then calls `body` with files
-- as in LÖVE. Libraries are not loaded, but listed in `loaded`; `self.trouble` is the error of loading one.
function Host:require(body)
  local kept = { love = rawget(_G, "love"), core = package.loaded[NAME], cuttle = package.loaded.cuttle,
    loadlib = package.loadlib, cpath = package.cpath, read = files.read, write = files.write }
  rawset(_G, "love", self.love)
  package.loaded[NAME], package.loaded["cuttle.love"], package.cpath = nil, nil, self.cpath or ""
  package.loaded.cuttle = nil
  rawset(package, "loadlib", function(path, opener)
    self.loaded[#self.loaded + 1] = path .. " " .. opener
    if self.trouble then return nil, self.trouble end
    return function() return self.required and kept.core or { stands_in = true, file = system } end
  end)
  local ok, result = pcall(require, self.required or "cuttle.love")
  local fine, trouble = true, nil
  if ok and body then fine, trouble = pcall(body) end
  package.loaded["cuttle.love"], package.preload[NAME] = nil, nil
  package.loaded[NAME], package.loaded.cuttle, package.cpath = kept.core, kept.cuttle, kept.cpath
  rawset(package, "loadlib", kept.loadlib)
  files.read, files.write = kept.read, kept.write
  rawset(_G, "love", kept.love)
  if not fine then error(trouble, 0) end
  return ok, result
end

-- The copies of the module in the save directory, as name=contents.
function Host:copies()
  local found = {}
  local function look(path)
    for _, name in ipairs(self.love.filesystem.getDirectoryItems(path)) do
      local whole = path .. "/" .. name
      if lfs.attributes(self.save .. "/" .. whole, "mode") == "directory" then
        look(whole)
      else
        found[#found + 1] = name .. "=" .. self.love.filesystem.read(whole)
      end
    end
  end
  look "cuttle-native"
  return found
end

-- Overwrites the copies.
function Host:damage_copies(text)
  local items = self.love.filesystem.getDirectoryItems
  for _, name in ipairs(items "cuttle-native") do
    for _, file in ipairs(items("cuttle-native/" .. name .. "/cuttle")) do
      self.folder:write(("save/cuttle-native/%s/cuttle/%s"):format(name, file), text)
    end
  end
end

function Host:remove()
  self.folder:remove()
end

return host
