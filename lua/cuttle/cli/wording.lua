--- Messages of importers and of the compiler, in the words of the command: its flags for options of Lua functions.
-- Knows nothing of when a message is told.
-- @module cuttle.cli.wording

local wording = {}

local FLAGS = { components = "--mappings", depth = "--depth", directory = "--name", fields = "--fields",
  int_grid = "--int-grid", limit = "--limit", max_cells = "--max-cells",
  max_elements = "--max-elements", root = "--root", scene = "--scene", tiles = "--tiles or --grids" }

-- Options that only the file of --mappings can give.
for _, name in ipairs { "extensions", "inflate", "layers", "levels", "mesh", "worlds" } do
  FLAGS[name] = "option " .. name .. " of --mappings"
end

--- The message as the command tells it.
-- @tparam string message
-- @tparam[opt] string components the file of --components; if there is none, messages about unknown components name
-- that flag
function wording.of(message, components)
  message = message:gsub("option ([%l_]+)", FLAGS)
  local unknown = message:match("unknown component '[^']*'(.*)$")
  if components or not unknown or not (unknown == "" or unknown:find("^ %(did you mean '[^']*'%?%)$")) then
    return message
  end
  return message .. " (components of your own: --components)"
end

return wording
