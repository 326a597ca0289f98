-- Actions that replicate a world to receivers over a bad link: messages are lost, doubled and reordered. After each
-- applied message, the published part of the receiver equals the state of the publisher's world at that frame.

local cuttle = require "cuttle"
local fields = require "spec.support.play.fields"
local scenery = require "spec.support.play.scenery"

local actions = {}

local COMPONENTS = { "transform", "debug_name", "mesh", "actor", "point_mass", "model", "stats", "item", "flag", "tag",
  "grid" }
-- The receivers: one gets the messages that are the same for all, one has a peer, and one a peer with lists and limits.
local SHARED, PEER, LISTS = 1, 2, 3
local STEP = 0.5
local OPTIONS = { components = COMPONENTS, keep = 5, steps = { ["point_mass.velocity"] = STEP } }
local LONGEST_QUEUE = 6

local function new_receiver(out, kind)
  local host = scenery.open(3)
  return { kind = kind, host = host, sub = cuttle.subscriber(host.worlds.field), peer = out:peer(), queue = {},
    acks = {}, at = 0 }
end

-- The network of a host's first world. A world that was opened again has a new one.
local function net_of(run)
  local world, net = run:world "field", run.host.net
  if net and net.world == world then return net end
  local out = cuttle.publisher(world, OPTIONS)
  net = { world = world, out = out, frame = 0, states = {}, receivers = {} }
  for kind = SHARED, LISTS do net.receivers[kind] = new_receiver(out, kind) end
  run.host.net = net
  return net
end

-- ---------------------------------------------------------------- states

-- Returns the components of an entity: name -> list of values, with the entities that they name.
local function copy_entity(world, e)
  local components
  for _, m in ipairs(COMPONENTS) do
    local manager, list = world:manager(m), {}
    for instance in manager:instances(e) do
      local values = manager:get(instance)
      values.id = scenery.COMPONENTS[m].multiple and manager:id(instance) or 1
      list[values.id] = values
    end
    if next(list) then
      components = components or {}
      components[m] = list
    end
  end
  if components and components.transform then components.matrix = { world.transform:world_matrix(e) } end
  return components
end

local function copy_state(run)
  local state, world = { deferred = run.state.worlds.field.deferred, of = {} }, run:world "field"
  for n in pairs(run.state.alive) do
    local e = run.state.ids[n]
    state.of[cuttle.entity_id(e)] = copy_entity(world, e)
  end
  return state
end

-- ---------------------------------------------------------------- comparison

local function is_near(expected, got, limit)
  for i, number in ipairs(expected) do
    if math.abs(number - got[i]) > limit then return false end
  end
  return true
end

-- The receiver has its own entity for an entity of the publisher, and none for one that it does not get.
local function same_entity(receiver, shown, expected, got)
  local id = expected and cuttle.entity_id(expected)
  local wanted = id and shown[id] and receiver.sub:entity(id) or nil
  if got and not receiver.host.entities:alive(got) then got = nil end
  return wanted == got
end

local function same_value(receiver, shown, path, expected, got)
  if cuttle.is_entity(expected) or cuttle.is_entity(got) then return same_entity(receiver, shown, expected, got) end
  if path == "point_mass.velocity" then return is_near(expected, got, STEP / 2) end
  return fields.same(expected, got)
end

-- Without its parent, an entity is a root with its world pose.
local function check_root(run, receiver, id, matrix)
  local transform, e, largest = receiver.host.worlds.field.transform, receiver.sub:entity(id), 1
  for i = 1, 16 do largest = math.max(largest, math.abs(matrix[i])) end
  run.equal(nil, transform:parent(e), "parent of a root")
  run.equal(true, is_near(matrix, { transform:world_matrix(e) }, 1e-3 * largest), "the world pose of a root")
end

local function check_component(run, receiver, shown, id, m, expected, got)
  for key in pairs(got) do run.equal(true, expected[key] ~= nil, ("%d has %s %s"):format(id, m, tostring(key))) end
  for key, values in pairs(expected) do
    local found = got[key] or {}
    for name in pairs(found) do
      if values[name] == nil then values[name] = false end
    end
    for name, value in pairs(values) do
      local path = m .. "." .. name
      if not same_value(receiver, shown, path, value or nil, found[name] or nil) then
        error(("%s of %d: expected %s, got %s"):format(path, id, fields.text(value), fields.text(found[name])), 0)
      end
    end
  end
