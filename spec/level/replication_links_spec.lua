-- Publishers and subscribers over simulated links: after every applied message, the published part at the receiver
-- equals the publisher's state at that frame.

local cuttle = require "cuttle"
local new_link = require("examples.net.link").new
local new_random = require "spec.support.random"
local published = require "spec.support.published_world"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

-- `make soak` plays more histories.
local MANY = os.getenv "CUTTLE_LONG" == "1" and 10 or 1

local function pick(run, ...) return (select(run.random(select("#", ...)), ...)) end

-- The condition of publishers with `where`, as a query and in Lua.
local function where(run)
  if run.random(3) > 1 then return nil end
  return run.world:query("thing"):where "thing.int8 < 20", function(e)
    local thing = run.world.thing
    return thing:has(e) and thing:int8(e) < 20
  end
end

local function open_publisher(run)
  run.query, run.admits = where(run)
  run.out = cuttle.publisher(run.world, { components = published.COMPONENTS, keep = run.keep, steps = run.steps,
    where = run.query })
  run.session, run.states, run.first = run.session + 1, {}, 1
  for _, receiver in ipairs(run.receivers) do
    receiver.peer, receiver.acknowledged = run.out:peer(), 0
  end
end

local function share(run) return function() return (run.random(10001) - 1) / 10001 end end

