-- The example of two machines: its simulated link, and a server and a client in processes of their own.

-- tags: unix

local command_line = require "spec.support.command_line"
local new_link = require("examples.net.link").new
local new_random = require "spec.support.random"
local seed = require "spec.support.seed"

local build = os.getenv "CUTTLE_BUILD" or "build/test"
local has_socket = pcall(require, "socket")

describe("the simulated link, seed " .. seed, function()
  local random

  before_each(function()
    local whole = new_random(seed)
    random = function() return (whole(10001) - 1) / 10001 end
  end)

  local function arrived(link, now)
    local list = {}
    for packet in link:arrived(now) do list[#list + 1] = packet end
    return list
  end

  it("delivers all packets in order if it has no faults", function()
    local link = new_link(random, { delay = 2 })
    for number = 1, 5 do link:send(number, number) end
    assert.same({}, arrived(link, 2.5))
    assert.same({ 1, 2 }, arrived(link, 4))
    assert.same({ 3, 4, 5 }, arrived(link, 100))
    assert.same({}, arrived(link, 200))
  end)

  it("loses, doubles and reorders packets", function()
    local link = new_link(random, { loss = 0.5, duplicates = 0.5, delay = 10, jitter = 50 })
    for number = 1, 2000 do link:send(number, number) end
    assert.same({}, arrived(link, 10))
    local list = arrived(link, 3000)
    local seen, doubled, overtaken = {}, 0, 0
    for place, number in ipairs(list) do
      if seen[number] then doubled = doubled + 1 end
      seen[number] = true
      if place > 1 and number < list[place - 1] then overtaken = overtaken + 1 end
    end
    assert.is_true(#list > 1200 and #list < 1800) -- half of 2000 x 1.5
    assert.is_true(doubled > 100 and overtaken > 100)
    assert.equal(2000, link.sent)
  end)

  it("does not deliver a packet before its delay, or later than with the whole jitter", function()
    local link = new_link(random, { delay = 3, jitter = 4 })
    for number = 1, 300 do
      link:send(number, number)
      for packet in link:arrived(number) do
        assert.is_true(number - packet >= 3 and number - packet < 8)
      end
    end
  end)
end)

if not has_socket then
  pending "the example of two machines runs (luasocket is missing)"
  return
end

describe("the example of two machines", function()
  -- Runs the client, which starts the server. Returns its output.
  local function play(options)
    local command = "LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH='%s/?.so;;' %s examples/net/client.lua %s 2>&1"
    local process = io.popen(command:format(build, command_line.interpreter(), options))
    local output = process:read "*a"
    process:close()
    return output
  end

  it("ends with equal sides over a bad link", function()
    local output = play "--seconds 1 --things 400 --loss 0.3 --duplicates 0.2 --delay 0.02 --jitter 0.1 --pictures 1"
    assert.matches("both sides are equal: %d+ things", output)
    assert.matches("|[ opF]*@[ opF+]*|", output)
    assert.matches("server: %d+ frames with 40%d things", output)
    local applied, corrections = output:match "client: (%d+) messages applied, .* prediction: (%d+) corrections"
    assert.is_true(tonumber(applied) > 2, output)
    assert.equal("0", corrections, output)
  end)

  it("names an unknown option", function()
    assert.matches("unknown option --los", play "--los 1", 1, true)
    assert.matches("--loss: number expected, got much", play "--loss much", 1, true)
  end)
end)
