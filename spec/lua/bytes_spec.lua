local new_writer = require("cuttle.bytes").writer
local core = require "cuttle.core"
local cuttle = require "cuttle"
local raises = require "spec.support.raises"

local QUIET_F32, QUIET_F64 = "\0\0\192\127", "\0\0\0\0\0\0\248\127"

describe("a writer", function()
  local function bytes(big, ...)
    local w = new_writer(big)
    for _, item in ipairs { ... } do w[item[1]](w, item[2]) end
    return w:tostring()
  end

  it("is empty at first", function()
    assert.equal("", new_writer(false):tostring())
  end)

  it("writes integers in the target's byte order", function()
    assert.equal("\1\2\3\6\5\4\3", bytes(false, { "u8", 1 }, { "u16", 0x0302 }, { "u32", 0x03040506 }))
    assert.equal("\1\3\2\3\4\5\6", bytes(true, { "u8", 1 }, { "u16", 0x0302 }, { "u32", 0x03040506 }))
  end)

  it("writes negative numbers in two's complement", function()
    assert.equal("\128\254\255\0\0\0\128", bytes(false, { "i8", -128 }, { "i16", -2 }, { "i32", -2^31 }))
    assert.equal("\128\255\254\128\0\0\0", bytes(true, { "i8", -128 }, { "i16", -2 }, { "i32", -2^31 }))
  end)

  it("writes floats and doubles", function()
    assert.equal("\0\0\128\63", bytes(false, { "f32", 1 }))
    assert.equal("\63\240\0\0\0\0\0\0", bytes(true, { "f64", 1 }))
  end)

  it("writes every NaN as the quiet one", function()
    assert.equal(QUIET_F32 .. QUIET_F64, bytes(false, { "f32", 0 / 0 }, { "f64", -(0 / 0) }))
    assert.equal((QUIET_F32 .. QUIET_F64:reverse()):sub(5), bytes(true, { "f64", 0 / 0 }))
  end)

  it("writes a string as its length and its bytes, without an end mark", function()
    assert.equal("\3\0\0\0a\0b", bytes(false, { "string", "a\0b" }))
    assert.equal("\0\0\0\0", bytes(true, { "string", "" }))
  end)

  it("returns itself, so that calls can be chained", function()
    local w = new_writer(false)
    assert.equal(w, w:u8(1):i8(2):u16(3):i16(4):u32(5):i32(6):f32(7):f64(8):string("9"))
    assert.equal(31, #w:tostring())
  end)

  it("appends after a call of tostring", function()
    local w = new_writer(false)
    assert.equal("\1", w:u8(1):tostring())
    assert.equal("\1\2", w:u8(2):tostring())
  end)

  it("grows beyond its first capacity", function()
    local w = new_writer(false)
    for i = 1, 5000 do w:u32(i) end
    w:string(("x"):rep(100000))
    assert.equal(20000 + 4 + 100000, #w:tostring())
  end)

  it("refuses a number out of range, names value and bounds, and writes nothing", function()
    local w = new_writer(false)
    raises("bad argument #1 to 'u8' (integer in [0, 255] expected, got 256)", function() w:u8(256) end)
    raises("bad argument #1 to 'i8' (integer in [-128, 127] expected, got -129)", function() w:i8(-129) end)
    raises("integer in [0, 65535] expected, got -1", function() w:u16(-1) end)
    raises("integer in [-32768, 32767] expected, got 0.5", function() w:i16(0.5) end)
    raises("integer in [0, 4294967295] expected, got 4294967296", function() w:u32(2^32) end)
    raises("integer in [-2147483648, 2147483647] expected", function() w:i32(0 / 0) end)
    assert.equal("", w:tostring())
  end)

  it("refuses a value that is not a number or not a string", function()
    local w = new_writer(false)
    raises("bad argument #1 to 'f32' (number expected, got string)", function() w:f32("1") end)
    for _, name in ipairs { "u8", "u16", "u32", "i8", "i16", "i32", "f32", "f64" } do
      raises("number expected, got string", w[name], w, "1")
      raises("number expected, got no value", w[name], w)
    end
    raises("bad argument #1 to 'string' (string expected, got number)", function() w:string(5) end)
  end)

  it("refuses any other object as self", function()
    raises("writer expected, got table", new_writer(false).u8, {}, 1)
    raises("writer expected, got userdata", new_writer(false).u8, cuttle.reader(""), 1)
  end)

  it("names its type and size in tostring", function()
    assert.equal("writer (4 bytes)", tostring(new_writer(false):u32(1)))
  end)
end)

describe("a reader", function()
  local big = core.compile.host_endian() == "big"

  local function written(...)
    local w = new_writer(big)
    for _, item in ipairs { ... } do w[item[1]](w, item[2]) end
    return cuttle.reader(w:tostring())
  end

  it("reads the values that a writer wrote", function()
    local items = { { "u8", 255 }, { "u16", 65535 }, { "u32", 2^32 - 1 }, { "i8", -128 }, { "i16", -32768 },
      { "i32", -2^31 }, { "f32", 0.5 }, { "f64", 1e300 }, { "string", "a\0b" }, { "string", "" }, { "f64", -1 / 0 } }
    local r = written(unpack(items))
    for _, item in ipairs(items) do assert.equal(item[2], r[item[1]](r)) end
    assert.equal(0, r:left())
  end)

  it("reads a NaN as a number", function()
    local nan = cuttle.reader(("\255"):rep(12))
    local a, b = nan:f32(), nan:f64()
    assert.equal("number", type(a))
    assert.equal("number", type(b))
    assert.are_not.equal(a, a)
    assert.are_not.equal(b, b)
  end)

  it("returns the number of bytes that are left", function()
    local r = cuttle.reader("12345")
    assert.equal(5, r:left())
    r:u8()
    r:u16()
    assert.equal(2, r:left())
    assert.equal("reader (2 bytes left)", tostring(r))
  end)

  it("raises when the data ends too early, and keeps its position", function()
    local r = cuttle.reader(("x"):rep(14))
    r:f64()
    r:u32()
    raises("reader: 4 bytes expected at byte 12, 2 left", function() r:u32() end)
    raises("reader: 8 bytes expected at byte 12, 2 left", function() r:f64() end)
    assert.equal(0x7878, r:u16())
    raises("reader: 1 bytes expected at byte 14, 0 left", function() r:u8() end)
  end)

  it("raises for a string that is longer than the data, and keeps its position before the length", function()
    local r = written({ "u32", 100 }, { "u16", 1 })
    raises("reader: 100 bytes expected at byte 4, 2 left", function() r:string() end)
    assert.equal(6, r:left())
    raises("reader: 4 bytes expected at byte 0, 3 left", function() cuttle.reader("abc"):string() end)
    raises("reader: 4294967295 bytes expected", function() cuttle.reader(("\255"):rep(4)):string() end)
  end)

  it("refuses data that is not a string, and any other object as self", function()
    raises("string expected, got nil", cuttle.reader, nil)
    raises("string expected, got number", cuttle.reader, 5)
    raises("reader expected, got userdata", cuttle.reader("").u8, new_writer(false))
  end)

  it("keeps its bytes alive", function()
    local r = cuttle.reader(("x"):rep(1000) .. collectgarbage "count")
    for _ = 1, 3 do collectgarbage() end
    assert.equal(0x78, r:u8())
  end)
end)