-- `kind`: "peer" receives all, "list" what is in a list that changes, "limit" the same with a limit, "shared" messages
-- for all receivers of a base.
local function new_receiver(run, kind)
  local options = { loss = pick(run, 0, 0.1, 0.3, 0.3, 0.6), duplicates = pick(run, 0, 0.1, 0.3),
    delay = pick(run, 0, 0, 3, 20), jitter = pick(run, 0, 5, 30, 300) }
  local receiver = { kind = kind, world = cuttle.world(cuttle.entity_manager { minimum_free_indices = 1 }), at = 0,
    differs = run.random(3) == 1, forth = new_link(share(run), options), back = new_link(share(run), options),
    list = {}, present = 0, applied = 0, own = {}, added = {}, steps = run.steps }
  published.define(receiver.world, receiver.differs)
  receiver.world:define("mine", { { "n", "int32" } })
  local function count(step)
    return function(_, _, reason)
      if reason == "apply" then receiver.present = receiver.present + step end
    end
  end
  receiver.world.thing:on_add(count(1))
  receiver.world.thing:on_remove(count(-1))
  receiver.sub = cuttle.subscriber(receiver.world)
  run.receivers[#run.receivers + 1] = receiver
end

-- Sending -----------------------------------------------------------------------------------------------------------

-- Changes a list of interest: entities leave and enter, and dead ones may remain in it.
local function change_list(run, receiver)
  local list = receiver.list
  for _ = 1, run.random(5) - 1 do
    if #list > 0 and run.random(3) == 1 then table.remove(list, run.random(#list)) end
    if #run.living > 0 then list[#list + 1] = run.living[run.random(#run.living)] end
  end
  if run.random(20) == 1 then receiver.list = {} end
  if run.random(30) == 1 then
    receiver.list = {}
    for place, e in ipairs(run.living) do receiver.list[place] = e end
  end
  return receiver.list
end

-- The part of a state that a list selects.
local function part(state, list)
  if not list then return state end
  local made = {}
  for _, e in ipairs(list) do
    local id = cuttle.entity_id(e)
    made[id] = state[id]
  end
  return made
end

local function packed(run, list)
  if run.random(2) == 1 then return list end
  return cuttle.list(list)
end

-- Makes a message and the state that a receiver has after it was applied; nil for the state while entities wait.
local function message_for(run, receiver)
  local state = run.states[run.frame]
  if receiver.kind == "shared" then return run.out:message(receiver.acknowledged), state end
  if receiver.kind == "peer" then return receiver.peer:message(), state end
  local list = change_list(run, receiver)
  local limit = receiver.kind == "limit" and run.random(600) or nil
  local message = receiver.peer:message(packed(run, list), limit)
  if receiver.peer:waiting() > 0 then
    assert(limit, "entities wait without a limit")
    return message, nil
  end
  return message, part(state, list)
end

local function send(run, receiver)
  local message, state = message_for(run, receiver)
  receiver.forth:send(run.now, { message = message, frame = run.frame, state = state, session = run.session,
    peer = receiver.peer, complete = state ~= nil })
end

-- After a reset, acknowledgements of messages of the former peer may still arrive.
local function acknowledge(run, receiver, frame, peer)
  if peer ~= receiver.peer then return end
  if receiver.kind == "shared" then
    receiver.acknowledged = math.max(receiver.acknowledged, frame)
  else
    local accepted = peer:acknowledge(frame)
    if run.frame - frame < run.keep and frame >= run.first then assert.is_true(accepted) end
  end
  run.acknowledged = run.acknowledged + 1
end

-- Receiving ---------------------------------------------------------------------------------------------------------

local function check(run, receiver, doing)
  if receiver.state then
    local fault = published.compare(receiver, receiver.state)
    if fault then error(("%s, %s receiver at frame %d, time %d:\n%s"):format(doing, receiver.kind, receiver.at,
      run.now, fault), 0) end
  end
  for e, n in pairs(receiver.added) do -- stays while the entity lives
    if not receiver.world.entities:alive(e) then
      receiver.added[e] = nil
    elseif receiver.world.mine:n(e) ~= n then
      error("a component of the receiver has changed", 0)
    end
  end
  valid(receiver.world)
end

local function apply(run, receiver, packet)
  local newer = packet.session ~= receiver.session or packet.frame > receiver.at
  local at, message = receiver.sub:apply(packet.message)
  if at == nil then
    if receiver.session == packet.session then
      assert.is_truthy(message:find "^stale: at %d+, message from %d+$", message)
    end
    assert.is_true(newer)
  elseif newer and at == packet.frame then
    receiver.state, receiver.at, receiver.session, receiver.sender = packet.state, at, packet.session, packet.peer
    receiver.applied = receiver.applied + 1
  else
    assert.equal(receiver.at, at)
    assert.is_false(newer)
  end
  check(run, receiver, "after a message")
  if at then receiver.back:send(run.now, { frame = at, peer = receiver.sender }) end
end

local function receive(run, receiver)
  for packet in receiver.forth:arrived(run.now) do apply(run, receiver, packet) end
  for packet in receiver.back:arrived(run.now) do
    acknowledge(run, receiver, packet.frame, packet.peer)
  end
  local present = 0
  for e in receiver.world.thing:each() do
    if not receiver.own[cuttle.entity_id(e)] then present = present + 1 end
  end
  assert.equal(present, receiver.present)
end

-- Rare events -------------------------------------------------------------------------------------------------------

-- A script of the receiver writes values that the publisher did not send, and puts the received ones back.
local function scribble(run, receiver)
  if not receiver.state then return end
  local world, written = receiver.world, {}
  for e in world.thing:each() do
    if receiver.sub:id(e) and run.random(2) == 1 then
      world.thing:set_float(e, 12345)
      world.thing:set_text(e, "not sent")
      world.thing:set_vec3(e, 9, 9, 9)
      world.thing:set_coarse(e, 9, 9)
      written[#written + 1] = e
    end
  end
  for e in world.transform:each() do
    if receiver.sub:id(e) and run.random(2) == 1 then world.transform:set_local_position(e, 1e6, 2, 3) end
  end
  if #written > 0 then assert.is_true(receiver.sub:put_back(written) > 0) end
  receiver.sub:put_back()
  assert.equal(0, receiver.sub:put_back())
  check(run, receiver, "after put_back")
end

-- Scripts of the receiver add a component to a received entity, and an entity of their own.
local function add_own(run, receiver)
  for e in receiver.world.transform:each() do
    if receiver.sub:id(e) and not receiver.world.mine:has(e) and run.random(3) == 1 then
      receiver.added[e] = run.random(1000)
      receiver.world.mine:create(e, { n = receiver.added[e] })
    end
  end
  if run.random(5) == 1 then
    receiver.own[cuttle.entity_id(receiver.world:create { transform = {}, thing = { float = 3 } })] = true
  end
end

local function reset(run, receiver)
  receiver.sub:reset { destroy = true }
  receiver.world:gc()
  receiver.state, receiver.at, receiver.session, receiver.present = nil, 0, nil, 0
  receiver.peer, receiver.acknowledged = run.out:peer(), 0
  for e in receiver.world.entities:each() do assert.is_true(receiver.own[cuttle.entity_id(e)]) end
  valid(receiver.world)
end

-- The receiver restores its entities, and must forget what it received.
local function restore(run, receiver)
  receiver.world.entities:restore(receiver.world.entities:snapshot())
  assert.same({ nil, "entities were restored" }, { receiver.sub:apply(run.out:message(0)) })
  check(run, receiver, "after a restore")
  reset(run, receiver)
end

-- Saves or restores the publisher's world. The next frame has the differences.
local function go_back(run)
  if run.snapshot then
    run.world.entities:restore(run.snapshot)
    published.find_living(run)
    run.snapshot = nil
  else
    run.snapshot = run.world.entities:snapshot()
  end
end

local function rare_events(run)
  for _, receiver in ipairs(run.receivers) do
    if run.random(12) == 1 then scribble(run, receiver) end
    if run.random(10) == 1 then add_own(run, receiver) end
    if run.random(200) == 1 then reset(run, receiver) end
    if run.random(200) == 1 then restore(run, receiver) end
    if run.random(10) == 1 then receiver.world:gc() end
  end
  if run.random(60) == 1 and not run.query then
    published.redefine(run)
    run.snapshot = nil -- it has another schema
    run.first = run.frame + 1 -- former frames are no base
  end
  if run.random(40) == 1 then go_back(run) end
  if run.random(150) == 1 then open_publisher(run) end
end

-- Runs --------------------------------------------------------------------------------------------------------------

local function step(run)
  run.now = run.now + 1
  published.change(run)
  run.frame = run.out:frame()
  run.states[run.frame] = published.copy(run.world, run.admits)
  for _, receiver in ipairs(run.receivers) do
    if run.random(4) > 1 then send(run, receiver) end
    receive(run, receiver)
  end
end

-- At the end all links work, and every receiver gets to the newest frame.
local function finish(run)
  for _, receiver in ipairs(run.receivers) do
    local perfect = {}
    receiver.forth, receiver.back = new_link(share(run), perfect), new_link(share(run), perfect)
    receiver.peer, receiver.acknowledged = run.out:peer(), 0
  end
  for _ = 1, 3 do
    published.change(run)
    run.now, run.frame = run.now + 1, run.out:frame()
    run.states[run.frame] = published.copy(run.world, run.admits)
    for _, receiver in ipairs(run.receivers) do
      receiver.list = {}
      for place, e in ipairs(run.living) do receiver.list[place] = e end
      send(run, receiver)
      receive(run, receiver)
      assert.equal(run.frame, receiver.at)
    end
  end
end

local function play(number, steps)
  local run = published.new_run(new_random(number))
  run.receivers, run.now, run.session, run.acknowledged = {}, 0, 0, 0
  run.keep, run.steps = pick(run, 4, 16, 64, 400), pick(run, published.STEPS, {})
  for _, kind in ipairs { "peer", "list", "limit", "shared" } do new_receiver(run, kind) end
  open_publisher(run)
  for _ = 1, steps do
    step(run)
    rare_events(run)
  end
  finish(run)
  for _, receiver in ipairs(run.receivers) do assert.is_true(receiver.applied > 2) end
end

describe("a receiver, seed " .. seed, function()
  it("gives a child its parent again when everything is sent after a list without the parent", function()
    local world, remote = cuttle.world(cuttle.entity_manager()), cuttle.world(cuttle.entity_manager())
    local parent = world:create { transform = { position = { 10, 0, 0 } } }
    local child = world:create { transform = { position = { 1, 0, 0 }, parent = parent } }
    local out, sub = cuttle.publisher(world, { components = { "transform" } }), cuttle.subscriber(remote)
    local peer = out:peer()
    local function position_after(list)
      out:frame()
      peer:acknowledge(assert(sub:apply(peer:message(list))))
      return remote.transform:world_position(sub:entity(child))
    end
    assert.are.equal(11, (position_after { child }))
    assert.are.equal(11, (position_after()))
    world.transform:set_local_position(parent, 20, 0, 0)
    assert.are.equal(21, (position_after()))
  end)

  it("has the state of the frame after every applied message", function()
    local random = new_random(seed)
    for _ = 1, rounds(6, 1) * MANY do
      local number = random(2 ^ 31 - 3)
      local ok, message = xpcall(function() play(number, 80) end, debug.traceback)
      if not ok then error(("history %d: %s"):format(number, message), 0) end
    end
  end)
end)
