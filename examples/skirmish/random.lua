--- Random numbers that are the same on every interpreter and machine; math.random is not.
-- Must not depend on the game.

local generator = {}

function generator:__call(low, high)
  self.state = self.state * 16807 % 2147483647
  return low + (high - low) * self.state / 2147483647
end

--- Returns a generator (Park and Miller's, with products below 2^53).
-- @tparam number seed whole, 1 to 2^31-2
-- @treturn table a callable object: (low, high) returns a number from low to high; its whole state is in `state`
return function(seed)
  return setmetatable({ state = seed }, generator)
end
