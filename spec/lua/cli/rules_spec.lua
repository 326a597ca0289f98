-- The make rules that the command writes, as make reads them.

-- tags: pure_lua

local quoted = require("spec.support.command_line").quoted
local folders = require "spec.support.folder"
local rules = require "cuttle.cli.rules"

-- File names that are usual for levels, and names that are special to make.
local NAMES = { "plain", "a b", " a", "a  b", "a#b", "a$b", "$$", "a%b", "a:b", "a=b", "a+=b", "a::=b", "a\\b",
  "a\\ b", "a\\\\ b", "a\\#b", "a\\:b", "a\\%b", "a\\\\%b", "a\\$b", "a(b)c,d", "a'b\"c", "a&b>c", "a(b",
  "a){}b", "a!b", "a@b", "-include x", "export y", "define", "\195\169t\195\169" }

local function succeeds(command)
  local result = os.execute(command)
  return result == 0 or result == true
end

-- Make must not run under the sanitizers, which are meant for the module.
local MAKE = "env -u LD_PRELOAD -u MAKEFLAGS make -rR --no-print-directory -f rules.mk"

describe("a rule", function()
  it("lists an output, its source and its other dependencies", function()
    assert.equal("a.level: a.json b.json c.json\n\nb.json:\n\nc.json:\n",
      rules.text({ { output = "a.level", source = "a.json", dependencies = { "b.json", "c.json" } } }))
  end)

  it("may have no source", function()
    assert.equal("a.level:\n", rules.text({ { output = "a.level", dependencies = {} } }))
  end)

  it("is written for each output, with one empty rule for a shared dependency", function()
    assert.equal("a.level: a.json c.json\nb.level: b.json c.json\n\nc.json:\n", rules.text({
      { output = "a.level", source = "a.json", dependencies = { "c.json" } },
      { output = "b.level", source = "b.json", dependencies = { "c.json" } } }))
  end)

  for _, name in ipairs({ "a;b", "a|b", "a\nb", "a\tb", "a\\", "a ", "a(b)" }) do
    it(("cannot be made for %q"):format(name), function()
      local message = name .. ": rules for make cannot contain this name"
      local function refuses(output, source, dependency)
        local text, trouble = rules.text({ { output = output, source = source, dependencies = { dependency } } })
        assert.is_nil(text)
        assert.equal(message, trouble)
      end
      refuses(name, "s", "d")
      refuses("o", name, "d")
      refuses("o", "s", name)
    end)
  end
end)

if not succeeds "command -v make >/dev/null 2>&1" then return end

describe("make reads a rule", function()
  local folder

  before_each(function() folder = folders.new() end)
  after_each(function() folder:remove() end)

  -- Creates a file with an age in years.
  local function touch(name, age)
    assert(succeeds(("cd %s && touch -d %d-01-01 -- %s"):format(folder.path, 2020 - age, quoted(name))))
  end

  -- Tests if make considers the output up to date.
  local function is_new(output)
    return succeeds(("cd %s && %s -q -- %s >/dev/null 2>&1"):format(folder.path, MAKE, quoted(output)))
  end

  for _, name in ipairs(NAMES) do
    it(("for %q"):format(name), function()
      local output, source, prefab = name .. ".level", name .. ".json", "x" .. name
      local text = assert(rules.text({ { output = output, source = source, dependencies = { prefab } } }))
      folder:write("rules.mk", (text:gsub("\n", "\n\t@touch made\n", 1)))
      touch(source, 3)
      touch(prefab, 3)
      touch(output, 2)
      assert.is_true(is_new(output))
      touch(source, 1)
      assert.is_false(is_new(output))
      touch(source, 3)
      assert.is_true(is_new(output))
      touch(prefab, 1)
      assert.is_false(is_new(output))
      assert(os.remove(folder:at(prefab)))
      -- A deleted prefab is no error: make builds the level again.
      assert.is_true(succeeds(("cd %s && %s -- %s"):format(folder.path, MAKE, quoted(output))))
      assert.equal("", folder:read "made")
    end)
  end
end)
