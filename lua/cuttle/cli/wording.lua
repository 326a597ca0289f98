--- Messages of importers and of the compiler, rewritten for the command: flags instead of options of Lua functions.
-- Does not depend on the occasion of a message.
-- @module cuttle.cli.wording

local wording = {}

local FLAGS = { components = "--mappings", depth = "--depth", directory = "--name", fields = "--fields",
  int_grid = "--int-grid", layers = "--layer", levels = "--level", limit = "--limit", max_cells = "--max-cells",
  max_elements = "--max-elements", meshes = "--meshes", project = "--project", root = "--root", scene = "--scene",
  split = "--split", tiles = "--tiles or --grids" }

-- Options that only the file of --mappings can set.
for _, name in ipairs { "extensions", "inflate", "mesh", "worlds" } do
  FLAGS[name] = "option " .. name .. " of --mappings"
end

local function both_flags(one, other)
  return FLAGS[one] and FLAGS[other] and "options " .. FLAGS[one] .. " and " .. FLAGS[other]
end

--- Returns the flag of an option of importers, or nil.
function wording.flag(option)
  return FLAGS[option]
end

--- Returns the message in the command's terms.
-- @tparam string message
-- @tparam[opt] string components the file of --components; if it is not given, messages about unknown components
-- suggest that flag
function wording.of(message, components)
  message = message:gsub("option ([%l_]+)", FLAGS):gsub("options ([%l_]+) and ([%l_]+)", both_flags)
  message = message:gsub('endian = "(%l+)"', "--endian %1")
  local unknown = message:match("unknown component '[^']*'(.*)$")
  if components or not unknown or not (unknown == "" or unknown:find("^ %(did you mean '[^']*'%?%)$")) then
    return message
  end
  return message .. " (components of your own: --components)"
end

return wording
