-- How often a random spec goes round: rounds(usual, slow), the second where everything is slow. Each run has another
-- seed, so that few rounds of many runs find what many of one would. CUTTLE_ROUNDS=n makes it n times as many.

local slow = require "spec.support.slow"
local times = tonumber(os.getenv "CUTTLE_ROUNDS") or 1

return function(usual, when_slow)
  return math.ceil((slow and when_slow or usual) * times)
end