end

local function check_entity(run, receiver, shown, state, id)
  local e = receiver.sub:entity(id)
  run.equal(true, e ~= nil, "the receiver has " .. id)
  run.equal(id, receiver.sub:id(e), "the id of the publisher")
  local expected, got = shown[id], copy_entity(receiver.host.worlds.field, e) or {}
  local transform = expected.transform and expected.transform[1]
  local is_root = transform and transform.parent and not shown[cuttle.entity_id(transform.parent)]
  if is_root and not state.deferred then check_root(run, receiver, id, expected.matrix) end
  for _, m in ipairs(COMPONENTS) do
    if m ~= "transform" or not is_root then
      check_component(run, receiver, shown, id, m, fields.copy(expected[m] or {}), got[m] or {})
    end
  end
end

-- Compares a receiver with the state of its frame, or with the listed part of it.
local function check(run, receiver)
  local state, shown, count = receiver.state, {}, 0
  for id, components in pairs(state.of) do
    if not receiver.list or receiver.list[id] then
      shown[id] = components
      count = count + 1
    end
  end
  for id in pairs(shown) do check_entity(run, receiver, shown, state, id) end
  run.equal(count, receiver.host.entities:count(), "entities of the receiver")
  assert(receiver.host.entities:validate())
  for _, world in pairs(receiver.host.worlds) do assert(world:validate()) end
end

-- ---------------------------------------------------------------- messages

local function message_for(run, net, receiver, names, limit)
  local sent = { frame = net.frame, waiting = 0 }
  if receiver.kind == SHARED then
    sent.bytes = net.out:message(receiver.acknowledged or 0)
    run.equal(sent.bytes, net.out:message(receiver.acknowledged or 0), "the same message")
  elseif receiver.kind == PEER then
    sent.bytes = receiver.peer:message()
  else
    local list = {}
    sent.list = {}
    for i, n in ipairs(names) do
      list[i] = run.state.ids[n]
      if run.state.alive[n] then sent.list[cuttle.entity_id(list[i])] = true end
    end
    sent.bytes = receiver.peer:message(list, limit > 0 and limit or nil)
    sent.waiting = receiver.peer:waiting()
  end
  return sent
end

local REFUSED = { "^stale: at %d+, message from %d+$", "^the first message must be full",
  "^the components of the publisher have changed$" }

local function expect_refused(run, message)
  for _, pattern in ipairs(REFUSED) do
    if message:find(pattern) then return end
  end
  run.equal("a known reason", message, "the reason of a refused message")
end

local function deliver(run, net, receiver, sent)
  local hash = receiver.host.entities:hash()
  local at, message = receiver.sub:apply(sent.bytes)
  if not at or at == receiver.at then
    if not at then expect_refused(run, message) end
    run.equal(hash, receiver.host.entities:hash(), "the hash after a message that is not applied")
  else
    run.equal(sent.frame, at, "the frame after a message")
    receiver.state, receiver.list, receiver.whole = net.states[at], sent.list, sent.waiting == 0
    if receiver.whole then check(run, receiver) end
  end
  if at then
    receiver.at = at
    table.insert(receiver.acks, at)
  end
end

-- Fates of one message of those on their way, which may be any.
local LOST, DOUBLED, FATES = 1, 2, 5

