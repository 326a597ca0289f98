--- Binary writers and readers: for the instance data that a registered compiler produces and a registered spawner
-- reads.
-- Does not depend on resources.
--
-- A writer packs numbers and strings in the byte order of the target. A reader unpacks them in the byte order of the
-- host.
-- @module cuttle.bytes

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local format = string.format
local pack, unpack = core.bytes.pack, core.bytes.unpack

local bytes = {}

local MOST_BYTES = 2 ^ 32 - 1

-- Number type -> size in bytes.
local WIDTHS = { u8 = 1, u16 = 2, u32 = 4, i8 = 1, i16 = 2, i32 = 4, f32 = 4, f64 = 8 }

-- Makes a class of userdata whose contents scripts cannot reach. Returns a constructor, and a function that returns the
-- contents of the object that a method was called on.
local function new_class(name, methods, show)
  local contents = setmetatable({}, { __mode = "k" })
  local meta = {
    __index = methods,
    __metatable = name,
    __tostring = function(self) return show(contents[self]) end,
  }
  local function new(content)
    local object = core.new_userdata(meta)
    contents[object] = content
    return object
  end
  local function open(self, method)
    local content = contents[self]
    if not content then argument.raise_self(self, name, method) end
    return content
  end
  return new, open
end

-- Writers ----------------------------------------------------------------------------------------------------------

local Writer = {}

-- Contents of a writer: strings with `length` bytes in total.
local new_writer, open_writer = new_class("writer", Writer, function(content)
  return format("writer (%d bytes)", content.length)
end)

local function add(content, piece)
  if content.length + #piece > MOST_BYTES then error(format("a writer holds at most %.0f bytes", MOST_BYTES), 3) end
  content[#content + 1] = piece
  content.length = content.length + #piece
end

for kind in pairs(WIDTHS) do
  Writer[kind] = function(self, ...)
    local content = open_writer(self, kind)
    local piece, trouble = pack(kind, content.big_endian, ...)
    if not piece then argument.bad(1, kind, "%s", trouble) end
    add(content, piece)
    return self
  end
end

-- Appends the length of a string as u32, then its bytes.
function Writer:string(text)
  local content = open_writer(self, "string")
  if type(text) ~= "string" then argument.bad(1, "string", "string expected, got %s", type(text)) end
  if #text > MOST_BYTES - 4 then error(format("a writer holds at most %.0f bytes", MOST_BYTES), 2) end
  add(content, pack("u32", content.big_endian, #text) .. text)
  return self
end

-- Returns the bytes written so far.
function Writer:tostring()
  local content = open_writer(self, "tostring")
  local all = table.concat(content)
  for place = #content, 1, -1 do content[place] = nil end
  content[1] = all
  return all
end

--- Makes a writer.
-- @tparam boolean big_endian the target's byte order
function bytes.writer(big_endian)
  return new_writer { length = 0, big_endian = big_endian and true or false }
end

-- Readers ----------------------------------------------------------------------------------------------------------

local Reader = {}

local new_reader, open_reader = new_class("reader", Reader, function(content)
  return format("reader (%d bytes left)", #content.bytes - content.at)
end)

-- Raises unless `count` more bytes are left after the first `at` bytes.
local function check_left(content, at, count)
  local left = #content.bytes - at
  if count > left then error(format("reader: %.0f bytes expected at byte %.0f, %.0f left", count, at, left), 3) end
end

for kind, width in pairs(WIDTHS) do
  Reader[kind] = function(self)
    local content = open_reader(self, kind)
    check_left(content, content.at, width)
    local number = unpack(kind, content.bytes, content.at)
    content.at = content.at + width
    return number
  end
end

-- Reads a string in the format of Writer:string.
function Reader:string()
  local content = open_reader(self, "string")
  check_left(content, content.at, 4)
  local first = content.at + 4
  local length = unpack("u32", content.bytes, content.at)
  check_left(content, first, length)
  content.at = first + length
  return content.bytes:sub(first + 1, content.at)
end

-- Returns the number of unread bytes.
function Reader:left()
  local content = open_reader(self, "left")
  return #content.bytes - content.at
end

--- Makes a reader.
-- @tparam string text the bytes
function bytes.reader(text)
  if type(text) ~= "string" then argument.bad(1, "reader", "string expected, got %s", type(text)) end
  return new_reader { bytes = text, at = 0 }
end

return bytes
