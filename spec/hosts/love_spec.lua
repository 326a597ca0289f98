-- cuttle in the real LÖVE, without a window: its package in a folder, a .love and a fused game.

-- tags: love

local files = require "cuttle.files"
local love_game = require "spec.support.love_game"

-- The game prints the living entities and the path of the module.
local MAIN = [[
local cuttle = require "cuttle"
local home = require "cuttle.love"
local entities = cuttle.entity_manager()
local world = cuttle.world(entities)
local compiler = cuttle.compiler(world)
local blob, read = compiler:compile_file("levels/street.json", "street.level")
assert(blob, read)
local level = assert(world:spawn(assert(cuttle.load "street.level")))
print("alive " .. entities:count(), level:find "lamp" ~= nil, table.concat(read, " "))
print("native " .. tostring(home.native))
]]

describe("cuttle in LÖVE", function()
  local unavailable = love_game.unavailable("zip", "unzip")
  if unavailable then
    it("runs", function() pending(unavailable) end)
    return
  end
  local game, zip

  setup(function() zip = love_game.package() end)
  teardown(function() os.remove(zip) end)
  before_each(function() game = love_game.new(MAIN) end)
  after_each(function() game:remove() end)

  local function plays(sentence, body)
    it(sentence, function()
      game.folder:make "game/levels"
      game.folder:write("game/levels/street.json", '{ "entities": [ { "prefab": "lamp.json" } ] }')
      game.folder:write("game/levels/lamp.json", '{ "entities": [ { "name": "lamp" } ] }')
      body()
    end)
  end

  -- Checks the output of a game, and returns the path of the module that it loaded.
  local function assert_plays(ok, output)
    assert.is_true(ok, output)
    assert.equal("alive 1\ttrue\tlevels/street.json levels/lamp.json", output:match "alive [^\n]*", output)
    return output:match "native ([^\n]*)"
  end

  plays("runs from a folder with the module in it", function()
    game:add_package(zip)
    assert.equal(game.path .. "/cuttle/core.so", assert_plays(game:start()))
  end)

  plays("runs from a .love, with a copy in the save directory", function()
    game:add_package(zip)
    local native = assert_plays(game:run("love " .. game:pack()))
    assert.matches("/home/love/cuttle_spec/cuttle%-native/", native)
    assert.equal(files.read(game.path .. "/cuttle/core.so"), files.read(native))
    assert.equal(native, assert_plays(game:run("love " .. game:pack())))
  end)

  plays("runs as a fused game that requires cuttle.love first", function()
    game:add_package(zip)
    game.folder:write("game/main.lua", 'require "cuttle.love"\n' .. MAIN .. "love.event.quit(0)")
    assert.matches("/cuttle_spec/cuttle%-native/", assert_plays(game:run(game:pack "fused")))
  end)

  plays("runs as a fused game with the module next to it", function()
    game:add_lua():add_module "."
    assert.equal(game.folder:at "cuttle/core.so", assert_plays(game:run(game:pack "fused")))
  end)

  plays("runs if only LÖVE's own loader accepts the path", function()
    game:add_lua():add_module "game"
    game.folder:write("game/main.lua", "package.loadlib = function() return nil, 'no' end\n" .. MAIN
      .. "love.event.quit(0)")
    assert.matches("/cuttle_spec/cuttle%-native/", assert_plays(game:run("love " .. game:pack())))
  end)

  plays("runs in a thread", function()
    game:add_lua():add_module "game"
    game.folder:write("game/main.lua", [[
      local thread = love.thread.newThread [=[
        local entities = require "cuttle".entity_manager()
        love.thread.getChannel("count"):push(#entities:create(7))
      ]=]
      thread:start()
      thread:wait()
      print(thread:getError(), love.thread.getChannel("count"):pop())
      love.event.quit(0)
    ]])
    local _, output = game:run("love " .. game:pack())
    assert.matches("nil\t7\n", output)
  end)

  plays("reports its missing module and the remedy in one line", function()
    game:add_lua()
    local ok, output = game:run("love " .. game:pack(), { environment = "LUA_CPATH=none" })
    assert.is_false(ok)
    assert.matches("Error: cuttle: the native module for Linux is missing: put cuttle/core%.so [^\n]*program\n", output)
  end)

  plays("reports the reason why a module cannot be loaded", function()
    game:add_lua():add_module "game"
    game.folder:write("game/cuttle/core.so", "no library")
    local ok, output = game:run("love " .. game:pack())
    assert.is_false(ok)
    assert.matches("Error: cuttle: the native module %S+/cuttle/core%.so cannot be loaded: [^\n]*\n", output)
  end)
end)
