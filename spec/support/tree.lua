-- Files of the checkout, listed without a shell, because Windows has another one.

local lfs = require "lfs"

local tree = {}

-- The paths of all files below a folder, sorted, appended to `found` if it is given.
function tree.files(folder, found)
  found = found or {}
  for name in lfs.dir(folder) do
    local path = folder .. "/" .. name
    if name:sub(1, 1) ~= "." then
      if lfs.attributes(path, "mode") == "directory" then
        tree.files(path, found)
      else
        found[#found + 1] = path
      end
    end
  end
  table.sort(found)
  return found
end

function tree.read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

return tree
