-- Real level files from real editors, which are not part of this project. Specs skip them if they are missing.

local folder = os.getenv "CUTTLE_LEVELS" or "../shared/levels"

local levels = {}

-- The path of a level file, or nil if it is missing.
function levels.find(name)
  local path = folder .. "/" .. name
  local file = io.open(path)
  if not file then return nil end
  file:close()
  return path
end

return levels