local function play_link(run, net, receiver, place, fate)
  local queue = receiver.queue
  local sent = queue[(place - 1) % #queue + 1]
  if fate ~= LOST then deliver(run, net, receiver, sent) end
  if fate ~= DOUBLED then table.remove(queue, (place - 1) % #queue + 1) end
end

-- A number that the receiver sent back arrives. Those before it are lost, or it is itself.
local function play_back_link(run, net, receiver, place)
  local frame = receiver.acks[place]
  if not frame then return end
  for _ = 1, place do table.remove(receiver.acks, 1) end
  receiver.acknowledged = frame
  if net.frame - frame < OPTIONS.keep and receiver.kind ~= SHARED then
    run.equal(true, receiver.peer:acknowledge(frame), "a frame of a peer")
  end
  run.equal(false, receiver.peer:acknowledge(net.frame + 1), "a frame that was not recorded")
end

-- Records a frame and sends a message to each receiver. Names of dead entities are in the list, too. Then a message of
-- each link arrives.
actions.net_tick = { weight = 12,
  make = function(gen)
    local fates = {}
    for kind = SHARED, LISTS do fates[kind] = { gen.random(LONGEST_QUEUE), gen.random(FATES), gen.random(4) } end
    return gen:several(12), gen.random(2) == 1 and 0 or 100 + gen.random(500), fates
  end,
  play = function(run, names, limit, fates)
    for _, n in ipairs(names) do run.need(run.state.ids[n]) end
    for kind = SHARED, LISTS do run.need(fates[kind] and #fates[kind] == 3) end
    local net, hash = net_of(run), run.host.entities:hash()
    net.frame = net.frame + 1
    run.equal(net.frame, net.out:frame(), "the number of a frame")
    net.states[net.frame] = copy_state(run)
    run.equal(hash, run.host.entities:hash(), "the hash after a frame")
    for kind, receiver in ipairs(net.receivers) do
      local place, fate, back = unpack(fates[kind])
      table.insert(receiver.queue, message_for(run, net, receiver, names, limit))
      if #receiver.queue > LONGEST_QUEUE then table.remove(receiver.queue, 1) end
      play_link(run, net, receiver, place, fate)
      play_back_link(run, net, receiver, back)
    end
  end,
}

-- ---------------------------------------------------------------- scripts of the receiver

-- Changes what was received: as a prediction that was wrong, which may destroy things, too.
local CHANGES = {
  function(host, e)
    local transform = host.worlds.field.transform
    if transform:has(e) then transform:set_local_pose(e, 1, 2, 3, 0, 0, 0, 1, 1, 1, 1) end
  end,
  function(host, e)
    local stats = host.worlds.field.stats
    if stats:has(e) then stats:write(e, "text", "predicted") end
  end,
  function(host, e) host.worlds.field.transform:destroy(e) end,
  function(host, e) host.worlds.field.item:destroy(e) end,
  function(host, e) host.entities:destroy(e) end,
}

actions.net_put_back = { weight = 1.5,
  make = function(gen) return gen.random(LISTS), gen:living(), gen.random(#CHANGES), gen.random(3) == 1 end,
  play = function(run, kind, n, change, listed)
    local receiver = net_of(run).receivers[kind]
    run.need(receiver.at > 0 and receiver.whole)
    local e = run.need(run.state.ids[n] and receiver.sub:entity(run.state.ids[n]))
    local hash = receiver.host.entities:hash()
    CHANGES[change](receiver.host, e)
    local changed = hash ~= receiver.host.entities:hash()
    local written = receiver.sub:put_back(listed and change < 3 and { e } or nil)
    run.equal(true, changed or written == 0, "values that are put back")
    check(run, receiver)
    run.equal(0, receiver.sub:put_back(), "values that are put back again")
  end,
}

actions.net_reset = { weight = 0.4,
  make = function(gen) return gen.random(LISTS), gen.random(2) == 1 end,
  play = function(run, kind, restored)
    local net = net_of(run)
    local receiver = net.receivers[kind]
    local entities = receiver.host.entities
    if restored then
      entities:restore(entities:snapshot())
      local sent = receiver.queue[1]
      if sent then run.equal("entities were restored", select(2, receiver.sub:apply(sent.bytes)), "apply") end
    end
    receiver.sub:reset { destroy = true }
    run.equal(0, entities:count(), "entities after a reset")
    run.equal(0, #receiver.sub:fields(), "differences between the schemas")
    receiver.peer, receiver.acknowledged, receiver.at, receiver.acks = net.out:peer(), nil, 0, {}
    receiver.queue = {}
  end,
}

return actions
