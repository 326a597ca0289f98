-- counts(world): how many there are, by the names of components; the living as `entities`.

return function(world)
  local result = { entities = world.entities:count() }
  for name, manager in world:managers() do result[name] = manager:count() end
  return result
end
