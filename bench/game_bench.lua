-- A small game: ten systems of two to four components, with moves, timers, deaths and spawns, over 11, 87 and 1,607
-- entities. Each system is one text, from which every style is made: plain tables with a list of entities for each
-- system, as tiny-ecs keeps them; and ours with accessors, items, columns and formulas. All numbers are multiples of
-- powers of two, so that sums are exact and all styles have the same result.

local cuttle = require "cuttle"

-- Frames of a run, and frames before the first one: a game runs for minutes, LuaJIT compiles in the first seconds.
local FRAMES, WARM_UP = 20, 2000

local FIELDS = {
  position = { "x", "y" }, velocity = { "x", "y" }, heat = { "value" }, timer = { "left", "period" },
  health = { "hp" }, weapon = { "wait", "shots" }, target = { "x", "y" }, size = { "r" }, life = { "left" },
}
local NAMES = { "position", "velocity", "heat", "timer", "health", "weapon", "target", "size", "life" }

-- The components of a system and its text for one entity. DIE removes the entity at the end of the frame.
local SYSTEMS = {
  { { "position", "velocity" }, "position.x = position.x + velocity.x / 64\n"
    .. "position.y = position.y + velocity.y / 64" },
  { { "velocity", "heat" }, "velocity.y = velocity.y - heat.value / 64" },
  { { "position", "velocity", "size" }, "if position.y < size.r then\nvelocity.y = 4\nend" },
  { { "timer", "heat" }, "timer.left = timer.left - 1 / 64\nif timer.left <= 0 then\n"
    .. "timer.left = timer.period\nheat.value = heat.value + 1\nend" },
  { { "heat", "size" }, "if heat.value > 2 then\nheat.value = 0\nend" },
  { { "position", "velocity", "target" }, "if position.x < target.x then\nvelocity.x = velocity.x + 1 / 8\nelse\n"
    .. "velocity.x = velocity.x - 1 / 8\nend" },
  { { "health", "heat" }, "health.hp = health.hp - heat.value / 16" },
  { { "weapon", "timer" }, "weapon.wait = weapon.wait - 1 / 64\nif weapon.wait <= 0 then\n"
    .. "weapon.wait = timer.period\nweapon.shots = weapon.shots + 1\nend" },
  { { "life", "position" }, "life.left = life.left - 1 / 64\nif life.left <= 0 then\nDIE\nend" },
  { { "health", "weapon", "size", "position" }, "if health.hp < size.r then\n"
    .. "health.hp = health.hp + weapon.shots\nend" },
}

-- The components of entity number i.
local function components_of(i)
  local c = { position = { x = i % 16, y = i % 8 }, velocity = { x = 1, y = i % 4 } }
  if i % 2 == 0 then
    c.heat, c.timer = { value = 0 }, { left = i % 8 / 8, period = 1 / 4 }
  end
  if i % 3 == 0 then c.health, c.weapon = { hp = 8 }, { wait = 1 / 4, shots = 0 } end
  if i % 5 == 0 then c.target = { x = 4, y = 4 } end
  if i % 4 < 2 then c.size = { r = 1 / 2 } end
  if i % 2 == 1 then c.life = { left = 1 + i % 32 / 8 } end
  return c
end

local SPARK = { position = { x = 1, y = 2 }, velocity = { x = 3, y = 4 }, life = { left = 2 } }

local function compile(text, ...)
  return assert((loadstring or load)(text, "=system"))(...)
end

-- ---------------------------------------------------------------- plain tables

local function copy(components)
  local e = {}
  for name, values in pairs(components) do
    e[name] = {}
    for field, value in pairs(values) do e[name][field] = value end
  end
  return e
end

