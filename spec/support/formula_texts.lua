-- Random texts of the formula language, from a grammar that knows types: every text compiles.
--
--     local texts = formula_texts.new(pick, fields, parameters)
--     local text, statements = texts.text(8)

local texts = {}

-- Precedence of expressions.
local OR, AND, COMPARE, ADD, MUL, UNARY, POWER, ATOM = 1, 2, 3, 6, 7, 8, 10, 11

local LANES = { "x", "y", "z", "w" }
local VECTORS = { vec2 = 2, vec3 = 3, vec4 = 4 }

local LITERALS = { "0", "1", "2", "3", "0.5", ".25", "4.", "10", "7", "0x10", "1e-3", "2.5e2", "1e30", "1e300", "0.1" }

-- Makes a generator. `pick(n)` returns 1 to n. `fields` is a list of { path, type, labels, access } with access "read",
-- "write" (also read) or "at" (only of other entities); `parameters` a list of { name, type }; `optional` a list of
-- names.
function texts.new(pick, fields, parameters, optional)
  local self, scopes, expression = {}, {}, nil

  local function one_of(list) return list[pick(#list)] end

  local function in_parentheses(text, precedence, least)
    if precedence < least or pick(12) == 1 then return "(" .. text .. ")" end
    return text
  end

  -- The text of an expression, in parentheses if its precedence is below `least`.
  local function part(kind, depth, least)
    local text, precedence = expression(kind, depth - 1)
    return in_parentheses(text, precedence, least or 0)
  end

  local function named(kind, accept)
    local found = {}
    for _, field in ipairs(fields) do
      if field.type == kind and accept(field) then found[#found + 1] = field end
    end
    return #found > 0 and one_of(found) or nil
  end

  local function is_own(field) return field.access ~= "at" end

  -- A local, parameter or field of a type; nil if there is none.
  local function leaf(kind)
    local found = {}
    for _, scope in ipairs(scopes) do
      for name, known in pairs(scope) do
        if known == kind then found[#found + 1] = name end
      end
    end
    table.sort(found)
    for _, parameter in ipairs(parameters) do
      if parameter.type == kind then found[#found + 1] = parameter.name end
    end
    local field = named(kind, is_own)
    if #found > 0 and (not field or pick(2) == 1) then return one_of(found) end
    return field and field.path
  end

  local function binary(sign, precedence, left, right, depth)
    return part(left, depth, precedence) .. " " .. sign .. " " .. part(right, depth, precedence + 1), precedence
  end

  local function call(name, ...)
    return name .. "(" .. table.concat({ ... }, ", ") .. ")", ATOM
  end

  local function choice(kind, depth)
    return part("boolean", depth, AND) .. " and " .. part(kind, depth, AND + 1) .. " or " .. part(kind, depth, AND), OR
  end

  local function at(kind, depth)
    local field = named(kind, function(other) return other.access == "at" end)
    return field and call("at", part("entity", depth), field.path)
  end

  local function arithmetic(kind, depth)
    local sign = one_of { "+", "-", "*", "/", "%" }
    local left, right = kind, kind
    if kind ~= "number" and pick(3) == 1 then
      if pick(2) == 1 then left = "number" else right = "number" end
    end
    return binary(sign, (sign == "+" or sign == "-") and ADD or MUL, left, right, depth)
  end

  -- Expressions of numbers and vectors alike.
  local function numeric(kind, depth)
    local way = pick(10)
    if way <= 4 then return arithmetic(kind, depth) end
    if way == 5 then return "-" .. in_parentheses(part(kind, depth, ATOM), UNARY, ATOM):gsub("^%-", " -"), UNARY end
    if way == 6 then return part(kind, depth, ATOM) .. "^" .. (pick(9) - 5), POWER end
    if way == 7 then
      return call(one_of { "abs", "sign", "floor", "ceil", "sqrt", "sin", "cos", "exp", "log" }, part(kind, depth))
    end
    if way == 8 then return call(one_of { "min", "max", "atan2" }, part(kind, depth), part(kind, depth)) end
    if way == 9 then
      if pick(2) == 1 then return call("clamp", part(kind, depth), part("number", depth), part(kind, depth)) end
      return call("mix", part(kind, depth), part(kind, depth), part("number", depth))
    end
    return choice(kind, depth)
  end

  local function a_vector() return "vec" .. (pick(3) + 1) end

  local function number(depth)
    local way = pick(12)
    local kind = a_vector()
    if way == 1 then return part(kind, depth, ATOM) .. "." .. LANES[pick(VECTORS[kind])], ATOM end
    if way == 2 then return call("dot", part(kind, depth), part(kind, depth)) end
    if way == 3 then return call("length", part(kind, depth)) end
    if way == 4 then return call("random") end
    if way == 5 then return call("cross", part("vec2", depth), part("vec2", depth)) end
    if way == 6 then
      local text = at("number", depth)
      if text then return text, ATOM end
    end
    return numeric("number", depth)
  end

  local function vector(kind, depth)
    local way, lanes = pick(12), VECTORS[kind]
    if way == 1 then return call("normalize", part(kind, depth)) end
    if way == 2 then return call("rotate", part(kind, depth), part("number", depth)) end
    if way == 3 then
      if lanes == 3 then return call("cross", part(kind, depth), part(kind, depth)) end
      return call(kind, part("number", depth))
    end
    if way == 4 and lanes < 4 then
      local wider = lanes == 2 and one_of { "vec2", "vec3", "vec4" } or one_of { "vec3", "vec4" }
      return part(wider, depth, ATOM) .. (lanes == 2 and ".xy" or ".xyz"), ATOM
    end
    if way == 5 then
      local text = at(kind, depth)
      if text then return text, ATOM end
    end
    if way <= 7 then
      local parts = {}
      if lanes > 2 and pick(2) == 1 then parts[1] = part("vec2", depth) end
      for _ = #parts * 2 + 1, lanes do parts[#parts + 1] = part("number", depth) end
      return call(kind, unpack(parts))
    end
    return numeric(kind, depth)
  end

  local function boolean(depth)
    local way = pick(10)
    if way <= 4 then return binary(one_of { "<", "<=", ">", ">=", "==", "~=" }, COMPARE, "number", "number", depth) end
    if way == 5 then return binary("and", AND, "boolean", "boolean", depth) end
    if way == 6 then return binary("or", OR, "boolean", "boolean", depth) end
    if way == 7 then return "not " .. part("boolean", depth, UNARY), UNARY end
    if way == 8 then return binary(one_of { "==", "~=" }, COMPARE, "entity", "entity", depth) end
    if way == 9 then
      local field = named("enum", is_own)
      if field then return field.path .. one_of { " == ", " ~= " } .. '"' .. one_of(field.labels) .. '"', COMPARE end
    end
    if #optional > 0 and pick(2) == 1 then return "has." .. one_of(optional), ATOM end
    return call("alive", part("entity", depth))
  end

  function expression(kind, depth)
    local leafy = (depth <= 0 or pick(4) == 1) and leaf(kind)
    if leafy and (kind ~= "number" or pick(2) == 1) then return leafy, ATOM end
    if kind == "number" then
      if depth <= 0 or pick(5) == 1 then return one_of(LITERALS), ATOM end
      return number(depth)
    elseif kind == "boolean" then
      if depth <= 0 then return one_of { "true", "false" }, ATOM end
      return boolean(depth)
    elseif kind == "entity" then
      if depth > 0 and pick(4) == 1 then return choice("entity", depth) end
      return one_of { "self", "nobody" }, ATOM
    end
    if depth <= 0 then return call(kind, one_of(LITERALS)) end
    return vector(kind, depth)
  end

  -- Statements
  -- -------------------------------------------------------------------------------------------------------------

  local DEPTH = 3
  local statements
  local count = 0

  local function declare(indent)
    local kind = one_of { "number", "number", "boolean", "entity", "vec2", "vec3", "vec4" }
    local text = part(kind, DEPTH)
    local name = "l" .. pick(6)
    for _, scope in ipairs(scopes) do
      if scope[name] and scope ~= scopes[#scopes] then scope[name] = nil end
    end
    scopes[#scopes][name] = kind
    return indent .. "local " .. name .. " = " .. text
  end

  -- A whole number in a range, for fields of integers; sometimes a value that may not fit.
  local function whole(field)
    if pick(25) == 1 then return part("number", 2) end
    local value = part("number", 2, COMPARE + 1)
    return ("(%s) > %d and floor(min(%s, %d)) or %d"):format(value, field.low, value, field.high, pick(5))
  end

  local function assign(indent, target, kind, field)
    if field and field.low then return indent .. target .. " = " .. whole(field) end
    if kind == "enum" then
      local label = '"' .. one_of(field.labels) .. '"'
      if pick(2) == 1 then
        label = part("boolean", 2, AND) .. " and " .. label .. ' or "' .. one_of(field.labels) .. '"'
      end
      return indent .. target .. " = " .. label
    end
    if VECTORS[kind] and pick(3) == 1 then
      local lane = pick(VECTORS[kind])
      local name = pick(3) == 1 and VECTORS[kind] > 2 and "xyz" or lane > 1 and pick(2) == 1 and "xy" or LANES[lane]
      target, kind = target .. "." .. name, #name == 1 and "number" or "vec" .. #name
    end
    local numeric_kind = kind == "number" or VECTORS[kind]
    if numeric_kind and pick(3) == 1 then
      local right = pick(3) == 1 and "number" or kind
      return indent .. target .. " " .. one_of { "+=", "-=", "*=", "/=" } .. " " .. part(right, DEPTH)
    end
    return indent .. target .. " = " .. part(kind, DEPTH)
  end

  local function assignment(indent)
    local names = {}
    for _, scope in ipairs(scopes) do
      for name, kind in pairs(scope) do names[#names + 1] = { name, kind } end
    end
    table.sort(names, function(a, b) return a[1] < b[1] end)
    if #names > 0 and pick(3) == 1 then
      local known = one_of(names)
      return assign(indent, known[1], known[2])
    end
    local writable = {}
    for _, field in ipairs(fields) do
      if field.access == "write" then writable[#writable + 1] = field end
    end
    local field = one_of(writable)
    return assign(indent, field.path, field.type, field)
  end

  local function block(indent, most)
    scopes[#scopes + 1] = {}
    local text = statements(indent, pick(most) - 1)
    scopes[#scopes] = nil
    return text
  end

  local function branch(indent)
    local out = { indent .. "if " .. part("boolean", DEPTH) .. " then", block(indent .. "  ", 4) }
    for _ = 1, pick(3) - 1 do
      out[#out + 1] = indent .. "elseif " .. part("boolean", DEPTH) .. " then"
      count = count + 1
      out[#out + 1] = block(indent .. "  ", 3)
    end
    if pick(2) == 1 then
      out[#out + 1] = indent .. "else"
      out[#out + 1] = block(indent .. "  ", 3)
    end
    out[#out + 1] = indent .. "end"
    return table.concat(out, "\n")
  end

  function statements(indent, number_of)
    local out = {}
    for _ = 1, number_of do
      count = count + 1
      local way = pick(10)
      if way <= 2 then
        out[#out + 1] = declare(indent)
      elseif way <= 4 and #indent < 8 then
        out[#out + 1] = branch(indent)
      else
        out[#out + 1] = assignment(indent)
      end
      if pick(8) == 1 then out[#out] = out[#out] .. one_of { ";", " -- a comment", " --[[ if ]]", " ;" } end
    end
    return table.concat(out, "\n")
  end

  -- Returns a text of about `most` statements, and how many statements it has.
  function self.text(most)
    scopes, count = { {} }, 0
    local text = statements("", pick(most))
    return text, count
  end

  -- Returns an expression of a type.
  function self.expression(kind, depth)
    scopes = { {} }
    return part(kind, depth)
  end

  return self
end

return texts
