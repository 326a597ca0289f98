-- Some cases of a long list: sample(cases, count) returns about `count` of them in a new list, evenly spaced from a
-- place that the seed chooses. With CUTTLE_LONG=1, as in `make soak`, it returns all of them.

local seed = require "spec.support.seed"

local long = os.getenv "CUTTLE_LONG" == "1"

return function(cases, count)
  local step, chosen = long and 1 or math.max(1, math.floor(#cases / count)), {}
  for i = seed % step + 1, #cases, step do chosen[#chosen + 1] = cases[i] end
  return chosen
end
