--- Decodes base64.
-- Knows nothing of what the bytes are.
-- @module cuttle.import.base64

local failure = require "cuttle.failure"

local byte, char, find, floor, sub = string.byte, string.char, string.find, math.floor, string.sub

local base64 = {}

local SIX = {}
for index = 1, 64 do
  SIX[byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", index)] = index - 1
end

--- Takes the blanks out of a text, and checks that the rest is base64 of a possible length.
-- @treturn[1] string for `decode`
-- @treturn[1] number how many bytes it stands for
-- @treturn[2] nil
-- @treturn[2] string what is wrong
function base64.check(text)
  text = text:gsub("%s+", "")
  local stray = find(text, "[^A-Za-z0-9+/=]")
  if stray then
    return nil, ("not base64: character %d is %s"):format(stray, failure.show(sub(text, stray, stray)))
  elseif #text % 4 ~= 0 then
    return nil, ("not base64: its length %d is no multiple of 4"):format(#text)
  elseif not find(text, "^[^=]*=?=?$") then
    return nil, "not base64: padding within it"
  end
  return text, #text / 4 * 3 - #(text:match("=*$"))
end

--- The bytes of checked base64.
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
