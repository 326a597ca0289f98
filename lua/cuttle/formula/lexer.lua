--- Tokens of the formula language, and errors with their place in the text.
-- Does not depend on the grammar.
-- @module cuttle.formula.lexer

local core = require "cuttle.core"
local failure = require "cuttle.failure"

local token = core.formula.token
local byte, char, find, format, match, sub =
  string.byte, string.char, string.find, string.format, string.match, string.sub

local lexer = {}

-- `kind` of the current token is "name", "number", "string", lexer.END, or the keyword or operator itself. `value` of
-- these is the name, the number or the contents of the string. The token takes the bytes `at` to `next` - 1.
local Lexer = {}
Lexer.__index = Lexer

--- The kind of the token after the last one.
lexer.END = "the end of the text"

--- The largest number of bytes of a text.
lexer.LIMIT = 65536

-- Keywords of Lua. Some begin or join parts of a formula; the grammar refuses the others.
local KEYWORDS = {}
for _, word in ipairs {
  "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not",
  "or", "repeat", "return", "then", "true", "until", "while",
} do KEYWORDS[word] = word end

--- The keywords, by themselves.
lexer.KEYWORDS = KEYWORDS

-- Operators of other languages, and what Lua writes instead.
local FOREIGN = { ["!="] = "~=", ["&&"] = "and", ["||"] = "or", ["!"] = "not", ["&"] = "and", ["|"] = "or" }

local ESCAPES = { a = "\a", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", v = "\v", ["\n"] = "\n", ["\\"] = "\\",
  ['"'] = '"', ["'"] = "'" }

-- Returns the line of a byte, the first byte of this line, and the byte that ends it. `line` and `first` are those of
-- an earlier byte. Lines count from 1.
local function line_of(text, at, line, first)
  local has_returns = find(text, "\r", first, true)
  while true do
    local ending = find(text, has_returns and "[\r\n]" or "\n", first, not has_returns)
    if not ending or ending >= at then return line, first, ending or #text + 1 end
    local pair = sub(text, ending, ending + 1)
    first = ending + ((pair == "\r\n" or pair == "\n\r") and 2 or 1)
    line = line + 1
  end
end

-- The largest part of a text that a message shows.
local MOST_SHOWN = 80

local function shorten(value, ...)
  if type(value) == "string" and #value > MOST_SHOWN then value = sub(value, 1, MOST_SHOWN) .. "..." end
  if select("#", ...) == 0 then return value end
  return value, shorten(...)
end

--- Raises a mistake in the text: `line 2: MESSAGE, column 7HINT`. `at` is the byte where it is. Columns count bytes.
function Lexer:fail(at, hint, message, ...)
  local line, first = line_of(self.text, at, 1, 1)
  failure.raise("line %d: %s, column %d%s", line, format(message, shorten(...)), at - first + 1, hint or "")
end

--- Returns the line of a byte. It must not be before the byte of an earlier call.
function Lexer:line_of(at)
  if at > self.line_end then
    self.line, self.line_at, self.line_end = line_of(self.text, at, self.line, self.line_at)
  end
  return self.line
end

-- Returns the bytes in which the long bracket at a place opens and closes, `[=[` ... `]=]`; nil if there is none.
local function long_bracket(text, at)
  local _, opened, level = find(text, "^%[(=*)%[", at)
  if not opened then return nil end
  return opened, find(text, "]" .. level .. "]", opened + 1, true)
end

-- Returns the first byte after the comment at a place.
function Lexer:after_comment(at)
  local text = self.text
  local opened, _, closed = long_bracket(text, at + 2)
  if opened and not closed then self:fail(at, nil, "unfinished comment") end
  return closed and closed + 1 or find(text, "[\r\n]", at) or #text + 1
end

local function read_escape(self, at)
  local code = sub(self.text, at, at)
  if ESCAPES[code] then return ESCAPES[code], at + 1 end
  local _, last = find(self.text, "^[0-9][0-9]?[0-9]?", at)
  local number = last and tonumber(sub(self.text, at, last))
  if not number or number > 255 then self:fail(at - 1, nil, "unknown escape in a string") end
  return char(number), last + 1
end

