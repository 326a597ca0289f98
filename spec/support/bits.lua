-- Operations on the 32 bits of integers, on every interpreter.

local bits = {}

function bits.band(a, b)
  local result, place = 0, 1
  a, b = a % 2 ^ 32, b % 2 ^ 32
  while a > 0 and b > 0 do
    if a % 2 == 1 and b % 2 == 1 then result = result + place end
    a, b, place = math.floor(a / 2), math.floor(b / 2), place * 2
  end
  return result
end

return bits
