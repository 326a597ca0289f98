-- The oracle of formulas: translates the text of a formula to Lua and runs it for each entity, with values from m:read
-- and m:write. It shares no code with the compiler: Lua's own parser reads the text, and vectors and numbers are tables
-- with operators.
--
--     local run = oracle.new(world, text, parameters)
--     local fault = run(entities)   -- nil, or { line, statement, path, entity } of the first store that failed

local core = require "cuttle.core"
local cuttle = require "cuttle"

local oracle = {}

local huge, sqrt = math.huge, math.sqrt

-- Numbers ------------------------------------------------------------------------------------------------------------

local function floor(x)
  if x ~= x or x == 0 or x == huge or x == -huge then return x end
  return math.floor(x) + 0.0
end

local function ceil(x)
  return -floor(-x)
end

local function minimum(a, b) return b < a and b or a end
local function maximum(a, b) return b > a and b or a end
local function sign(x) return x > 0 and 1.0 or x < 0 and -1.0 or x end
local function modulo(a, b) return a - floor(a / b) * b end

local function power(x, n)
  local count = math.abs(n)
  local result = count == 0 and 1.0 or x
  if count == 2 then result = x * x end
  if count == 3 then result = x * x * x end
  if count == 4 then result = (x * x) * (x * x) end
  return n < 0 and 1 / result or result
end

-- Vectors: tables of 1 to 4 numbers ----------------------------------------------------------------------------------

local Vector = {}

local PLACES = { x = { 1 }, y = { 2 }, z = { 3 }, w = { 4 }, r = { 1 }, g = { 2 }, b = { 3 }, a = { 4 }, xy = { 1, 2 },
  xyz = { 1, 2, 3 } }

local function vector(...) return setmetatable({ ... }, Vector) end

