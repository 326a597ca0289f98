-- valid(world): validates a world and its entity manager, and fails with their message.

local function check(object)
  local is_valid, message = object:validate()
  if is_valid ~= true then error(tostring(message), 3) end
end

return function(world)
  check(world)
  check(world.entities)
end
