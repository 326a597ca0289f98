--- Reader of Lua files that contain only data: `return`, then tables of strings, numbers, booleans and tables.
-- Does not depend on the meaning of the data. Executes nothing: functions, names and operators are refused, except for
-- the minus sign of a number.
-- @module cuttle.import.lua_data

local byte, char, find, match, sub = string.byte, string.char, string.find, string.match, string.sub

local lua_data = {}

local ESCAPES = { a = "\a", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", v = "\v", ["\n"] = "\n" }
local WORDS = { ["true"] = true, ["false"] = false }

local Reader = {}
Reader.__index = Reader

function Reader:fail(message, ...)
  local line, start = 1, 1
  for position in self.text:sub(1, self.at - 1):gmatch("()\n") do line, start = line + 1, position + 1 end
  self.cursor:fail(nil, "line %d column %d: %s", line, self.at - start + 1, message:format(...))
end

-- Skips blanks and comments.
function Reader:skip()
  while true do
    self.at = match(self.text, "^%s*()", self.at)
    local level = match(self.text, "^%-%-%[(=*)%[", self.at)
    if level then
      local _, stop = find(self.text, "]" .. level .. "]", self.at, true)
      if not stop then self:fail("a comment does not end") end
      self.at = stop + 1
    elseif sub(self.text, self.at, self.at + 1) == "--" then
      self.at = match(self.text, "^[^\n]*()", self.at)
    else
      return
    end
  end
end

-- Describes the current position for messages.
function Reader:found()
  if self.cursor.is_named then return "something else" end
  local found = match(self.text, "^[%w_]+", self.at) or sub(self.text, self.at, self.at)
  return found == "" and "the end" or "'" .. found:sub(1, 40):gsub("%c", "?") .. "'"
end

function Reader:take(mark)
  self:skip()
  if sub(self.text, self.at, self.at + #mark - 1) ~= mark then return false end
  self.at = self.at + #mark
  return true
end

function Reader:need(mark)
  if not self:take(mark) then self:fail("expected '%s', got %s", mark, self:found()) end
end

function Reader:escape(position)
  local digits = match(self.text, "^%d%d?%d?", position)
  if digits then
    if tonumber(digits) > 255 then self:fail("\\%s is greater than 255", digits) end
    return char(tonumber(digits)), position + #digits
  end
  local mark = sub(self.text, position, position)
  return ESCAPES[mark] or mark, position + 1
end

-- Reads the string whose opening quote is at the current position.
function Reader:string()
  local text, quote, parts = self.text, sub(self.text, self.at, self.at), {}
  local position = self.at + 1
  while true do
    local stop = find(text, '["\'\\\n]', position)
    local mark = stop and sub(text, stop, stop)
    if not stop or mark == "\n" then self:fail("a string does not end") end
    parts[#parts + 1] = sub(text, position, stop - 1)
    if mark == quote then
      self.at = stop + 1
      return table.concat(parts)
    elseif mark == "\\" then
      parts[#parts + 1], position = self:escape(stop + 1)
    else
      parts[#parts + 1], position = mark, stop + 1
    end
  end
end

-- Reads a string in long brackets at the current position; nil if there is none.
function Reader:long_string()
  local level, from = match(self.text, "^%[(=*)%[\n?()", self.at)
  if not level then return nil end
  local start, stop = find(self.text, "]" .. level .. "]", from, true)
  if not start then self:fail("a string does not end") end
  self.at = stop + 1
  return sub(self.text, from, start - 1)
end

-- Reads a value that is not a table.
function Reader:simple()
  local first = byte(self.text, self.at)
  if first == 34 or first == 39 then return self:string() end
  local long = self:long_string()
  if long then return long end
  local word = match(self.text, "^[%a_][%w_]*", self.at)
  if word then
    if WORDS[word] == nil then self:fail("expected data, got %s", self:found()) end
    self.at = self.at + #word
    return WORDS[word]
  end
  local digits, after = match(self.text, "^(%-?%s*[%w.]+[+-]?%d*)()", self.at)
  local number = digits and tonumber((digits:gsub("%s", "")))
  if not number then -- a sign after the digits is not part of the number unless it belongs to an exponent
    digits, after = match(self.text, "^(%-?%s*[%w.]+)()", self.at)
    number = digits and tonumber((digits:gsub("%s", "")))
  end
  if not number then self:fail("expected data, got %s", self:found()) end
  self.at = after
  return number
end

-- Reads the key of a table field; nil if the field has no key and is an array item.
function Reader:key()
  local name, after = match(self.text, "^([%a_][%w_]*)%s*=()", self.at)
  if name then
    self.at = after
    return name
  end
  if sub(self.text, self.at, self.at) ~= "[" or find(self.text, "^%[=*%[", self.at) then return nil end
  self.at = self.at + 1
  self:skip()
  local key = self:simple()
  if key ~= key then self:fail("a key cannot be NaN") end
  self:need("]")
  self:need("=")
  return key
end

-- Reads the table at the current position. Uses its own stack, because the file determines the nesting depth.
function Reader:table()
  local top = { value = {}, count = 0 }
  local stack = { top }
  self:need("{")
  while true do
    self:skip()
    if self:take("}") then
      stack[#stack] = nil
      if #stack == 0 then return top.value end
      top = stack[#stack]
      if not self:take(",") and not self:take(";") and not find(self.text, "^}", self.at) then
        self:fail("expected ',' or '}', got %s", self:found())
      end
    else
      local key = self:key()
      if key == nil then
        top.count = top.count + 1
        key = top.count
      end
      self:skip()
      if sub(self.text, self.at, self.at) == "{" then
        local inner = { value = {}, count = 0 }
        top.value[key] = inner.value
        self.at = self.at + 1
        stack[#stack + 1], top = inner, inner
      else
        top.value[key] = self:simple()
        if not self:take(",") and not self:take(";") and not find(self.text, "^}", self.at) then
          self:fail("expected ',' or '}', got %s", self:found())
        end
      end
    end
  end
end

--- Reads a text. Raises an error at the cursor, with line and column, if it is not valid data.
-- @tparam cursor cursor
-- @tparam string text
-- @treturn table
function lua_data.decode(cursor, text)
  local reader = setmetatable({ cursor = cursor, text = text, at = match(text, "^\239?\187?\191?()") }, Reader)
  reader:need("return")
  local value = reader:table()
  reader:take(";")
  reader:skip()
  if reader.at <= #text then reader:fail("expected the end, got %s", reader:found()) end
  return value
end

return lua_data
