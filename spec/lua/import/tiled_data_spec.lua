-- Cells of Tiled tile layers in every encoding, with and without a compression library.

local tiled_sample = require "spec.support.tiled_sample"
local failure = tiled_sample.failure
local floor = tiled_sample.floor
local level_source = tiled_sample.level_source
local map = tiled_sample.map

local GIDS = { 1, 2 + 2 ^ 31, 0, 3 + 2 ^ 30, 5, 6 + 2 ^ 29 }

local function bytes_of(gids)
  local parts = {}
  for index, gid in ipairs(gids) do
    parts[index] = string.char(gid % 256, math.floor(gid / 256) % 256, math.floor(gid / 65536) % 256,
      math.floor(gid / 16777216))
  end
  return table.concat(parts)
end

local ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local function base64(bytes)
  return (bytes:gsub("..?.?", function(three)
    local a, b, c = three:byte(1, 3)
    local bits, text = a * 65536 + (b or 0) * 256 + (c or 0), ""
    for place = 18, 0, -6 do
      local six = math.floor(bits / 2 ^ place) % 64
      text = text .. ALPHABET:sub(six + 1, six + 1)
    end
    return text:sub(1, #three + 1) .. ("="):rep(3 - #three)
  end))
end

local function little(number, count)
  local text = ""
  for _ = 1, count do
    text, number = text .. string.char(number % 256), math.floor(number / 256)
  end
  return text
end

-- Deflate data may be stored uncompressed, so these streams need no library.
local function stored(bytes)
  return "\1" .. little(#bytes, 2) .. little(65535 - #bytes, 2) .. bytes
end

local function adler32(bytes)
  local a, b = 1, 0
  for index = 1, #bytes do
    a = (a + bytes:byte(index)) % 65521
    b = (b + a) % 65521
  end
  return little(b * 65536 + a, 4):reverse()
end

local function zlib(bytes)
  return "\120\1" .. stored(bytes) .. adler32(bytes)
end

local function encoded(data, compression, width, height)
  return map({ floor(1, "Floor", width or 3, height or 2, data,
    { encoding = "base64", compression = compression or "" }) })
end

local function gids_of(document, options)
  local gids
  level_source(document, tiled_sample.with({ layer = function(one) gids = assert(one.cells())[1].gids end }, options))
  return gids
end

local found, library = pcall(require, "zlib")

-- Runs `body` with the given modules; a module of false cannot be loaded.
local function with_modules(modules, body)
  local before = {}
  for name, module in pairs(modules) do
    before[name] = { package.loaded[name], package.preload[name] }
    package.loaded[name] = module or nil
    if not module then package.preload[name] = function() error("not here") end end
  end
  local ok, message = pcall(body)
  for name in pairs(modules) do package.loaded[name], package.preload[name] = before[name][1], before[name][2] end
  if not ok then error(message, 0) end
end

describe("the cells of a Tiled layer", function()
  it("may be an array", function()
    assert.same(GIDS, gids_of(map({ floor(1, "Floor", 3, 2, GIDS) })))
    assert.same(GIDS, gids_of(map({ floor(1, "Floor", 3, 2, GIDS, { encoding = "csv" }) })))
  end)

  it("may be base64", function()
    assert.same(GIDS, gids_of(encoded(base64(bytes_of(GIDS)))))
  end)

  for count = 1, 4 do
    it("may be base64 of " .. count * 4 .. " bytes", function()
      local gids = {}
      for index = 1, count do gids[index] = GIDS[index] end
      assert.same(gids, gids_of(encoded(base64(bytes_of(gids)), nil, count, 1)))
    end)
  end

  it("are the same in every encoding", function()
    local plain = level_source(map({ floor(1, "Floor", 3, 2, GIDS) }), { tiles = true })
    local function inflate(bytes) return (bytes:sub(2)) end
    local data = base64("." .. bytes_of(GIDS))
    assert.same(plain, level_source(encoded(base64(bytes_of(GIDS))), { tiles = true }))
    for _, kind in ipairs({ "zlib", "gzip", "zstd" }) do
      assert.same(plain, level_source(encoded(data, kind), { tiles = true, inflate = inflate }))
    end
  end)

  it("may be base64 in chunks", function()
    local layer = floor(1, "Floor", 3, 2, nil, { encoding = "base64", chunks = {
      { x = 0, y = 0, width = 1, height = 2, data = base64(bytes_of({ 1, 2 })) } } })
    assert.same({ 1, 2 }, gids_of(map({ layer }, { infinite = true })))
  end)

  local wrong = { { "####", 'not base64: character 1 is "#"' },
    { "AA\195\169", 'not base64: character 3 is "\195"' }, { "AAA", "not base64: its length 3 is not a multiple of 4" },
    { "A=AA", "not base64: padding within it" }, { "A===", "not base64: padding within it" },
    { "AAAA", "expected 24 bytes, got 3" }, { "", "expected 24 bytes, got 0" }, { {}, "expected a string, got array" } }
  for _, case in ipairs(wrong) do
    it("are refused: " .. case[2], function()
      assert.equal("Tiled text: layers[1].data: " .. case[2], failure(encoded(case[1]), { tiles = true }))
    end)
  end

  it("are refused in linear time for any amount of padding", function()
    assert.matches("padding within it", failure(encoded(("="):rep(400000)), { tiles = true }))
  end)

  it("are refused in an unknown encoding", function()
    local document = encoded("AAAA")
    document.layers[1].encoding = "base32"
    assert.equal("Tiled text: layers[1].encoding: unknown value \"base32\" (did you mean 'base64'?)",
      failure(document, { tiles = true }))
    assert.equal("Tiled text: layers[1].compression: unknown value \"zlip\" (did you mean 'zlib'?)",
      failure(encoded("AAAA", "zlip"), { tiles = true }))
  end)

  it("are not read if no option needs tiles", function()
    assert.equal(1, #level_source(encoded("####")).entities)
  end)
end)

describe("the option inflate", function()
  it("receives the bytes, the compression and the expected size", function()
    local seen
    gids_of(encoded(base64(".."), "zstd"), { inflate = function(...)
      seen = { ... }
      return bytes_of(GIDS)
    end })
    assert.same({ "..", "zstd", 24 }, seen)
  end)

  local function complaint(inflate)
    return failure(encoded(base64(".."), "zstd"), { tiles = true, inflate = inflate })
  end

  it("is named in the error if its result is wrong", function()
    assert.equal("Tiled text: layers[1].data: expected 24 bytes, got 3", complaint(function() return "abc" end))
    assert.equal("Tiled text: layers[1].data: cannot inflate: not zstd data", complaint(function() end))
    assert.equal("Tiled text: layers[1].data: cannot inflate: short", complaint(function() return nil, "short" end))
    assert.matches("layers%[1%].data: cannot inflate: .*oops", complaint(function() error("oops") end))
  end)
end)

describe("compressed cells", function()
  it("are decompressed without a library", function()
    with_modules({ zlib = false }, function()
      assert.same(GIDS, gids_of(encoded(base64(zlib(bytes_of(GIDS))), "zlib")))
    end)
  end)

  it("are decompressed without a library only up to the layer's size", function()
    with_modules({ zlib = false }, function()
      assert.equal("Tiled text: layers[1].data: cannot inflate: more data than the layer has cells",
        failure(encoded(base64(zlib(bytes_of(GIDS))), "zlib", 5, 1), { tiles = true }))
    end)
  end)

  it("are refused with instructions if they are zstd", function()
    with_modules({ zstd = false }, function()
      assert.equal("Tiled text: layers[1].data: zstd needs lua-zstd: install it, pass option inflate, or save the map "
        .. "with the tile layer format CSV", failure(encoded(base64(".."), "zstd"), { tiles = true }))
    end)
  end)

  describe("in zstd", function()
    -- A mock of lua-zstd that returns the given size and bytes.
    local function zstd(size, bytes)
      return { getFrameContentSize = function() return size, not size and "no frame" or nil end,
        decompress = function() return bytes, not bytes and "damaged" or nil end }
    end

    local function complaint(unpacker)
      local message
      with_modules({ zstd = unpacker }, function()
        message = failure(encoded(base64(".."), "zstd"), { tiles = true })
      end)
      return message
    end

    it("are decompressed by lua-zstd if it is installed", function()
      with_modules({ zstd = zstd(24, bytes_of(GIDS)) }, function()
        assert.same(GIDS, gids_of(encoded(base64(".."), "zstd")))
      end)
    end)

    it("are refused if they are larger than the layer", function()
      assert.equal("Tiled text: layers[1].data: cannot inflate: more data than the layer has cells",
        complaint(zstd(25, bytes_of(GIDS))))
    end)

    it("are refused if they are damaged", function()
      assert.equal("Tiled text: layers[1].data: cannot inflate: no frame", complaint(zstd(nil)))
      assert.equal("Tiled text: layers[1].data: cannot inflate: damaged", complaint(zstd(24, nil)))
    end)

    it("are decompressed by the real lua-zstd if it is installed", function()
      local is_there, packer = pcall(require, "zstd")
      if not is_there or not packer.compress then return end
      assert.same(GIDS, gids_of(encoded(base64(packer.compress(bytes_of(GIDS))), "zstd")))
    end)
  end)

  it("may have any gzip header", function()
    with_modules({ zlib = false }, function()
      local bytes = stored(bytes_of(GIDS)) .. "...." .. little(#GIDS * 4, 4)
      for _, head in ipairs({ "\0......", "\8......name\0", "\28......\3\0abcname\0comment\0", "\2......cc" }) do
        assert.same(GIDS, gids_of(encoded(base64("\31\139\8" .. head .. bytes), "gzip")))
      end
      assert.matches("cannot inflate: not gzip data", failure(encoded(base64(("x"):rep(40)), "gzip"), { tiles = true }))
    end)
  end)

  it("are refused before decompression if they are too short for the layer", function()
    local called = false
    local message = failure(encoded(base64("abc"), "zlib", 2000, 2000), { tiles = true,
      inflate = function() called = true end })
    assert.equal("Tiled text: layers[1].data: 3 bytes of zlib cannot hold the 16000000 bytes of the layer", message)
    assert.is_false(called)
  end)

  it("are refused before decompression if they exceed the limit of the document", function()
    assert.equal("Tiled text: layers[1].width: the document has more than 10000000 cells (option max_cells)",
      failure(encoded(base64("abc"), "zstd", 1e6, 1e6), { tiles = true, inflate = function() end }))
  end)

  if not found then return end

  it("are decompressed by lua-zlib if it is installed", function()
    assert.same(GIDS, gids_of(encoded(base64(zlib(bytes_of(GIDS))), "zlib")))
    local packed = library.deflate(9, 31)(bytes_of(GIDS), "finish")
    assert.same(GIDS, gids_of(encoded(base64(packed), "gzip")))
  end)

  it("are refused by lua-zlib if they are damaged, cut off, or too many", function()
    local bytes = zlib(bytes_of(GIDS))
    local bad = bytes:sub(1, -2) .. string.char((bytes:byte(-1) + 1) % 256)
    assert.matches("layers%[1%].data: cannot inflate: ", failure(encoded(base64(bad), "zlib"), { tiles = true }))
    assert.matches("cannot inflate: the data ends early", failure(encoded(base64(bytes:sub(1, 20)), "zlib"),
      { tiles = true }))
    assert.matches("cannot inflate: more data than the layer has cells", failure(encoded(base64(bytes), "zlib", 1, 1),
      { tiles = true }))
  end)

  it("are decompressed by lua-zlib only slightly beyond the layer's size", function()
    local bomb = base64((library.deflate(9)(("\0"):rep(2 ^ 26), "finish")))
    collectgarbage()
    local before = collectgarbage "count"
    collectgarbage "stop"
    local message = failure(encoded(bomb, "zlib"), { tiles = true })
    local grown = collectgarbage "count" - before
    collectgarbage "restart"
    assert.matches("more data than the layer has cells", message)
    assert.is_true(grown < 32 * 1024, "grew by " .. grown .. " KB")
  end)
end)
