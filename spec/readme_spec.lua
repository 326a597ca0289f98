-- Runs the Lua of the README and of the guide, every block by itself, as a reader would who pastes it into a file.

local function blocks(text)
  local found = {}
  for block in ("\n" .. text):gmatch "\n```lua\n(.-)\n```" do found[#found + 1] = block end
  return found
end

-- What a block prints, and what its `--> text` comments promise, line by line.
local function run(block, name)
  local printed, promised = {}, {}
  local environment = setmetatable({
    print = function(...)
      local words = { ... }
      for i = 1, select("#", ...) do words[i] = tostring(words[i]) end
      printed[#printed + 1] = table.concat(words, " ")
    end,
  }, { __index = _G })
  for promise in (block .. "\n"):gmatch "%-%->%s*(.-)%s*\n" do promised[#promised + 1] = promise end
  setfenv(assert(loadstring(block, "=" .. name)), environment)()
  return printed, promised
end

local function check(block, name)
  local printed, promised = run(block, name)
  if #promised > 0 then assert.are.same(promised, printed) end
end

for _, path in ipairs { "README.md", "docs/live-editing.md", "docs/rewind.md", "docs/saving.md" } do
  describe(path, function()
    local file = io.open(path)
    local found = blocks(file and file:read "*a" or "")
    if file then file:close() end

    it("shows Lua", function()
      assert.is_true(#found > 0)
    end)

    for i, block in ipairs(found) do
      it("has a block " .. i .. " that runs and prints what it says", function()
        check(block, path .. " block " .. i)
      end)
    end
  end)
end

-- What make targets install themselves ($(SETUP) in the Makefile), the README names for those who would rather do it.
describe("the README's packages", function()
  local function read(path)
    local file = assert(io.open(path))
    local text = file:read "*a"
    file:close()
    return text
  end

  -- A need in the Makefile -> Debian's packages, as tools/setup.sh has it.
  local packages_of = {}
  for needs, packages in read "tools/setup.sh":gmatch '\n%s+([^\n()]+)%) echo "([^":]+): ' do
    for need in needs:gmatch "[^|%s]+" do packages_of[need] = packages end
  end

  -- The first line is for all targets, the others for those that their comments name.
  local named, first = {}, nil
  for packages, targets in read "README.md":gmatch "\n    apt%-get install ([^#\n]+)#([^\n]+)" do
    first = first or packages
    for target in targets:gmatch "[%w-]+" do named[target] = (named[target] or first) .. packages end
  end

  for target, needs in read "Makefile":gsub("%$%(MINGW%)", "x86_64-w64-mingw32"):gmatch "%$%(SETUP%) (%S+) ([^\n]+)" do
    it("are all that make " .. target .. " wants (" .. needs .. ")", function()
      local there = {}
      for package in (named[target] or ""):gmatch "%S+" do there[package] = true end
      for need in needs:gmatch "%S+" do
        for package in (packages_of[need] or need):gmatch "%S+" do
          assert.is_true(there[package] or package == "libc6-dev", package .. " for " .. need)
        end
      end
    end)
  end
end)

describe("the README's checker", function()
  it("takes Lua blocks only, in order", function()
    local text = "```lua\na = 1\nb = 2\n```\n```sh\nmake\n```\n\n```lua\nc = 3\n```\n"
    assert.are.same({ "a = 1\nb = 2", "c = 3" }, blocks(text))
  end)

  it("sees an error", function()
    assert.has_error(function() check("error 'broken'", "made up") end)
    assert.has_error(function() check("not Lua", "made up") end)
  end)

  it("sees a promise that is not kept", function()
    check("print(1, 2) --> 1 2\nprint 'x' --> x", "made up")
    assert.has_error(function() check("print(1) --> 2", "made up") end)
  end)

  it("keeps a block's globals to itself", function()
    check("readme_global = 1", "made up")
    assert.is_nil(rawget(_G, "readme_global"))
  end)
end)
