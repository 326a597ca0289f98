--- HTTP/1.1 requests and replies, as far as the inspector needs them.
-- Does not depend on sockets, nor on the requests.
--
-- Everything unusual is refused: the only client is the inspector's page in a browser.

local concat, find, format, gsub, lower, match, sub = table.concat, string.find, string.format, string.gsub,
  string.lower, string.match, string.sub

local http = {}

--- The largest accepted sizes in bytes of a request before its body, and of the body.
http.MOST_HEAD, http.MOST_BODY = 8192, 65536
local MOST_HEADERS = 64

-- The headers that are used. A request that has one of them twice is refused.
local KNOWN = { host = true, origin = true, ["content-length"] = true, ["transfer-encoding"] = true,
  connection = true, expect = true, ["sec-fetch-site"] = true, ["x-cuttle-token"] = true }

local function unescape(part)
  return (gsub(gsub(part, "+", " "), "%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

-- Parses `a=1&b=2`. The first duplicate of a key is used.
local function query_of(given)
  local query = {}
  for part in string.gmatch(given, "[^&]+") do
    local key, value = match(part, "^([^=]+)=(.*)$")
    key = key and unescape(key)
    if key and query[key] == nil then query[key] = unescape(value) end
  end
  return query
end

local function headers_of(head, from)
  local headers, count = {}, 0
  for line in string.gmatch(sub(head, from), "([^\r\n]*)\r\n") do
    local name, value = match(line, "^([%w!#$%%&'*+.^_`|~-]+):[ \t]*(.*)$")
    count = count + 1
    value = value and match(value, "^.*[^ \t]") or ""
    if not name or count > MOST_HEADERS or find(value, "[%z\1-\8\10-\31\127]") then return nil end
    name = lower(name)
    if KNOWN[name] then
      if headers[name] then return nil end
      headers[name] = value
    end
  end
  return headers
end

local function length_of(headers)
  if headers["transfer-encoding"] or headers.expect then return nil end
  local length = headers["content-length"]
  if not length then return 0 end
  return match(length, "^%d%d?%d?%d?%d?%d?%d?$") and tonumber(length) or nil
end

--- Parses the head of a request.
-- @tparam string bytes the bytes received so far
-- @treturn[1] table `method`, `path`, `query`, `headers`, `length` (of the body), `body_at`, `keep` (whether the
-- connection may be kept open)
-- @treturn[2] nil if the head is not complete
-- @treturn[3] boolean false if the bytes are not a valid request
function http.parse(bytes)
  local stop, last = find(bytes, "\r\n\r\n", 1, true)
  if not stop then
    if #bytes > http.MOST_HEAD then return false end
    return nil
  end
  if stop > http.MOST_HEAD then return false end
  local head = sub(bytes, 1, stop + 1)
  local _, at, method, target, version = find(head, "^(%u+) (/[\33-\126]*) HTTP/1%.([01])\r\n")
  if not method or find(gsub(head, "\r\n", ""), "[\r\n]") then return false end
  local headers = headers_of(head, at + 1)
  local length = headers and length_of(headers)
  if not length then return false end
  local path, query = match(target, "^([^?#]*)%??([^#]*)$")
  if not path then return false end
  local connection = lower(headers.connection or "")
  return { method = method, path = path, query = query_of(query), headers = headers, length = length,
    body_at = last + 1, keep = version == "1" and connection ~= "close" }
end

local REASONS = { [200] = "OK", [400] = "Bad Request", [403] = "Forbidden", [404] = "Not Found",
  [405] = "Method Not Allowed", [409] = "Conflict", [413] = "Content Too Large" }

-- The page may run only its own scripts and connect only to this server. No other page may embed it, no cache may store
-- it, and its address is not sent to other sites.
local SAFETY = concat({
  "Cache-Control: no-store",
  "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    .. "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy: same-origin",
  "Cross-Origin-Resource-Policy: same-origin",
  "Referrer-Policy: no-referrer",
  "X-Content-Type-Options: nosniff",
  "X-Frame-Options: DENY",
}, "\r\n")

--- Formats the head of a reply whose body has `length` bytes.
function http.head(status, content_type, length, keep)
  return format("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: %s\r\n%s\r\n\r\n", status,
    REASONS[status], content_type, length, keep and "keep-alive" or "close", SAFETY)
end

return http
