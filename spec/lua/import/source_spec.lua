-- The parts that all importers share: text or path, places in messages, transforms of mappings.

local failure = require "cuttle.failure"
local source = require "cuttle.import.source"

describe("a text", function()
  it("is JSON, XML or Lua by its first characters after blanks and a byte order mark", function()
    for _, text in ipairs({ "{", "[", " \n\t{", "\239\187\191 [" }) do assert.equal("JSON", source.kind_of(text)) end
    assert.equal("XML", source.kind_of(" <?xml?>"))
    assert.equal("Lua", source.kind_of("return {"))
  end)

  it("is distinguished from a path", function()
    for _, path in ipairs({ "", "map.ldtk", "./{x}/map.json", "C:\\map", "return.json", "return" }) do
      assert.is_nil(source.kind_of(path))
    end
  end)
end)

describe("a path", function()
  it("is joined to a directory with or without its separator", function()
    assert.same({ "a/b", "a/b", "b" }, { source.join("a", "b"), source.join("a/", "b"), source.join("", "b") })
  end)

  it("has a directory, which may be empty", function()
    assert.same({ "a/b/", "a\\", "" },
      { source.directory_of("a/b/c"), source.directory_of("a\\c"), source.directory_of("c") })
  end)
end)

describe("a cursor", function()
  it("returns places that count from 1", function()
    local cursor = source.cursor("f")
    cursor:enter("levels", 3, "px")
    assert.equal("levels[3].px", cursor:place())
    assert.equal("levels[3].px[2]", cursor:place(2))
  end)

  it("returns to its place after a loop", function()
    local cursor = source.cursor("f")
    for index in cursor:each({ a = { {}, {} } }, "a") do assert.equal("a[" .. index .. "]", cursor:place()) end
    assert.equal("", cursor:place())
  end)

  it("raises a failure with file and place", function()
    local result, message = failure.guard(function() source.cursor("f"):fail("x", "expected %d", 5) end)
    assert.is_nil(result)
    assert.equal("f: x: expected 5", message)
  end)
end)

describe("a mapping's transform", function()
  local function laid(editors, mappings)
    return source.components(source.cursor("f"), "x", editors, { transform = mappings }).transform
  end

  it("replaces an angle by a rotation, and a rotation by an angle", function()
    assert.same({ rotation = { 0, 0, 0, 1 } }, laid({ angle = 1 }, { rotation = { 0, 0, 0, 1 } }))
    assert.same({ angle = 2 }, laid({ rotation = { 0, 0, 0, 1 } }, { angle = 2 }))
  end)

  it("replaces all fields by a matrix", function()
    assert.same({ matrix = {} }, laid({ position = { 1, 2, 3 }, scale = 2, angle = 1 }, { matrix = {} }))
  end)
end)
