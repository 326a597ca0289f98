-- Games for LÖVE: assembled in a folder, packed as a .love or fused, and run by LÖVE.

local folders = require "spec.support.folder"
local host_program = require "spec.support.host_program"
local quoted = require("spec.support.command_line").quoted

local build = os.getenv "CUTTLE_BUILD" or "build/test"

local love_game = {}

local Game = {}
Game.__index = Game

local function has(command)
  return (host_program.run("sh -c 'command -v " .. command .. "'"))
end

-- The reason why LÖVE cannot run here, or nil. LÖVE contains its own LuaJIT, so one interpreter and the test build are
-- enough.
function love_game.unavailable(...)
  local jit = rawget(_G, "jit")
  if not jit or not jit.status() or not build:find "test$" or os.getenv "CUTTLE_RUN"
    or os.getenv "CUTTLE_TORTURE" == "1" or os.getenv "CUTTLE_SANITIZER" == "1" then
    return "only LuaJIT with the test build runs LÖVE"
  end
  for _, command in ipairs { "love", ... } do
    if not has(command) then return command .. " is not installed: make test-love installs it" end
  end
end

-- No window and no sound: the remaining modules need no screen.
local NO_WINDOW = [[
function love.conf(t)
  t.identity = "cuttle_spec"
  for _, name in ipairs { "audio", "sound", "window", "graphics", "video", "joystick", "physics" } do
    t.modules[name] = false
  end
end
]]

-- Packs cuttle with tools/love_package.sh and the module under test. Returns the path of the zip.
function love_game.package()
  local path = os.tmpname()
  os.remove(path)
  path = path .. ".zip" -- zip would add the extension itself
  local packed, output = host_program.run(("tools/love_package.sh %s %s/cuttle/core.so"):format(path, build))
  return assert(packed, output) and path
end

-- Creates a game of one file that exits by itself, in a new folder.
function love_game.new(main)
  local self = setmetatable({ folder = folders.new() }, Game)
  self.path = self.folder:make "game"
  self.folder:make "home"
  if main then
    self.folder:write("game/conf.lua", NO_WINDOW)
    self.folder:write("game/main.lua", main .. "\nlove.event.quit(0)\n")
  end
  return self
end

function Game:shell(line, ...)
  local command = ("cd %s && %s"):format(quoted(self.folder.path), line:format(...))
  local done, output = host_program.run("sh -c " .. quoted(command))
  return assert(done, output) and output
end

-- Adds the files of the example.
function Game:add_example()
  self:shell("cp -r %s/examples/love/* game", os.getenv "PWD")
  return self
end

-- Adds the unpacked package of package().
function Game:add_package(path)
  self:shell("unzip -q %s -d game", path)
  return self
end

-- Adds the Lua files of cuttle.
function Game:add_lua()
  local here = os.getenv "PWD"
  self:shell("cp -r %s/lua/cuttle game/cuttle", here)
  return self
end

-- Adds the module below a folder.
function Game:add_module(folder)
  self:shell("mkdir -p %s/cuttle && cp %s/%s/cuttle/core.so %s/cuttle", folder, os.getenv "PWD", build, folder)
  return self
end

-- Packs the game's folder; if `program` is set, appends it to LÖVE as a fused game. Returns the path.
function Game:pack(program)
  self:shell("rm -f game.love && cd game && zip -q -1 -r ../game.love .")
  if not program then return self.folder:at "game.love" end
  self:shell("cat $(readlink -f $(command -v love)) game.love >fused && chmod +x fused")
  return self.folder:at "fused"
end

-- Runs a path under LÖVE, or a fused game. Returns whether it succeeded, and its output. The save directory is in the
-- game's folder, and an installed cuttle is not found.
function Game:run(path, options)
  options = options or {}
  local line = ("env -u LUA_PATH -u LUA_CPATH HOME=%s XDG_DATA_HOME=%s SDL_AUDIODRIVER=dummy %s timeout -k 5 %d %s %s")
    :format(self.folder:at "home", self.folder:at "home", options.environment or "", options.seconds or 60,
      options.screen and "xvfb-run -a -s '-screen 0 1280x800x24'" or "", path)
  local ok, output = host_program.run(line)
  -- Drops the warnings of machines without a GPU, sound or a message bus.
  return ok, (output:gsub("[^\n]*ALSA[^\n]*\n", ""):gsub("[^\n]*XDG_RUNTIME_DIR[^\n]*\n", ""))
end

function Game:start(...)
  return self:run("love " .. self.path, ...)
end

function Game:remove()
  self.folder:remove()
end

return love_game
