--- cuttle.report: the inspector's page as a file, with what it shows inside.
-- Knows nothing of sockets.

local argument = require "cuttle.argument"
local core = require "cuttle.core"
local files = require "cuttle.files"
local page = require "cuttle.inspector.page"
local text = require "cuttle.inspector.text"
local view = require "cuttle.inspector.view"

local function pause() end

-- By world, the JSON that `tell` gives as a list of strings.
local function by_world(out, entities, key, tell)
  out[#out + 1] = (',"%s":{'):format(key)
  for place, world in ipairs(view.worlds_of(entities)) do
    out[#out + 1] = (place > 1 and "," or "") .. text.string(view.name_of(world)) .. ":"
    for _, piece in ipairs(tell(world)) do out[#out + 1] = piece end
  end
  out[#out + 1] = "}"
end

--- Writes a page that shows all worlds as they are now: tree, components, counts, memory, timings. It opens from the
-- disk, in any browser. The file is whole, or as it was. Some microseconds an entity.
-- @param entities an EntityManager
-- @tparam string path
-- @treturn[1] boolean true
-- @treturn[2] nil
-- @treturn[2] string why not, the path first
return function(entities, path)
  argument.call(core.schema.worlds, entities)
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
