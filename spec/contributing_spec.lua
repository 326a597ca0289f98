-- Builds the worked example of CONTRIBUTING.md into a module of its own and runs its spec.

-- path -> text of the blocks that name a file
local function blocks(text)
  local found = {}
  for path, block in text:gmatch "\n```%a+ ([%w_/]+%.%a+)\n(.-\n)```\n" do found[path] = block end
  return found
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

local function shell(command)
  local output = os.tmpname()
  local status = os.execute(("(%s) >%s 2>&1 </dev/null"):format(command, output))
  local text = read(output)
  os.remove(output)
  return status == 0 or status == true, text
end

-- A source with one more line in its table, before the one that begins like this.
local function with_line(path, line, before)
  local source, pattern = read(path), before:gsub("%p", "%%%0")
  local changed, count = source:gsub("\n" .. pattern, function(found) return "\n" .. line:sub(1, -2) .. found end, 1)
  assert(count == 1, path .. " has no table that the worked example's line can stand in")
  return changed
end

describe("the worked example of CONTRIBUTING.md", function()
  local files = blocks(read "CONTRIBUTING.md")
  local build = os.getenv "CUTTLE_BUILD" or "build/test"
  local sanitized = os.getenv "CUTTLE_SANITIZER" == "1"
  local folder

  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(shell(("mkdir -p %s/cuttle && cp -r src %s/src"):format(folder, folder)))
  end)

  teardown(function() shell(("rm -rf %s"):format(folder)) end)

  it("has all the files that a component type takes, and no more", function()
    local paths = {}
    for path in pairs(files) do paths[#paths + 1] = path end
    table.sort(paths)
    assert.are.same({
      "spec/component/lifetime_spec.lua", "src/bind/component/components.c", "src/bind/component/lifetime.c",
      "src/component/lifetime.c", "src/component/lifetime.h", "src/world/world.c",
    }, paths)
  end)

  -- Four files are compiled; the rest are the objects of the build under test. Those of the
  -- sanitizer build want their runtime linked in, which this need not repeat.
  if not sanitized then
    it("builds without a warning and passes its spec", function()
      for path, text in pairs(files) do
        if path:match "lifetime" and path:match "^src" then write(folder .. "/" .. path, text) end
      end
      local world = with_line("src/world/world.c", files["src/world/world.c"], "    {NULL, ")
      write(folder .. "/src/world/world.c", (world:gsub('\n#include "', '\n#include "component/lifetime.h"%0', 1)))
      local components = "src/bind/component/components.c"
      write(folder .. "/" .. components, with_line(components, files[components], "    HAS(transform, transform)"))
      write(folder .. "/lifetime_spec.lua", files["spec/component/lifetime_spec.lua"])
      local built, output = shell(("tools/example.sh %s %s"):format(build, folder))
      assert.is_true(built, output)
      local line = "CUTTLE_BUILD=%s %s tools/busted.lua --output=plainTerminal %s/lifetime_spec.lua"
      local passed, report = shell(line:format(folder, rawget(_G, "jit") and "luajit" or "lua5.1", folder))
      assert.is_true(passed, report)
      assert.matches("2 successes / 0 failures", report)
    end)
  end
end)