local function in_tables(n)
  local all, dead, lists, places, systems = {}, {}, {}, {}, {}
  for s, system in ipairs(SYSTEMS) do
    lists[s], places[s] = {}, {}
    local values = {}
    for i, name in ipairs(system[1]) do values[i] = "e." .. name end
    systems[s] = compile(("local list, dead = ...\nreturn function()\nfor i = 1, #list do\nlocal e = list[i]\n"
      .. "local %s = %s\n%s\nend\nend"):format(table.concat(system[1], ", "), table.concat(values, ", "),
      (system[2]:gsub("DIE", "dead[#dead + 1] = e"))), lists[s], dead)
  end
  local function add(e)
    all[e] = true
    for s, system in ipairs(SYSTEMS) do
      local fits = true
      for _, name in ipairs(system[1]) do fits = fits and e[name] ~= nil end
      if fits then
        lists[s][#lists[s] + 1] = e
        places[s][e] = #lists[s]
      end
    end
  end
  local function remove(e)
    all[e] = nil
    for s, list in ipairs(lists) do
      local place = places[s][e]
      if place then
        local last = list[#list]
        list[place], places[s][last] = last, place
        list[#list], places[s][e] = nil, nil
      end
    end
  end
  for i = 1, n do add(copy(components_of(i))) end
  local function frame()
    for s = 1, #systems do systems[s]() end
    for i = 1, #dead do
      remove(dead[i])
      add(copy(SPARK))
      dead[i] = nil
    end
  end
  local function sum()
    local total = 0
    for e in pairs(all) do total = total + e.position.x + e.position.y * 2 + (e.life and e.life.left or 0) end
    return total
  end
  return frame, sum
end

-- ---------------------------------------------------------------- ours

local function replace(text, format)
  return (text:gsub("(%a+)%.(%a+)", format))
end

-- The source of a loop over a query in each style.
local STYLES = {}

function STYLES.items(names, text)
  return ("for %s in query:items() do\n%s\nend"):format(table.concat(names, ", "),
    (text:gsub("DIE", "dead:add(" .. names[1] .. ".entity)")))
end

function STYLES.accessors(names, text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do
    local component, field, value = line:match "^(%a+)%.(%a+) = (.*)$"
    if component then
      line = ("%s:set_%s(%s_i, %s)"):format(component, field, component, replace(value, "%1:%2(%1_i)"))
    else
      line = replace(line, "%1:%2(%1_i)")
    end
    lines[#lines + 1] = line
  end
  return ("for e, %s_i in query:each() do\n%s\nend"):format(table.concat(names, "_i, "),
    (table.concat(lines, "\n"):gsub("DIE", "dead:add(e)")))
end

function STYLES.columns(names, text)
  return ("for %s_i in query:rows() do\n%s\nend"):format(table.concat(names, "_i, "),
    (replace(text, "%1_%2[%1_i]"):gsub("DIE", "dead:add(" .. names[1] .. ":entity_at(" .. names[1] .. "_i))")))
end

-- A system as a formula. What dies is found by a condition afterwards.
local function in_formula(query, text, dead)
  local condition = text:match "if ([^\n]+) then\nDIE\nend"
  local formula = query:formula((text:gsub("if [^\n]+ then\nDIE\nend", "")))
  if not condition then return formula end
  local dying = query:where(condition)
  return function()
    formula()
    dying:list(dead)
  end
end

-- A frame, compiled for each style: LuaJIT compiles for the calls of one style, as in a game.
local FRAME = [[
local systems, dead, entities, spark, world = ...
return function()
  for s = 1, #systems do systems[s]() end
  local count = dead:count()
  if count == 0 then return end
  entities:destroy(dead)
  for _ = 1, count do spark:create() end
  dead:clear()
  world:gc()
end]]

local function ours(style, n)
  local entities = cuttle.entity_manager()
  local world = cuttle.world(entities)
  for _, name in ipairs(NAMES) do
    local fields = {}
    for i, field in ipairs(FIELDS[name]) do fields[i] = { field, "double" } end
    world:define(name, fields)
  end
  local dead, systems, spark = cuttle.list(), {}, world:template(SPARK)
  local function in_loop(system, query)
    local head = "local world, query, dead = ...\n"
    for _, name in ipairs(system[1]) do
      if style ~= "items" then head = ("%slocal %s = world.%s\n"):format(head, name, name) end
      for _, field in ipairs(style == "columns" and FIELDS[name] or {}) do
        head = ("%slocal %s_%s = world.%s:column '%s'\n"):format(head, name, field, name, field)
      end
    end
    local text = STYLES[style](system[1], system[2])
    return compile(("%sreturn function()\n%s\nend"):format(head, text), world, query, dead)
  end
  for s, system in ipairs(SYSTEMS) do
    local query = world:query(unpack(system[1]))
    systems[s] = style == "formulas" and in_formula(query, system[2], dead) or in_loop(system, query)
  end
  for i = 1, n do world:create(components_of(i)) end
  local function sum()
    local total = 0
    for position, life in world:query("position", "?life"):items() do
      total = total + position.x + position.y * 2 + (life and life.left or 0)
    end
    return total
  end
  return compile(FRAME, systems, dead, entities, spark, world), sum
end

return function(bench)
  for _, n in ipairs { 11, 87, bench.size(1607, 300) } do
    local expected, first = nil, ("%d entities, plain tables"):format(n)
    -- One game for all rounds of a case, so that its loops are compiled once.
    local function add(name, limit, make, ...)
      local frame, sum, rounds = nil, nil, 0
      local arguments = { ... }
      bench.case {
        name = name, items = n * FRAMES, limit = limit,
        setup = function()
          if frame then return {} end
          frame, sum = make(arguments[1], arguments[2])
          for _ = 1, WARM_UP do frame() end
          return {}
        end,
        run = function()
          rounds = rounds + 1
          for _ = 1, FRAMES do frame() end
          return rounds == 1 and sum() or expected
        end,
        check = function(result)
          expected = expected or result -- all styles have the same result after the first round
          return result == expected
        end,
      }
    end
    add(first, nil, in_tables, n)
    for _, style in ipairs { "accessors", "items", "columns", "formulas" } do
      add(("%d entities, %s"):format(n, style), first, ours, style, n)
    end
  end
end
