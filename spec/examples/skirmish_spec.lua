-- The example, started like a user does: in a process of its own, from the project's root.

local command_line = require "spec.support.command_line"
local sample = require "spec.support.ldtk_sample"
local levels = require "spec.support.levels"

local build = os.getenv "CUTTLE_BUILD" or "build/test"
local quoted = command_line.quoted

-- Sanitizers and emulators are slow; collector torture applies only to this process.
local SLOW = os.getenv "CUTTLE_SANITIZER" == "1" or os.getenv "CUTTLE_EMULATED" == "1"
local STEPS = SLOW and 60 or 900

-- Returns the output of both streams, and the exit code.
local function play(...)
  local words = { ("LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH=%s"):format(quoted(build .. "/?.so;;")),
    command_line.interpreter(), "examples/skirmish/main.lua" }
  for _, argument in ipairs({ ... }) do words[#words + 1] = quoted(tostring(argument)) end
  local process = io.popen(table.concat(words, " ") .. " 2>&1; echo \"exit $?\"")
  local output = process:read "*a"
  process:close()
  local text, code = output:match "^(.-)exit (%d+)\n$"
  return text, tonumber(code)
end

local function with_file(ending, content, fn)
  local name = os.tmpname()
  local path = name .. ending
  local file = assert(io.open(path, "w"))
  file:write(content)
  file:close()
  local ok, message = pcall(fn, path)
  os.remove(path)
  os.remove(name)
  if not ok then error(message, 0) end
end

local function assert_played(text, code)
  assert.are.equal(0, code, text)
  for _, line in ipairs({ "The level\n", "The battle: ", "Result\n", "Milliseconds\n",
    "Checked: the world is valid" }) do
    assert.is_truthy(text:find(line, 1, true), "no line " .. line .. " in:\n" .. text)
  end
end

-- Returns the output without times and the interpreter's name.
local function story(text)
  return (text:gsub("^[^\n]*\n", ""):gsub("Milliseconds.*", ""))
end

describe("the skirmish", function()
  local own, own_code

  setup(function() own, own_code = play("examples/skirmish/level.json", STEPS) end)

  it("plays its own level and exits normally", function()
    assert_played(own, own_code)
  end)

  it("plays its own level by default", function()
    local text, code = play()
    assert_played(text, code)
  end)

  it("shows the hierarchy with names", function()
    assert.is_truthy(own:find("\n|   |-- the quay / the crane / turntable\n", 1, true), own)
    assert.is_truthy(own:find("\n|   |   |-- jib / hook / a crate of oranges\n", 1, true), own)
  end)

  it("reports spawned and dead entities", function()
    if STEPS < 900 then return end
    local spawned, died = own:match "(%d+) spawned in play, (%d+) died"
    assert.is_true(tonumber(spawned) > 0 and tonumber(died) > 0, own)
    assert.is_truthy(own:find("comes up from the western reach", 1, true), own)
  end)

  it("plays the same way each time", function()
    assert.are.equal(story(own), story((play("examples/skirmish/level.json", STEPS))))
  end)

  it("restores a snapshot and plays again, with the same state and the same output", function()
    local text, code = play("--rewind", "examples/skirmish/level.json", STEPS)
    assert_played(text, code)
    local back, snapshots = text:match "\nWent back (%d+) steps and played them again: (%d+) snapshots, [%d,]+ bytes"
    assert.are.same({ math.min(STEPS, 600), math.min(STEPS / 60, 10) + 1 }, { tonumber(back), tonumber(snapshots) })
    assert.is_truthy(own:find("\nstate of the world       %x+\n"))
    assert.are.equal(story(own), (story(text):gsub("Went back[^\n]*\n\n", "")))
  end)

  it("prints lines of at most 100 ASCII characters", function()
    for line in own:gmatch "[^\n]*" do
      assert.is_true(#line <= 100, line)
      assert.is_nil(line:find "[^\32-\126]", line)
    end
  end)

  it("plays an LDtk project", function()
    with_file(".ldtk", sample.encode(sample.sample()), function(path)
      local text, code = play(path, 120)
      assert_played(text, code)
      assert.is_truthy(text:find("file         LDtk, ", 1, true), text)
      assert.is_truthy(text:find("|-- Things\n", 1, true), text)
    end)
  end)

  it("plays a native level that was not made for it", function()
    with_file(".json", [[{ "entities": [
      { "name": "goat", "components": { "transform": { "position": [0, 0, 0] } } },
      { "name": "goat", "components": { "transform": { "position": [10, 4, 0] } } },
      { "name": "wolf", "components": { "transform": { "position": [30, -9, 0] } } } ] }]], function(path)
      local text, code = play(path, 120)
      assert_played(text, code)
      assert.is_truthy(text:find("everyone else against the goats", 1, true), text)
    end)
  end)

  it("plays a native level without names", function()
    with_file(".json", [[{ "entities": [ { "components": { "transform": {} } },
      { "components": { "transform": { "position": [3, 3, 0] } } }, { "components": {} } ] }]], function(path)
      local text, code = play(path, 300)
      assert_played(text, code)
      assert.is_truthy(text:find("the even ones against the odd ones", 1, true), text)
    end)
  end)

  it("plays an empty level", function()
    with_file(".json", '{ "entities": [] }', function(path)
      local text, code = play(path, 10)
      assert_played(text, code)
    end)
  end)

  it("reports a missing file", function()
    local text, code = play "no/such/level.ldtk"
    assert.are.equal("skirmish: no/such/level.ldtk: No such file or directory\n", text)
    assert.are.equal(1, code)
  end)

  it("reports a folder in the place of a file", function()
    local text, code = play "examples"
    assert.are.equal("skirmish: examples: Is a directory\n", text)
    assert.are.equal(1, code)
  end)

  it("reports the place of an error in a level", function()
    with_file(".json", '{ "entities": [ { "components": { "transform": { "position": [1] } } } ] }', function(path)
      local text, code = play(path)
      local place = "entities[1].components.transform.position"
      assert.are.equal(("skirmish: %s: %s: expected 3 numbers, got 1\n"):format(path, place), text)
      assert.are.equal(1, code)
    end)
  end)

  it("reports an unknown component", function()
    with_file(".json", '{ "entities": [ { "components": { "jetpack": {} } } ] }', function(path)
      local text, code = play(path)
      assert.is_truthy(text:find("^skirmish: .-: entities%[1%]%.components.-jetpack"), text)
      assert.are.equal(1, code)
    end)
  end)

  it("reports the place where a file ends too early", function()
    with_file(".ldtk", '{ "jsonVersion": "1.5.3", "levels": [', function(path)
      local text, code = play(path)
      assert.is_truthy(text:find("^skirmish: .-: line 1 column"), text)
      assert.are.equal(1, code)
    end)
  end)

  it("reports an unknown version of an LDtk project", function()
    with_file(".ldtk", '{ "jsonVersion": "2.0.0" }', function(path)
      local text, code = play(path)
      assert.is_truthy(text:find("^skirmish: .-2%.0%.0"), text)
      assert.are.equal(1, code)
    end)
  end)

  it("reports a wrong number of steps", function()
    local text, code = play("examples/skirmish/level.json", "many")
    assert.are.equal("skirmish: many: expected a number of steps (0 to 1000000)\n", text)
    assert.are.equal(1, code)
  end)

  for _, name in ipairs({ "WorldMap_GridVania_layout.ldtk", "Typical_TopDown_example.ldtk" }) do
    local path = levels.find(name)
    if path then
      it("plays " .. name, function()
        local text, code = play(path, STEPS)
        assert_played(text, code)
      end)
    end
  end
end)
