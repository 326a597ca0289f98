-- Any text as a formula, a condition and an expression, for fuzzers: it is refused with a message, or computes.

local saves = require "spec.support.saves"
local valid = require "spec.support.valid"

local input = {}

--- Texts that are accepted.
input.TEXTS = {
  "health.hp = health.hp - damage * 2 -- a comment\n"
    .. "if health.hp <= 0 or not on then health.hp = clamp(health.hp, 0, 9) end",
  "local v = transform.local_position.xy * vec2(0.5, -2)\ntransform.local_position.xy += rotate(v, 0x10 % 3);\n"
    .. "transform.local_angle = has.transform and atan2(v.y, v.x) or random()",
  "health.target = alive(health.target) and health.target ~= self and who or nobody",
  "health.hp = at(health.target, transform.local_position).x + max(sqrt(abs(sin(1))), exp(-1), log(2), 1e3)^-2",
  "if health.hp < 3 then if on then health.hp *= 2 elseif health.hp > 1 then health.hp /= 3 else health.hp = 1 end end",
  "health.hp > 2 and health.hp ~= damage", "length(transform.local_position) + mix(1, 2, .25)",
  "normalize(transform.world_position)", "_(\"health\").hp == 1",
}

-- A refusal names the line, or is about the whole text. An error of Lua has another place.
local function refusal_trouble(message)
  if type(message) ~= "string" then return "it gave no message, but " .. tostring(message) end
  if message:find("%.lua:%d+: ") or message:find("attempt to ", 1, true) or message:find("traceback", 1, true) then
    return "it gave an error of Lua: " .. message
  end
  if not message:find "line %d+[:,]" and not message:find("the text", 1, true) then
    return "it gave no line: " .. message
  end
end

-- Compiles a text with a method and calls `use` with the result. Returns an error or nil.
local function compile(query, method, text, parameters, use)
  local ok, made = pcall(query[method], query, text, parameters)
  if not ok then return refusal_trouble(made) end
  if use then return use(made) end
end

--- Returns the error in the handling of a text, or nil.
function input.trouble(text)
  local world, entities = saves.new_world()
  local first
  for i = 1, 3 do first = saves.create(world, i, first) end
  local query, parameters = world:query("health", "?transform"), { damage = 1.5, on = true, who = first }

  local function run(formula)
    local before = entities:hash()
    formula:describe()
    local ok, message = pcall(formula)
    if ok then return nil end
    return entities:hash() ~= before and "an error left changes" or refusal_trouble(message)
  end

  local function test(matches)
    return matches:count() > query:count() and "a condition added matches" or nil
  end

  local trouble = compile(query, "formula", text, parameters, run) or compile(query, "where", text, parameters, test)
    or compile(query, "sum", text, parameters) or compile(query, "lowest", text, parameters)
    or compile(query, "sorted", text)
  valid(world)
  world:destroy()
  return trouble
end

return input
