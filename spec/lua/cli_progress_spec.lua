-- The line on a terminal that tells how far the command is, by a clock that the specs make.

-- tags: pure_lua

local cli = require "cuttle.cli"
local command = require "spec.support.command"
local folders = require "spec.support.folder"
local gltf_sample = require "spec.support.gltf_sample"
local ldtk_sample = require "spec.support.ldtk_sample"
local progress = require "cuttle.cli.progress"
local tiled_sample = require "spec.support.tiled_sample"

local GOAT, BAD, sink, source = command.GOAT, command.BAD, command.sink, command.source

describe("the command shows progress", function()
  local folder, now, is_terminal, asked

  before_each(function()
    folder = folders.new()
    now, is_terminal, asked = 100, true, 0
  end)
  after_each(function() folder:remove() end)

  -- The exit code of a run in which so many seconds pass whenever the clock is read, and what came to the terminal.
  local function run(seconds, ...)
    local errors = sink()
    local code = cli.main({ ... }, { output = sink(), errors = errors, input = source(""),
      clock = function()
        now = now + seconds
        return now
      end,
      is_terminal = function()
        asked = asked + 1
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

  it("of long work on a terminal, in one line that is gone at the end", function()
    local text = validate(4, 0.5)
    assert.is_truthy(text:find("\rvalidate 2/4 ", 1, true))
    assert.is_truthy(text:find("\rvalidate 4/4 ", 1, true))
    assert.is_nil(text:find("\n", 1, true))
    assert.is_truthy(text:find("\r *\r$"))
  end)

  it("in lines that fit a terminal", function()
    for line in validate(4, 0.5):gmatch "[^\r]+" do assert.is_true(#line <= 79) end
  end)

  it("not in the first second", function()
    assert.equal("", validate(4, 0.01))
    assert.equal(0, asked)
  end)

  it("not where there is no terminal, which it asks once", function()
    is_terminal = false
    assert.equal("", validate(9, 0.5))
    assert.equal(1, asked)
  end)

  it("not in the way of messages", function()
    local bad = folder:write("bad.json", BAD)
    local code, text = run(0.5, "validate", bad, bad, bad, bad)
    assert.equal(1, code)
    assert.is_truthy(text:find("\r *\r" .. bad:gsub("%p", "%%%0") .. ": "))
  end)

  describe("of one long file:", function()
    -- A level of so many entities, some below others.
    local function big(count)
      local parts = {}
      for index = 1, count do
        parts[index] = ([[{ "name": "n%d", "components": { "transform": { "position": [1, 2, %d] } } }]]):format(index,
          index)
      end
      return [[{ "entities": [ { "children": [ ]] .. table.concat(parts, ", ") .. " ] } ] }"
    end

    local function assert_told(text, ...)
      for _, stage in ipairs({ ... }) do
        assert.is_truthy(text:find(stage), "not told: " .. stage .. "\n" .. text:gsub("%s*\r%s*", "\n"))
      end
    end

    it("what is done to a source, and how much of it", function()
      local code, text = run(0.2, "validate", folder:write("big.json", big(5000)))
      assert.equal(0, code)
      assert_told(text, "\rvalidate 1/1 [^\r]*big%.json: decoding %d+ %%\r", ": decoding [5-9]%d %%\r",
        ": reading 1000 entities\r", ": reading 5000 entities\r", ": compiling %d+ %%\r", ": compiling [5-9]%d %%\r",
        ": checking\r")
    end)

    it("that an output is written", function()
      local code, text = run(0.2, "compile", folder:write("a.json", GOAT), folder:write("b.json", GOAT))
      assert.equal(0, code)
      assert_told(text, "\rcompile 2/2 [^\r]*b%.json: writing\r")
    end)

    it("what is made by component compilers", function()
      folder:write("components.lua", [[return function(_, compiler)
        compiler:register("transform", function() return "x" end)
      end]])
      local code, text = run(0.2, "validate", folder:write("big.json", big(3000)), "--components",
        folder:at "components.lua")
      assert.equal(0, code)
      assert_told(text, ": compiling transform %d+ %%\r")
    end)

    it("what is done to a file of an editor", function()
      local node = gltf_sample.sample()
      node.nodes, node.scenes = {}, { { nodes = {} } }
      for index = 1, 2500 do
        node.nodes[index], node.scenes[1].nodes[index] = { name = ("n%d"):format(index) }, index - 1
      end
      node.scene = 0
      local code, text = run(1.1, "import", folder:write("a.gltf", gltf_sample.encode(node)))
      assert.equal(0, code)
      assert_told(text, "\rimport 1/1 [^\r]*a%.gltf: decoding\r", ": importing\r", ": importing 1000 entities\r",
        ": importing 2000 entities\r", ": writing %d+ %%\r", ": writing\r")
    end)

    it("how many tiles of an LDtk project were made", function()
      local project = ldtk_sample.sample()
      for _, layer in ipairs(project.levels[1].layerInstances) do
        local tiles = layer.gridTiles
        for index = 2, tiles[1] and 2000 or 0 do tiles[index] = tiles[1] end
      end
      local code, text = run(1.1, "import", folder:write("a.ldtk", ldtk_sample.encode(project)), "--tiles")
      assert.equal(0, code)
      assert_told(text, ": decoding\r", ": importing 2000 entities\r", ": writing\r")
    end)

    it("how many tiles of a Tiled map were made", function()
      local map, data = tiled_sample.sample(), {}
      for index = 1, 2000 do data[index] = 1 end
      map.layers[1].data, map.layers[1].width, map.layers[1].height = data, 50, 40
      local code, text = run(1.1, "import", folder:write("a.tmj", ldtk_sample.encode(map)), "--tiles")
      assert.equal(0, code)
      assert_told(text, ": decoding\r", ": importing 2000 entities\r", ": writing\r")
    end)
  end)

  it("of work in a line that keeps the end of a long name, and all of what is done", function()
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

  it("of nothing when nothing was begun", function()
    local errors = sink()
    local line = progress.new({ errors = errors, is_terminal = function() return true end, clock = function()
      now = now + 1
      return now
    end })
    line:report("decoding", 37, 100)
    assert.equal("", errors.text())
  end)
end)
