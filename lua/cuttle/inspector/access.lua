--- Access control: requests need the token, and must come from the inspector's page or from no page.
-- Does not depend on the requests.
--
-- The token keeps out other programs and users of the machine. Host and Origin keep out pages of other sites in the
-- same browser, including sites whose name resolves to 127.0.0.1.

local core = require "cuttle.core"

local access = {}

local BYTES = 16

local function system_bytes()
  local file = io.open("/dev/urandom", "rb")
  local bytes = file and file:read(BYTES)
  if file then file:close() end
  return bytes and #bytes == BYTES and bytes or nil
end

-- Weak random bytes from clocks and addresses, see new_token.
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

--- Makes a token: 32 hexadecimal digits from /dev/urandom. Without it (Windows), from clocks and memory addresses: this
-- keeps out pages, but not a program of the same user that guesses systematically.
-- @tparam function clock returns seconds
function access.new_token(clock)
  return ((system_bytes() or guessed_bytes(clock)):gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

-- Compares in a time that does not depend on the number of equal characters.
local function is_same(given, token)
  if type(given) ~= "string" or #given ~= #token then return false end
  local different = 0
  for at = 1, #token do
    if given:byte(at) ~= token:byte(at) then different = different + 1 end
  end
  return different == 0
end

local SITES = { ["same-origin"] = true, none = true }

--- Returns whether a request is allowed.
-- @tparam table request of http.parse
-- @tparam string token
-- @tparam number port
function access.allows(request, token, port)
  local headers = request.headers
  local host, origin, site = headers.host, headers.origin, headers["sec-fetch-site"]
  local ending = port == 80 and "" or ":" .. port -- browsers leave out the port of http
  if host ~= "127.0.0.1" .. ending and host ~= "localhost" .. ending then return false end
  if origin and origin ~= "http://" .. host then return false end
  if site and not SITES[site] then return false end
  return is_same(headers["x-cuttle-token"] or request.query.token, token)
end

return access
