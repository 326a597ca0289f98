-- The example for LÖVE, played by its demo in a window: its output, and its last picture.

-- tags: love

local love_game = require "spec.support.love_game"
local screenshot = require "spec.support.screenshot"

local function is_violet(r, g, b) return r > 120 and b > 120 and g < 0.75 * r end
local function is_teal(r, g, b) return g > 1.2 * r and b > 1.1 * r and g > 90 end
local function is_fire(r, g, b) return r > 140 and r > 1.1 * g and g > 1.2 * b end

describe("the example for LÖVE", function()
  local unavailable = love_game.unavailable("zip", "xvfb-run")
  if unavailable then
    it("plays", function() pending(unavailable) end)
    return
  end

  local game, ok, output, image

  -- Returns the words of the line that the game printed under a key: "mites 85" is { "85" }.
  local function printed(key)
    local words = {}
    for text in (output:match("demo:\t" .. key .. "\t([^\n]*)") or ""):gmatch "%S+" do words[#words + 1] = text end
    return words
  end

  setup(function()
    game = love_game.new():add_example():add_lua():add_module "game"
    ok, output = game:run("love " .. game.path .. " --demo 300 picture", { screen = true, seconds = 120 })
    local bytes = game.folder:read "home/love/cuttle-ember-yard/picture.rgba"
    image = bytes and screenshot.new(bytes, 960, 588)
  end)
  teardown(function() game:remove() end)

  it("plays 300 frames and exits normally", function()
    assert.is_true(ok, output)
    assert.are.same({ "300" }, printed "frames")
  end)

  it("has thousands of entities at a time", function()
    assert.is_true(tonumber(printed("most")[1]) > 2000, output)
  end)

  it("loads its save, and restarts", function()
    assert.are.same({ "true" }, printed "load")
    assert.are.same({ "true" }, printed "restart")
  end)

  it("rewinds", function()
    assert.are.same({ "true" }, printed "rewind")
  end)

  it("patches its level from the file", function()
    assert.are.same({ "patched:", "0", "added,", "1", "removed,", "0", "changed" }, printed "patch")
  end)

  describe("shows", function()
    it("a picture with many colors", function()
      assert.is_true(image:colors() > 2000, tostring(image:colors()))
    end)

    it("the bar below the yard", function()
      local function assert_near(color, ...)
        for i, value in ipairs { ... } do
          assert.is_true(math.abs(value - color[i]) <= 2, table.concat({ ... }, " "))
        end
      end
      assert_near({ 18, 22, 29 }, image:at(480, 584))
      assert_near({ 41, 214, 194 }, image:at(480, 540))
    end)

    it("walls of steel around the yard, and of brick inside", function()
      local r, _, b = image:at(480, 5)
      assert.is_true(b > 1.2 * r, r .. " " .. b)
      r, _, b = image:at(592, 432)
      assert.is_true(r > 1.5 * b, r .. " " .. b)
    end)

    it("the player at its reported position", function()
      local x, y = printed("player")[1], printed("player")[2]
      local pixels = image:count(is_teal, math.floor(x) - 14, math.floor(y) - 14, math.floor(x) + 14,
        math.floor(y) + 14, 20)
      assert.is_true(pixels > 30, pixels .. " pixels")
    end)

    it("most of the mites", function()
      local _, squares = image:count(is_violet, 0, 0, 960, 540, 10)
      local mites = tonumber(printed("mites")[1])
      assert.is_true(squares > 0.4 * mites, ("%d places, %d mites"):format(squares, mites))
      assert.is_true(mites > 100)
    end)

    it("the fires of the level", function()
      for _, place in ipairs { { 110, 290 }, { 350, 270 }, { 710, 210 }, { 310, 490 } } do
        local x, y = place[1], place[2]
        local pixels = image:count(is_fire, x - 20, y - 30, x + 20, y + 15, 20)
        assert.is_true(pixels > 60, ("%d pixels of fire at %d, %d"):format(pixels, x, y))
      end
    end)
  end)
end)
