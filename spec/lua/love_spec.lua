-- The module cuttle.love with a mock of LÖVE; spec/hosts/love_spec.lua runs the real one.

local files = require "cuttle.files"
local hosts = require "spec.support.love_host"

describe("cuttle.love", function()
  local host

  before_each(function() host = hosts.new() end)
  after_each(function() host:remove() end)

  local function last_loaded() return (host.loaded[#host.loaded] or "nothing"):match "^%S+" end

  it("does nothing without LÖVE", function()
    host.love = nil
    local read = files.read
    local ok, result = host:require(function() assert.equal(read, files.read) end)
    assert.is_true(ok)
    assert.are.same({}, result)
    assert.are.same({}, host.loaded)
  end)

  it("is loaded by require \"cuttle\"", function()
    host.required = "cuttle"
    host.texts["cuttle/core.so"], host.texts["a.json"] = "module", "{}"
    local ok, cuttle = host:require(function()
      assert.equal(last_loaded(), require "cuttle.love".native)
      assert.equal("{}", files.read "a.json")
    end)
    assert.is_true(ok, cuttle)
    assert.equal("function", type(cuttle.world))
    assert.equal(1, #host.loaded)
    assert.are.same({ "core.so=module" }, host:copies())
  end)

  it("does nothing with a table named love that lacks a needed function", function()
    for _, stand_in in ipairs { {}, { filesystem = {} }, { filesystem = { read = error, getInfo = error } }, "love" } do
      host.love = stand_in
      local ok, result = host:require()
      assert.is_true(ok, result)
      assert.are.same({}, result)
    end
  end)

  describe("loads the native module", function()
    it("from a folder in place", function()
      host.game, host.texts["cuttle/core.so"] = host.folder.path, "module"
      host.folder:make "cuttle"
      local path = host.folder:write("cuttle/core.so", "module")
      local ok, result = host:require()
      assert.is_true(ok, result)
      assert.are.same({ path .. " luaopen_cuttle_core" }, host.loaded)
      assert.equal(path, result.native)
      assert.are.same({}, host:copies())
    end)

    it("from the folder of the Lua files, at any place in the game", function()
      host.require_path, host.texts["lib/cuttle/core.so"] = "?.lua;lib/?.lua", "module"
      assert.is_true(host:require())
      assert.are.same({ "core.so=module" }, host:copies())
    end)

    it("of a .love from a copy in the save directory", function()
      host.texts["cuttle/core.so"] = ("module"):rep(1000)
      local ok, result = host:require()
      assert.is_true(ok, result)
      assert.are.same({ "core.so=" .. ("module"):rep(1000) }, host:copies())
      assert.equal(host.save, last_loaded():sub(1, #host.save))
      assert.equal(last_loaded(), result.native)
    end)

    it("again from a new copy if it has changed, and removes the old copy", function()
      host.texts["cuttle/core.so"] = "module"
      host:require()
      local before = last_loaded()
      host:require()
      assert.equal(before, last_loaded())
      host.texts["cuttle/core.so"] = "medule"
      host:require()
      assert.are_not.equal(before, last_loaded())
      assert.are.same({ "core.so=medule" }, host:copies())
    end)

    it("again after its copy was damaged", function()
      host.texts["cuttle/core.so"] = "module"
      host:require()
      host:damage_copies "mod"
      host:require()
      assert.are.same({ "core.so=module" }, host:copies())
    end)

    it("from the folder that holds the game", function()
      host.folder:make "cuttle"
      local path = host.folder:write("cuttle/core.so", "module")
      assert.is_true(host:require())
      assert.equal(path, last_loaded())
    end)

    it("by the file name of the system", function()
      for system, name in pairs { Windows = "core.dll", ["OS X"] = "core.dylib" } do
        local other = hosts.new(system)
        other.texts["cuttle/core.so"], other.texts["cuttle/" .. name] = "so", system
        assert.is_true(other:require())
        assert.are.same({ name .. "=" .. system }, other:copies())
        other:remove()
      end
    end)
  end)

  describe("raises a message of one line", function()
    local function message_of()
      local ok, message = host:require()
      assert.is_false(ok)
      assert.is_nil(message:find "\n")
      return message
    end

    it("about a missing module, also for require \"cuttle\"", function()
      for _, name in ipairs { "cuttle.love", "cuttle" } do
        host.required = name
        assert.matches("^cuttle: the native module for Linux is missing: put cuttle/core%.so of ", message_of())
      end
    end)

    it("with the module's file name on Windows", function()
      host:remove()
      host = hosts.new "Windows"
      assert.matches("for Windows is missing: put cuttle/core%.dll of ", message_of())
    end)

    it("about a system on which the module must be built into the app", function()
      host:remove()
      host = hosts.new "Android"
      assert.matches("^cuttle: the native module for Android is missing: .* must be built into the app$", message_of())
    end)

    it("with the reason why the module cannot be loaded", function()
      host.texts["cuttle/core.so"], host.trouble = "module", "wrong ELF class"
      assert.matches("^cuttle: the native module %S+core%.so cannot be loaded: wrong ELF class$", message_of())
    end)

    it("about a module that cannot be copied, and leaves no copy", function()
      host.texts["cuttle/core.so"], host.read_only = "module", true
      assert.matches("^cuttle: the native module cannot be copied to the save directory: cuttle%-native/", message_of())
      assert.are.same({}, host:copies())
    end)
  end)

  describe("reads and writes", function()
    before_each(function() host.texts["cuttle/core.so"] = "module" end)

    it("relative paths through love.filesystem", function()
      host.texts["levels/a.json"] = "{}"
      assert.is_true(host:require(function()
        assert.equal("{}", files.read "levels/a.json")
        assert.equal("{}", files.read "./levels/b/../a.json")
        assert.are.same({ nil, "b.json: Could not open file b.json. Does not exist." }, { files.read "b.json" })
        assert.are.same({ nil, "b?: a path cannot hold a zero byte" }, { files.read "b\0" })
        assert.is_true(files.write("saves/one/a.level", "level"))
        assert.equal("level", files.read "saves/one/a.level")
      end))
      assert.equal("level", host.folder:read "save/saves/one/a.level")
    end)

    it("with the function of an option", function()
      host:require(function()
        assert.equal("own b", files.read("b", function(path) return "own " .. path end))
      end)
    end)

    it("absolute paths on the disk", function()
      local path = host.folder:write("a.json", "[]")
      host:require(function()
        assert.equal("[]", files.read(path))
        assert.is_true(files.write(path, "[1]"))
      end)
      assert.equal("[1]", host.folder:read "a.json")
    end)

    it("nothing if the save directory is read-only", function()
      host:require(function()
        host.read_only = true
        assert.are.same({ nil, "a/b: cannot create its folder in the save directory" }, { files.write("a/b", "") })
      end)
    end)
  end)
end)
