-- valid(world): what it and its entity manager hold fits together; if not, the spec fails with what they say of it.

local function check(thing)
  local is_valid, message = thing:validate()
  if is_valid ~= true then error(tostring(message), 3) end
end

return function(world)
  check(world)
  check(world.entities)
end
