-- Prints lua/cuttle/meta.lua in LDoc's dialect: editors want types first, LDoc wants names first.
-- Knows nothing of what is documented.

local input = assert(io.open(arg[1], "r"))

-- "name? type text" -> name, type, text. A type ends at the first space outside brackets.
local function split(text)
  local name, rest = text:match "^(%S+)%s*(.*)$"
  local depth, stop = 0, #rest
  for place = 1, #rest do
    local letter = rest:sub(place, place)
    if letter:match "[%(%[{<]" then depth = depth + 1 end
    if letter:match "[%)%]}>]" then depth = depth - 1 end
    local joined = rest:sub(1, place - 1):match "[|:,]%s*$" or rest:sub(place):match "^%s*|"
    if letter == " " and depth == 0 and not joined then
      stop = place - 1
      break
    end
  end
  return name, rest:sub(1, stop), rest:sub(stop + 2)
end

local translate = {
  param = function(text)
    local name, type_name, about = split(text)
    return ("-- @param %s `%s` %s"):format(name:gsub("%?$", ""), type_name, about)
  end,
  ["return"] = function(text)
    local _, type_name, about = split("_ " .. text)
    return ("-- @return `%s` %s"):format(type_name, about)
  end,
  field = function(text)
    local name, type_name, about = split(text)
    return ("-- @field %s `%s` %s"):format(name, type_name, about)
  end,
}

local block, class = {}, nil -- the comment being read, and the class it documents

-- What a class is to LDoc depends on what follows: an object with methods, or a table with fields.
local function class_tag(follower)
  if class == "cuttle" then return "-- @module cuttle" end
  local object = follower:match "^local (%w+) = {}$"
  return object and "-- @type " .. object or "-- @table " .. class:match "[%w_]+$"
end

for line in input:lines() do
  local tag, text = line:match "^%-%-%-@(%w+)%s*(.*)$"
  if tag == "class" then
    class = text:match "^[%w_.]+"
  elseif tag then
    if translate[tag] then block[#block + 1] = translate[tag](text) end
  elseif line:match "^%-%-%- " or (line:match "^%-%-" and #block > 0) then
    block[#block + 1] = line
  else
    if class then
      if not (block[1] or ""):match "^%-%-%-" then table.insert(block, 1, "--- " .. class) end
      local tag_line = class_tag(line)
      -- Modules and types cannot have fields of their own in LDoc: theirs become text.
      for i = 1, #block do
        if not tag_line:match "@table" then block[i] = block[i]:gsub("^%-%- @field", "-- ") end
      end
      local place = #block + 1
      while place > 1 and block[place - 1]:match "^%-%- @field" do place = place - 1 end
      table.insert(block, tag_line:match "@table" and place or #block + 1, tag_line)
    end
    if class or line:match "^function" then
      print(table.concat(block, "\n"))
      print(line:match "^function" and line .. "\n" or "\n")
    end
    block, class = {}, nil
  end
end
