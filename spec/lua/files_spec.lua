-- Files and paths.

local files = require "cuttle.files"
local folder = require "spec.support.folder"

describe("a path", function()
  it("has a directory, which includes its last separator", function()
    assert.equal("a/b/", files.directory_of "a/b/c.json")
    assert.equal("/", files.directory_of "/c.json")
    assert.equal("a\\", files.directory_of "a\\c.json")
    assert.equal("", files.directory_of "c.json")
  end)

  it("has a last component", function()
    for path, name in pairs { ["a/b.c"] = "b.c", ["b"] = "b", ["a/"] = "", ["a\\b"] = "b", [""] = "", ["/"] = "" } do
      assert.equal(name, files.name_of(path))
    end
    -- A quadratic search would take minutes.
    assert.equal("", files.name_of(("a"):rep(2 ^ 22) .. "/"))
  end)

  it("is joined to a directory with or without its last separator", function()
    assert.equal("a/b.json", files.join("a", "b.json"))
    assert.equal("a/b.json", files.join("a/", "b.json"))
    assert.equal("a\\b.json", files.join("a\\", "b.json"))
    assert.equal("b.json", files.join("", "b.json"))
    assert.equal("a/../b.json", files.join("a", "../b.json"))
  end)

  it("is not joined if it is absolute", function()
    assert.equal("/b.json", files.join("a", "/b.json"))
    assert.equal("C:\\b.json", files.join("a", "C:\\b.json"))
  end)

  it("is normalized to its shortest form", function()
    for path, shortest in pairs { ["a/b"] = "a/b", ["./a//b"] = "a/b", ["a/../b"] = "b", ["a/b/../../c"] = "c",
      ["../a"] = "../a", ["a/../../b"] = "../b", ["../../a"] = "../../a", ["/a/./b"] = "/a/b", ["/../a"] = "/a",
      ["a\\b"] = "a/b", ["C:/a/../b"] = "C:/b", ["."] = ".", ["a/.."] = ".", [""] = ".", ["a/"] = "a" } do
      assert.equal(shortest, files.normalize(path))
    end
  end)
end)

describe("a path within a folder", function()
  it("is recognized by the text of both paths", function()
    for _, case in ipairs { { "a/b", "a" }, { "a/b/c", "a/" }, { "a/../a/b", "./a" }, { "b", "." }, { "b", "" },
      { "/a/b", "/a" }, { "/a", "/" }, { "../a/b", "../a" }, { "../b", ".." } } do
      assert.is_true(files.is_within(case[1], case[2]), case[1] .. " in " .. case[2])
    end
    for _, case in ipairs { { "ab", "a" }, { "a/../b", "a" }, { "../a", "." }, { "..", "." }, { "/a", "." },
      { "a", "/a" }, { "../../a", ".." }, { "../..", ".." }, { "../ab", "../a" }, { "C:a", "." }, { "D:../a", "" },
      { "C:\\a", "." } } do
      assert.is_false(files.is_within(case[1], case[2]), case[1] .. " in " .. case[2])
    end
  end)
end)

describe("a stream", function()
  local function stream(...)
    local parts, at = { ... }, 0
    return { read = function()
      at = at + 1
      return parts[at]
    end }
  end

  it("is read to its end", function()
    assert.equal("abc", files.drain(stream("a", "bc"), 3))
  end)

  it("is read only up to the limit", function()
    assert.are.same({ nil, "more than 2 bytes (option limit)" },
      { files.drain(stream("a", "bc"), 2) })
  end)

  it("returns the reason why it cannot be read", function()
    assert.are.same({ nil, "gone" }, { files.drain({ read = function() return nil, "gone" end }, 2) })
  end)
end)

