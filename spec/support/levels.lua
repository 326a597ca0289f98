-- Real level files, made in real editors. They are not part of this project:
-- specs do without them when they are missing.

local folder = os.getenv "CUTTLE_LEVELS" or "../shared/levels"

local levels = {}

-- The path of a level file, or nil when it is not on this machine.
function levels.find(name)
  local path = folder .. "/" .. name
  local file = io.open(path)
  if not file then return nil end
  file:close()
  return path
end

return levels
