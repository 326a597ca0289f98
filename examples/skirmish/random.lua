--- Random numbers that are the same on every interpreter and machine; math.random is not.
-- Knows nothing of what they are used for.

local generator = {}

function generator:__call(low, high)
  self.state = self.state * 16807 % 2147483647
  return low + (high - low) * self.state / 2147483647
end

--- A generator (Park and Miller's: its products stay below 2^53).
-- @tparam number seed whole, 1 to 2^31-2
-- @treturn table called with (low, high) a number from low up to high; all that it goes by is in `state`
return function(seed)
  return setmetatable({ state = seed }, generator)
end
