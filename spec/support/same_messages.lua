-- A fixed history of a publishing world as messages, which another host applies: byte orders, sizes of numbers.

local cuttle = require "cuttle"
local file = require "spec.support.file"
local new_random = require "spec.support.random"
local published = require "spec.support.published_world"

local same_messages = {}

-- Powers of two, so that every host has the same bits.
local STEPS = { ["transform.local_position"] = 0.25, ["thing.coarse"] = 1 / 128, ["thing.level"] = 8 }
local FRAMES = 60

-- Returns a list of messages, each from the frame before; the first one is full.
function same_messages.messages()
  local run, list = published.new_run(new_random(34)), {}
  local out = cuttle.publisher(run.world, { components = published.COMPONENTS, steps = STEPS })
  for number = 1, FRAMES do
    published.change(run)
    list[number] = out:message(out:frame() - 1)
  end
  return list
end

-- Returns the hash of a receiver that applied messages.
function same_messages.apply(list)
  local world = published.define(cuttle.world(cuttle.entity_manager(), { name = "receiver", seed = 1 }))
  local sub = cuttle.subscriber(world)
  for number, message in ipairs(list) do assert(assert(sub:apply(message)) == number) end
  assert(world:validate())
  return world.entities:hash()
end

-- Writes the messages, each behind its length, and the hash into a file of a folder.
function same_messages.write(folder)
  local list = same_messages.messages()
  local parts = { same_messages.apply(list), "\n" }
  for _, message in ipairs(list) do parts[#parts + 1] = #message .. "\n" .. message end
  file.write(folder .. "/messages", table.concat(parts))
end

-- Returns the messages and the hash that another host wrote.
function same_messages.read(folder)
  local text, list = file.read(folder .. "/messages"), {}
  local hash, place = text:match "^(%x+)\n()"
  while place <= #text do
    local length, start = text:match("^(%d+)\n()", place)
    place = start + tonumber(length)
    list[#list + 1] = text:sub(start, place - 1)
  end
  return list, hash
end

return same_messages
