-- The inspector's page in headless Chromium, driven by node (browser.js). It loads, searches, edits values of the game,
-- shows the past, and logs no errors. A wrong token is refused.

-- tags: browser unix

local core = require "cuttle.core"
local cuttle = require "cuttle"
local inspecting = require "spec.support.inspecting"
local slow = require "spec.support.slow"

local function has(command)
  local status = os.execute("command -v " .. command .. " >/dev/null 2>&1")
  return status == 0 or status == true
end

-- The page does not depend on the interpreter, so one is enough.
local function is_this_host() return core.testing and type(jit) == "table" and jit.status() end

local function missing()
  if not is_this_host() then return "only LuaJIT with the test build runs it" end
  if inspecting.missing then return inspecting.missing end
  if slow then return "this run is too slow" end
  for _, command in ipairs { "chromium", "node" } do
    if not has(command) then return command .. " is not installed (make browser installs it)" end
  end
end

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read "*a" or ""
  if file then file:close() end
  return text
end

describe("the inspector's page", function()
  local why = missing()
  if why then return pending("requirement is missing: " .. why) end

  it("shows a running game and changes it", function()
    local socket = require "socket"
    local entities, recorder
    local game = inspecting.game()
    game:close()
    entities = game.entities
    recorder = cuttle.recorder(entities, { keep = 1000 })
    local listening = assert(require "cuttle.inspector".listen(entities, { port = 0, recorder = recorder }))
    local output, page = os.tmpname(), os.tmpname() .. ".html"
    local transform, health, tank = game.world.transform, game.world.health, game.tank
    transform:set_local_angle(tank, math.pi)
    transform:set_local_position(game.turret, 4, 0, 0)
    transform:set_local_angle(game.turret, -math.pi / 2)
    local unnamed = game.world:create { transform = {}, health = {}, frozen = {} }
    transform:set_mode "deferred"
    os.execute(("{ node spec/lua/inspector/browser.js chromium '%s' '%s'; echo end; } >'%s' 2>&1 &"):format(
      listening:url(), page, output))
    local seen
    repeat
      if not listening:paused() or listening:step() then transform:propagate() end
      recorder:frame()
      listening:poll()
      local _, y = transform:local_position(tank)
      if not seen and health:hp(tank) == 42 and y == 7.5 and health:target(tank) == game.turret
        and health:state(tank) == "run" and health:boss(tank) then
        seen = true
        assert(cuttle.report(entities, page))
        game.world.frozen:destroy(unnamed)
        transform:set_local_scale(tank, 3, 3, 3)
      end
      socket.sleep(0.005)
    until read(output):find "end\n$"
    local printed = read(output)
    listening:close()
    os.remove(output)
    os.remove(page)
    os.remove((page:gsub("%.html$", "")))
    assert.are.equal("done\nend\n", printed)
    assert.is_true(seen)
  end)
end)
