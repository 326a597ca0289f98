-- The Lua programs of the README, each run by itself, and the packages that it and CONTRIBUTING.md list.

-- tags: around

local makefile = require "spec.support.makefile"
local page = require "spec.support.page"
local tree = require "spec.support.tree"

describe("README.md", function()
  local programs = page.programs(tree.read "README.md")

  it("contains Lua programs", function()
    assert.is_true(#programs > 0)
  end)

  for i, program in ipairs(programs) do
    it("has a program " .. i .. " that runs and prints what the page shows", function()
      local printed = page.run(program, "README.md")
      if #program.promised > 0 then assert.are.same(program.promised, printed) end
    end)
  end
end)

for _, path in ipairs { "README.md", "docs/love.md" } do
  describe("the sample for LÖVE in " .. path, function()
    it("draws 300 things that move away from the middle", function()
      local drawn = {}
      local love = { graphics = { print = function(_, ...) drawn[#drawn + 1] = { ... } end } }
      page.run(page.titled(tree.read(path), "mygame/main.lua"), path, { love = love })
      love.update(0.5)
      love.draw()
      assert.equal(300, #drawn)
      for i, pose in ipairs(drawn) do
        assert.is_true(math.abs(math.sqrt((pose[1] - 400) ^ 2 + (pose[2] - 300) ^ 2) - i / 2) < 1e-3)
        assert.same({ 0, 1, 1 }, { pose[3], pose[4], pose[5] })
      end
    end)
  end)
end

-- Packages that make targets install themselves ($(SETUP) in the Makefile). CONTRIBUTING.md lists them for manual
-- installation, and the README for the two commands that it shows.
local function describe_packages(path, targets)
  describe("the packages in " .. path, function()
    -- A need in the Makefile -> Debian's packages, as in tools/setup.sh.
    local packages_of = {}
    for needs, packages in tree.read("tools/setup.sh"):gmatch '\n%s+([^\n()]+)%) echo "([^":]+): ' do
      for need in needs:gmatch "[^|%s]+" do packages_of[need] = packages end
    end

    -- The first line applies to all targets, the others to the targets in their comments.
    local named, first = {}, nil
    for packages, names in tree.read(path):gmatch "\n    apt%-get install ([^#\n]+)#([^\n]+)" do
      first = first or packages
      for name in names:gmatch "[%w-]+" do named[name] = (named[name] or first) .. packages end
    end

    local rules = makefile:gsub("%$%(MINGW%)", "x86_64-w64-mingw32"):gsub("%$%(LUA_SERIES%)", "5.1")
    for target, needs in rules:gmatch "%$%(SETUP%) (%S+) ([^\n)]+)" do
      if not targets or targets[target] then
        it("are complete for make " .. target .. " (" .. needs .. ")", function()
          local listed = {}
          for package in (named[target] or ""):gmatch "%S+" do listed[package] = true end
          for need in needs:gmatch "%S+" do
            for package in (packages_of[need] or need):gmatch "%S+" do
              assert.is_true(listed[package] or package == "libc6-dev", package .. " for " .. need)
            end
          end
        end)
      end
    end
  end)
end

describe_packages "CONTRIBUTING.md"
describe_packages("README.md", { run = true, test = true })

describe("a page", function()
  local function run(text) return page.run(page.programs("```lua\n" .. text .. "\n```\n")[1], "made up") end

  it("fails if a program raises or has a syntax error", function()
    assert.has_error(function() run "error 'broken'" end)
    assert.has_error(function() run "not Lua" end)
  end)

  it("has comments with the expected output", function()
    local text = "```lua\nprint(1, 2) --> 1 2\nprint 'x' --> y\n```"
    assert.are.same({ "1 2", "y" }, page.programs(text)[1].promised)
    assert.are.same({ "1 2", "x" }, run "print(1, 2)\nprint 'x'")
  end)

  it("keeps the globals of its programs separate", function()
    run "readme_global = 1"
    assert.is_nil(rawget(_G, "readme_global"))
  end)
end)
