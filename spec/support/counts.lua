-- counts(world): the number of components by name, and of living entities as `entities`.

return function(world)
  local result = { entities = world.entities:count() }
  for name, manager in world:managers() do result[name] = manager:count() end
  return result
end
