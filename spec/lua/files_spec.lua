-- Files and paths.

local files = require "cuttle.files"
local folder = require "spec.support.folder"

describe("a path", function()
  it("has a directory, with its last separator", function()
    assert.equal("a/b/", files.directory_of "a/b/c.json")
    assert.equal("/", files.directory_of "/c.json")
    assert.equal("a\\", files.directory_of "a\\c.json")
    assert.equal("", files.directory_of "c.json")
  end)

  it("is seen from a directory, with or without its last separator", function()
    assert.equal("a/b.json", files.join("a", "b.json"))
    assert.equal("a/b.json", files.join("a/", "b.json"))
    assert.equal("a\\b.json", files.join("a\\", "b.json"))
    assert.equal("b.json", files.join("", "b.json"))
    assert.equal("a/../b.json", files.join("a", "../b.json"))
  end)

  it("that is absolute stays what it is", function()
    assert.equal("/b.json", files.join("a", "/b.json"))
    assert.equal("C:\\b.json", files.join("a", "C:\\b.json"))
  end)

  it("has a shortest form", function()
    for path, shortest in pairs { ["a/b"] = "a/b", ["./a//b"] = "a/b", ["a/../b"] = "b", ["a/b/../../c"] = "c",
      ["../a"] = "../a", ["a/../../b"] = "../b", ["../../a"] = "../../a", ["/a/./b"] = "/a/b", ["/../a"] = "/a",
      ["a\\b"] = "a/b", ["C:/a/../b"] = "C:/b", ["."] = ".", ["a/.."] = ".", [""] = ".", ["a/"] = "a" } do
      assert.equal(shortest, files.normalise(path))
    end
  end)
end)

describe("a file", function()
  local place
  before_each(function() place = folder.new() end)
  after_each(function() place:remove() end)

  it("is read as it was written, byte for byte", function()
    local path, bytes = place:at "x", "a\0b\r\n\26\255"
    assert.is_true(files.write(path, bytes))
    assert.equal(bytes, files.read(path))
    assert.are.same({ "x" }, place:names())
  end)

  it("is replaced as a whole", function()
    assert(files.write(place:at "x", "long text"))
    assert(files.write(place:at "x", "new"))
    assert.equal("new", files.read(place:at "x"))
  end)

  it("that is not there is told, the path first", function()
    local text, message = files.read(place:at "no")
    assert.is_nil(text)
    assert.equal(place:at "no" .. ": No such file or directory", message)
  end)

  it("that cannot be written is told, the path first", function()
    local path = place:at "no/x"
    local written, message = files.write(path, "a")
    assert.is_nil(written)
    assert.equal(path .. ": No such file or directory", message)
  end)

  it("is no folder", function()
    local text, message = files.read(place.path)
    assert.is_nil(text)
    assert.equal(place.path .. ": ", message:sub(1, #place.path + 2))
    local written
    written, message = files.write(place.path, "a")
    assert.is_nil(written)
    assert.equal(place.path .. ": ", message:sub(1, #place.path + 2))
    assert.are.same({}, place:names())
  end)

  it("has no zero byte in its path", function()
    assert.are.same({ nil, "a?b: a path cannot hold a zero byte" }, { files.read "a\0b" })
  end)
end)
