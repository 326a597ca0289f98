-- The number of rounds of a random spec, or the size of a large case: rounds(all, slow). CUTTLE_LONG=1, as in
-- `make soak`, takes all of them. A normal run takes a quarter: each run has another seed, so few rounds in many runs
-- find the same faults as many rounds in one run. `slow` is the least number: for slow runs (see slow.lua), and for
-- normal runs without LuaJIT, which repeat those with it in more time. CUTTLE_ROUNDS=n multiplies the number by n.

local slow = require "spec.support.slow"
local times = tonumber(os.getenv "CUTTLE_ROUNDS") or 1
local long = os.getenv "CUTTLE_LONG" == "1"
local has_jit = rawget(_G, "jit") ~= nil

return function(all, when_slow)
  if slow then return math.ceil(when_slow * times) end
  local least = math.min(all, when_slow)
  return math.ceil((long and all or has_jit and math.max(all / 4, least) or least) * times)
end
