-- damage(bytes, random): a compiled resource with changed or missing bytes and a valid length and checksum, so that the
-- checks after them are reached. Magic number and version are kept, because they have few other values.

local blob = require "spec.support.blob"

-- Numbers that are often close to a limit.
local function boundary_number(bytes, below)
  local kind = below(6)
  if kind == 0 then return below(8) end
  if kind == 1 then return below(256) end
  if kind == 2 then return below(#bytes + 32) end
  if kind == 3 then return 2^32 - 1 - below(8) end
  if kind == 4 then return 2^31 + below(64) end
  return below(2^31 - 1)
end

return function(bytes, random)
  local function below(n) return random(n) - 1 end
  local result = bytes
  for _ = 1, random(3) do
    local at, kind = below(#result), below(4)
    if kind == 0 then
      result = blob.put(result, at, string.char(below(256)))
    elseif kind == 1 then
      local byte, bit = result:byte(at + 1), 2^below(8)
      result = blob.put(result, at, string.char(byte % (2 * bit) >= bit and byte - bit or byte + bit))
    elseif at <= #result - 4 then
      result = blob.put_u32(result, at - at % 4, boundary_number(bytes, below))
    end
  end
  if below(20) == 0 then result = result:sub(1, 36 + below(#result - 36)) end
  return blob.seal(bytes:sub(1, 8) .. result:sub(9))
end
