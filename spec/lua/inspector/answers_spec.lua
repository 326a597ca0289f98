-- The responses of the inspector to its page, and the changes that the page can make.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local inspecting = require "spec.support.inspecting"
local text = require "cuttle.inspector.text"

describe("a value in a response", function()
  it("is JSON that cannot close the element around it", function()
    local escaped = [["\u003c/script\u003e\u0026\u0022\u005c\u000a\u0000\u007f"]]
    assert.are.equal(escaped, text.string("</script>&\"\\\n\0\127"))
  end)

  it("is UTF-8 for any bytes", function()
    local sound = "gr\195\188n \226\130\172 \240\159\152\128"
    assert.are.equal('"' .. sound .. '"', text.string(sound))
    local bad = "\239\191\189"
    assert.are.equal('"a' .. bad .. 'b"', text.string "a\255b")
    assert.are.equal('"' .. bad .. bad .. '"', text.string "\192\175")
    assert.are.equal('"' .. bad:rep(3) .. '"', text.string "\237\160\128")
    assert.are.equal('"' .. bad .. '"', text.string "\195")
    assert.are.equal('"' .. bad .. 'x"', text.string "\226x" )
  end)

  it("is a number with full precision, or a name for NaN and infinity", function()
    assert.are.equal("0.10000000000000001", text.number(0.1))
    assert.are.equal("-0", text.number(-0.0))
    assert.are.equal("4294967295", text.number(2 ^ 32 - 1))
    assert.are.equal('"nan"', text.number(0 / 0))
    assert.are.equal('"inf"', text.number(math.huge))
    assert.are.equal('"-inf"', text.number(-math.huge))
  end)

  it("is shown in Lua syntax, shortened, and without calling metamethods", function()
    local own = setmetatable({ gold = 1 }, { __tostring = error, __index = error, __pairs = error })
    assert.are.equal("{ gold = 1, }", text.shown(own))
    local loop = {}
    loop.self = loop
    assert.is_true(#text.shown(loop) < 500)
    assert.is_true(#text.shown(("x"):rep(100000)) < 500)
    local wide = {}
    for place = 1, 1000 do wide[place] = place end
    assert.matches("%.%.%.$", text.shown(wide))
    assert.are.equal("function", text.shown(print))
  end)
end)

describe("world:levels", function()
  it("lists the levels that have living entities, the oldest first", function()
    local world = cuttle.world(cuttle.entity_manager())
    assert.are.same({}, world:levels())
    local blob = assert(cuttle.compiler(world):compile { entities = { { name = "lamp" } } })
    local resource = assert(cuttle.resource(blob))
    local first, second, third = world:spawn(resource), world:spawn(resource), world:spawn(resource)
    assert.are.same({ first, second, third }, world:levels())
    second:unload()
    world.entities:destroy(first:entity(1))
    assert.are.same({ third }, world:levels())
  end)
end)

describe("a recorder's frames", function()
  it("can be read in the past without changing the present", function()
    local entities = cuttle.entity_manager()
    local recorder = cuttle.recorder(entities, { every = 3, keep = 4 })
    local shadow = cuttle.entity_manager()
    assert.is_nil((core.recorded(recorder, 0)))
    assert.is_nil((core.recorded(recorder, 0, shadow)))
    for _ = 1, 20 do
      entities:create()
      recorder:frame()
    end
    for frames = 0, 15 do
      local back = math.min(frames <= 1 and 1 or 1 + 3 * math.ceil((frames - 1) / 3), 10)
      assert.are.equal(back, core.recorded(recorder, frames))
      assert.are.equal(back, core.recorded(recorder, frames, shadow))
      assert.are.equal(20 - back, shadow:count())
    end
    assert.are.equal(20, entities:count())
    assert.has_error(function() core.recorded(recorder, 0, {}) end)
    assert.are.equal(4, recorder:count())
    assert.are.equal(7, recorder:rewind(5))
    assert.are.equal(13, entities:count())
  end)
end)

if inspecting.missing then
  return pending("the inspector needs a missing module: " .. inspecting.missing)
end

describe("the inspector", function()
  local game
  after_each(function() game:close() end)

  it("lists worlds, managers and their fields", function()
    game = inspecting.game()
    local answer = game:get "/worlds"
    assert.are.equal(2, answer.entities)
    assert.are.equal("game", answer.worlds[1].name)
    local by_name = {}
    for _, manager in ipairs(answer.worlds[1].managers) do by_name[manager.name] = manager end
    assert.are.equal(2, by_name.transform.rows)
    assert.is_true(by_name.transform.capacity >= 2)
    assert.are.equal(game.world.transform:memory(), by_name.transform.bytes)
    assert.is_true(by_name.tag.multiple)
    assert.are.same({ name = "state", type = "enum", labels = { "idle", "run" } }, by_name.health.fields[3])
  end)

  it("sends a long tree in pieces that form one list", function()
    for _, count in ipairs { 510, 511, 1022, 1500 } do -- beside the tank and its turret: up to three pieces
      if game then game:close() end
      game = inspecting.game()
      for place = 1, count do
        game.world:create { transform = {}, health = {}, debug_name = { name = "n" .. place } }
      end
      local outline = game:get("/outline?world=game").outline
      for _, column in ipairs { "ids", "parents", "nexts", "names" } do
        assert.are.equal(count + 2, #outline[column])
      end
      assert.are.equal("n" .. count, outline.names[count + 2])
      assert.are.equal(count + 1, #game:get("/owners?world=game&component=health").ids)
    end
  end)

  it("sends the tree in the order of siblings, and the entities outside it", function()
    game = inspecting.game()
    local other = game.world:create { transform = { parent = game.tank } }
    local alone = game.entities:create()
    local outline = game:get("/outline?world=game").outline
    local id = cuttle.entity_id
    assert.are.same({ id(game.tank), id(game.turret), id(other), id(alone) }, outline.ids)
    assert.are.same({ -1, id(game.tank), id(game.tank), -1 }, outline.parents)
    assert.are.same({ -1, id(other), -1, -1 }, outline.nexts)
    assert.are.same({ "tank", "turret", "", "" }, outline.names)
  end)

  it("lists the components of the given entities, the transform last", function()
    game = inspecting.game()
    local id, world = cuttle.entity_id, game.world
    local soldier = world:create { transform = {}, frozen = {}, health = {} }
    local path = ("/kinds?world=game&ids=%d,%d,%d"):format(id(soldier), id(game.entities:create()), id(game.turret))
    assert.are.same({ "health, frozen, transform", "", "debug_name, transform" }, game:get(path).kinds)
    game.entities:destroy(soldier)
    assert.are.same({ "", "", "debug_name, transform" }, game:get(path).kinds)
    assert.are.same({}, game:get("/kinds?world=game").kinds)
    assert.are.equal("invalid entity id", game:get("/kinds?world=game&ids=1,-1").error)
    assert.are.equal("unknown world 'mars'", game:get("/kinds?world=mars&ids=1").error)
  end)

  it("reports the world pose of a transform, which cannot be written", function()
    game = inspecting.game()
    game.world.transform:set_local_rotation(game.tank, 0, 0, 1, 0)
    game.world.transform:set_local_position(game.turret, 5, 0, 0)
    local fields = game:get("/entity?id=" .. cuttle.entity_id(game.turret)).worlds[1].components[1].items[1].fields
    assert.are.same({ { -4, 2, 3 }, false }, fields.world_position)
    assert.are.same({ { 0, 0, 1, 0 }, false }, fields.world_rotation)
    assert.matches("unknown field", game:write(game.turret, "transform", "world_position", { 1, 2, 3 }))
    local shown = {}
    for _, manager in ipairs(game:get "/worlds".worlds[1].managers) do
      for _, field in ipairs(manager.fields) do shown[manager.name .. "." .. field.name] = field.type end
    end
    assert.are.equal("vec3", shown["transform.world_position"])
    assert.are.equal("quat", shown["transform.world_rotation"])
  end)

  it("sends a tree again only after it has changed", function()
    game = inspecting.game()
    local first = game:get "/outline?world=game"
    assert.are.same({}, game:get("/outline?world=game&have=" .. first.serial))
    game.world.debug_name:set_debug_name(game.tank, "car")
    local second = game:get("/outline?world=game&have=" .. first.serial)
    assert.are.equal("car", second.outline.names[1])
  end)

  it("shows an entity in each world where it has components", function()
    game = inspecting.game()
    local second = cuttle.world(game.entities, { name = "second" })
    local only = second:create { debug_name = { name = "other" } }
    assert.are.same({ "tank", "turret" }, game:get("/outline?world=game").outline.names)
    assert.are.same({ "other" }, game:get("/outline?world=second").outline.names)
    assert.are.equal("other", game:get("/entity?id=" .. cuttle.entity_id(only)).name)
  end)

  it("lists an entity's components with their values", function()
    game = inspecting.game()
    game.world.health:set(game.tank, { speed = 1 / 0, target = game.turret, bag = { gold = 3 }, note = "\255" })
    game.world.tag:create(game.tank, { id = "left", text = "a" })
    game.world.tag:create(game.tank, { id = 7, text = "b" })
    local answer = game:get("/entity?id=" .. cuttle.entity_id(game.tank))
    local by_name = {}
    for _, component in ipairs(answer.worlds[1].components) do by_name[component.name] = component end
    local health = by_name.health.items[1].fields
    assert.are.same({ 100, true }, health.hp)
    assert.are.same({ "inf", true }, health.speed)
    assert.are.same({ cuttle.entity_id(game.turret), true }, health.target)
    assert.are.same({ "{ gold = 3, }", false }, health.bag)
    assert.are.same({ "\239\191\189", false }, health.note)
    assert.are.same({ { 0, 0, 0 }, true }, health.aim)
    assert.are.equal("left", by_name.tag.items[1].id)
    assert.are.equal(7, by_name.tag.items[2].id)
    assert.are.same({ 1, 2, 3 }, by_name.transform.items[1].fields.local_position[1])
  end)

  it("reports that an entity is dead", function()
    game = inspecting.game()
    local id = cuttle.entity_id(game.turret)
    game.entities:destroy(game.turret)
    local answer = game:get("/entity?id=" .. id)
    assert.is_false(answer.alive)
    assert.are.equal(0, #answer.worlds[1].components)
  end)

  it("does not let the page edit strings that an input cannot hold", function()
    game = inspecting.game()
    for value, editable in pairs { ["a b"] = true, ["a\nb"] = false, ["a\r"] = false, ["a\255"] = false } do
      game.world.health:set_note(game.tank, value)
      local fields = game:get("/entity?id=" .. cuttle.entity_id(game.tank)).worlds[1].components
      for _, component in ipairs(fields) do
        if component.name == "health" then assert.are.equal(editable, component.items[1].fields.note[2]) end
      end
    end
  end)

  it("writes fields with the setters", function()
    game = inspecting.game()
    local health, tank = game.world.health, game.tank
    assert.is_nil(game:write(tank, "health", "hp", 7))
    assert.is_nil(game:write(tank, "health", "speed", "nan"))
    assert.is_nil(game:write(tank, "health", "state", "run"))
    assert.is_nil(game:write(tank, "health", "target", cuttle.entity_id(game.turret)))
    assert.is_nil(game:write(tank, "health", "boss", true))
    assert.is_nil(game:write(tank, "health", "note", "</script>"))
    assert.is_nil(game:write(tank, "health", "aim", { 1, 2, "-inf" }))
    assert.is_nil(game:write(tank, "transform", "local_position", { 4, 5, 6 }))
    assert.are.equal(7, health:hp(tank))
    assert.are_not.equal(health:speed(tank), health:speed(tank))
    assert.are.equal("run", health:state(tank))
    assert.are.equal(game.turret, health:target(tank))
    assert.is_true(health:boss(tank))
    assert.are.equal("</script>", health:note(tank))
    assert.are.same({ 1, 2, -math.huge }, { health:aim(tank) })
    assert.are.same({ 4, 5, 6 }, { game.world.transform:world_position(game.turret) })
    assert.is_nil(game:write(tank, "health", "target", nil))
    assert.is_nil(health:target(tank))
  end)

  it("writes the component with the given id", function()
    game = inspecting.game()
    local tag = game.world.tag
    tag:create(game.tank, { id = "left", text = "a" })
    local right = tag:create(game.tank, { id = "right", text = "b" })
    assert.is_nil(game:write(game.tank, "tag", "text", "c", "right"))
    assert.are.equal("c", tag:text(right))
    assert.matches("no longer has this component", game:write(game.tank, "tag", "text", "c", "gone"))
  end)

  it("returns the error of a setter, and changes nothing", function()
    game = inspecting.game()
    local function refused(message, field, value)
      assert.matches(message, game:write(game.tank, "health", field, value))
    end
    refused("300", "hp", 300)
    refused("number expected, got string", "hp", "many")
    refused("3 numbers expected", "aim", { 1, 2 })
    refused("unknown label .walk.", "state", "walk")
    refused("expected", "boss", "yes")
    refused("cannot edit value fields", "bag", 1)
    refused("unknown field", "wings", 1)
    assert.are.equal(100, game.world.health:hp(game.tank))
    assert.matches("no longer has this component", game:write(game.turret, "health", "hp", 1))
  end)

  it("sends world positions", function()
    game = inspecting.game()
    local transform = game.world.transform
    transform:set_local_position(game.turret, 10, 0.5, 3)
    game.world:create { health = {} }
    game.entities:destroy(game.world:create { transform = {} })
    local ids = { cuttle.entity_id(game.tank), cuttle.entity_id(game.turret) }
    assert.are.equal("1.1", text.number(1.10000002384, 7))
    assert.are.same({ ids = ids, x = { 1, 11 }, y = { 2, 2.5 } }, game:get "/positions?world=game")
    transform:set_local_position(game.tank, 0 / 0, math.huge, 0)
    assert.are.same({ "nan", "nan" }, game:get("/positions?world=game").x)
  end)

  it("adds and removes components", function()
    game = inspecting.game()
    local id, world = cuttle.entity_id(game.turret), game.world
    local function post(path, component, more)
      local body = { world = "game", id = id, component = component }
      for name, value in pairs(more or {}) do body[name] = value end
      return game:post(path, body).error
    end
    assert.is_nil(post("/add", "health", { values = { hp = 7, aim = { 1, 2, 3 } } }))
    assert.are.equal(7, world.health:hp(game.turret))
    game.world.health:destroy(game.turret)
    local null = require("cuttle.json").null
    assert.is_nil(post("/add", "health", { values = { hp = null, target = cuttle.entity_id(game.tank),
      bag = { a = null, b = { 1 } } } }))
    assert.are.equal(100, world.health:hp(game.turret))
    assert.are.equal(game.tank, world.health:target(game.turret))
    assert.are.same({ b = { 1 } }, world.health:bag(game.turret))
    assert.is_nil(post("/add", "frozen"))
    assert.is_true(world.frozen:has(game.turret))
    assert.matches("already has a frozen", post("/add", "frozen"))
    assert.matches("hp", post("/add", "tag", { values = { hp = 1 } }))
    assert.matches("object expected", post("/add", "tag", { values = 5 }))
    assert.matches("unknown component 'wings'", post("/add", "wings"))
    assert.is_nil(post("/add", "tag", { values = { text = "a", id = "left" } }))
    assert.is_nil(post("/add", "tag", { values = { text = "b" } }))
    assert.is_nil(post("/remove", "tag", { item = "left" }))
    assert.are.equal("b", world.tag:text(world.tag:lookup(game.turret)))
    assert.is_nil(post("/remove", "health"))
    assert.is_false(world.health:has(game.turret))
    assert.matches("no longer has this component", post("/remove", "health"))
    world.transform:destroy(game.turret)
    assert.is_nil(post("/add", "transform", { values = { parent = cuttle.entity_id(game.tank), position = { 1, 2 } } }))
    assert.are.equal(game.tank, world.transform:entity(world.transform:parent(game.turret)))
    game.entities:destroy(game.turret)
    assert.matches("is dead", post("/add", "health"))
  end)

  it("may be closed by a hook that a request runs", function()
    game = inspecting.game()
    game.world.health:on_remove(function() game.inspector:close() end)
    local client, other = game:connect(), game:connect()
    local body = ('{"world":"game","component":"health","id":%d}'):format(cuttle.entity_id(game.tank))
    local head = "POST /remove HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nX-Cuttle-Token: %s\r\nContent-Length: %d\r\n\r\n"
    client:send(head:format(game.port, game.token, #body) .. body)
    for _ = 1, 50 do game.inspector:poll() end
    assert.is_false(game.world.health:has(game.tank))
    client:close()
    other:close()
  end)

  it("creates and destroys entities", function()
    game = inspecting.game()
    local made = game:post("/create", { world = "game", name = "crate" })
    local e = cuttle.entity_from_id(made.id)
    assert.are.equal("crate", game.world.debug_name:debug_name(e))
    assert.is_true(game.world.transform:has(e))
    local unnamed = cuttle.entity_from_id(game:post("/create", { world = "game", name = "" }).id)
    assert.is_false(game.world.debug_name:has(unnamed))
    assert.is_nil(game:post("/destroy", { id = made.id }).error)
    assert.is_false(game.entities:alive(e))
    assert.matches("dead already", game:post("/destroy", { id = made.id }).error)
    assert.matches("invalid entity id", game:post("/destroy", { id = -1 }).error)
    assert.matches("unknown world", game:post("/create", { world = "moon" }).error)
  end)

  it("pauses a game that asks for it, and lets it make single steps", function()
    game = inspecting.game()
    local listening = game.inspector
    assert.is_false(game:get("/worlds").pausable)
    assert.matches("does not call", game:post("/pause", { on = true }).error)
    assert.is_false(listening:paused())
    assert.is_true(game:get("/worlds").pausable)
    assert.matches("not paused", game:post("/step", { world = "game" }).error)
    assert.are.same({ paused = true }, game:post("/pause", { on = true }))
    assert.is_true(listening:paused())
    assert.is_true(game:get("/worlds").paused)
    assert.is_false(listening:step())
    for _ = 1, 2 do game:post("/step", { world = "game" }) end
    assert.are.same({ true, true, false }, { listening:step(), listening:step(), listening:step() })
    game:post("/step", { world = "game" })
    game:post("/pause", { on = false })
    assert.is_false(listening:paused())
    assert.is_false(listening:step())
    game:post("/pause", { on = true })
    listening:close()
    assert.is_false(listening:paused())
    assert.has_error(function() listening.paused() end)
    assert.has_error(function() listening.step(5) end)
  end)

  it("lists the owners of a component", function()
    game = inspecting.game()
    assert.are.same({ cuttle.entity_id(game.tank) }, game:get("/owners?world=game&component=health").ids)
  end)

  it("lists the entities that meet a condition", function()
    game = inspecting.game()
    local function matches(condition) return game:get("/matches?world=game&condition=" .. condition) end
    local hp = game.world.health:hp(game.tank)
    assert.are.same({ cuttle.entity_id(game.tank) }, matches("health.hp%3D%3D" .. hp).ids)
    assert.are.same({}, matches("health.hp%3C" .. hp).ids)
    assert.matches("line 1: no field 'hpp' in health, column 8 %(did you mean 'hp'%?%)",
      matches("health.hpp%3C3").error)
    assert.matches("the text names no component", matches("true").error)
    assert.matches("line 1: expression expected", game:get("/matches?world=game").error)
  end)

  it("measures times when profiling is on", function()
    game = inspecting.game()
    game:post("/profile", { world = "game", on = true })
    game.world.transform:set_mode "deferred"
    game.world.transform:set_local_position(game.tank, 1, 1, 1)
    game.world.transform:propagate()
    assert.are.equal(1, game:get("/timings?world=game").transform.propagate.calls)
  end)

  it("shows a recorder's past frames without changing the game", function()
    local entities
    game = inspecting.game()
    game:close()
    entities = game.entities
    local world, recorder = game.world, cuttle.recorder(entities, { keep = 100 })
    local listening = assert(require "cuttle.inspector".listen(entities, { port = 0, recorder = recorder }))
    game.inspector = listening
    game.port, game.token = listening:url():match ":(%d+)/%?token=(%x+)$"
    world.mesh:define_resource("hull", {})
    local called = 0
    entities:on_restore(function() called = called + 1 end)
    world.actor:on_spawn(function() called = called + 1 return {} end)
    world.actor:create(game.tank)
    called = 0
    for step = 1, 50 do
      world.transform:set_local_position(game.tank, step, 0, 0)
      if step == 30 then world.mesh:create(game.turret, { resource = "hull" }) end
      recorder:frame()
    end
    local before = entities:hash()
    assert.are.same({ frames = 20 }, game:post("/past", { frames = 20 }))
    local function then_at()
      local answer = game:get("/entity?past=1&id=" .. cuttle.entity_id(game.tank))
      return answer.worlds[1].components[1].items[1].fields.local_position[1][1]
    end
    assert.are.equal(30, then_at())
    assert.are.same({ frames = 45 }, game:post("/past", { frames = 45 }))
    assert.are.equal(5, then_at())
    local present = game:get("/entity?id=" .. cuttle.entity_id(game.tank))
    assert.are.equal(50, present.worlds[1].components[1].items[1].fields.local_position[1][1])
    assert.are.equal(before, entities:hash())
    assert.are.equal(0, called)
    assert.are.equal(50, recorder:count())
    assert.are.same({ frames = false }, game:post("/past", {}))
    assert.matches("no recorded frame is shown", game:get("/entity?past=1&id=0").error)
    assert.is_true(world:validate())
  end)

  it("previews the changes that reloading a level would make", function()
    local fresh
    game = inspecting.game { reload = function() return fresh end }
    local compiler = cuttle.compiler(game.world)
    local function resource(...)
      local entities = {}
      for place, name in ipairs { ... } do
        entities[place] = { name = name, components = { health = { hp = place } } }
      end
      return assert(cuttle.resource((assert(compiler:compile { entities = entities }))))
    end
    local level = assert(game.world:spawn(resource("lamp", "door")))
    fresh = resource("lamp", "tree", "gate")
    local before = game.entities:hash()
    assert.are.same({ added = 2, removed = 1, changed = 0, moved = 0, left = {} },
      game:post("/preview", { world = "game", level = 1 }))
    assert.are.equal(before, game.entities:hash())
    assert.are.equal(2, level:count())
    assert.matches("the level no longer exists", game:post("/preview", { world = "game", level = 2 }).error)
    fresh = nil
    assert.is_string(game:post("/preview", { world = "game", level = 1 }).error)
  end)

  it("keeps running after the world was destroyed", function()
    game = inspecting.game()
    local request = game:request("GET", "/outline?world=game")
    game.world:destroy()
    assert.are.equal(200, (game:send(request)))
    assert.are.equal(0, #game:get("/worlds").worlds)
  end)
end)
