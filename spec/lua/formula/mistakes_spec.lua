-- Mistakes in the text of a formula: the line, the column, what was expected and the nearest known name.

local formula_world = require "spec.support.formula_world"
local raises = require "spec.support.raises"

local place = formula_world.new()

local function refuses(name, cases)
  describe(name, function()
    for _, case in ipairs(cases) do
      it("is found in: " .. case[1]:gsub("\n", "; "), function() assert.equal(case[2], place.mistake(case[1],
        case[3])) end)
    end
  end)
end

refuses("An unknown name", {
  { "out.number = 1\npoint_mass.velocty = vec3(1)",
    "line 2: no field 'velocty' in point_mass, column 12 (did you mean 'velocity'?)" },
  { "bdy.x = 1", "line 1: no component 'bdy', column 1 (did you mean 'body'?)" },
  { "body.x = body.y", "line 1: no field 'y' in body, column 15 (did you mean 'x'?)" },
  { "body.x = speeed", "line 1: no local, parameter, component or function 'speeed', column 10 (did you mean 'speed'?)",
    { speed = 1 } },
  { "local range = 1 body.x = rang",
    "line 1: no local, parameter, component or function 'rang', column 26 (did you mean 'range'?)" },
  { "body.x = sqr(1)", "line 1: no local, parameter, component or function 'sqr', column 10 (did you mean 'sqrt'?)" },
  { "body.v.q = 1", "line 1: a vec2 has no lane 'q', column 8 (did you mean 'x'?)" },
  { "body.v.z = 1", "line 1: a vec2 has no lane 'z', column 8 (did you mean 'x'?)" },
  { "body.x.x = 1", "line 1: a number has no lane 'x', column 8" },
  { "out.number = self.x", "line 1: an entity has no lane 'x', column 19" },
  { "out.number = body.state.x", "line 1: an enum has no lane 'x', column 25" },
  { "body.state = 'runn'", "line 1: the enum has no label \"runn\", column 14 (did you mean 'run'?)" },
  { "if body.state == 'rn' then end", "line 1: the enum has no label \"rn\", column 18 (did you mean 'run'?)" },
  { "if has.extr then out.number = 1 end", "line 1: no component 'extr', column 8 (did you mean 'extra'?)" },
  { "out.number = at(body.target, lot.value)", "line 1: no component 'lot', column 30 (did you mean 'loot'?)" },
  { "if true then local a = 1 end out.number = a",
    "line 1: no local, parameter, component or function 'a', column 43 (did you mean 'at'?)" },
})

