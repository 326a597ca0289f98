-- A temporary folder for the files of one test.

local lfs = require "lfs"
-- busted provides its assert only to spec files.
local assert = require "luassert"

local folder = {}

local Folder = {}
Folder.__index = Folder

function folder.new()
  local path = os.tmpname()
  os.remove(path)
  assert(lfs.mkdir(path))
  return setmetatable({ path = path }, Folder)
end

-- The path of a file in the folder.
function Folder:at(name)
  return self.path .. "/" .. name
end

function Folder:write(name, text)
  local file = assert(io.open(self:at(name), "wb"))
  file:write(text)
  file:close()
  return self:at(name)
end

-- Creates a subfolder.
function Folder:make(name)
  assert(lfs.mkdir(self:at(name)))
  return self:at(name)
end

-- The contents of a file, or nil if there is none.
function Folder:read(name)
  local file = io.open(self:at(name), "rb")
  if not file then return nil end
  local text = file:read "*a"
  file:close()
  return text
end

-- The names of all files and folders in it, sorted.
function Folder:names()
  local names = {}
  for name in lfs.dir(self.path) do
    if name ~= "." and name ~= ".." then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function remove(path)
  if lfs.symlinkattributes(path, "mode") ~= "directory" then return os.remove(path) end
  for name in lfs.dir(path) do
    if name ~= "." and name ~= ".." then remove(path .. "/" .. name) end
  end
  lfs.rmdir(path)
end

function Folder:remove()
  remove(self.path)
end

return folder
