--- Requests of the page and their replies.
-- Does not depend on sockets and tokens: every request that arrives here is allowed.

local core = require "cuttle.core"
local json = require "cuttle.json"
local load = require "cuttle.load"
local page = require "cuttle.inspector.page"
local history = require "cuttle.inspector.history"
local text = require "cuttle.inspector.text"
local values = require "cuttle.inspector.values"
local view = require "cuttle.inspector.view"
local without_null = require("cuttle.compiler.values").without_null
local worlds = require "cuttle.worlds"

local routes = {}

local JSON = "application/json; charset=utf-8"

local GET, POST = {}, {}

local function reply(value) return 200, JSON, { text.value(value) } end

-- The entities that a request is about: those of the game, or of the recorded frame that the page shows.
local function entities_of(server, query)
  if query.past == nil then return server.entities end
  if not server.shown_frame then error("no recorded frame is shown", 0) end
  return server.shown_frame.shadow.entities
end

local function world_of(entities, name)
  return worlds.by_name(entities)[name] or error(("unknown world '%s'"):format(tostring(name)), 0)
end

local function id_of(value)
  local id = tonumber(value)
  if not id or id % 1 ~= 0 or id < 0 or id >= 2 ^ 30 then error("invalid entity id", 0) end
  return id
end

GET["/"] = function() return 200, "text/html; charset=utf-8", { page.live() } end

GET["/worlds"] = function(server, query, pause)
  local state = view.worlds(entities_of(server, query), pause, query.past == nil)
  state.rate = server.rate
  state.depth = server.recorder and history.depth(server.recorder) or 0
  state.past = server.shown_frame and server.shown_frame.frames or false
  state.pausable, state.paused = server.pausable, server.paused
  local present = worlds.by_name(server.entities)
  for name in pairs(server.outlines) do
    if not present[name] then server.outlines[name] = nil end
  end
  return reply(state)
end

local function is_same(pieces, others)
  if not others or #pieces ~= #others then return false end
  for place, piece in ipairs(pieces) do
    if piece ~= others[place] then return false end
  end
  return true
end

-- Sends the tree only if it differs from the one that the page has.
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

-- The entities that meet a condition: "health.hp < 10".
GET["/matches"] = function(server, query, pause)
  local world = world_of(entities_of(server, query), query.world)
  return 200, JSON, view.matches(world, query.condition or "", pause)
end

GET["/positions"] = function(server, query, pause)
  return 200, JSON, view.positions(world_of(entities_of(server, query), query.world), pause)
end

