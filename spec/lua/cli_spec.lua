-- The parts that all commands share: help, exit codes, --components.

-- tags: pure_lua

local cli = require "cuttle.cli"
local cuttle = require "cuttle"
local command = require "spec.support.command"
local folders = require "spec.support.folder"
local json = require "cuttle.json"

local GOAT, run, sink, assert_output, assert_misused = command.GOAT, command.run, command.sink, command.assert_output,
  command.assert_misused

describe("the command", function()
  local folder

  before_each(function() folder = folders.new() end)
  after_each(function() folder:remove() end)

  describe("prints", function()
    it("its commands and exit codes with --help", function()
      local code, output, errors = run "--help"
      assert.equal(0, code)
      assert.equal("", errors)
      local words = { "compile", "describe", "validate", "import", "schema", "annotate", "Exit codes: 0, 1 (" }
      for _, word in ipairs(words) do
        assert.is_truthy(output:find(word, 1, true), word)
      end
    end)

    for _, name in ipairs({ "compile", "describe", "validate", "import", "schema", "annotate" }) do
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

    it("its version with --version", function()
      assert_output(cuttle._VERSION .. "\n", run "--version")
    end)

    it("its version with the command \"version\" and with -v", function()
      assert_output(cuttle._VERSION .. "\n", run "version")
      assert_output(cuttle._VERSION .. "\n", run "-v")
    end)

    it("its help with the command \"help\" and with -h", function()
      local manual = select(2, run "--help")
      assert.is_truthy(manual:find("\n   help ", 1, true))
      assert.is_truthy(manual:find("\n   version ", 1, true))
      assert_output(manual, run "help")
      assert_output(manual, run "-h")
    end)

    it("the help of a command with \"help\" and with -h", function()
      for _, name in ipairs({ "compile", "describe", "validate", "import", "schema", "annotate", "help", "version" }) do
        assert_output(select(2, run(name, "--help")), run("help", name))
        assert_output(select(2, run(name, "--help")), run(name, "-h"))
      end
    end)

    it("help even if other arguments are wrong", function()
      assert.equal(0, (run("compile", "--endian", "big", "--help")))
    end)

    it("the reason why it cannot write to standard output", function()
      local errors = sink()
      assert.equal(1, cli.main({ "--help" }, { output = sink "No space left on device", errors = errors }))
      assert.equal("standard output: No space left on device\n", errors.text())
    end)
  end)

  describe("refuses with exit code 2", function()
    it("a call without a command", function()
      assert_misused("a command is required", run())
    end)

    it("an unknown command, and suggests the nearest one", function()
      local code, output, errors = run "compil"
      assert.equal(2, code)
      assert.equal("", output)
      assert.equal("cuttle: unknown command 'compil'\nDid you mean 'compile'?\nsee 'cuttle --help'\n", errors)
    end)

    it("help about an unknown command, and suggests the nearest one", function()
      local code, output, errors = run("help", "compil")
      assert.equal(2, code)
      assert.equal("", output)
      assert.equal("cuttle: unknown command 'compil'\nDid you mean 'compile'?\nsee 'cuttle --help'\n", errors)
    end)

    it("help with two commands", function()
      assert_misused("too many arguments", run("help", "compile", "import"))
    end)

    it("-v after a command that does not have it", function()
      assert_misused("unknown option '-v'", run("compile", "a.json", "-v"))
    end)

    it("an option whose path is empty", function()
      for _, name in ipairs({ "output", "output-directory", "deps", "components", "mappings", "project" }) do
        assert_misused(("option '--%s': the path is empty"):format(name), run("compile", "a.json", "--" .. name, ""))
      end
      assert_misused("option '--name': the path is empty", run("compile", "-", "--name", ""))
      assert_misused("option '--output': the path is empty", run("compile", "a.json", "-o", ""))
      assert_misused("option '--output': the path is empty", run("schema", "-o", ""))
    end)

    it("an unknown option, and suggests the nearest one", function()
      local code, _, errors = run("compile", "a.json", "--dep", "x")
      assert.equal(2, code)
      assert.equal("cuttle: unknown option '--dep'\nDid you mean '--deps'?\nsee 'cuttle compile --help'\n", errors)
    end)

    it("a command without a file", function()
      assert_misused("missing argument 'FILE'", run "compile")
    end)

    it("an empty file name", function()
      assert_misused("a file cannot be named ''", run("validate", ""))
    end)

    it("standard input twice", function()
      assert_misused("standard input can be read once", run("validate", "-", "-"))
    end)

    it("a name for standard input that is not read", function()
      assert_misused("option '--name' names standard input, which is not read: give '-'",
        run("validate", "a.json", "--name", "b.json"))
    end)

    it("an unknown byte order", function()
      assert_misused("argument for option '--endian' must be one of 'little', 'big'",
        run("compile", "a.json", "--endian", "middle"))
    end)

    it("an unknown format", function()
      local code, _, errors = run("compile", "a.json", "--format", "xml")
      assert.equal(2, code)
      assert.is_truthy(errors:find("must be one of 'native', 'lua', 'ldtk', 'tiled', 'gltf'", 1, true))
    end)
  end)

  describe("exits with code 2 if --components is given", function()
    local function misuse(text)
      return run("validate", folder:write("a.json", GOAT), "--components", folder:write("c.lua", text))
    end

    it("a missing file", function()
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

    it("a file that raises nil", function()
      assert_misused(folder:at "c.lua: it raised nil", misuse "error()")
      assert_misused(folder:at "c.lua: it raised nil", misuse "return function() error() end")
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

  it("reports in one line that memory ran out", function()
    local output, errors = sink(), sink()
    local code = cli.main({ "validate", "-" }, { output = output, errors = errors,
      input = { read = function() error("not enough memory", 0) end } })
    assert.equal(1, code)
    assert.equal("", output.text())
    assert.equal("cuttle: not enough memory\n", errors.text())
  end)

  it("ends with 130 and without a message when it is interrupted", function()
    local output, errors = sink(), sink()
    local code = cli.main({ "validate", "-" }, { output = output, errors = errors,
      input = { read = function() error("interrupted!", 0) end } })
    assert.are.same({ 130, "", "" }, { code, output.text(), errors.text() })
  end)

  it("passes on an error of its own code", function()
    local ok, message = pcall(cli.main, { "validate", "-" }, { output = sink(), errors = sink(),
      input = { read = function() error("a bug", 0) end } })
    assert.is_false(ok)
    assert.equal("a bug", message)
  end)

  describe("escapes control characters in", function()
    local EVIL, ESCAPED = "\27[31m\7\r\n\127\194\155x", "\\x1b[31m\\x07\\r\\n\\x7f\\xc2\\x9bx"

    local function assert_escaped(code, expected, output, errors)
      local text = output .. errors
      assert.equal(expected, code)
      assert.is_truthy(text:find(ESCAPED, 1, true), text)
      assert.is_nil(text:find("[%z\1-\9\11-\31\127]"))
    end

    it("file names", function()
      local code, output, errors = run("validate", folder:at(EVIL))
      assert_escaped(code, 1, output, errors)
      if package.config:sub(1, 1) == "\\" then return end -- Windows does not allow such names
      folder:write(EVIL, GOAT)
      code, output, errors = run("validate", "-v", folder:at(EVIL))
      assert_escaped(code, 0, output, errors)
      code, output, errors = run("describe", folder:at(EVIL), folder:at(EVIL))
      assert_escaped(code, 0, output, errors)
    end)

    it("arguments", function()
      local code, output, errors = run("validate", "--" .. EVIL:gsub("\n", "\\n"))
      assert_escaped(code, 2, output, errors)
    end)

    it("keys and names in a level", function()
      local text = json.encode({ entities = { { [EVIL] = 1 } } })
      local code, output, errors = run("validate", folder:write("a.json", text))
      assert_escaped(code, 1, output, errors)
      assert.equal(1, select(2, errors:gsub("\n", "")))
    end)

    it("an error that a script raises", function()
      local code, output, errors = run("validate", folder:write("a.lua", ("error(%q)"):format(EVIL)))
      assert_escaped(code, 1, output, errors)
    end)
  end)

  it("prints letters outside ASCII unchanged", function()
    local code, _, errors = run("validate", folder:at "na\195\175ve \226\130\172.json")
    assert.equal(1, code)
    assert.is_truthy(errors:find("na\195\175ve \226\130\172.json", 1, true))
  end)
end)
