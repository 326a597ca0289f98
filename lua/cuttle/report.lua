--- cuttle.report: writes the inspector's page and its data as one file.
-- Does not depend on sockets.

local argument = require "cuttle.argument"
local files = require "cuttle.files"
local page = require "cuttle.inspector.page"
local text = require "cuttle.inspector.text"
local view = require "cuttle.inspector.view"
local worlds = require "cuttle.worlds"

local function pause() end

-- Adds an object that has, for each world, the JSON that `to_json` returns as a list of strings.
local function by_world(out, entities, key, to_json)
  out[#out + 1] = (',"%s":{'):format(key)
  for place, world in ipairs(worlds.of(entities)) do
    out[#out + 1] = (place > 1 and "," or "") .. text.string(worlds.name(world)) .. ":"
    for _, piece in ipairs(to_json(world)) do out[#out + 1] = piece end
  end
  out[#out + 1] = "}"
end

--- Writes a page that shows the current state of all worlds: tree, components, counts, memory, timings. Any browser
-- opens the file from the disk. After a failure the file is unchanged. Takes a few microseconds per entity.
-- @param entities an EntityManager
-- @tparam string path
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string the error message, which begins with the path
return function(entities, path)
  argument.check_entities(entities, 1, "report")
  if type(path) ~= "string" then argument.bad(2, "report", "string expected, got %s", type(path)) end
  if path:find("%z") then argument.bad(2, "report", "a path cannot hold a zero byte") end
  local out = { '{"made":' .. text.string(os.date "!%Y-%m-%d %H:%M:%S UTC") .. ',"worlds":',
    text.value(view.worlds(entities, pause, true)) }
  by_world(out, entities, "outlines", function(world) return view.outline(entities, world, pause) end)
  by_world(out, entities, "components", view.components)
  by_world(out, entities, "timings", function(world) return { text.value(world:timings()) } end)
  out[#out + 1] = "}"
  return files.write(path, page.report(out))
end