describe("a file", function()
  local place
  before_each(function() place = folder.new() end)
  after_each(function() place:remove() end)

  it("is read byte for byte as it was written", function()
    local path, bytes = place:at "x", "a\0b\r\n\26\255"
    assert.is_true(files.write(path, bytes))
    assert.equal(bytes, files.read(path))
    assert.are.same({ "x" }, place:names())
  end)

  it("is read as it was written if it is long", function()
    local path, bytes = place:at "x", ("a\0b\r\n\26\255."):rep(2 ^ 18)
    assert.is_true(files.write(path, bytes))
    assert.is_true(bytes == files.read(path))
  end)

  it("is replaced as a whole", function()
    assert(files.write(place:at "x", "long text"))
    assert(files.write(place:at "x", "new"))
    assert.equal("new", files.read(place:at "x"))
  end)

  it("that is missing is reported with its path", function()
    local text, message = files.read(place:at "no")
    assert.is_nil(text)
    assert.equal(place:at "no" .. ": No such file or directory", message)
  end)

  it("that cannot be written is reported with its path", function()
    local path = place:at "no/x"
    local written, message = files.write(path, "a")
    assert.is_nil(written)
    assert.equal(path .. ": No such file or directory", message)
  end)

  it("cannot be a folder", function()
    local text, message = files.read(place.path)
    assert.is_nil(text)
    assert.equal(place.path .. ": ", message:sub(1, #place.path + 2))
    local written
    written, message = files.write(place.path, "a")
    assert.is_nil(written)
    assert.equal(place.path .. ": ", message:sub(1, #place.path + 2))
    assert.are.same({}, place:names())
  end)

  it("larger than the limit is not read", function()
    place:write("x", "12345")
    assert.equal("12345", files.read(place:at "x", nil, 5))
    local text, message = files.read(place:at "x", nil, 4)
    assert.is_nil(text)
    assert.equal(place:at "x" .. ": 5 bytes, but the limit is 4 (option limit)", message)
    assert.are.same({ nil, "y: 3 bytes, but the limit is 2 (option limit)" },
      { files.read("y", function() return "abc" end, 2) })
  end)

  it("of unknown size is read only up to the limit", function()
    local path = "/proc/cpuinfo"
    if not io.open(path) then return pending("there is no " .. path) end
    assert.are.same({ nil, path .. ": more than 10 bytes (option limit)" },
      { files.read(path, nil, 10) })
    assert.is_true(#files.read(path) > 10)
  end)

  it("does not replace an open file of a process", function()
    for _, path in ipairs { "/dev/stdout", "/dev/../dev/stderr", "/dev/fd/1", "/proc/self/fd/1", "/proc/1/fd/2" } do
      assert.is_true(files.is_special(path), path)
      assert.are.same({ nil, path .. ": this is a device or a pipe, not a file" }, { files.write(path, "a") })
    end
    for _, name in ipairs { "dev/stdout", "stdout", "fd/1" } do
      assert.is_false(files.is_special(place:at(name)), name)
    end
  end)

  it("may be read by a function, which may return nothing or raise", function()
    assert.equal("text of y", files.read("y", function(path) return "text of " .. path end))
    for _, read in ipairs { function() return nil, "lost" end, function() return nil, "y: lost" end,
      function() error("lost", 0) end } do
      assert.are.same({ nil, "y: lost" }, { files.read("y", read) })
    end
    assert.are.same({ nil, "y: no text was returned" }, { files.read("y", function() return 12 end) })
  end)

  it("replaces the temporary file of a process that was killed", function()
    place:write("x.cuttle.tmp", "half of a very long text")
    assert(files.write(place:at "x", "whole"))
    assert.equal("whole", place:read "x")
    assert.are.same({ "x" }, place:names())
  end)

  it("has a temporary name that is not too long", function()
    assert.equal("a/b.json.cuttle.tmp", files.temporary "a/b.json")
    assert.equal("a/" .. ("n"):rep(244) .. ".cuttle.tmp", files.temporary("a/" .. ("n"):rep(244)))
    assert.equal("a/" .. ("n"):rep(244) .. ".cuttle.tmp", files.temporary("a/" .. ("n"):rep(255)))
    local cut = ("n"):rep(243)
    assert.equal("a/" .. cut .. ".cuttle.tmp", files.temporary("a/" .. cut .. ("\195\188"):rep(6)))
  end)

  it("may have the longest name of a file system", function()
    if package.config:sub(1, 1) == "\\" then return end -- paths are short on Windows
    local name = ("n"):rep(255)
    assert(files.write(place:at(name), "once"))
    assert(files.write(place:at(name), "twice"))
    assert.equal("twice", place:read(name))
    assert.are.same({ name }, place:names())
  end)

  it("cannot have a zero byte in its path", function()
    assert.are.same({ nil, "a?b: a path cannot hold a zero byte" }, { files.read "a\0b" })
  end)
end)
