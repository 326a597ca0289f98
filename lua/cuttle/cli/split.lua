--- Files of a split project: one for each level, and the index of the levels as Lua text.
-- Does not depend on editors, nor on the content of levels.
-- @module cuttle.cli.split

local files = require "cuttle.files"
local lua_text = require "cuttle.cli.lua_text"

local concat, format = table.concat, string.format

local split = {}

--- The name of the index.
split.INDEX = "index.lua"

-- Names of devices on Windows, with any ending.
local DEVICES = { con = true, prn = true, aux = true, nul = true }

local function is_file_name(name)
  local stem = name:lower():match("^[^.]*")
  return name ~= "" and not name:find('[%c/\\:*?"<>|]') and not name:find("^%.") and not name:find("[. ]$")
    and not DEVICES[stem] and not stem:find("^com%d$") and not stem:find("^lpt%d$")
end

--- Returns the paths of the files of levels.
-- @tparam string directory
-- @tparam table sources the levels by name
-- @treturn[1] table a list of {name=, path=}, sorted by name
-- @treturn[2] nil
-- @treturn[2] string the error message
function split.plan(directory, sources)
  local planned, taken = {}, {}
  for _, name in ipairs(lua_text.sorted_keys(sources)) do
    if not is_file_name(name) then return nil, format("level %q: this name cannot be the name of a file", name) end
    local other = taken[name:lower()] -- some file systems ignore case
    if other then return nil, format("levels %s and %s would both be written to %s.json", other, name, name) end
    taken[name:lower()] = name
    planned[#planned + 1] = { name = name, path = files.join(directory, name .. ".json") }
  end
  return planned
end

local function entry_text(entry)
  local names = {}
  for place, name in ipairs(entry.neighbours) do names[place] = lua_text.of(name) end
  local world = entry.world and ", world = " .. lua_text.of(entry.world) or ""
  return format("{ name = %s, x = %s, y = %s, w = %s, h = %s, depth = %s%s, neighbours = {%s} }",
    lua_text.of(entry.name), lua_text.of(entry.x), lua_text.of(entry.y), lua_text.of(entry.w), lua_text.of(entry.h),
    lua_text.of(entry.depth), world, names[1] and " " .. concat(names, ", ") .. " " or "")
end

--- Returns Lua text that returns the index of an importer.
function split.index_text(index)
  local lines, statements = { "-- Index of levels, written by cuttle: for cuttle.stage.", "local index = {}" }, {}
  for place, entry in ipairs(index) do statements[place] = format("index[%d] = %s", place, entry_text(entry)) end
  lua_text.append_blocks(lines, statements)
  lines[#lines + 1] = "return index\n"
  return concat(lines, "\n")
end

return split
