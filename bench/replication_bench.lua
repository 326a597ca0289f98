-- Two machines, with entities that have a transform and 16 bytes of other numbers: recording frames, messages for one
-- and for many receivers, applying; and rollback. The limit of recording is a comparison of as many bytes. Items are
-- entities; for messages and applying, the changed ones.

local cuttle = require "cuttle"

local has_ffi, ffi = pcall(require, "ffi")
if has_ffi then ffi.cdef "int memcmp(const void *, const void *, size_t);" end

local COMPONENTS = { "transform", "body" }
local BYTES = 40 + 16 -- position, rotation, scale; the fields of body

local function new_world()
  local world = cuttle.world(cuttle.entity_manager())
  world:define("body", { { "v", "vec3" }, { "hp", "float", 100 } })
  return world
end

local function new_scene(count, share, steps)
  local s = { world = new_world(), count = count, changed = math.floor(count * share), frame = 0 }
  s.list = s.world:create({ transform = {}, body = {} }, count)
  s.out = cuttle.publisher(s.world, { components = COMPONENTS, steps = steps })
  s.base = s.out:frame()
  -- Moves a share of the entities, spread over all rows, by a step that is different each time.
  function s.move()
    s.frame = s.frame + 1
    local every = count / s.changed
    for i = 1, s.changed do
      local e = s.list[math.floor((i - 1) * every) + 1]
      s.world.transform:set_local_position(e, i % 50 + s.frame % 100 / 100, i % 70, 0)
    end
  end
  return s
end

local function recording(bench, count)
  local name = "a comparison of its bytes"
  if has_ffi then
    local one, other = ffi.new("char[?]", count * BYTES), ffi.new("char[?]", count * BYTES)
    bench.case { name = name, items = count, expect = 0, bytes = count * BYTES,
      run = function() return ffi.C.memcmp(one, other, count * BYTES) end }
  end
  for _, percent in ipairs { 0, 1, 100 } do
    local s = new_scene(count, percent / 100)
    bench.case { name = ("publisher:frame, %d %% changed"):format(percent), items = count,
      limit = has_ffi and name or nil, setup = percent > 0 and s.move or nil,
      run = function() return s.out:frame() end,
      check = function(frame) return frame > 1 end }
  end
end

local function messages(bench, count)
  for _, steps in ipairs { false, { ["transform.local_position"] = 0.01 } } do
    local s = new_scene(count, 0.01, steps or nil)
    local kind = steps and ", with a step" or ""
    local function setup()
      s.move()
      return s.out:frame()
    end
    bench.case { name = "publisher:message, 1 % changed" .. kind, items = s.changed, setup = setup,
      bytes = function(frame) return #s.out:message(frame - 1) end,
      run = function(frame) return s.out:message(frame - 1) end,
      check = function(message) return #message > s.changed * 3 and #message < 100 + s.changed * 20 end }
  end
  local s = new_scene(count, 0.01)
  local peers = {}
  for i = 1, 1000 do peers[i] = s.out:peer() end
  local function send()
    local bytes = 0
    for i = 1, #peers do bytes = bytes + #peers[i]:message() end
    return bytes
  end
  send()
  bench.case { name = "peer:message, the same for 1000 receivers", items = #peers,
    setup = function()
      for i = 1, #peers do peers[i]:acknowledge(s.base) end
      s.move()
      s.base = s.out:frame()
    end,
    run = send, check = function(bytes) return bytes > 0 end }
  local near = {}
  for i = 1, 100 do near[i] = s.list[i * 7 % count + 1] end
  local list, peer = cuttle.list(near), s.out:peer()
  bench.case { name = "peer:message, a list of 100", items = 100,
    setup = function()
      s.move()
      peer:acknowledge(s.out:frame() - 1)
    end,
    run = function() return peer:message(list) end, check = function(message) return #message > 0 end }
end

local function applying(bench, count)
  for _, percent in ipairs { 1, 100 } do
    local s = new_scene(count, percent / 100)
    local sub = cuttle.subscriber(new_world())
    local frame = assert(sub:apply(s.out:message(0)))
    local function setup()
      s.move()
      s.out:frame()
      return s.out:message(frame)
    end
    bench.case { name = ("subscriber:apply, %d %% changed"):format(percent), items = s.changed, setup = setup,
      run = function(message)
        frame = assert(sub:apply(message))
        return frame
      end,
      check = function(at) return at > 1 end }
  end
  local s = new_scene(count, 0.01)
  local message = s.out:message(0)
  bench.case { name = "subscriber:apply, a full message", items = count,
    setup = function() return cuttle.subscriber(new_world()) end,
    run = function(sub) return sub:apply(message) end, expect = 1 }
end

-- Frames of a game on two machines: with known inputs, and eight frames of which the first had a wrong guess. Without
-- the time of the game itself, which changes one field.
local function rollback(bench, count)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  world:define("body", { { "v", "vec3" }, { "hp", "float", 100 } })
  local e = world:create({ transform = {}, body = {} }, count)[1]
  local function step(frame, inputs) world.body:set_hp(e, frame + inputs[1] + (inputs[2] or 0)) end
  local machine = cuttle.rollback(entities, { step = step, delay = 0, window = 8 })
  local frame, input = 0, 0
  local function advance(known)
    if known then machine:input(2, frame + 1, input) end
    frame = machine:advance(1)
  end
  local function is_confirmed() return machine:stats().confirmed == frame end
  bench.case { name = "rollback, a frame", items = count, run = function() advance(true) end, check = is_confirmed }
  bench.case { name = "rollback, eight frames and again", items = count,
    run = function()
      for _ = 1, 8 do advance(false) end
      input = input + 1
      for place = frame - 7, frame do machine:input(2, place, input) end
    end,
    check = is_confirmed }
  bench.case { name = "rollback:confirmed", items = count, run = function() return machine:confirmed() end,
    check = is_confirmed }
end

return function(bench)
  local count = bench.size(10000, 300)
  recording(bench, count)
  messages(bench, count)
  applying(bench, count)
  rollback(bench, count)
end