refuses("A wrong grammar", {
  { "", "line 1: statement expected, got the end of the text, column 1" },
  { "-- nothing", "line 1: statement expected, got the end of the text, column 11" },
  { "out.number",
    "line 1: expected '=', '+=', '-=', '*=' or '/=' after 'out.number', got the end of the text, column 11" },
  { "out.number == 1",
    "line 1: expected '=', '+=', '-=', '*=' or '/=' after 'out.number', got '==', column 12 (did you mean '='?)" },
  { "out.number = ", "line 1: expression expected, got the end of the text, column 14" },
  { "out.number = 1 +", "line 1: expression expected, got the end of the text, column 17" },
  { "out.number = * 2", "line 1: expression expected, got '*', column 14" },
  { "out.number = (1", "line 1: expected ')' to close the '(', got the end of the text, column 16" },
  { "out.number = 1)", "line 1: statement expected, got ')', column 15" },
  { "out.number = 1 2", "line 1: statement expected, got '2', column 16" },
  { "out = 1", "line 1: expected '.' and a field after the component 'out', got '=', column 5" },
  { "out.number = out",
    "line 1: expected '.' and a field after the component 'out', got the end of the text, column 17" },
  { "out.end = 1", "line 1: expected a field, got 'end', column 5 (a name that is a keyword is written _(\"end\"))" },
  { "out. = 1", "line 1: expected a field, got '=', column 6" },
  { "_(end).x = 1", "line 1: expected a component as a string, got 'end', column 3" },
  { "if body.on out.number = 1 end", "line 1: expected 'then' after the condition of 'if', got 'out', column 12" },
  { "if body.on then\nout.number = 1\n",
    "line 3: expected 'end' for the 'if' in line 1, got the end of the text, column 1" },
  { "if body.on then else elseif body.on then end",
    "line 1: expected 'end' for the 'if' in line 1, got 'elseif', column 22" },
  { "out.number = 1 end", "line 1: 'end' without 'if', column 16" },
  { "else", "line 1: 'else' without 'if', column 1" },
  { "local = 1", "line 1: expected a name after 'local', got '=', column 7" },
  { "local a", "line 1: expected '=' and a value for the local 'a', got the end of the text, column 8" },
  { "local a, b = 1, 2", "line 1: expected '=' and a value for the local 'a', got ',', column 8" },
  { "a = 1", "line 1: no local 'a' to assign to, column 1 (did you mean 'local a'?)" },
  { "for i = 1, 2 do end", "line 1: a formula has no 'for', column 1" },
  { "while true do end", "line 1: a formula has no 'while', column 1" },
  { "return 1", "line 1: a formula has no 'return', column 1" },
  { "local function f() end", "line 1: expected a name after 'local', got 'function', column 7" },
  { "out.number = nil", "line 1: a formula has no nil, column 14 (did you mean 'nobody'?)" },
  { "out.number = min", "line 1: expected '(' after the function 'min', got the end of the text, column 17" },
  { "out.number = min(1 2)", "line 1: expected ',' or ')' in the call of 'min', got '2', column 20" },
  { "out.number = min(1, )", "line 1: expression expected, got ')', column 21" },
  { "out.number = random(1)",
    "line 1: expected ')' in the call of 'random', which takes no value, got '1', column 21" },
  { "out.number = at(body.target)", "line 1: expected ',' and a field in the call of 'at', got ')', column 28" },
  { "out.number = at(body.target, loot)",
    "line 1: expected '.' and a field after the component 'loot', got ')', column 34" },
  { "out.number = has", "line 1: expected '.' and a component after 'has', got the end of the text, column 17" },
})

