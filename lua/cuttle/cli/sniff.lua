--- Detection of the editor of a JSON document by its outermost keys, for files whose ending does not determine it.
-- Does not depend on the values of these keys.
-- @module cuttle.cli.sniff

local byte, find, match = string.byte, string.find, string.match

-- Keys that determine the format. Apart from these, native level source has only `version` and keys that begin with $
-- or _.
local DECIDE = { entities = "native", jsonVersion = "ldtk", tiledversion = "tiled", tilewidth = "tiled",
  asset = "gltf" }

-- The position after the string whose opening quote is at `position`; nil if the string does not end.
local function after_string(text, position)
  local stop = find(text, '["\\]', position + 1)
  while stop and byte(text, stop) == 92 do stop = find(text, '["\\]', stop + 2) end
  return stop and stop + 1
end

-- The position of the comma or brace after a value; nil if there is none.
local function after_value(text, position)
  local depth = 0
  while true do
    position = find(text, '["{}%[%],]', position)
    if not position then return nil end
    local mark = byte(text, position)
    if mark == 34 then
      position = after_string(text, position)
      if not position then return nil end
    else
      if mark == 123 or mark == 91 then depth = depth + 1 end
      if depth == 0 then return position end
      if mark == 125 or mark == 93 then depth = depth - 1 end
      position = position + 1
    end
  end
end

--- Returns the format of a document.
-- @tparam string text
-- @treturn string "native", "ldtk", "tiled" or "gltf"; nil if no key determines it, or if the text is not a JSON object
return function(text)
  local position = match(text, "^\239?\187?\191?%s*{%s*()")
  while position and byte(text, position) == 34 do
    local after = after_string(text, position)
    if not after then return nil end
    local found = DECIDE[text:sub(position + 1, after - 2)]
    if found then return found end
    position = after_value(text, after)
    position = position and match(text, "^,%s*()", position)
  end
  return nil
end
