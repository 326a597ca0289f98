-- Recipes of the manual in situations that their pages do not show: after a rewind, and in deferred mode.

-- tags: around

local page = require "spec.support.page"
local tree = require "spec.support.tree"

-- Runs the program of a page that contains a text, with code inserted after that text and code added at its end.
-- Returns the printed lines, and those that the page shows.
local function run(path, text, inserted, added)
  for _, program in ipairs(page.programs(tree.read(path))) do
    local _, stop = program.text:find(text, 1, true)
    if stop then
      program.text = program.text:sub(1, stop) .. inserted .. program.text:sub(stop + 1) .. "\n" .. added
      return page.run(program, path), program.promised
    end
  end
  error(path .. ": there is no program with " .. text)
end

-- Returns the lines that the added code prints. The code can use the local variables of the program.
local function run_on(path, text, added)
  local printed, promised = run(path, text, "", added)
  return { unpack(printed, #promised + 1) }
end

describe("the recipe for rendering", function()
  local REWIND = [[
    local entities = world.entities
    local recorder = cuttle.recorder(entities, { keep = 4 })
    recorder:frame()
    recorder:frame()
    local new = world:create({ transform = {}, sprite = { image = "orc" } }, 5)
    entities:destroy(crowd[7])
    refresh()
    recorder:rewind(1)
    %s
    local dead, found = 0, {}
    for e in list:each() do
      if not entities:alive(e) then dead = dead + 1 end
      found[e] = true
    end
    print(dead, found[crowd[7] ], list:count() == world.sprite:count(), entities:alive(new[1]))
  ]]
  it("has no dead entities in its list after a rewind, and all restored ones", function()
    local code = REWIND:format "refresh()"
    assert.are.same({ "0 true true false" }, run_on("docs/recipes/rendering.md", "local function refresh()", code))
  end)

  it("interpolates between poses of the same entities after a rewind", function()
    local code = REWIND:format "follow()" .. [[
      local same = true
      for i, e in ipairs(list:totable()) do
        local x, y = between(i, 0.5)
        local wx, wy = world.transform:world_position(e)
        same = same and x == wx and y == wy
      end
      print(same)
    ]]
    assert.are.same({ "0 true true false", "true" },
      run_on("docs/recipes/rendering.md", "local function refresh()", code))
  end)
end)

describe("the list in docs/hooks.md", function()
  it("has no dead entities after a rewind", function()
    local code = [[
      local recorder = cuttle.recorder(entities, { keep = 4 })
      recorder:frame()
      recorder:frame()
      world:create({ burning = {} }, 3)
      print(burning_list():count())
      recorder:rewind(1)
      print(burning_list():count())
    ]]
    assert.are.same({ "3", "0" }, run_on("docs/hooks.md", "local function burning_list()", code))
  end)
end)

describe("the recipe for grid collision", function()
  local PATH, WORLD = "docs/recipes/collision.md", "local world = cuttle.world(entities)"

  it("prints the same in deferred mode", function()
    local printed, promised = run(PATH, WORLD, ' world.transform:set_mode "deferred"', "")
    assert.are.same(promised, printed)
  end)

  it("adds up two moves of one step in deferred mode", function()
    local code = [[
      world.transform:set_mode "deferred"
      world.transform:set_local_position(hero, 24, 24)
      world.transform:propagate()
      move(hero, 1, 0)
      move(hero, 10, 0)
      world.transform:propagate()
      print((world.transform:world_position(hero)))
    ]]
    assert.are.same({ "35" }, run_on(PATH, WORLD, code))
  end)
end)

describe("the game of the tutorial", function()
  local PATH = "docs/tutorial.md"

  -- Runs the game with a table `love`, then `code`. Returns the lines that `code` prints.
  local function play(code)
    local love = { keyboard = { isDown = function() return false end }, graphics = {} }
    function love.graphics.circle() end
    function love.graphics.line() end
    local text = tree.read(PATH)
    local program = page.programs(text)[1]
    program.text = program.text .. page.titled(text, "the end of main.lua").text .. code
    return { unpack(page.run(program, PATH, { love = love }), #program.promised + 1) }
  end

  local LOSE = [[
    local shown
    function love.graphics.print(text) shown = text end
    love.draw()
    print(shown)
    aim(400, 700)
    love.mousepressed()
    for _ = 1, 3000 do love.update(1 / 60) end
    love.draw()
    print(shown)
  ]]

  it("begins with no score, and is lost when rocks reach the station", function()
    assert.same({ "level 1   score 0   station 5   playing", "level 2   score 0   station 0   lost" }, play(LOSE))
  end)

  it("starts again on R, and goes back on backspace", function()
    local printed = play(LOSE .. [[
      love.keypressed "r"
      print(world.game:state(game), world.game:level(game), world.health:hp(station))
      for _ = 1, 3000 do love.update(1 / 60) end
      print(world.game:state(game))
      function love.keyboard.isDown(key) return key == "backspace" end
      love.update(1 / 60)
      print(world.game:state(game))
    ]])
    assert.same({ "playing 1 5", "lost", "playing" }, { select(3, unpack(printed)) })
  end)
end)
