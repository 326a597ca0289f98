--- The components of this game: `return function(world)`, which defines them in a world.
-- Must not depend on levels and rules.

return function(world)
  -- Entities that can be hit. Side 0 is neutral, 1 defends, 2 attacks. `blame` is the gun that hit last.
  world:define("health", {
    { "hp", "float", 100 },
    { "armour", "float" },
    { "radius", "float", 5 },
    { "side", "uint8" },
    { "bounty", "uint16" },
    { "blame", "entity" },
  })

  -- One gun. A gun deck has several (`multiple`), distinguished by their ids.
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

  -- Turns the entity towards the target of its guns, with this many radians per second.
  world:define("turret", { { "turn", "float", 2 } })

  -- The destination: the target, but no nearer than `keep_off`; home if no enemy is left.
  world:define("course", {
    { "target", "entity" },
    { "speed", "float", 8 },
    { "turn", "float", 0.8 },
    { "heading", "float" },
    { "keep_off", "float", 30 },
    { "home", "vec3" },
  })

  -- Stops an entity with a course as long as it has this component.
  world:define("anchored", {})

  -- Rotates for ever, or back and forth if there is an arc.
  world:define("spin", { { "rate", "float", 1 }, { "arc", "float" }, { "phase", "float" } })

  -- Explodes when destroyed.
  world:define("powder", { { "radius", "float", 18 }, { "damage", "float", 60 } })

  -- A crane, which lifts a load at one place and sets it down at another.
  world:define("crane", {
    { "hook", "entity" },
    { "quay", "entity" },
    { "load", "entity" },
    { "every", "float", 3 },
    { "wait", "float", 1.5 },
  })

  -- Reinforcements: the number of ships, their position, and their target in the level.
  world:define("wave", {
    { "first", "float", 3 },
    { "every", "float", 2 },
    { "ships", "uint8", 1 },
    { "target", "entity" },
    { "spread", "vec2" },
    { "cry", "string" },
  }, { multiple = true })

  world:define("flag", { { "colour", "color" }, { "motto", "string" } })

  -- Text for the chronicle.
  world:define("tale", { { "kind", "string" }, { "ending", "string" } })

  -- A flying cannon ball, and a splinter of a ship. The game creates them; levels do not contain them.
  world:define("shot", {
    { "velocity", "vec3" },
    { "damage", "float" },
    { "life", "float" },
    { "side", "uint8" },
    { "from", "entity" },
  })
  world:define("drift", { { "velocity", "vec3" }, { "life", "float", 1.5 } })

  -- The size of entities in levels of another editor. `cell` is the size of its grid.
  world:define("shape", {
    { "width", "float" },
    { "height", "float" },
    { "cell", "float" },
    { "tags", "string" },
  })
end
