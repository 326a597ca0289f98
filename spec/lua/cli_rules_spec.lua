-- The rules for make, as make itself reads them.

-- tags: pure_lua

local quoted = require("spec.support.command_line").quoted
local folders = require "spec.support.folder"
local rules = require "cuttle.cli.rules"

-- Names that a level may well have, and such as only make takes offence at.
local NAMES = { "plain", "a b", " a", "a  b", "a#b", "a$b", "$$", "a%b", "a:b", "a=b", "a+=b", "a::=b", "a\\b",
  "a\\ b", "a\\\\ b", "a\\#b", "a\\:b", "a\\%b", "a\\\\%b", "a\\$b", "a(b)c,d", "a'b\"c", "a&b>c", "a(b",
  "a){}b", "a!b", "a@b", "-include x", "export y", "define", "\195\169t\195\169" }

local function succeeds(command)
  local result = os.execute(command)
  return result == 0 or result == true
end

-- Sanitizers are for the module, not for make.
local MAKE = "env -u LD_PRELOAD -u MAKEFLAGS make -rR --no-print-directory -f rules.mk"

describe("a rule", function()
  it("names an output, its source and what else it was made from", function()
    assert.equal("a.level: a.json b.json c.json\n\nb.json:\n\nc.json:\n",
      rules.text({ { output = "a.level", source = "a.json", dependencies = { "b.json", "c.json" } } }))
  end)

  it("does without a source", function()
    assert.equal("a.level:\n", rules.text({ { output = "a.level", dependencies = {} } }))
  end)

  it("stands for each output; what several share has one empty rule", function()
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

  -- A file of that age, in years.
  local function touch(name, age)
    assert(succeeds(("cd %s && touch -d %d-01-01 -- %s"):format(folder.path, 2020 - age, quoted(name))))
  end

  -- Whether make thinks that the output is as new as what it was made from.
  local function is_new(output)
    return succeeds(("cd %s && %s -q -- %s >/dev/null 2>&1"):format(folder.path, MAKE, quoted(output)))
  end

  for _, name in ipairs(NAMES) do
    it(("of %q"):format(name), function()
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
      -- A deleted prefab is no error: the level is made again.
      assert.is_true(succeeds(("cd %s && %s -- %s"):format(folder.path, MAKE, quoted(output))))
      assert.equal("", folder:read "made")
    end)
  end
end)
