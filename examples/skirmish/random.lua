--- Random numbers that are the same on every interpreter and machine; math.random is not.
-- Knows nothing of what they are used for.

--- A generator (Park and Miller's: its products stay below 2^53).
-- @tparam number seed whole, 1 to 2^31-2
-- @treturn function (low, high) -> number from low up to high
return function(seed)
  local state = seed
  return function(low, high)
    state = state * 16807 % 2147483647
    return low + (high - low) * state / 2147483647
  end
end
