--- What an entity of this game can be made of: `return function(world)` that defines it all in a world.
-- Knows nothing of levels, of the rules, or of which entity has what.

return function(world)
  -- What can be hit. Side 0 is nobody's, 1 defends, 2 attacks. `blame` is the gun that hit last.
  world:define("health", {
    { "hp", "float", 100 },
    { "armour", "float" },
    { "radius", "float", 5 },
    { "side", "uint8" },
    { "bounty", "uint16" },
    { "blame", "entity" },
  })

  -- One gun. A gun deck has several: `multiple`, told apart by their ids.
  world:define("cannon", {
    { "muzzle", "vec3" },
    { "range", "float", 60 },
    { "damage", "float", 12 },
    { "reload", "float", 1.5 },
    { "wait", "float" },
    { "side", "uint8" },
    { "target", "entity" },
    { "fired", "uint32" },
  }, { multiple = true })

  -- Turns the whole entity towards what its guns aim at, this many radians a second.
  world:define("turret", { { "turn", "float", 2 } })

  -- Where something steers: towards its target, but no nearer than `keep_off`; home when no enemy is left.
  world:define("course", {
    { "target", "entity" },
    { "speed", "float", 8 },
    { "turn", "float", 0.8 },
    { "heading", "float" },
    { "keep_off", "float", 30 },
    { "home", "vec3" },
  })

  -- Has a course, and lies at anchor as long as it has this.
  world:define("anchored", {})

  -- Turns for ever, or to and fro when there is an arc.
  world:define("spin", { { "rate", "float", 1 }, { "arc", "float" }, { "phase", "float" } })

  -- Blows up when destroyed.
  world:define("powder", { { "radius", "float", 18 }, { "damage", "float", 60 } })

  -- Lifts a load from one place and sets it down at another.
  world:define("crane", {
    { "hook", "entity" },
    { "quay", "entity" },
    { "load", "entity" },
    { "every", "float", 3 },
    { "wait", "float", 1.5 },
  })

  -- Ships that come later: so many, from here, against a target of the level.
  world:define("wave", {
    { "first", "float", 3 },
    { "every", "float", 2 },
    { "ships", "uint8", 1 },
    { "target", "entity" },
    { "spread", "vec2" },
    { "cry", "string" },
  }, { multiple = true })

  world:define("flag", { { "colour", "color" }, { "motto", "string" } })

  -- What the chronicle says of it.
  world:define("tale", { { "kind", "string" }, { "ending", "string" } })

  -- A cannon ball under way, and what is left of a ship for a moment. No level has them; the game makes them.
  world:define("shot", {
    { "velocity", "vec3" },
    { "damage", "float" },
    { "life", "float" },
    { "side", "uint8" },
    { "from", "entity" },
  })
  world:define("drift", { { "velocity", "vec3" }, { "life", "float", 1.5 } })

  -- What a level of another editor tells of its entities. `cell` is the size of its grid.
  world:define("shape", {
    { "width", "float" },
    { "height", "float" },
    { "cell", "float" },
    { "tags", "string" },
  })
end