refuses("A wrong type", {
  { "out.number = body.v", "line 1: number expected for 'out.number', got vec2, column 14" },
  { "out.vec3 = body.v", "line 1: vec3 expected for 'out.vec3', got vec2, column 12" },
  { "out.vec3 = 0", "line 1: vec3 expected for 'out.vec3', got number: write vec3(x) for all lanes, column 12" },
  { "out.number = true", "line 1: number expected for 'out.number', got boolean, column 14" },
  { "out.boolean = 1", "line 1: boolean expected for 'out.boolean', got number, column 15" },
  { "out.other = 1", "line 1: entity expected for 'out.other', got number, column 13" },
  { "out.number = 'x'", "line 1: number expected for 'out.number', got string, column 14" },
  { "body.state = 1", "line 1: enum expected for 'body.state', got number, column 14" },
  { "out.vec3.xy = body.p", "line 1: vec2 expected for 'out.vec3.xy', got vec3, column 15" },
  { "out.number += body.v", "line 1: number expected for 'out.number', got vec2, column 15" },
  { "out.vec3 += body.v", "line 1: '+=' needs vectors of equal length, got a vec3 and a vec2, column 10" },
  { "out.vec3 = body.p * body.v", "line 1: '*' needs vectors of equal length, got a vec3 and a vec2, column 19" },
  { "out.number = 1 + body.on", "line 1: number or vector expected for '+', got a boolean, column 16" },
  { "out.number = body.target - 1", "line 1: number or vector expected for '-', got an entity, column 26" },
  { "out.number = -body.on", "line 1: number or vector expected for '-', got a boolean, column 14" },
  { "out.boolean = not 1", "line 1: boolean expected after 'not', got a number, column 15" },
  { "if body.hp then out.number = 1 end", "line 1: boolean expected after 'if', got a number, column 4" },
  { "if body.on then elseif 1 then end", "line 1: boolean expected after 'elseif', got a number, column 24" },
  { "out.boolean = 1 and body.on", "line 1: boolean expected before 'and', got a number, column 17" },
  { "out.boolean = body.on or 1", "line 1: boolean expected after 'or', got a number, column 23" },
  { "out.number = body.on and 1", "line 1: number expected for 'out.number', got 'and' without 'or', column 14" },
  { "out.number = (body.on and 1) + 1",
    "line 1: number or vector expected for '+', got 'and' without 'or', column 30" },
  { "local a = body.on and 1", "line 1: a local cannot hold 'and' without 'or', column 11" },
  { "local a = 'run'", "line 1: a local cannot hold a string, column 11" },
  { "out.number = body.on and 1 or body.v",
    "line 1: both values of 'and ... or' must have one type, got a number and a vec2, column 28" },
  { "out.boolean = body.v < body.v",
    "line 1: number expected for '<', got a vec2: compare lanes, or the length, column 22" },
  { "out.boolean = body.v == body.v",
    "line 1: '==' cannot compare vectors: compare lanes, or the length of the difference, column 22" },
  { "out.boolean = 1 < 2 < 3", "line 1: number expected for '<', got a boolean, column 21" },
  { "out.boolean = body.target < self", "line 1: number expected for '<', got an entity, column 27" },
  { "out.boolean = body.target == 1", "line 1: '==' cannot compare an entity with a number, column 27" },
  { "out.boolean = body.state == 1", "line 1: '==' cannot compare an enum with a number, column 26" },
  { "out.boolean = body.state == extra.mode",
    "line 1: '==' cannot compare an enum with an enum of other labels, column 26" },
  { "extra.mode = body.state", "line 1: enum expected for 'extra.mode', got enum of other labels, column 14" },
  { "if body.hp = 1 then out.number = 1 end",
    "line 1: expected 'then' after the condition of 'if', got '=', column 12 (did you mean '=='?)" },
  { "out.boolean = 'a' == 'a'", "line 1: '==' cannot compare a string, column 19" },
  { "out.number = sin(true)", "line 1: number or vector expected in 'sin', got boolean, column 18" },
  { "out.number = length(1)", "line 1: vector expected in 'length', got number, column 21" },
  { "out.number = dot(body.v, body.p)", "line 1: vec2 expected in 'dot', got vec3, column 26" },
  { "out.vec2 = rotate(body.v, body.v)", "line 1: number expected in 'rotate', got vec2, column 27" },
  { "out.vec3 = cross(body.c, body.c)", "line 1: vec2 or vec3 expected in 'cross', got vec4, column 18" },
  { "out.number = min(1)", "line 1: 'min' takes 2 or more values, got 1, column 14" },
  { "out.number = sin()", "line 1: 'sin' takes 1 value, got 0, column 14" },
  { "out.number = clamp(1, 2)", "line 1: 'clamp' takes 3 values, got 2, column 14" },
  { "out.vec3 = vec3(1, 2)", "line 1: 'vec3' takes 1 or 3 numbers, got 2, column 12" },
  { "out.vec3 = vec3()", "line 1: 'vec3' takes 1 or 3 numbers, got 0, column 12" },
  { "out.boolean = alive(1)", "line 1: entity expected in 'alive', got number, column 21" },
  { "out.number = at(1, loot.value)", "line 1: entity expected in 'at', got a number, column 17" },
  { "out.number = 2 ^ body.x", "line 1: '^' needs a constant whole exponent from -4 to 4, column 16" },
  { "out.number = 2 ^ 5", "line 1: '^' needs a constant whole exponent from -4 to 4, column 16" },
  { "out.number = 2 ^ 0.5", "line 1: '^' needs a constant whole exponent from -4 to 4, column 16" },
  { "out.number = true ^ 2", "line 1: number or vector expected for '^', got a boolean, column 19" },
})

refuses("A field that a text cannot use", {
  { "odd.title = 'x'", "line 1: the field 'odd.title' has the type string, which formulas do not have, column 5" },
  { "out.number = odd.bag", "line 1: the field 'odd.bag' has the type value, which formulas do not have, column 18" },
  { "odd.grid = 1", "line 1: the field 'odd.grid' has the type mat4, which formulas do not have, column 5" },
  { "transform.world_matrix = 1",
    "line 1: the field 'transform.world_matrix' has the type mat4, which formulas do not have, column 11" },
  { "transform.world_position = vec3(0)", "line 1: the field 'transform.world_position' is read-only, column 1" },
  { "transform.world_angle += 1", "line 1: the field 'transform.world_angle' is read-only, column 1" },
  { "body.hp = at(body.target, body.hp)", "line 1: the text writes 'body.hp', so 'at' cannot read it, column 27" },
  { "local a = at(self, body.hp) body.hp = 3", "line 1: the text writes 'body.hp', so 'at' cannot read it, column 20" },
  { "transform.local_angle = at(body.target, transform.local_rotation).x",
    "line 1: the text writes 'transform.local_rotation', so 'at' cannot read it, column 41" },
})

