-- Runs a target (spec/fuzz/targets.lua) on damaged samples, and detects endless loops.

local mutate = require "spec.fuzz.mutate"

local fuzz = {}

-- Instruction limit of one check, which needs about 100,000. LuaJIT does not count them in compiled code.
local HANG = 3e8

--- Returns the error in the message of a refusal or a warning (`kind`), or nil. A message must begin with the name of a
--- file, and must not be a raw error of Lua.
function fuzz.message_trouble(message, kind)
  if type(message) ~= "string" then return kind .. " gave no message, but " .. tostring(message) end
  if not message:find("^[%w%p ]-: ") then return kind .. " names no place: " .. message end
  if message:find("%.lua:%d+: ") or message:find("attempt to ", 1, true) or message:find("traceback", 1, true) then
    return kind .. " is an error of Lua: " .. message
  end
end

-- Returns the error in a target's handling of a text, or nil.
local function trouble_with(target, text, limit)
  local timed_out = false
  debug.sethook(function()
    timed_out = true
    error("it does not end", 0)
  end, "", limit)
  local ok, trouble = pcall(target.check, text)
  debug.sethook()
  if timed_out then return "it does not end" end
  if not ok then return "it raised " .. tostring(trouble) end
  return trouble
end

--- Checks `rounds` inputs, each made with its own seed from `seed` on, and calls report{seed=, text=, trouble=} for
--- each failure. `limit`: instructions for each, if not the default.
function fuzz.run(target, seed, rounds, report, limit)
  for round = 0, rounds - 1 do
    math.randomseed(seed + round)
    for _ = 1, 3 do math.random() end -- near seeds give near first numbers
    local text = mutate(target.texts[math.random(#target.texts)], target.texts)
    local trouble = trouble_with(target, text, limit or HANG)
    if trouble then report { seed = seed + round, text = text, trouble = trouble } end
  end
end

return fuzz
