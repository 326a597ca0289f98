-- What all commands have in common: manual, exit codes, --components.

local cli = require "cuttle.cli"
local cuttle = require "cuttle"
local command = require "spec.support.command"
local folders = require "spec.support.folder"

local GOAT, run, sink, assert_output, assert_misused = command.GOAT, command.run, command.sink, command.assert_output,
  command.assert_misused

describe("the command", function()
  local folder

  before_each(function() folder = folders.new() end)
  after_each(function() folder:remove() end)

  describe("tells", function()
    it("its commands and exit codes with --help", function()
      local code, output, errors = run "--help"
      assert.equal(0, code)
      assert.equal("", errors)
      for _, word in ipairs({ "compile", "describe", "validate", "import", "schema", "Exit codes: 0, 1 (" }) do
        assert.is_truthy(output:find(word, 1, true), word)
      end
    end)

    for _, name in ipairs({ "compile", "describe", "validate", "import", "schema" }) do
      it("the options of " .. name .. " with --help", function()
        local code, output, errors = run(name, "--help")
        assert.equal(0, code)
        assert.equal("", errors)
        assert.is_truthy(output:find("Usage: cuttle " .. name, 1, true))
      end)

      it("the manual of " .. name .. " in lines that fit 100 columns", function()
        for line in select(2, run(name, "--help")):gmatch "[^\n]*" do assert.is_true(#line <= 100, line) end
      end)
    end

    it("its version", function()
      assert_output(cuttle._VERSION .. "\n", run "--version")
    end)

    it("help even when the rest is wrong", function()
      assert.equal(0, (run("compile", "--endian", "big", "--help")))
    end)

    it("why it cannot print", function()
      local errors = sink()
      assert.equal(1, cli.main({ "--help" }, { output = sink "No space left on device", errors = errors }))
      assert.equal("standard output: No space left on device\n", errors.text())
    end)
  end)

  describe("refuses with code 2", function()
    it("to do nothing", function()
      assert_misused("a command is required", run())
    end)

    it("an unknown command, naming the nearest", function()
      local code, output, errors = run "compil"
      assert.equal(2, code)
      assert.equal("", output)
      assert.equal("cuttle: unknown command 'compil'\nDid you mean 'compile'?\nsee 'cuttle --help'\n", errors)
    end)

    it("an unknown option, naming the nearest", function()
      local code, _, errors = run("compile", "a.json", "--dep", "x")
      assert.equal(2, code)
      assert.equal("cuttle: unknown option '--dep'\nDid you mean '--deps'?\nsee 'cuttle compile --help'\n", errors)
    end)

    it("no file at all", function()
      assert_misused("missing argument 'FILE'", run "compile")
    end)

    it("a file without a name", function()
      assert_misused("a file cannot be named ''", run("validate", ""))
    end)

    it("standard input twice", function()
      assert_misused("standard input can be read once", run("validate", "-", "-"))
    end)

    it("a name for standard input that is not read", function()
      assert_misused("option '--name' names standard input, which is not read: give '-'",
        run("validate", "a.json", "--name", "b.json"))
    end)

    it("a byte order that is none", function()
      assert_misused("argument for option '--endian' must be one of 'little', 'big'",
        run("compile", "a.json", "--endian", "middle"))
    end)

    it("a format that it does not know", function()
      local code, _, errors = run("compile", "a.json", "--format", "xml")
      assert.equal(2, code)
      assert.is_truthy(errors:find("must be one of 'native', 'lua', 'ldtk', 'tiled', 'gltf'", 1, true))
    end)
  end)

  describe("--components, used badly, ends with code 2:", function()
    local function misuse(text)
      return run("validate", folder:write("a.json", GOAT), "--components", folder:write("c.lua", text))
    end

    it("a file that is not there", function()
      assert_misused(folder:at "no.lua" .. ": No such file or directory",
        run("validate", "a.json", "--components", folder:at "no.lua"))
    end)

    it("a file that is not Lua", function()
      local code, _, errors = misuse "return function("
      assert.equal(2, code)
      assert.is_truthy(errors:find("c.lua:1: ", 1, true))
    end)

    it("a file that returns no function", function()
      assert_misused(folder:at "c.lua: expected the file to return a function, got nil", misuse "")
    end)

    it("a function that destroys the world", function()
      local code, _, errors = misuse "return function(world) world:destroy() end"
      assert.equal(2, code)
      assert.is_truthy(errors:find("c.lua: .*destroyed"), errors)
    end)

    it("a function that raises", function()
      local code, output, errors = misuse [[return function(world) world:define("health", { { "hp", "int33" } }) end]]
      assert.equal(2, code)
      assert.equal("", output)
      assert.is_truthy(errors:find("c.lua:1: bad argument #2 to 'define'", 1, true), errors)
    end)
  end)
end)
