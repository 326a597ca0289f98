-- random(seed): a function of n that answers an integer from 1 to n, by Park and Miller: the same ones on every
-- interpreter, where math.random differs.

return function(seed)
  local state = math.floor(seed % 2147483646) + 1
  return function(n)
    state = state * 16807 % 2147483647
    return state % n + 1
  end
end