refuses("A name with two meanings", {
  { "local min = 1", "line 1: the local 'min' has the name of a function, column 7" },
  { "local at = 1", "line 1: the local 'at' has the name of a function, column 7" },
  { "local self = 1", "line 1: the local 'self' has the name of a keyword, column 7" },
  { "local describe = 1", "line 1: the local 'describe' has the name of a method of formulas, column 7" },
  { "local body = body.x", "line 1: the local 'body' has the name of a component of the text, column 7" },
  { "out.number = body.x local body = 1",
    "line 1: the local 'body' has the name of a component of the text, column 27" },
  { "if true then local body = 1 end out.number = body.x",
    "line 1: the local 'body' has the name of a component of the text, column 46" },
  { "out.number = body.x",
    "line 1: a number has no lane 'x', column 19 ('body' is a parameter here, not the component; rename it)",
    { body = 1 } },
  { 'out.number = _("body").x', "line 1: the parameter 'body' has the name of a component of the text, column 14",
    { body = 1 } },
  { "dt = 1", "line 1: the parameter 'dt' is read-only in the text, column 1", { dt = 1 } },
  { "self = nobody", "line 1: 'self' cannot be assigned to, column 1" },
  { "random() = 1", "line 1: 'random' cannot be assigned to, column 1" },
  { "length(body.v) > 2", "line 1: 'length' cannot be assigned to, column 1" },
  { "min = 2", "line 1: 'min' cannot be assigned to, column 1" },
})

describe("A parameter", function()
  local function refuse(message, parameters)
    raises(message, place.world.formula, place.world, "out.number = 1", parameters)
  end

  it("cannot have the name of a function, a method, a keyword or a value", function()
    refuse("the parameter 'sin' has the name of a function", { sin = 1 })
    refuse("the parameter 'random' has the name of a function", { random = 1 })
    refuse("the parameter 'describe' has the name of a method of formulas", { describe = 1 })
    refuse("the parameter 'end' has the name of a keyword", { ["end"] = 1 })
    refuse("the parameter 'nobody' has the name of a keyword", { nobody = 1 })
  end)

  it("has a name that a text can use", function()
    refuse("names of parameters are strings, got number", { 5 })
    refuse('the parameter "a b" has a name that a formula cannot use', { ["a b"] = 1 })
    refuse('the parameter "" has a name that a formula cannot use', { [""] = 1 })
  end)

  it("is a number, a boolean, an entity or a table of 2 to 4 numbers", function()
    local expected = "number, boolean, entity or table of 2 to 4 numbers expected, got "
    refuse("the parameter 'a': " .. expected .. "string", { a = "x" })
    refuse("the parameter 'a': " .. expected .. "function", { a = print })
    refuse("the parameter 'a': " .. expected .. "a table of 1", { a = { 1 } })
    refuse("the parameter 'a': " .. expected .. "a table of 5", { a = { 1, 2, 3, 4, 5 } })
    refuse("the parameter 'a': number expected at [2], got string", { a = { 1, "x" } })
  end)

  it("is a number if it is the seed of random()", function()
    raises("line 1: number expected for the parameter 'seed' of 'random', got boolean, column 14",
      place.world.formula, place.world, "out.number = random()", { seed = true })
  end)

  it("is given in a table", function()
    refuse("bad argument #2 to 'formula' (table of parameters expected, got number)", 5)
  end)
end)

describe("The text of a formula", function()
  it("is a string", function()
    raises("bad argument #1 to 'formula' (text expected as a string, got nil)", place.world.formula, place.world)
  end)

  it("names a required component", function()
    raises("bad argument #1 to 'formula' (the text names no component)", place.world.formula, place.world,
      "local a = 1")
    raises("(the text requires no component: one must occur outside of 'has')", place.world.formula, place.world,
      "if has.extra then extra.a = 1 end")
  end)

  it("has its mistakes at the line of the script", function()
    local ok, message = pcall(function() place.world:formula "out.number = velocty" end)
    assert.is_false(ok)
    assert.matches("^[^:]*mistakes_spec%.lua:%d+: line 1: no local", message)
  end)
end)
