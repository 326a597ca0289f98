-- The progress line of the command on a terminal, with a simulated clock.

-- tags: pure_lua

local cli = require "cuttle.cli"
local command = require "spec.support.command"
local folders = require "spec.support.folder"
local gltf_sample = require "spec.support.gltf_sample"
local ldtk_sample = require "spec.support.ldtk_sample"
local progress = require "cuttle.cli.progress"
local tiled_sample = require "spec.support.tiled_sample"

local GOAT, BAD, sink, source = command.GOAT, command.BAD, command.sink, command.source

describe("the command", function()
  local folder, now, is_terminal, calls

  before_each(function()
    folder = folders.new()
    now, is_terminal, calls = 100, true, 0
  end)
  after_each(function() folder:remove() end)

  -- Runs the command with a clock that advances by `seconds` at each read. Returns the exit code and the terminal's
  -- text.
  local function run(seconds, ...)
    local errors = sink()
    local code = cli.main({ ... }, { output = sink(), errors = errors, input = source(""),
      clock = function()
        now = now + seconds
        return now
      end,
      is_terminal = function()
        calls = calls + 1
        return is_terminal
      end })
    return code, errors.text()
  end

  local function validate(count, seconds)
    local arguments = { "validate" }
    for index = 1, count do arguments[index + 1] = folder:write(("level_%d.json"):format(index), GOAT) end
    local code, text = run(seconds, unpack(arguments))
    assert.equal(0, code)
    return text
  end

  it("shows the progress of long work in one line that it erases at the end", function()
    local text = validate(4, 0.5)
    assert.is_truthy(text:find("\rvalidate 2/4 ", 1, true))
    assert.is_truthy(text:find("\rvalidate 4/4 ", 1, true))
    assert.is_nil(text:find("\n", 1, true))
    assert.is_truthy(text:find("\r *\r$"))
  end)

  it("shows lines that fit a terminal", function()
    for line in validate(4, 0.5):gmatch "[^\r]+" do assert.is_true(#line <= 79) end
  end)

  it("shows no progress in the first second", function()
    assert.equal("", validate(4, 0.01))
    assert.equal(0, calls)
  end)

  it("shows no progress without a terminal, which it checks once", function()
    is_terminal = false
    assert.equal("", validate(9, 0.5))
    assert.equal(1, calls)
  end)

  it("erases the line before a message", function()
    local bad = folder:write("bad.json", BAD)
    local code, text = run(0.5, "validate", bad, bad, bad, bad)
    assert.equal(1, code)
    assert.is_truthy(text:find("\r *\r" .. bad:gsub("%p", "%%%0") .. ": "))
  end)

  describe("shows, for one long file,", function()
    -- A level with `count` entities below one root.
    local function big(count)
      local parts = {}
      for index = 1, count do
        parts[index] = ([[{ "name": "n%d", "components": { "transform": { "position": [1, 2, %d] } } }]]):format(index,
          index)
      end
      return [[{ "entities": [ { "children": [ ]] .. table.concat(parts, ", ") .. " ] } ] }"
    end

    local function assert_shown(text, ...)
      for _, stage in ipairs({ ... }) do
        assert.is_truthy(text:find(stage), "no stage " .. stage .. "\n" .. text:gsub("%s*\r%s*", "\n"))
      end
    end

    it("the stages of a source and the percentage of each", function()
      local code, text = run(0.2, "validate", folder:write("big.json", big(5000)))
      assert.equal(0, code)
      assert_shown(text, "\rvalidate 1/1 [^\r]*big%.json: decoding %d+ %%\r", ": decoding [5-9]%d %%\r",
        ": reading 1000 entities\r", ": reading 5000 entities\r", ": compiling %d+ %%\r", ": compiling [5-9]%d %%\r",
        ": checking\r")
    end)

    it("that the output is being written", function()
      local code, text = run(0.2, "compile", folder:write("a.json", GOAT), folder:write("b.json", GOAT))
      assert.equal(0, code)
      assert_shown(text, "\rcompile 2/2 [^\r]*b%.json: writing\r")
    end)

    it("the component types that compilers produce", function()
      folder:write("components.lua", [[return function(_, compiler)
        compiler:register("transform", function() return "x" end)
      end]])
      local code, text = run(0.2, "validate", folder:write("big.json", big(3000)), "--components",
        folder:at "components.lua")
      assert.equal(0, code)
      assert_shown(text, ": compiling transform %d+ %%\r")
    end)

    it("the stages of an editor's file", function()
      local node = gltf_sample.sample()
      node.nodes, node.scenes = {}, { { nodes = {} } }
      for index = 1, 2500 do
        node.nodes[index], node.scenes[1].nodes[index] = { name = ("n%d"):format(index) }, index - 1
      end
      node.scene = 0
      local code, text = run(1.1, "import", folder:write("a.gltf", gltf_sample.encode(node)))
      assert.equal(0, code)
      assert_shown(text, "\rimport 1/1 [^\r]*a%.gltf: decoding\r", ": importing\r", ": importing 1000 entities\r",
        ": importing 2000 entities\r", ": writing %d+ %%\r", ": writing\r")
    end)

    it("the number of imported tiles of an LDtk project", function()
      local project = ldtk_sample.sample()
      for _, layer in ipairs(project.levels[1].layerInstances) do
        local tiles = layer.gridTiles
        for index = 2, tiles[1] and 2000 or 0 do tiles[index] = tiles[1] end
      end
      local code, text = run(1.1, "import", folder:write("a.ldtk", ldtk_sample.encode(project)), "--tiles")
      assert.equal(0, code)
      assert_shown(text, ": decoding\r", ": importing 2000 entities\r", ": writing\r")
    end)

    it("the number of imported tiles of a Tiled map", function()
      local map, data = tiled_sample.sample(), {}
      for index = 1, 2000 do data[index] = 1 end
      map.layers[1].data, map.layers[1].width, map.layers[1].height = data, 50, 40
      local code, text = run(1.1, "import", folder:write("a.tmj", ldtk_sample.encode(map)), "--tiles")
      assert.equal(0, code)
      assert_shown(text, ": decoding\r", ": importing 2000 entities\r", ": writing\r")
    end)
  end)

  it("shortens the beginning of a long name, and keeps the stage", function()
    local errors = sink()
    local line = progress.new({ errors = errors, is_terminal = function() return true end, clock = function()
      now = now + 1
      return now
    end })
    line:show("compile", 1, 1, ("x"):rep(100) .. "/harbour.json")
    line:report("decoding", 37, 100)
    line:report("reading", 5000)
    line:report("writing")
    local lines = {}
    for text in errors.text():gmatch "[^\r]+" do lines[#lines + 1] = text:find("%S") and text or nil end
    assert.equal(4, #lines)
    for _, text in ipairs(lines) do
      assert.is_true(#text <= 79)
      assert.equal("compile 1/1 ...", text:sub(1, 15))
    end
    assert.equal("harbour.json: decoding 37 %", lines[2]:sub(-27))
    assert.equal("harbour.json: reading 5000 entities", lines[3]:sub(-35))
    assert.equal("harbour.json: writing", lines[4]:sub(-21))
  end)

  it("shows no stage before a file was begun", function()
    local errors = sink()
    local line = progress.new({ errors = errors, is_terminal = function() return true end, clock = function()
      now = now + 1
      return now
    end })
    line:report("decoding", 37, 100)
    assert.equal("", errors.text())
  end)
end)