local function lanewise(compute)
  return function(a, b)
    local result = vector()
    for lane = 1, math.max(#a, b and #b or 1) do
      result[lane] = compute(a[lane] or a[1], b and (b[lane] or b[1]))
    end
    return result
  end
end

function Vector.__index(v, name)
  local part = vector()
  for lane, place in ipairs(PLACES[name] or {}) do part[lane] = rawget(v, place) end
  return PLACES[name] and part or nil
end

function Vector.__newindex(v, name, part)
  if not PLACES[name] then return rawset(v, name, part) end
  for lane, place in ipairs(PLACES[name]) do v[place] = part[lane] end
  if v.origin then v.origin(v) end
end

Vector.__add = lanewise(function(a, b) return a + b end)
Vector.__sub = lanewise(function(a, b) return a - b end)
Vector.__mul = lanewise(function(a, b) return a * b end)
Vector.__div = lanewise(function(a, b) return a / b end)
Vector.__mod = lanewise(modulo)
Vector.__pow = lanewise(power)
Vector.__unm = function(a) return lanewise(function(x) return -x end)(a) end
function Vector.__eq(a, b) return a[1] == b[1] end
function Vector.__lt(a, b) return a[1] < b[1] end
function Vector.__le(a, b) return a[1] <= b[1] end

local functions = {
  abs = lanewise(math.abs), sign = lanewise(sign), floor = lanewise(floor), ceil = lanewise(ceil),
  sqrt = lanewise(sqrt), sin = lanewise(core.sin), cos = lanewise(core.cos), exp = lanewise(core.exp),
    log = lanewise(core.log),
  atan2 = lanewise(core.atan2),
}

local function folded(compute)
  return function(first, ...)
    for _, other in ipairs { ... } do first = lanewise(compute)(first, other) end
    return first
  end
end

functions.min, functions.max = folded(minimum), folded(maximum)

function functions.clamp(x, low, high) return functions.min(functions.max(x, low), high) end
function functions.mix(a, b, t) return a + (b - a) * t end

for lanes = 2, 4 do
  functions["vec" .. lanes] = function(...)
    local result, parts = vector(), { ... }
    for _, part in ipairs(parts) do
      for _, number in ipairs(part) do result[#result + 1] = number end
    end
    while #result < lanes do result[#result + 1] = result[1] end
    return result
  end
end

function functions.dot(a, b)
  local sum = a[1] * b[1]
  for lane = 2, #a do sum = sum + a[lane] * b[lane] end
  return vector(sum)
end

function functions.length(v) return vector(sqrt(functions.dot(v, v)[1])) end

function functions.normalize(v)
  local length = functions.length(v)
  return length[1] == 0 and v - v or v / length
end

function functions.cross(a, b)
  local function part(i, j) return a[i] * b[j] - a[j] * b[i] end
  if #a == 2 then return vector(part(1, 2)) end
  return vector(part(2, 3), part(3, 1), part(1, 2))
end

function functions.rotate(v, angle)
  local s, c = core.sin(angle[1]), core.cos(angle[1])
  return vector(v[1] * c - v[2] * s, v[1] * s + v[2] * c, v[3], v[4])
end

-- Translation --------------------------------------------------------------------------------------------------------

local KEYWORDS = {}
for word in ("and or not if then elseif else end local"):gmatch "%a+" do KEYWORDS[word] = true end

-- The tokens of a text without comments: { text, line }.
local function tokens_of(text)
  local tokens, at, line = {}, 1, 1
  local function skip(last)
    for _ in text:sub(at, last):gmatch "\n" do line = line + 1 end
    at = last + 1
  end
  local patterns = { "^[%a_][%w_]*", "^0[xX]%x+", "^%d*%.?%d*[eE][+-]?%d+", "^%d+%.?%d*", "^%.%d+", '^"[^"]*"',
    "^'[^']*'", "^[+%-*/=~<>]=", "^%p" }
  while at <= #text do
    local _, last = text:find("^%s+", at)
    if not last and text:find("^%-%-%[(=*)%[", at) then
      _, last = text:find("]" .. text:match("^%-%-%[(=*)%[", at) .. "]", at, true)
    elseif not last and text:find("^%-%-", at) then
      _, last = text:find("^[^\n]*", at)
    end
    if last then
      skip(last)
    else
      for _, pattern in ipairs(patterns) do
        _, last = text:find(pattern, at)
        if last then break end
      end
      tokens[#tokens + 1] = { text = text:sub(at, last), line = line }
      skip(last)
    end
  end
  return tokens
end

local function is_name(token) return token and token.text:find "^[%a_]" and not KEYWORDS[token.text] end

local function ends_operand(token)
  return is_name(token) or token.text:find "^[%d%)\"']" or token.text:find "^%.%d"
end

-- The place after the expression that begins at a place: two operands in a row do not belong together.
local function after_expression(tokens, place)
  local depth = 0
  while tokens[place] do
    local text = tokens[place].text
    local begins = depth == 0 and place > 1 and is_name(tokens[place]) and ends_operand(tokens[place - 1])
    if begins and tokens[place - 1].text ~= "." then return place end
    if depth == 0 and (text == ";" or text == "local" or text == "if" or text == "end" or text == "else"
      or text == "elseif") then return place end
    if text == "(" then depth = depth + 1 elseif text == ")" then depth = depth - 1 end
    place = place + 1
  end
  return place
end

local function is_number(text) return text:find "^%.?%d" ~= nil end

-- The place of the operator of the assignment that begins at a place.
local function assignment(tokens, place)
  while not tokens[place].text:find "^[+%-*/]?=$" do place = place + 1 end
  return place
end

-- Translates the tokens from `first` to before `stop`, which are an expression.
local function expression(tokens, first, stop, state)
  local out, place = {}, first
  while place < stop do
    local text, follows = tokens[place].text, tokens[place + 1] and tokens[place + 1].text
    local member = place > first and tokens[place - 1].text == "."
    if is_number(text) then
      out[#out + 1] = "number_('" .. text .. "')"
    elseif text == "random" and follows == "(" and not member then
      state.random = state.random + 1
      out[#out + 1] = "random(" .. state.random
      place = place + 1
    elseif text == "at" and follows == "(" and not member then
      local comma, depth = place + 2, 0
      while depth > 0 or tokens[comma].text ~= "," do
        depth = depth + (tokens[comma].text == "(" and 1 or tokens[comma].text == ")" and -1 or 0)
        comma = comma + 1
      end
      out[#out + 1] = ("at(%s, '%s', '%s'"):format(expression(tokens, place + 2, comma, state), tokens[comma + 1].text,
        tokens[comma + 3].text)
      place = comma + 3
    elseif is_name(tokens[place]) and not member and follows ~= "." and follows ~= "(" then
      out[#out + 1] = "copy_(" .. text .. ")" -- Lua compares a table with itself without __eq
    else
      out[#out + 1] = text
    end
    place = place + 1
  end
  -- A dot joins names; other tokens are separated.
  return (table.concat(out, " "):gsub(" %. ", "."))
end

local function target_of(tokens, first, stop)
  local out = {}
  for place = first, stop - 1 do out[#out + 1] = tokens[place].text end
  return table.concat(out)
end

-- Translates a text to Lua.
function oracle.translate(text)
  local tokens, out, place, statement, state = tokens_of(text), {}, 1, 0, { random = 0 }
  local function begin()
    statement = statement + 1
    out[#out + 1] = ("begin_(%d, %d)"):format(statement, tokens[place].line)
  end
  local function condition(word)
    local stop = place
    while tokens[stop].text ~= "then" do stop = stop + 1 end
    out[#out + 1] = word .. " " .. expression(tokens, place + 1, stop, state) .. " then"
    place = stop + 1
  end
  while tokens[place] do
    local word = tokens[place].text
    if word == ";" or word == "end" or word == "else" then
      out[#out + 1], place = word == ";" and "" or word, place + 1
    elseif word == "if" then
      begin()
      condition "if"
    elseif word == "elseif" then
      statement = statement + 1
      condition "elseif"
    else
      begin()
      local equals = assignment(tokens, place)
      local stop = after_expression(tokens, equals + 1)
      local target = target_of(tokens, word == "local" and place + 1 or place, equals)
      local value = expression(tokens, equals + 1, stop, state)
      local operator = tokens[equals].text:match "^(.)=$"
      if operator then value = ("%s %s (%s)"):format(target, operator, value) end
      out[#out + 1] = ("%s%s = copy_(%s)"):format(word == "local" and "local " or "", target, value)
      place = stop
    end
  end
  return table.concat(out, "\n")
end

-- Values of fields ---------------------------------------------------------------------------------------------------

local NOBODY = { "nobody" }

local function copy(value)
  if getmetatable(value) ~= Vector then return value end
  return vector(unpack(value, 1, #value))
end

local function from_lua(value)
  if type(value) == "number" then return vector(value + 0.0) end
  if type(value) == "table" and value ~= NOBODY then return vector(unpack(value)) end
  return value
end

-- The types of the fields of a manager, with the fields that are computed.
local function types_of(manager)
  local types = { world_position = "vec3", world_angle = "float", local_angle = "float" }
  for _, field in ipairs(manager:fields()) do types[field[1]] = field[2] end
  return types
end

local DEFAULTS = { local_scale = { 1, 1, 1 }, local_rotation = { 0, 0, 0, 1 }, local_position = { 0, 0, 0 },
  world_position = { 0, 0, 0 }, local_angle = 0, world_angle = 0 }

local function default_of(world, component, field, kind)
  if component == "transform" then return from_lua(DEFAULTS[field]) end
  for _, known in ipairs(core.schema.component_fields(world, component)) do
    if known.name == field then return kind == "entity" and NOBODY or from_lua(known.default) end
  end
end

local function read(world, entity, component, field, types)
  local manager, kind = world:manager(component), types[field]
  if not manager:has(entity) then return default_of(world, component, field, kind) end
  local results = { manager:read(entity, field) }
  if kind == "entity" then return results[1] == nil and NOBODY or results[1] end
  if type(results[1]) ~= "number" then return results[1] end
  return vector(unpack(results))
end

local function write(manager, entity, field, value)
  if not manager:has(entity) then return end
  if value == NOBODY then
    manager:write(entity, field, nil)
  elseif getmetatable(value) == Vector then
    manager:write(entity, field, unpack(value, 1, #value))
  else
    manager:write(entity, field, value)
  end
end

-- Running ------------------------------------------------------------------------------------------------------------

-- Makes a function(entities) that runs a text for each entity of a list, in order.
function oracle.new(world, text, parameters, is_expression)
  local known, types = {}, {}
  local state, before = {}, {}
  local env = { copy_ = copy, nobody = NOBODY }
  for name, value in pairs(parameters or {}) do env[name] = from_lua(value) end
  for name, fn in pairs(functions) do env[name] = fn end
  function env.number_(digits)
    local number = digits:find "^0[xX]" and tonumber(digits:sub(3), 16) or tonumber(digits)
    return vector(number + 0.0)
  end
  function env.begin_(statement, line) state.statement, state.line = statement, line end
  function env.alive(e) return e ~= NOBODY and world.entities:alive(e) end
  function env.random(place)
    return vector(core.formula.random(cuttle.entity_id(state.entity), place, parameters and parameters.seed or 0))
  end

  local function get(entity, component, field)
    types[component] = types[component] or types_of(world:manager(component))
    local kept = before[entity]
    if component == "transform" and kept and kept[field] then return copy(kept[field]) end
    return read(world, entity, component, field, types[component])
  end
  function env.at(e, component, field)
    if e == NOBODY or not world.entities:alive(e) then
      types[component] = types[component] or types_of(world:manager(component))
      return default_of(world, component, field, types[component][field])
    end
    return get(e, component, field)
  end

  local function set(component, field, value)
    state.path = component .. "." .. field
    write(world:manager(component), state.entity, field, value)
  end
  local function proxy(component)
    return setmetatable({}, {
      __index = function(_, field)
        local value = get(state.entity, component, field)
        if getmetatable(value) == Vector then rawset(value, "origin", function(v) set(component, field, v) end) end
        return value
      end,
      __newindex = function(_, field, value) set(component, field, value) end,
    })
  end
  env.has = setmetatable({}, { __index = function(_, name) return world:manager(name):has(state.entity) end })
  setmetatable(env, { __index = function(_, name)
    if name == "self" then return state.entity end
    known[name] = known[name] or world:manager(name) and proxy(name)
    return known[name]
  end })

  local source
  if is_expression then
    local tokens = tokens_of(text)
    source = "return copy_(" .. expression(tokens, 1, #tokens + 1, { random = 0 }) .. ")"
  else
    source = oracle.translate(text)
  end
  local run = setfenv(assert(loadstring(source, "=translation")), env)
  return function(entities)
    local results = {}
    for e in world.transform:each() do
      before[e] = { world_position = vector(world.transform:world_position(e)),
        world_angle = vector((select(3, world.transform:pose_2d(e)))) }
    end
    for place, e in ipairs(entities) do
      state.entity, state.path = e, nil
      local ok, result = pcall(run)
      if not ok then
        if not state.path or not result:find "bad argument" then error(result .. "\n" .. source, 0) end
        return { line = state.line, statement = state.statement, path = state.path, entity = e }
      end
      results[place] = result
    end
    return nil, results
  end, source
end

return oracle
