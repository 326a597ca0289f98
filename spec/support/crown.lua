-- A mock of the part of Crown's API that the game in docs/coming-from.md uses, with the names of Crown's reference.

local crown = {}

local function vector(x, y, z) return { x = x, y = y, z = z } end

--- Returns the globals of a game, and a function that runs it like the engine until it quits.
function crown.new()
  local count, has_quit = 0, false
  local Vector3 = setmetatable({ zero = function() return vector(0, 0, 0) end },
    { __call = function(_, ...) return vector(...) end })
  local World, SceneGraph, Device = {}, {}, {}

  function Device.create_world() return { units = {}, places = {} } end
  function Device.destroy_world(world) world.units = nil end
  function Device.quit() has_quit = true end

  function World.spawn_empty_unit(world)
    count = count + 1
    world.units[count] = true
    return count
  end
  function World.destroy_unit(world, unit)
    assert(world.units[unit], "this unit is not alive")
    world.units[unit], world.places[unit] = nil, nil
  end
  function World.num_units(world)
    local living = 0
    for _ in pairs(world.units) do living = living + 1 end
    return living
  end
  function World.scene_graph(world) return world end

  function SceneGraph.create(graph, unit, position, rotation, scale)
    assert(graph.units[unit] and position and rotation and scale, "a unit and its pose expected")
    graph.places[unit] = position
  end
  function SceneGraph.local_position(graph, unit)
    local place = assert(graph.places[unit], "this unit has no transform")
    return vector(place.x, place.y, place.z)
  end
  function SceneGraph.set_local_position(graph, unit, position)
    assert(graph.places[unit], "this unit has no transform")
    graph.places[unit] = position
  end

  local globals = { Vector3 = Vector3, Quaternion = { identity = function() return {} end }, World = World,
    SceneGraph = SceneGraph, Device = Device }

  function globals.run_engine(init, update, shutdown)
    init()
    for _ = 1, 1000 do
      if has_quit then return shutdown() end
      update(1 / 60)
    end
    error "the game does not quit"
  end
  return globals
end

return crown
