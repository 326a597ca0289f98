-- Memory accesses of LuaJIT's FFI, with a finalizer that changes memory in the middle of each. Runs in a process of its
-- own: require("spec.support.view_finalizers").run(number, mode, rounds, seed).

local cuttle = require "cuttle"
local new_random = require "spec.support.random"

local view_finalizers = {}

local jit = rawget(_G, "jit")
local ROWS = 8 -- entities that no finalizer changes, in rows 0 to 7

-- ------------------------------------------------------------------------------------------------ the scene

local function new_scene()
  local s = { entities = cuttle.entity_manager() }
  local world = cuttle.world(s.entities)
  s.world = world
  s.thing = world:define("thing", {
    { "n", "int32" }, { "d", "double" }, { "flag", "bool" }, { "target", "entity" }, { "big", "uint32" },
    { "state", "enum", { "idle", "run" } }, { "pos", "vec3" }, { "tint", "color" }, { "m", "mat4" },
  })
  s.list = world:create({ thing = {}, transform = {}, grid = { width = 4, height = 4 } }, ROWS)
  for i, e in ipairs(s.list) do
    s.thing:set(e, { n = i, d = i, flag = true, target = e, big = i, state = "run", pos = { i, i, i },
      tint = { i, i, i, i } })
    s.thing:write(e, "m", i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i)
    world.transform:set_local_position(e, i, i, i)
    for x = 0, 3 do world.grid:set_cell(e, x, 0, i) end
  end
  world.transform:set_mode "deferred"
  world.transform:propagate()
  s.views = {}
  for _, name in ipairs { "n", "d", "flag", "target", "big", "state", "pos", "tint", "m" } do
    s.views[name] = s.thing:column(name)
  end
  s.position = world.transform:column "local_position"
  s.accessor = s.views.pos[3]
  s.cells = world.grid:reader(s.list[4])
  s.extra = {}
  return s
end

-- ------------------------------------------------------------------------------------------------ accesses

-- Each access receives the scene, accesses row 3, which belongs to the fourth entity, and returns the actual and the
-- expected value.
local ACCESSES = {
  { "view[i] of a number", function(s) return s.views.n[3], 4 end },
  { "view[i] of a double", function(s) return s.views.d[3], 4 end },
  { "view[i] of a bool", function(s) return s.views.flag[3], true end },
  { "view[i] of an entity", function(s) return s.views.target[3], cuttle.entity_id(s.list[4]) end },
  { "view[i] of an unsigned number", function(s) return s.views.big[3], 4 end },
  { "view[i] of an enum", function(s) return s.views.state[3], 1 end },
  { "view[instance]", function(s) return s.views.n[s.thing:lookup(s.list[4])], 4 end },
  { "view:get of a number", function(s) return s.views.n:get(3), 4 end },
  { "view:get of a vector", function(s)
    local x, y, z = s.views.pos:get(3)
    return x + y * 10 + z * 100, 444
  end },
  { "view:get of a matrix", function(s) return (select(16, s.views.m:get(3))), 4 end },
  { "view[i].z", function(s) return s.views.pos[3].z, 4 end },
  { "view[i].a", function(s) return s.views.tint[3].a, 4 end },
  { "view[i][16]", function(s) return s.views.m[3][16], 4 end },
  { "a kept accessor", function(s) return s.accessor.x, 4 end },
  { "a transform's column", function(s) return s.position[3].y, 4 end },
  { "view:count", function(s) return s.views.n:count() >= ROWS, true end },
  { "view[i] = number", function(s, n) s.views.n[3] = n return s.thing:n(s.list[4]), n end, 4 },
  { "view[i] = double", function(s, n) s.views.d[3] = n return s.thing:d(s.list[4]), n end, 4 },
  { "view[i] = bool", function(s, n) s.views.flag[3] = n == 4 return s.thing:flag(s.list[4]), n == 4 end, 4 },
  { "view:set of a number", function(s, n) s.views.n:set(3, n) return s.thing:n(s.list[4]), n end, 4 },
  { "view[i].y =", function(s, n) s.views.pos[3].y = n return (select(2, s.thing:pos(s.list[4]))), n end, 4 },
  { "view:set of a vector", function(s, n)
    s.views.pos:set(3, n, n, n)
    return (select(3, s.thing:pos(s.list[4]))), n
  end, 4 },
  { "a transform's column, set", function(s, n)
    s.position:set(3, n, n, n)
    s.world.transform:propagate()
    return (s.world.transform:world_position(s.list[4])), n
  end, 4 },
  { "a transform's column, .x =", function(s, n)
    s.position[3].x = n
    s.world.transform:propagate()
    return (s.world.transform:world_position(s.list[4])), n
  end, 4 },
  { "entities:alive", function(s) return s.entities:alive(s.list[4]), true end },
  { "entities:alive_id", function(s) return s.entities:alive_id(cuttle.entity_id(s.list[4])), true end },
  { "m:has", function(s) return s.thing:has(s.list[4]), true end },
  { "m:row_of_id", function(s) return s.thing:row_of_id(cuttle.entity_id(s.list[4])), 3 end },
  { "m:FIELD", function(s) return s.thing:n(s.list[4]), 4 end },
  { "m:FIELD of a vector", function(s) return (select(3, s.thing:pos(s.list[4]))), 4 end },
  { "m:set_FIELD", function(s, n) s.thing:set_n(s.list[4], n) return s.views.n[3], n end, 4 },
  { "m:set_FIELD of a vector", function(s, n)
    s.thing:set_pos(s.list[4], n, n, n)
    return s.views.pos[3].z, n
  end, 4 },
  { "world:rows", function(s)
    local sum = 0
    for row, other in s.world:rows("thing", "transform") do
      if row < ROWS then sum = sum + row + other - row end
    end
    return sum, 28
  end },
  { "world:join", function(s)
    local sum = 0
    for e in s.world:join("thing", "transform") do
      local i = cuttle.entity_index(e)
      if i < ROWS then sum = sum + i end
    end
    return sum, 28
  end },
  { "reader[i]", function(s) return s.cells[2], 4 end },
}

