-- The numbers on the page about versions, and the places of a version that a release sets.

-- tags: around once

local cuttle = require "cuttle"
local blob = require "spec.support.blob"
local file = require "spec.support.file"
local folders = require "spec.support.folder"
local quoted = require("spec.support.command_line").quoted

local page = file.read "docs/versions.md"

-- Returns the second column of the row that begins with these words.
local function number_of(words)
  for first, second in page:gmatch "\n| ([^|\n]+) | ([^|\n]+) |" do
    if first:find(words, 1, true) then return second end
  end
end

local function defined(path, name)
  return (file.read(path):match("#define " .. name .. " \"?([%d.]+)"))
end

describe("CMake's file of the version", function()
  local folder

  before_each(function() folder = folders.new() end)
  after_each(function() folder:remove() end)

  -- Whether find_package(cuttle WANTED) accepts an installed version.
  local function accepts(version, wanted)
    local text = file.read("tools/install/cuttle-config-version.cmake.in"):gsub("@VERSION@", version)
    local path = folder:write("version.cmake", ("set(PACKAGE_FIND_VERSION %s)\n%s"):format(wanted, text)
      .. 'message("answer: ${PACKAGE_VERSION_COMPATIBLE}")\n')
    local pipe = io.popen(("cmake -P %s 2>&1"):format(quoted(path)))
    local output = pipe:read "*a"
    pipe:close()
    return assert(output:match "answer: (%u*)\n", output) == "TRUE"
  end

  it("accepts older versions that promise the same interface", function()
    local status = os.execute "cmake --version >/dev/null 2>&1"
    if status ~= 0 and status ~= true or not pcall(io.popen, "cmake --version") then
      return pending "cmake is not installed"
    end
    for _, case in ipairs { "0.1.0 0.1 yes", "0.1.2 0.1.1 yes", "0.1.2 0.1.3 no", "0.2.0 0.1 no", "0.10.0 0.1 no",
      "1.0.0 0.1 no", "1.0.0 1 yes", "1.4.2 1.0 yes", "1.4.2 1.4.2 yes", "1.4.2 1.5 no", "2.0.0 1.9 no",
      "10.0.0 1.0 no" } do
      local version, wanted, answer = case:match "(%S+) (%S+) (%S+)"
      assert.equal(answer == "yes", accepts(version, wanted), case)
    end
  end)
end)

describe("docs/versions.md", function()
  it("has the version of cuttle, which the core and the Lua files share", function()
    local version = defined("src/base/base.h", "CT_VERSION")
    assert.equal(version, number_of "cuttle](#cuttle)")
    assert.equal("cuttle " .. version, cuttle._VERSION)
    assert.equal(version, file.read("lua/cuttle/fast.lua"):match '\nlocal VERSION = "([^"]+)"')
  end)

  it("has the versions of the headers", function()
    for name, header in pairs { API = "cuttle.h", HOST = "cuttle_host.h" } do
      local path = "src/" .. header
      assert.equal(defined(path, "CT_" .. name .. "_MAJOR") .. "." .. defined(path, "CT_" .. name .. "_MINOR"),
        number_of("`" .. header .. "`"))
    end
  end)

  it("has the versions of the formats, in the bytes that it names", function()
    local entities = cuttle.entity_manager()
    local world = cuttle.world(entities)
    local level_bytes = assert(cuttle.compiler(world):compile { version = tonumber(number_of "[level source]"),
      entities = { { name = "a", components = { transform = {} } } } })
    local level = assert(world:spawn(assert(cuttle.resource(level_bytes))))
    local out = cuttle.publisher(world, { components = { "transform" } })
    out:frame()
    assert.equal(number_of "[messages of publishers]", out:message(0):sub(4, 4))
    assert.equal(number_of "[states of levels]", tostring(blob.u32(level:save(), 4)))
    assert.equal(number_of "[saves]", tostring(blob.u32(entities:snapshot():tostring(), 4)))
    assert.equal(number_of "[compiled levels]", tostring(blob.u32(level_bytes, 4)))
  end)

  it("quotes refusals as they are", function()
    local texts = {}
    for _, path in ipairs { "src/cuttle.h", "src/level/save.c", "src/level/level_state_read.c", "lua/cuttle/fast.lua",
      "src/level/replication/subscriber.c", "src/resource/resource.c" } do
      texts[#texts + 1] = file.read(path)
    end
    local known = table.concat(texts):gsub('"%s*\n%s*"', ""):gsub("%%[du]", "0"):gsub("%d+", "0")
    local refusals = { page:match "\n```text\n(.-)\n```" }
    for text in page:gmatch "`([^`\n]* version [^`\n]*)`" do refusals[#refusals + 1] = text end
    for _, text in ipairs(refusals) do
      assert.is_truthy(known:find(text:gsub("%d+", "0"), 1, true), text)
    end
    assert.equal(5, #refusals)
  end)
end)
