-- Runs a target (spec/fuzz/targets.lua) on damaged samples, and finds what never ends.
-- Knows nothing of formats.

local mutate = require "spec.fuzz.mutate"

local fuzz = {}

-- Instructions of one check, which takes some 100,000; not counted in code that LuaJIT has compiled.
local HANG = 3e8

--- What is wrong with the message of a refusal or a warning (`what`), or nil: it must begin with the name of a file,
-- and not be one that Lua wrote.
function fuzz.message_trouble(message, what)
  if type(message) ~= "string" then return what .. " gave no message, but " .. tostring(message) end
  if not message:find("^[%w%p ]-: ") then return what .. " names no place: " .. message end
  if message:find("%.lua:%d+: ") or message:find("attempt to ", 1, true) or message:find("traceback", 1, true) then
    return what .. " tells of itself: " .. message
  end
end

-- What is wrong with how a target takes a text, or nil.
local function trouble_with(target, text, limit)
  local hung = false
  debug.sethook(function()
    hung = true
    error("it does not end", 0)
  end, "", limit)
  local ok, trouble = pcall(target.check, text)
  debug.sethook()
  if hung then return "it does not end" end
  if not ok then return "it raised " .. tostring(trouble) end
  return trouble
end

--- Checks `rounds` inputs, each made with a seed of its own from `seed` on, and calls tell{seed=, text=, trouble=} for
-- each that is taken wrongly. `limit`: instructions for each, where it is not the usual one.
function fuzz.run(target, seed, rounds, tell, limit)
  for round = 0, rounds - 1 do
    math.randomseed(seed + round)
    for _ = 1, 3 do math.random() end -- the first numbers of near seeds are near
    local text = mutate(target.texts[math.random(#target.texts)], target.texts)
    local trouble = trouble_with(target, text, limit or HANG)
    if trouble then tell { seed = seed + round, text = text, trouble = trouble } end
  end
end

return fuzz
