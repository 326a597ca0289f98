--- The crane: takes its load up to the hook and sets it down on the quay, wherever it points at that moment.
-- Knows nothing of the battle around it.

--- @treturn function the system, a function of the time step
return function(game)
  local world, transform, crane = game.world, game.world.transform, game.world.crane
  local wait, every = crane:column("wait"), crane:column("every")

  return function(dt)
    for e, c in world:join(crane) do
      local row = crane:row(c)
      wait[row] = wait[row] - dt
      local hook, quay, load = crane:hook(c), crane:quay(c), crane:load(c)
      local entities = game.entities
      if wait[row] <= 0 and hook and quay and load
        and entities:alive(hook) and entities:alive(quay) and entities:alive(load) then
        wait[row] = every[row]
        local above = transform:parent(load)
        if above and transform:entity(above) == hook then
          -- The load stays where it hangs in the world and changes its parent only.
          transform:link(load, quay, { keep = "world" })
          game:tell(3, "%s sets %s down on %s", (game:title(e)), (game:title(load)), (game:title(quay)))
        else
          transform:link(load, hook)
          transform:set_local_position(load, 0, 0, -2)
          game:tell(1, "%s picks %s up again", (game:title(e)), (game:title(load)))
        end
      end
    end
  end
end
