-- near(expected, actual, tolerance): compares two arrays of numbers of equal length, by default with a tolerance of
-- 1e-5. A NaN is near no number.

local function text(numbers)
  local out = {}
  for i = 1, #numbers do out[i] = tostring(numbers[i]) end
  return table.concat(out, " ")
end

return function(expected, actual, tolerance)
  if #expected ~= #actual then
    error(("expected %d numbers: %s, got %d: %s"):format(#expected, text(expected), #actual, text(actual)), 2)
  end
  for i = 1, #expected do
    local off = math.abs(expected[i] - actual[i])
    local is_near = off <= (tolerance or 1e-5) -- false for a NaN
    if not is_near then
      error(("number %d is off by %g: expected %s, got %s"):format(i, off, text(expected), text(actual)), 2)
    end
  end
end
