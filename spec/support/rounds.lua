-- The number of rounds of a random spec: rounds(usual, slow, long). `slow` is for surroundings in which everything is
-- slow, `long` (by default `usual`) for CUTTLE_LONG=1, as in `make soak`. Each run has another seed, so few rounds in many
-- runs find what many rounds in one run would find. CUTTLE_ROUNDS=n multiplies the number by n.

local slow = require "spec.support.slow"
local times = tonumber(os.getenv "CUTTLE_ROUNDS") or 1
local is_long = os.getenv "CUTTLE_LONG" == "1"

return function(usual, when_slow, long)
  return math.ceil((slow and when_slow or is_long and long or usual) * times)
end
