--- The crane: lifts its load to the hook, and sets it down on the quay at the current position of the hook.
-- Must not depend on the battle.

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
          -- The load keeps its world pose, and gets another parent.
          transform:link(load, quay, { keep = "world" })
          game:record(3, "%s sets %s down on %s", (game:title(e)), (game:title(load)), (game:title(quay)))
        else
          transform:link(load, hook)
          transform:set_local_position(load, 0, 0, -2)
          game:record(1, "%s picks %s up again", (game:title(e)), (game:title(load)))
        end
      end
    end
  end
end
