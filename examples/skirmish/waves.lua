--- Reinforcements: spawns ships from a compiled resource while the game runs.
-- Must not depend on the components of a ship.

local NAMES = { "Kittiwake", "Razorbill", "Stormcock", "Dunlin", "Whimbrel", "Turnstone", "Fulmar", "Sanderling",
  "Avocet", "Gannet Chick" }

--- @tparam resource ship the level of one ship; its first root needs a course
-- @treturn function the system, a function of the time step
return function(game, ship)
  local world, transform, wave, course = game.world, game.world.transform, game.world.wave, game.world.course
  local first, every, ships, spread = wave:column("first"), wave:column("every"), wave:column("ships"),
    wave:column("spread")

  local function launch(instance, x, y)
    local level = assert(world:spawn(ship, { position = { x, y, 0 } }))
    local leader = level:roots()[1]
    world.debug_name:set_debug_name(leader, NAMES[#game.levels % #NAMES + 1])
    course:set_target(leader, wave:target(instance))
    course:set_home(leader, x, y, 0)
    game.levels[#game.levels + 1] = level
    game.tally.spawned = game.tally.spawned + level:count()
    local cry = wave:cry(instance)
    game:record(6, "%s comes up from %s%s", (game:title(leader)), (game:title(wave:entity(instance))),
      cry ~= "" and (": \"%s\""):format(cry) or "")
    -- Only the first ship of a wave has a cry.
    wave:set_cry(instance, "")
  end

  return function(dt)
    for w, t in world:rows(wave, transform) do
      first[w] = first[w] - dt
      if first[w] <= 0 and ships[w] > 0 then
        local x, y = transform:world_position(transform:at(t))
        local reach = spread[w]
        first[w], ships[w] = every[w], ships[w] - 1
        launch(wave:at(w), x + game.random(-reach.x, reach.x), y + game.random(-reach.y, reach.y))
      end
    end
  end
end