-- The texts that the page shows for entities without a name.
GET["/kinds"] = function(server, query, pause)
  local world, kinds = world_of(entities_of(server, query), query.world), text.array {}
  for id in (query.ids or ""):gmatch "[^,]+" do
    kinds[#kinds + 1] = view.kind(world, id_of(id))
    pause()
  end
  return reply { kinds = kinds }
end

GET["/entity"] = function(server, query, pause)
  return reply(view.entity(entities_of(server, query), id_of(query.id), pause))
end

GET["/timings"] = function(server, query)
  return reply(world_of(server.entities, query.world):timings())
end

local function field_type_of(manager, name)
  for _, field in ipairs(manager:fields()) do
    if field[1] == name then return field[2] end
  end
  error(("unknown field '%s'"):format(tostring(name)), 0)
end

-- The manager and the entity that a change is about.
local function target_of(server, given)
  local name = tostring(given.component)
  local manager = world_of(server.entities, given.world):manager(name)
  return manager or error(("unknown component '%s'"):format(name), 0), core.entity_from_id(id_of(given.id))
end

local function optional(value)
  if json.is_null(value) then return nil end
  return value
end

local function instance_of(server, given)
  local manager, e = target_of(server, given)
  local instance = manager:lookup(e, optional(given.item))
  return manager, instance or error(core.entity_tostring(e) .. " no longer has this component", 0)
end

POST["/write"] = function(server, _, given)
  local manager, instance = instance_of(server, given)
  values.write(manager, instance, given.field, field_type_of(manager, given.field), given.value)
  return reply { ok = true }
end

-- Adds a component; `values` are as in level source, where null stands for nil, except that entities are ids.
POST["/add"] = function(server, _, given)
  local manager, e = target_of(server, given)
  local fields = without_null(optional(given.values) or {})
  if type(fields) ~= "table" then error("values: object expected", 0) end
  for _, field in ipairs(core.schema.component_fields(world_of(server.entities, given.world), manager:name())) do
    local name = field.name
    if field.type == "entity" and fields[name] ~= nil then fields[name] = core.entity_from_id(id_of(fields[name])) end
  end
  manager:create(e, fields)
  return reply { ok = true }
end

POST["/remove"] = function(server, _, given)
  local manager, instance = instance_of(server, given)
  manager:destroy(instance)
  return reply { ok = true }
end

-- Creates an entity with a transform, and a name unless it is empty.
POST["/create"] = function(server, _, given)
  local name = optional(given.name)
  local e = world_of(server.entities, given.world):create {
    transform = {}, debug_name = type(name) == "string" and name ~= "" and { name = name } or nil }
  return reply { id = core.entity_id(e) }
end

POST["/destroy"] = function(server, _, given)
  local e = core.entity_from_id(id_of(given.id))
  if not server.entities:destroy(e) then error(core.entity_tostring(e) .. " is dead already", 0) end
  return reply { ok = true }
end

POST["/pause"] = function(server, _, given)
  if not server.pausable then error("the game does not call inspector:paused()", 0) end
  server.paused = given.on == true
  if not server.paused then server.steps = 0 end
  return reply { paused = server.paused }
end

POST["/step"] = function(server)
  if not server.paused then error("the game is not paused", 0) end
  server.steps = server.steps + 1
  return reply { ok = true }
end

POST["/profile"] = function(server, _, given)
  world_of(server.entities, given.world):profile(given.on == true)
  return reply { ok = true }
end

-- Shows the state of `frames` frames ago, or the present if `frames` is missing.
POST["/past"] = function(server, _, given, pause)
  local before = server.shown_frame
  server.shown_frame, server.outlines = nil, {}
  if type(given.frames) ~= "number" then return reply { frames = false } end
  if not server.recorder then error("the inspector has no recorder", 0) end
  local frames = math.floor(math.min(math.max(given.frames, 0), 2 ^ 32))
  local shadow, back = history.restore(server.entities, server.recorder, frames, before and before.shadow, pause)
  if not shadow then error("nothing is recorded", 0) end
  server.shown_frame = { shadow = shadow, frames = back }
  return reply { frames = back }
end

local function load_resource(server, level, path)
  if server.reload then return server.reload(level) end
  if not path then return nil, "the level was not loaded from a file: pass option reload to inspector.listen" end
  return load(path)
end

-- Returns the differences between a level's resource and the current version of its file. Changes by the game are not
-- included: only a patch of the level itself would find them. The patch is applied to a copy in a shadow world.
POST["/preview"] = function(server, _, given)
  local world = world_of(server.entities, given.world)
  local level = world:levels()[given.level] or error("the level no longer exists", 0)
  local old, path = core.schema.source(level)
  local resource, trouble = load_resource(server, level, path)
  if not resource then error(tostring(trouble), 0) end
  local shadow = worlds.by_name(history.new_shadow(server.entities).entities)[given.world]
  local copy, message = shadow:spawn(old)
  if not copy then error(message, 0) end
  local counts
  counts, message = copy:patch(resource)
  if not counts then error(message, 0) end
  counts.left = text.array(counts.left)
  return reply(counts)
end

--- Returns the reply to a request that raised an error.
function routes.failure(trouble) return reply { error = values.reason(trouble) } end

--- Answers a request. Runs in a coroutine: `pause` may yield.
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
