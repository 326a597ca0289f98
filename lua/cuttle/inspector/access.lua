--- Who may ask: whoever has the token, from the page itself or without a page.
-- Knows nothing of what is asked.
--
-- The token keeps other programs and users of the machine out; Host and Origin keep pages of other sites out that are
-- open in the same browser, also those whose name was pointed at 127.0.0.1.

local core = require "cuttle.core"

local access = {}

local BYTES = 16

local function system_bytes()
  local file = io.open("/dev/urandom", "rb")
  local bytes = file and file:read(BYTES)
  if file then file:close() end
  return bytes and #bytes == BYTES and bytes or nil
end

-- What a program can know that others can only guess: clocks and addresses. Weak, see new_token.
local function guessed_bytes(clock)
  local parts = {}
  for _ = 1, 64 do
    parts[#parts + 1] = ("%.17g %.17g %s %s"):format(clock(), os.clock(), tostring({}), tostring(function() end))
  end
  parts[#parts + 1] = ("%d %.17g"):format(os.time(), collectgarbage "count") .. core.VERSION
  local bytes, all = {}, table.concat(parts)
  for place = 1, BYTES do
    local sum = place * 7919
    for at = 1, #all do sum = (sum * (48271 + 2 * place) + all:byte(at)) % 2147483647 end
    bytes[place] = string.char(math.floor(sum / 4096) % 256)
  end
  return table.concat(bytes)
end

--- A token: 32 hexadecimal digits from /dev/urandom. Where there is none (Windows), from clocks and addresses of
-- memory, which keeps pages out, but not a program of the same user that tries to guess.
-- @tparam function clock tells seconds
function access.new_token(clock)
  return ((system_bytes() or guessed_bytes(clock)):gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

-- In time that does not tell how much of it is right.
local function is_same(given, token)
  if type(given) ~= "string" or #given ~= #token then return false end
  local different = 0
  for at = 1, #token do
    if given:byte(at) ~= token:byte(at) then different = different + 1 end
  end
  return different == 0
end

local SITES = { ["same-origin"] = true, none = true }

--- Whether a request may be answered.
-- @tparam table request of http.parse
-- @tparam string token
-- @tparam number port
function access.allows(request, token, port)
  local headers = request.headers
  local host, origin, site = headers.host, headers.origin, headers["sec-fetch-site"]
  if host ~= "127.0.0.1:" .. port and host ~= "localhost:" .. port then return false end
  if origin and origin ~= "http://" .. host then return false end
  if site and not SITES[site] then return false end
  return is_same(headers["x-cuttle-token"] or request.query.token, token)
end

return access
