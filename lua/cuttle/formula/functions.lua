--- Functions of the formula language that take values, and the definitions of those that are composed of others.
-- Does not depend on the grammar.
-- @module cuttle.formula.functions

local types = require "cuttle.formula.types"

local vectors = types.vectors

local functions = {}

-- Checks of arguments. A call has `arguments` (values), `name`, and `call:fail(place, message, ...)`, which raises.

-- Raises unless the call has `count` arguments (or more, if `or_more`).
local function check_count(call, count, or_more)
  local given = #call.arguments
  if given == count or or_more and given > count then return end
  local expected = ("%d%s value%s"):format(count, or_more and " or more" or "", count == 1 and "" or "s")
  call:fail(nil, "'%s' takes %s, got %d", call.name, expected, given)
end

-- Raises unless an argument is a number or a vector (of `lanes` lanes, if given).
local function numeric(call, place, least, most)
  local value = call.arguments[place]
  local lanes = value.type.is_numeric and value.type.lanes
  if lanes and lanes >= (least or 1) and lanes <= (most or 4) then return value end
  local expected = most == 1 and "number" or most == 3 and "vec2 or vec3" or least and "vector" or "number or vector"
  call:fail(place, "%s expected in '%s', got %s", expected, call.name, value.type.name)
end

-- Returns the type of lane by lane work on all arguments: vectors of one type, and numbers for all of their lanes.
local function lanewise(call)
  local lanes = 1
  for place in ipairs(call.arguments) do
    local type = numeric(call, place).type
    if lanes > 1 and type.lanes > 1 and type.lanes ~= lanes then
      call:fail(place, "%s expected in '%s', got %s", vectors[lanes].name, call.name, type.name)
    end
    lanes = math.max(lanes, type.lanes)
  end
  return vectors[lanes]
end

-- Raises unless the two arguments are vectors of one type.
local function two_vectors(call, least, most)
  check_count(call, 2)
  local a, b = numeric(call, 1, least, most), numeric(call, 2, least, most)
  if a.type ~= b.type then
    call:fail(2, "%s expected in '%s', got %s", a.type.name, call.name, b.type.name)
  end
  return a, b
end

-- One operation for each lane.
local function operation(op, count)
  return function(call, build)
    check_count(call, count)
    return build:operation(op, lanewise(call), call.arguments[1], call.arguments[2])
  end
end

for _, name in ipairs { "abs", "sign", "floor", "ceil", "sqrt", "sin", "cos", "exp", "log" } do
  functions[name] = operation(name:upper(), 1)
end
functions.atan2 = operation("ATAN2", 2)

-- min and max of two or more values, from the left.
for _, name in ipairs { "min", "max" } do
  functions[name] = function(call, build)
    check_count(call, 2, true)
    local result, type = call.arguments[1], lanewise(call)
    for place = 2, #call.arguments do result = build:binary(name:upper(), result, call.arguments[place]) end
    return build:widen(result, type)
  end
end

function functions.clamp(call, build)
  check_count(call, 3)
  lanewise(call)
  local value, low, high = call.arguments[1], call.arguments[2], call.arguments[3]
  return build:binary("MIN", build:binary("MAX", value, low), high)
end

function functions.mix(call, build)
  check_count(call, 3)
  lanewise(call)
  local a, b, t = call.arguments[1], call.arguments[2], call.arguments[3]
  return build:binary("ADD", a, build:binary("MUL", build:binary("SUB", b, a), t))
end

-- vec2, vec3, vec4: one number for all lanes, or numbers and vectors that have as many lanes together.
for lanes = 2, 4 do
  local type = vectors[lanes]
  functions[type.name] = function(call, build)
    local count = 0
    for place in ipairs(call.arguments) do count = count + numeric(call, place).type.lanes end
    if #call.arguments == 1 and count == 1 then return build:widen(call.arguments[1], type) end
    if count ~= lanes then
      call:fail(nil, "'%s' takes 1 or %d numbers, got %d", call.name, lanes, count)
    end
    return build:compose(type, call.arguments)
  end
end

-- The sum of the products of all lanes, from the first one.
local function dot(build, a, b)
  local products = build:binary("MUL", a, b)
  local sum = build:lanes(products, 0)
  for lane = 1, a.type.lanes - 1 do sum = build:binary("ADD", sum, build:lanes(products, lane)) end
  return sum
end

local function length(build, v)
  return build:operation("SQRT", types.number, dot(build, v, v))
end

function functions.dot(call, build)
  return dot(build, two_vectors(call, 2))
end

function functions.length(call, build)
  check_count(call, 1)
  return length(build, numeric(call, 1, 2))
end

-- The vector divided by its length; zero if the length is zero.
function functions.normalize(call, build)
  check_count(call, 1)
  local v = numeric(call, 1, 2)
  local size, zero = length(build, v), build:constant(0)
  local is_zero = build:operation("EQ", types.boolean, size, zero)
  return build:operation("SELECT", v.type, is_zero, zero, build:binary("DIV", v, size))
end

-- Two vec3 give a vec3; two vec2 give its third lane.
function functions.cross(call, build)
  local a, b = two_vectors(call, 2, 3)
  local function part(first, second)
    local left = build:binary("MUL", build:lanes(a, first), build:lanes(b, second))
    return build:binary("SUB", left, build:binary("MUL", build:lanes(a, second), build:lanes(b, first)))
  end
  if a.type == vectors[2] then return part(0, 1) end
  return build:compose(vectors[3], { part(1, 2), part(2, 0), part(0, 1) })
end

function functions.rotate(call, build)
  check_count(call, 2)
  local v, angle = numeric(call, 1, 2), numeric(call, 2, 1, 1)
  local c, s = build:operation("COS", types.number, angle), build:operation("SIN", types.number, angle)
  local x, y = build:lanes(v, 0), build:lanes(v, 1)
  local turned_x = build:binary("SUB", build:binary("MUL", x, c), build:binary("MUL", y, s))
  local turned_y = build:binary("ADD", build:binary("MUL", x, s), build:binary("MUL", y, c))
  local parts = { turned_x, turned_y }
  for lane = 2, v.type.lanes - 1 do parts[#parts + 1] = build:lanes(v, lane) end
  return build:compose(v.type, parts)
end

function functions.alive(call, build)
  check_count(call, 1)
  local value = call.arguments[1]
  if value.type ~= types.entity then call:fail(1, "entity expected in 'alive', got %s", value.type.name) end
  return build:operation("ALIVE", types.boolean, value)
end

return functions