-- Returns the contents of the quoted string at a place, and the first byte after it.
local function read_string(self, at)
  local text, parts, quote = self.text, {}, sub(self.text, at, at)
  local stop = quote == '"' and '["\\\r\n]' or "['\\\r\n]"
  local from = at + 1
  while true do
    local found = find(text, stop, from)
    local ending = found and sub(text, found, found)
    if not found or ending == "\n" or ending == "\r" then self:fail(at, nil, "unfinished string") end
    parts[#parts + 1] = sub(text, from, found - 1)
    if ending == quote then return table.concat(parts), found + 1 end
    parts[#parts + 1], from = read_escape(self, found + 1)
  end
end

local function read_long_string(self, at)
  local opened, first, last = long_bracket(self.text, at)
  if not first then self:fail(at, nil, "unfinished string") end
  local from = opened + 1
  local _, ending = find(self.text, "^\r?\n", from)
  return sub(self.text, ending and ending + 1 or from, first - 1), last + 1
end

-- Converts digits to a number. Some locales write a comma.
local function convert(digits)
  return tonumber(digits) or tonumber((digits:gsub("%.", ",")))
end

-- Converts hexadecimal digits to a number, or returns nil. Lua 5.1 of 32 bits reads no such number from 2^32 on.
local function convert_hex(digits)
  local value = 0.0
  for place = 1, #digits do
    local digit = tonumber(sub(digits, place, place), 16)
    if not digit then return nil end
    value = value * 16 + digit
  end
  return value
end

-- Returns the number at a place, and the first byte after it.
local function read_number(self, at)
  local text = self.text
  local plain, more = match(text, "^([0-9]*%.?[0-9]*)([A-Za-z0-9_.]?)", at)
  local number = more == "" and convert(plain)
  if number and number - number == 0 then return number + 0.0, at + #plain end
  local _, last = find(text, "^0[xX][0-9a-fA-F]+", at)
  local is_hex = last ~= nil
  if not is_hex then
    _, last = find(text, "^[0-9]*%.?[0-9]*", at)
    local _, exponent = find(text, "^[eE][+-]?[0-9]+", last + 1)
    last = exponent or last
  end
  local _, rest = find(text, "^[%w_.]+", last + 1)
  local digits = sub(text, at, rest or last)
  local value
  if is_hex then value = #digits <= 18 and convert_hex(sub(digits, 3)) else value = convert(digits) end
  local trouble = is_hex and not rest and not (value and value < 2 ^ 53)
    and "the hexadecimal number %s is not below 2^53"
    or (rest or not value) and "malformed number %s" or value - value ~= 0 and "the number %s is not finite"
  if trouble then self:fail(at, nil, trouble, failure.show(digits):sub(2, -2)) end
  return value + 0.0, last + 1
end

-- Raises that a character begins no token.
local function refuse(self, at)
  local two = sub(self.text, at, at + 1)
  local one = sub(two, 1, 1)
  local foreign = FOREIGN[two] and two or FOREIGN[one] and one
  if foreign then
    self:fail(at, format(" (did you mean '%s'?)", FOREIGN[foreign]), "unexpected '%s'", foreign)
  end
  if find(one, "^[%z\1-\31\127-\255]") then
    self:fail(at, nil, "unexpected byte %d outside of a string or comment", byte(one))
  end
  self:fail(at, nil, "unexpected '%s'", one)
end

local HYPHEN, DOT, BRACKET, ZERO, NINE, QUOTE, APOSTROPHE = byte("-.[09\"'", 1, 7)

-- Reads a number or string, whose first byte is `first`.
local function read_constant(self, at, first)
  if first >= ZERO and first <= NINE or first == DOT then
    self.kind = "number"
    self.value, self.next = read_number(self, at)
  elseif first == QUOTE or first == APOSTROPHE then
    self.kind = "string"
    self.value, self.next = read_string(self, at)
  elseif first == BRACKET and find(self.text, "^%[=*%[", at) then
    self.kind = "string"
    self.value, self.next = read_long_string(self, at)
  else
    refuse(self, at)
  end
end

-- Reads a comment and the token behind it, a constant, or the end of the text.
local function advance_from(self, at)
  local first, second = byte(self.text, at, at + 1)
  if first == HYPHEN and second == HYPHEN then
    self.next = self:after_comment(at)
    return self:advance()
  end
  if first then read_constant(self, at, first) else self.kind = lexer.END end
end

--- Reads the next token.
function Lexer:advance()
  local at, name, operator = token(self.text, self.next)
  self.at = at
  if name then
    self.kind, self.value, self.next = KEYWORDS[name] or "name", name, at + #name
  elseif operator then
    self.kind, self.next = operator, at + #operator
  else
    return advance_from(self, at)
  end
end

--- Returns how a message names the current token.
function Lexer:shown()
  if self.kind == lexer.END then return lexer.END end
  local text = sub(self.text, self.at, self.next - 1)
  return self.kind == "string" and failure.show(self.value) or "'" .. failure.show(text):sub(2, -2) .. "'"
end

--- Makes a lexer at the first token of a text. Raises a failure if the text is too long.
function lexer.new(text)
  if #text > lexer.LIMIT then
    failure.raise("the text has %d bytes, more than %d", #text, lexer.LIMIT)
  end
  local self = setmetatable({ text = text, at = 1, next = 1, kind = "", value = "", line = 1, line_at = 1,
    line_end = 0 }, Lexer)
  self:advance()
  return self
end

return lexer
