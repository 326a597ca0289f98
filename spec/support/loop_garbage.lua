-- Measures the garbage of loops over a kept query. For a process of its own: LuaJIT never compiles some functions again
-- after it has run them in unusual ways, as other specs do on purpose, and interpreted accesses of items make garbage.

local cuttle = require "cuttle"
local each = require "cuttle.each"

local loop_garbage = {}

-- The garbage of 1000 calls of f in kilobytes: the best of several tries, because compilation allocates, too.
local function garbage(f)
  local least = math.huge
  for _ = 1, 10 do
    for _ = 1, 200 do f() end
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    for _ = 1, 1000 do f() end
    least = math.min(least, collectgarbage "count" - before)
    collectgarbage "restart"
    if least < 1 then break end
  end
  return least
end

local function new_forms()
  local world = cuttle.world(cuttle.entity_manager())
  world:define("body", { { "x", "double" }, { "v", "vec3" } })
  world:define("life", { { "hp", "float" } })
  world:create({ body = {}, life = {} }, 8)
  local query, pairs_ = world:query("body", "life"), world:query("body", "?life")
  return {
    items = function() for b, l in query:items() do b.x = b.x + l.hp end end,
    vectors = function() for b in query:items() do b.v:set(b.v.x, b.v.y + 1, b.v.z) end end,
    rows = function() for i, j in query:rows() do if i < j then return end end end,
    each = function() for e in query:each() do if not e then return end end end,
    joined = function() for e in world:join("body", "life") do if not e then return end end end,
    joined_rows = function() for i in world:rows("body", "!life") do if i < 0 then return end end end,
    manager = function() for e in world.body:each() do if not e then return end end end,
    nested = function()
      for a in query:items() do for b in query:items() do if b.x > a.x then b.x = a.x end end end
    end,
    left = function()
      for a in query:items() do
        for b in pairs_:items() do
          if b.x <= a.x then break end
        end
        for i in pairs_:rows() do if i >= 0 then break end end
      end
    end,
  }
end

-- Prints the forms that make garbage, with kilobytes. An object at each call would be 16 kilobytes or more.
function loop_garbage.print()
  if rawget(_G, "jit") then require("jit.opt").start("hotloop=56", "hotexit=10") end -- the defaults
  local wrong = {}
  for name, form in each, new_forms() do
    local kilobytes = garbage(form)
    if kilobytes >= 1 then wrong[#wrong + 1] = ("%s: %.2f"):format(name, kilobytes) end
  end
  table.sort(wrong)
  print(#wrong == 0 and "none" or table.concat(wrong, ", "))
end

return loop_garbage
