-- random(seed): returns a function of n that returns an integer from 1 to n, by Park and Miller. It is the same on
-- every interpreter, unlike math.random.

return function(seed)
  local state = math.floor(seed % 2147483646) + 1
  return function(n)
    state = state * 16807 % 2147483647
    return state % n + 1
  end
end
