--- What the page asks, and what it is told.
-- Knows nothing of sockets and tokens: whoever comes here may ask.

local core = require "cuttle.core"
local json = require "cuttle.json"
local load = require "cuttle.load"
local page = require "cuttle.inspector.page"
local past = require "cuttle.inspector.past"
local text = require "cuttle.inspector.text"
local values = require "cuttle.inspector.values"
local view = require "cuttle.inspector.view"

local routes = {}

local JSON = "application/json; charset=utf-8"

local GET, POST = {}, {}

local function told(value) return 200, JSON, { text.value(value) } end

-- What the page looks at: what lives, or what was.
local function entities_of(server, query)
  if query.past == nil then return server.entities end
  if not server.past then error("nothing of the past is being looked at", 0) end
  return server.past.mirror.entities
end

local function world_of(entities, name)
  return view.world(entities, name) or error(("there is no world '%s'"):format(tostring(name)), 0)
end

local function id_of(value)
  local id = tonumber(value)
  if not id or id % 1 ~= 0 or id < 0 or id >= 2 ^ 30 then error("there is no such id", 0) end
  return id
end

GET["/"] = function() return 200, "text/html; charset=utf-8", { page.live() } end

GET["/worlds"] = function(server, query, pause)
  local answer = view.worlds(entities_of(server, query), pause, query.past == nil)
  answer.rate = server.rate
  answer.depth = server.recorder and past.depth(server.recorder) or 0
  answer.past = server.past and server.past.frames or false
  return told(answer)
end

local function is_same(pieces, others)
  if not others or #pieces ~= #others then return false end
  for place, piece in ipairs(pieces) do
    if piece ~= others[place] then return false end
  end
  return true
end

-- A tree that the page has already is not sent again.
GET["/outline"] = function(server, query, pause)
  local entities = entities_of(server, query)
  local pieces = view.outline(entities, world_of(entities, query.world), pause)
  local last = server.outlines[query.world]
  if not last or not is_same(pieces, last.pieces) then
    server.serial = server.serial + 1
    last = { pieces = pieces, serial = ("%d"):format(server.serial) }
    server.outlines[query.world] = last
  end
  if query.have == last.serial then return 200, JSON, { "{}" } end
  local parts = { '{"serial":"' .. last.serial .. '","outline":' }
  for place, piece in ipairs(last.pieces) do parts[place + 1] = piece end
  parts[#parts + 1] = "}"
  return 200, JSON, parts
end

GET["/owners"] = function(server, query, pause)
  local entities = entities_of(server, query)
  local world = world_of(entities, query.world)
  if not world:manager(query.component or "") then
    error(("world '%s' has no component '%s'"):format(query.world, tostring(query.component)), 0)
  end
  return 200, JSON, view.owners(entities, world, query.component, pause)
end

-- What the page shows of entities without a name.
GET["/kinds"] = function(server, query, pause)
  local world, kinds = world_of(entities_of(server, query), query.world), text.array {}
  for id in (query.ids or ""):gmatch "[^,]+" do
    kinds[#kinds + 1] = view.kind(world, id_of(id))
    pause()
  end
  return told { kinds = kinds }
end

GET["/entity"] = function(server, query, pause)
  return told(view.entity(entities_of(server, query), id_of(query.id), pause))
end

GET["/timings"] = function(server, query)
  return told(world_of(server.entities, query.world):timings())
end

local function field_type_of(manager, name)
  for _, field in ipairs(manager:fields()) do
    if field[1] == name then return field[2] end
  end
  error("there is no such field", 0)
end

POST["/write"] = function(server, _, given)
  local world = world_of(server.entities, given.world)
  local manager = world:manager(tostring(given.component)) or error("there is no such component", 0)
  local e = core.entity_from_id(id_of(given.id))
  local item = given.item
  if json.is_null(item) then item = nil end
  local instance = manager:lookup(e, item) or error(core.entity_tostring(e) .. " has no such component any more", 0)
  values.write(manager, instance, given.field, field_type_of(manager, given.field), given.value)
  return told { ok = true }
end

POST["/profile"] = function(server, _, given)
  world_of(server.entities, given.world):profile(given.on == true)
  return told { ok = true }
end

-- `frames` ago, or without that the present again.
POST["/past"] = function(server, _, given, pause)
  local before = server.past
  server.past, server.outlines = nil, {}
  if type(given.frames) ~= "number" then return told { frames = false } end
  if not server.recorder then error("there is no recorder", 0) end
  local frames = math.floor(math.min(math.max(given.frames, 0), 2 ^ 32))
  local mirror, back = past.look(server.entities, server.recorder, frames, before and before.mirror, pause)
  if not mirror then error("nothing is recorded", 0) end
  server.past = { mirror = mirror, frames = back }
  return told { frames = back }
end

local function fresh_resource(server, level, path)
  if server.reload then return server.reload(level) end
  if not path then return nil, "it was not loaded from a file: give listen the option reload" end
  return load(path)
end

-- What the level's file says differently by now. What the game has changed since is not looked at, since only a patch
-- does that, and it would change what lives: both resources meet in a world of their own.
POST["/preview"] = function(server, _, given)
  local world = world_of(server.entities, given.world)
  local level = world:levels()[given.level] or error("there is no such level any more", 0)
  local old, path = core.schema.source(level)
  local fresh, trouble = fresh_resource(server, level, path)
  if not fresh then error(tostring(trouble), 0) end
  local mirror = view.world(past.mirror(server.entities).entities, given.world)
  local copy, message = mirror:spawn(old)
  if not copy then error(message, 0) end
  local counts
  counts, message = copy:patch(fresh)
  if not counts then error(message, 0) end
  counts.left = text.array(counts.left)
  return told(counts)
end

--- The answer when a request raised something, which is for people.
function routes.failure(trouble) return told { error = values.reason(trouble) } end

--- Answers a request, in a coroutine: `pause` may yield.
-- @treturn number status
-- @treturn string content type
-- @treturn table list of strings
function routes.answer(server, request, body, pause)
  local methods = request.method == "GET" and GET or request.method == "POST" and POST
  if not methods then return 405, "text/plain", { "405\n" } end
  local route = methods[request.path]
  if not route then return 404, "text/plain", { "404\n" } end
  if methods == GET then return route(server, request.query, pause) end
  local given = server.decode(body)
  if type(given) ~= "table" then return 400, "text/plain", { "JSON expected\n" } end
  return route(server, request.query, given, pause)
end

return routes
