-- Random sources of levels: trees of entities, at most three deep, some with a name or an id.

--- Makes a generator. `some_components` returns the components of one entity, `names` is a list.
return function(random, names, some_components)
  local generator = { ids = 0 } -- the number of ids so far; they are "1", "2", ...

  --- Returns a new id.
  function generator.id()
    generator.ids = generator.ids + 1
    return tostring(generator.ids)
  end

  --- Returns an entity with its children. `depth` is 1 for a root.
  function generator.entity(depth)
    local entity = { components = some_components(), children = {} }
    if random(3) > 1 then entity.name = names[random(#names)] end
    if random(2) == 1 then entity.id = generator.id() end
    for i = 1, depth < 3 and random(3) - 1 or 0 do entity.children[i] = generator.entity(depth + 1) end
    return entity
  end

  --- Returns a list of three to five roots.
  function generator.level()
    local list = {}
    for i = 1, 2 + random(3) do list[i] = generator.entity(1) end
    return list
  end

  return generator
end
