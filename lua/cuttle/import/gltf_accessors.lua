--- Reader of numbers in the buffers of a glTF document: the chunk of a container, data URIs, separate files.
-- Does not depend on the meaning of the numbers.
-- @module cuttle.import.gltf_accessors

local base64 = require "cuttle.import.base64"
local failure = require "cuttle.failure"
local json = require "cuttle.json"
local ldexp = require "cuttle.compat".ldexp
local source = require "cuttle.import.source"
local values = require "cuttle.import.gltf_values"

local byte, floor, is_null = string.byte, math.floor, json.is_null

local accessors = {}

-- Component types by number: size in bytes, and function(bytes, offset) -> number, or nil for NaN and infinity.
-- Integers are normalized to -1 to 1.
local COMPONENTS = {}

local function normalized(bytes, sign, most)
  return { bytes = bytes, normalized = true, read = function(text, offset)
    local low, high = byte(text, offset + 1, offset + bytes)
    local number = low + (high or 0) * 256
    if number >= sign then number = number - 2 * sign end
    return math.max(number / most, -1)
  end }
end

COMPONENTS[5120], COMPONENTS[5122] = normalized(1, 128, 127), normalized(2, 32768, 32767)
COMPONENTS[5126] = { bytes = 4, read = function(text, offset)
  local a, b, c, d = byte(text, offset + 1, offset + 4)
  local exponent, mantissa = d % 128 * 2 + floor(c / 128), c % 128 * 65536 + b * 256 + a
  if exponent == 255 then return nil end
  local size = exponent == 0 and ldexp(mantissa, -149) or ldexp(mantissa + 8388608, exponent - 150)
  return d >= 128 and -size or size
end }

-- Extensions that compress a buffer view.
local PACKED = { "EXT_meshopt_compression", "KHR_meshopt_compression" }

local Accessors = {}
Accessors.__index = Accessors

--- Makes the accessors of a document.
-- @tparam cursor cursor at the root of the document
-- @tparam table file `directory` (nil if unknown), `chunk` (bytes of the container, nil without one)
-- @tparam table document
-- @tparam table options uses the options about files
function accessors.new(cursor, file, document, options)
  return setmetatable({ cursor = cursor:fork(), file = file, document = document, options = options,
    buffers = {} }, Accessors)
end

-- Returns the item whose index is `holder[key]` in the list `name`, and moves the cursor there.
function Accessors:enter(holder, key, name, noun)
  local cursor = self.cursor
  local list = cursor:maybe(self.document, name, "array", {})
  local index = values.index(cursor, holder, key, #list, noun)
  cursor.depth = 0
  cursor:enter(name)
  local data = cursor:need(list, index + 1, "object")
  cursor:enter(index + 1)
  return data, index
end

-- Reads the bytes of a buffer.
function Accessors:fetch(data)
  local cursor, file = self.cursor, self.file
  if is_null(data.uri) then
    if not file.chunk then cursor:fail(nil, "the buffer has no uri, and the file no binary chunk") end
    return file.chunk
  end
  local uri = cursor:need(data, "uri", "string")
  local encoded = uri:match("^data:[^,]*;base64,(.*)$")
  if encoded then
    local text, trouble = base64.check(encoded)
    if not text then cursor:fail("uri", "%s", trouble) end
    return base64.decode(text)
  elseif uri:find("^data:") then
    cursor:fail("uri", "expected base64 in a data URI, got %s", failure.show(uri))
  end
  local name = uri:gsub("%%(%x%x)", function(code) return string.char(tonumber(code, 16)) end)
  if not file.directory then
    cursor:fail("uri", "%s is a separate file: pass option directory, or import by path", failure.show(name))
  end
  return source.read_named(cursor, "uri", source.join(file.directory, name), self.options)
end

-- Returns the bytes of the buffer of a view; the cursor is at the view.
function Accessors:buffer(view)
  local data, index = self:enter(view, "buffer", "buffers", "buffer")
  self.buffers[index] = self.buffers[index] or self:fetch(data)
  return self.buffers[index]
end

local function is_packed(view)
  for _, name in ipairs(PACKED) do
    if type(view.extensions) == "table" and not is_null(view.extensions[name]) then return name end
  end
end

-- Returns the location of an accessor's items: bytes of the buffer, offset of the first item, stride. Returns nil and
-- the extension if the view is compressed.
function Accessors:place(data, item_bytes, count)
  local cursor = self.cursor
  local offset = cursor:maybe(data, "byteOffset", "integer", 0)
  local view = self:enter(data, "bufferView", "bufferViews", "buffer view")
  local packed = is_packed(view)
  if packed then return nil, packed end
  local from, length = cursor:maybe(view, "byteOffset", "integer", 0), cursor:need(view, "byteLength", "integer")
  local stride = cursor:maybe(view, "byteStride", "integer", item_bytes)
  if stride < item_bytes or stride > 252 then
    cursor:fail("byteStride", "expected %d to 252, got %s", item_bytes, failure.show(stride))
  end
  if offset < 0 or offset + (count - 1) * stride + item_bytes > length then
    cursor:fail("byteLength", "%.14g bytes are less than %.14g items of %d bytes", length, count, item_bytes)
  end
  local bytes = self:buffer(view)
  if from < 0 or from + length > #bytes then
    cursor:fail(nil, "a view covers bytes %.14g to %.14g, but the buffer has %d", from, from + length, #bytes)
  end
  return bytes, from + offset, stride
end

--- Returns the items of an accessor: a list of lists of `width` numbers.
-- @tparam table holder `holder[key]` is the accessor's index
-- @tparam string key
-- @tparam number width 3 or 4
-- @treturn[1] table
-- @treturn[2] nil if they are compressed
-- @treturn[2] string the name of the extension that compresses them
function Accessors:items(holder, key, width)
  local cursor = self.cursor
  local data = self:enter(holder, key, "accessors", "accessor")
  local kind, count = cursor:need(data, "type", "string"), cursor:need(data, "count", "integer")
  if kind ~= "VEC" .. width then cursor:fail("type", "expected \"VEC%d\", got %s", width, failure.show(kind)) end
  if count < 1 then cursor:fail("count", "expected 1 or more, got %s", failure.show(count)) end
  if not is_null(data.sparse) then cursor:fail("sparse", "sparse accessors are not supported") end
  local number = cursor:need(data, "componentType", "integer")
  local component = COMPONENTS[number]
  if not component or (component.normalized and data.normalized ~= true) then
    cursor:fail("componentType", "expected floats, or normalized bytes or shorts, got %s", failure.show(number))
  end
  local places = cursor:fork()
  local bytes, offset, stride = self:place(data, component.bytes * width, count)
  if not bytes then return nil, offset end
  places:check_limit("count", "elements", count)
  local items = {}
  for place = 1, count do
    local item, at = {}, offset + (place - 1) * stride
    for index = 1, width do
      item[index] = component.read(bytes, at + (index - 1) * component.bytes)
        or places:fail(nil, "item %d has a number that is not finite", place)
    end
    items[place] = item
  end
  return items
end

return accessors