-- ------------------------------------------------------------------------------------------------ finalizers

-- The actions of finalizers. They keep the first entities, except for those that destroy the world.
local CHANGES = {
  { "grows the columns", function(s, n)
    if s.entities:count() > 2000 then
      s.entities:destroy(s.extra)
      s.world:gc "all"
      s.world:trim()
      s.extra = {}
    end
    for _ = 1, n % 3 + 1 do
      for _, e in ipairs(s.world:create({ thing = {}, transform = {}, grid = { width = 1, height = 1 } }, 200)) do
        s.extra[#s.extra + 1] = e
      end
    end
  end },
  { "destroys, collects and trims", function(s)
    if #s.extra == 0 then
      s.extra = s.world:create({ thing = {}, transform = {}, grid = { width = 1, height = 1 } }, 300)
    else
      s.entities:destroy(s.extra)
      s.world:gc "all"
      s.extra = {}
    end
    s.world:trim()
  end },
  { "replaces the cells", function(s)
    local grid = s.world.grid
    grid:set(s.list[4], { width = 40, height = 40 })
    grid:set(s.list[4], { width = 4, height = 4 })
    for x = 0, 3 do grid:set_cell(s.list[4], x, 0, 4) end
  end },
  { "destroys the world", function(s)
    s.world:destroy()
  end, true },
  { "drops the world and the entities", function(s)
    s.world, s.thing, s.entities, s.list = nil, nil, nil, nil
    collectgarbage()
    collectgarbage()
  end, true },
}

-- The names of all changes in order; run takes their numbers.
view_finalizers.names = {}
for i, change in ipairs(CHANGES) do view_finalizers.names[i] = change[1] end

-- ------------------------------------------------------------------------------------------------ running

local padding = {} -- kept, because compiled code creates no unused strings

-- LuaJIT makes a collector step after each KB: `bytes` selects the allocation of f whose step runs the finalizer.
-- Returns whether it ran inside f, and the results of pcall(f, ...).
local function disturb(bytes, change, f, ...)
  local WAITING = 50
  local called, ran = 0, false
  collectgarbage()
  collectgarbage "stop"
  getmetatable(newproxy(true)).__gc = function()
    ran = true
    pcall(change)
  end
  for _ = 1, WAITING do
    getmetatable(newproxy(true)).__gc = function() called = called + 1 end -- the youngest finalizer runs first
  end
  collectgarbage("setstepmul", 400) -- up to 40 finalizers in a step
  repeat collectgarbage("step", 0) until called > 0
  collectgarbage("setstepmul", 10) -- one finalizer in a step
  repeat collectgarbage("step", 0) until called >= WAITING
  padding[1] = ("x"):rep(bytes) .. called
  local early = ran
  local ok, read, right = pcall(f, ...)
  local within = ran and not early
  padding.ran = ran
  collectgarbage("setstepmul", 200)
  return within, ok, read, right
end

-- Recording a trace allocates memory, too.
if jit then jit.off(disturb) end

local MODES = {
  interpreted = function(f)
    jit.off() -- existing views remain FFI data
    return f
  end,
  compiled = function(f)
    return function(...)
      local read, right
      for _ = 1, 100 do read, right = f(...) end
      return read, right
    end
  end,
  off_for_one = function(f)
    jit.off(f)
    return f
  end,
}

-- The size of the padding with which the finalizer runs before f, or in its first allocation.
local function find_window()
  for bytes = 0, 4096, 16 do
    if not disturb(bytes, function() end, function() end) and padding.ran then return bytes end
  end
  error "no finalizer ran"
end

-- Tests for permitted errors: rows that a finalizer moved or removed, and a destroyed world.
local function is_expected(message, ends)
  return ends or message:find("rows moved during the loop", 1, true) or message:find("stale thing instance", 1, true)
end

--- Runs every access `rounds` times with a change, each time at another allocation. Prints how often a finalizer ran
--- inside an access, or the failures.
function view_finalizers.run(number, mode, rounds, seed)
  local change, ends = CHANGES[number][2], CHANGES[number][3]
  local random = new_random(seed)
  local s, count, failures = new_scene(), 0, {}
  local window = find_window()
  for _, access in ipairs(ACCESSES) do
    local name, act, usual = access[1], access[2], access[3]
    local f = jit and MODES[mode](act) or act
    for round = 1, rounds do
      local scene, value = s, round % 2 == 0 and 4 or 5
      local bytes = math.max(0, window - 16 * random(12))
      local within, ok, read, right = disturb(bytes, function() change(scene, round) end, f, s, value)
      if within then count = count + 1 end
      if ok and read ~= right or not ok and not is_expected(tostring(read), ends) then
        failures[#failures + 1] = ("%s: %s instead of %s"):format(name, tostring(read), tostring(right))
      end
      if ends then
        if jit then jit.on() end
        s = new_scene()
        if jit and mode == "interpreted" then jit.off() end
      elseif usual then
        pcall(f, s, usual)
      end
    end
    if not ends then assert(s.world:validate()) end
  end
  print(#failures == 0 and ("in order, %d times"):format(count)
    or table.concat(failures, "\n", 1, math.min(#failures, 20)))
end

return view_finalizers
