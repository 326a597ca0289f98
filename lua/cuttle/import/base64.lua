--- Base64 decoder.
-- Does not depend on the meaning of the bytes.
-- @module cuttle.import.base64

local failure = require "cuttle.failure"

local byte, char, find, floor, sub = string.byte, string.char, string.find, math.floor, string.sub

local base64 = {}

local SIX = {}
for index = 1, 64 do
  SIX[byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", index)] = index - 1
end

--- Removes blanks from a text, and checks that it is base64 of a valid length.
-- @treturn[1] string for `decode`
-- @treturn[1] number the decoded size in bytes
-- @treturn[2] nil
-- @treturn[2] string the error message
function base64.check(text)
  text = text:gsub("%s+", "")
  local stray = find(text, "[^A-Za-z0-9+/=]")
  if stray then
    return nil, ("not base64: character %d is %s"):format(stray, failure.show(sub(text, stray, stray)))
  elseif #text % 4 ~= 0 then
    return nil, ("not base64: its length %d is not a multiple of 4"):format(#text)
  elseif not find(text, "^[^=]*=?=?$") then
    return nil, "not base64: padding within it"
  end
  return text, #text / 4 * 3 - #(text:match("=*$"))
end

--- Decodes a text that `check` returned.
function base64.decode(text)
  local parts, count = {}, 0
  local bare = sub(text, 1, #text - #text % 4):gsub("=", "A")
  for from = 1, #bare, 4 do
    local a, b, c, d = byte(bare, from, from + 3)
    local bits = SIX[a] * 262144 + SIX[b] * 4096 + SIX[c] * 64 + SIX[d]
    count = count + 1
    parts[count] = char(floor(bits / 65536), floor(bits / 256) % 256, bits % 256)
  end
  local _, padding = text:gsub("=", "")
  return sub(table.concat(parts), 1, -1 - padding)
end

return base64
