-- Numbers as the bytes of a buffer, and bytes as base64, for files of glTF.

local bytes = {}

--- Returns a whole number from 0 to 2^32 - 1 as four bytes, the lowest first.
function bytes.number(value)
  return string.char(value % 256, math.floor(value / 256) % 256, math.floor(value / 65536) % 256,
    math.floor(value / 16777216))
end

-- Returns a number, truncated to single precision, as four bytes.
local function float(value)
  if value == 0 then return bytes.number(0) end
  local part, exponent = math.frexp(math.abs(value))
  local bits = (exponent + 126) * 2 ^ 23 + math.floor((part * 2 - 1) * 2 ^ 23)
  return bytes.number(bits + (value < 0 and 2 ^ 31 or 0))
end

--- Returns the bytes of several numbers in single precision.
function bytes.floats(...)
  local made = {}
  for index, value in ipairs({ ... }) do made[index] = float(value) end
  return table.concat(made)
end

local SIX = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

function bytes.base64(text)
  local encoded = (text .. ("\0"):rep(-#text % 3)):gsub("...", function(three)
    local a, b, c = three:byte(1, 3)
    local bits, out = a * 65536 + b * 256 + c, ""
    for _ = 1, 4 do
      out = SIX:sub(bits % 64 + 1, bits % 64 + 1) .. out
      bits = math.floor(bits / 64)
    end
    return out
  end)
  return encoded:sub(1, #encoded - -#text % 3) .. ("="):rep(-#text % 3)
end

return bytes
