-- The number of rounds of a random spec: rounds(all, slow). CUTTLE_LONG=1, as in `make soak`, takes all of them. A
-- normal run takes half of them: each run has another seed, so few rounds in many runs find what many rounds in one run
-- would find. `slow` is for surroundings in which everything is slow. CUTTLE_ROUNDS=n multiplies the number by n.

local slow = require "spec.support.slow"
local times = tonumber(os.getenv "CUTTLE_ROUNDS") or 1
local long = os.getenv "CUTTLE_LONG" == "1"

return function(all, when_slow)
  return math.ceil((slow and when_slow or long and all or math.max(all / 2, math.min(all, when_slow))) * times)
end
