-- wrong_values(s, other): values of every kind, most of which are wrong in most places: values that no function
-- accepts, numbers at limits, tables that raise, and objects of the scene `s` (see calls.lua) and of another world.
-- Also returns their number, because nil is one of them.

local core = require "cuttle.core"
local cuttle = require "cuttle"
local light_userdata = require "spec.support.light_userdata"

local LONG, NESTED = ("x"):rep(5000), {}
for _ = 1, 300 do NESTED = { NESTED } end

-- Every operation on it raises an error, which is a table.
local function raising()
  local meta = {}
  for _, event in ipairs { "index", "newindex", "call", "len", "tostring", "eq", "lt", "le", "concat", "add" } do
    meta["__" .. event] = function() error({}, 0) end
  end
  return setmetatable({}, meta)
end

return function(s, other)
  local values = {
    true, false, 0, 1, -1, 2, 0.5, -0.5, 1e300, -1e300, 2 ^ 22, 2 ^ 22 - 1, 2 ^ 31, 2 ^ 31 - 1, 2 ^ 32, 2 ^ 32 - 1,
    2 ^ 53, math.huge, -math.huge, 0 / 0, "", "hp", "nil", "health", LONG, "nul\0nul", "\0", ("a/"):rep(300), "!health",
    "?part", "deferred", "all", {}, { 1, 2, 3 }, { {} }, { hp = {} }, { hp = 1 }, { id = 1 }, { [0] = 1 }, { [2] = 3 },
    { [1.5] = 1 }, { [s.one] = 1 }, { nodes = {} }, { nodes = { { parent = 5 } } }, NESTED, raising(), { raising() },
    { hp = raising() }, setmetatable({}, { __metatable = "locked" }), type, getmetatable(raising()).__call,
    function(...) return ... end,
    coroutine.create(function() end), io.stdout, newproxy(true), light_userdata.null(), s.one, s.two, s.bare, s.dead,
    s.stale, cuttle.entity_from_id(2 ^ 30 - 1), { s.one, s.dead }, { s.bare, 5 }, { s.one, s.one },
    cuttle.list { s.dead }, s.list, s.world, s.entities, s.health, s.part, s.world.transform, s.world.model,
    s.world.grid, s.resource, s.level, s.template, s.compiler, s.snapshot, s.recorder, s.writer, s.reader, s.hp,
    s.texts, s.places, s.cells, other.world, other.entities, other.health, other.level, other.resource, other.snapshot,
    other.list, other.hp, other.template, other.recorder,
  }
  local count = #values
  if core.testing then
    for tag = 0, 3 do values[count + tag + 1] = light_userdata.make(4000 + tag) end
    values[count + 5] = light_userdata.make(1, 1)
    count = count + 5
  end
  return values, count + 1
end
