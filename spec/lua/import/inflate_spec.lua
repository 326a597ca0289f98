-- Decompression of zlib and gzip data in Lua.

local base64 = require "cuttle.import.base64"
local inflate = require "cuttle.import.inflate"
local seed = require "spec.support.seed"

local function squares()
  local parts = {}
  for number = 0, 119 do parts[number + 1] = number * number % 97 .. ", " end
  return table.concat(parts)
end

local TEXT = squares()

-- The text compressed with dynamic codes, with fixed codes, and as gzip.
local DYNAMIC = base64.decode(""
  .. "eNq1kMEVBSEIA1uxAA+rroj9N/ZnVlv4Bx9ISIA8tbRa3lo2SdTSZy2D+PIPygk6KJO+q5bVyalQDeK2G3g9sPlP8i1bQXX9k0/w"
  .. "hEJ7RyXJJ+UOJR3kELBGTOihBD0DvMlDBaWkZdG+jOO+WxOzJw5DpgoqqdjuBCc50clu4CZu5GZ59nTfb+9274hzl/d5p/d6d1wf"
  .. "+nFFd3RpHM/0Tg/H9VRv92c04PMX03+UBlCe")
local FIXED = base64.decode(""
  .. "eAEz0FEw1FEw0VGwBDLMdBSMTHUUjIG0CZBvBhS2AMoaA4WBTBNzHQVzIyAbKAIUNQPSliDVQGlzA6BuIN8UyLYE6QYZCDIXxAey"
  .. "TYHyFkAtQOVGQFMsgGxToLARUIsFyCKQJUA5QyBtAdRuBjICqMYYKG8I0gc0BWiSBVCJOVC5OYg2hmKoGEgOpMYMogOkE2QCyCSQ"
  .. "iYZQG0A2gWwE2QxyAcglIBeBXGYBcSfIvWB3G0L9YQbxF8h/IH+C/Avytxk0HIwgoQIKHVAoGUPCDBR2oDA0hoYpKGwtwQENlDSg"
  .. "SaADAJQGUJ4=")
local GZIP = base64.decode(""
  .. "H4sIAAAAAAACA7WQwRUFIQgDW7EAD6uuiP039mdWW/gHH0hIgDy1tFreWjZJ1NJnLYP48g/KCTook76rltXJqVAN4rYbeD2w+U/y"
  .. "LVtBdf2TT/CEQntHJckn5Q4lHeQQsEZM6KEEPQO8yUMFpaRl0b6M475bE7MnDkOmCiqp2O4EJznRyW7gJm7kZnn2dN9v73bviHOX"
  .. "93mn93p3XB/6cUV3dGkcz/ROD8f1VG/3ZzTg8xfTf79GdQfLAQAA")

local function refuses(expected, bytes, kind, limit)
  local fine, message = pcall(inflate.unpack, bytes, kind, limit or 1e6)
  assert.is_false(fine)
  assert.equal(expected, message)
end

local function adler32(bytes)
  local a, b = 1, 0
  for index = 1, #bytes do
    a = (a + bytes:byte(index)) % 65521
    b = (b + a) % 65521
  end
  return string.char(math.floor(b / 256), b % 256, math.floor(a / 256), a % 256)
end

-- A zlib stream with fixed codes: a zero byte, then copies of 258 earlier bytes, of 13 bits each.
local function bomb(copies)
  local text = table.concat { "110", "00110000", ("1100010100000"):rep(copies), "0000000" }
  text = text .. ("0"):rep(-#text % 8)
  return "\120\1" .. text:gsub("%d%d%d%d%d%d%d%d", function(eight)
    return string.char(tonumber(eight:reverse(), 2))
  end)
end

describe("compressed data", function()
  it("is decompressed from zlib and gzip", function()
    assert.equal(TEXT, inflate.unpack(DYNAMIC, "zlib", #TEXT))
    assert.equal(TEXT, inflate.unpack(FIXED, "zlib", #TEXT))
    assert.equal(TEXT, inflate.unpack(GZIP, "gzip", #TEXT))
  end)

  it("may be stored uncompressed in several blocks", function()
    local bytes = "\120\1\0\3\0\252\255abc\1\2\0\253\255de" .. adler32 "abcde"
    assert.equal("abcde", inflate.unpack(bytes, "zlib", 5))
    assert.equal("", inflate.unpack("\120\1\1\0\0\255\255" .. adler32 "", "zlib", 0))
  end)

  it("may be longer than the window of copies", function()
    local zeros = ("\0"):rep(1 + 600 * 258)
    assert.equal(zeros, inflate.unpack(bomb(600) .. adler32(zeros), "zlib", #zeros))
  end)

  it("is decompressed only up to the limit", function()
    refuses("more data than the layer has cells", DYNAMIC, "zlib", #TEXT - 1)
    refuses("more data than the layer has cells", GZIP, "gzip", #TEXT - 1)
    local bytes = bomb(40000) -- 10 MB
    collectgarbage()
    local before = collectgarbage "count"
    collectgarbage "stop"
    refuses("more data than the layer has cells", bytes, "zlib", 24)
    local grown = collectgarbage "count" - before
    collectgarbage "restart"
    assert.is_true(grown < 256, "grew by " .. grown .. " KB")
  end)

  it("is refused if it has another format", function()
    refuses("not zlib data", "", "zlib")
    refuses("not zlib data", GZIP, "zlib")
    refuses("not zlib data", "\120\187" .. DYNAMIC:sub(3), "zlib") -- with a dictionary
    refuses("not gzip data", DYNAMIC, "gzip")
  end)

  it("is refused if its checksum or its size is wrong", function()
    refuses("the data is damaged", DYNAMIC:sub(1, -2) .. string.char((DYNAMIC:byte(-1) + 1) % 256), "zlib")
    refuses("the data is damaged", GZIP:sub(1, -2) .. "\1", "gzip")
  end)

  it("is refused if it is damaged", function()
    for _, bytes in ipairs {
      "\7", -- an unknown block type
      "\1\1\0\0\0a", -- a stored block with a wrong length
      "\3\2\0", -- a copy from before the data
      "\5\192\255\255\255\255\255\255\255", -- too many codes
    } do
      refuses("the data is damaged", "\120\1" .. bytes .. ("\0"):rep(9), "zlib")
    end
  end)

  it("is refused if it was cut off at any length", function()
    for count = 2, #DYNAMIC - 1 do refuses("the data ends early", DYNAMIC:sub(1, count), "zlib") end
    for count = 10, #GZIP - 1 do refuses("the data ends early", GZIP:sub(1, count), "gzip") end
  end)

  it("is decompressed correctly or refused if a random byte was changed, seed " .. seed, function()
    math.randomseed(seed)
    for _ = 1, 300 do
      local bytes = ({ DYNAMIC, FIXED })[math.random(2)]
      local at = math.random(#bytes)
      local fine, result = pcall(inflate.unpack,
        bytes:sub(1, at - 1) .. string.char(math.random(0, 255)) .. bytes:sub(at + 1), "zlib", #TEXT)
      if fine then assert.equal(TEXT, result) else assert.matches("data", result) end
    end
  end)
end)
