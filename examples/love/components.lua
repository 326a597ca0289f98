-- The components of the game, in addition to the built-in transform, model and actor.
-- Shows: define with defaults, enums, vectors, an entity field, and one entity that represents the match, so that a
-- snapshot restores the score and the random numbers, too.

local components = {}

-- The names of pictures, in the order of their numbers in columns.
components.PICTURES = { "shadow", "hull", "turret", "barrel", "crate", "mite", "bullet", "lantern", "nest", "lamp" }
components.SIDES = { "player", "enemy" }

function components.define(world)
  -- The appearance. Layer 1 is drawn first.
  world:define("sprite", { { "picture", "enum", components.PICTURES }, { "layer", "uint8", 2 }, { "tint", "color" } })
  world:define("glow", { { "radius", "float", 40 }, { "tint", "color" } })
  -- Units per second. One call moves all entities that have it: see game.lua.
  world:define("velocity", { { "value", "vec3" } })
  -- The state of a body of love.physics, for restoring it after a rewind.
  world:define("motion", { { "x", "float" }, { "y", "float" }, { "spin", "float" } })
  world:define("hull", { { "side", "enum", components.SIDES }, { "hp", "float", 5 }, { "speed", "float", 60 },
    { "turret", "entity" }, { "barrel", "entity" }, { "reload", "float" }, { "recoil", "float" }, { "turn", "float" } })
  world:define("bullet", { { "side", "enum", components.SIDES }, { "life", "float", 1.6 } })
  world:define("mite", { { "phase", "float" } })
  world:define("nest", { { "hp", "float", 20 }, { "every", "float", 0.1 }, { "wait", "float" } })
  world:define("brazier", {}) -- no fields: a mark
  -- Sparks are many, and have only columns: no transform, and no script keeps their ids.
  world:define("spark", { { "position", "vec2" }, { "velocity", "vec2" }, { "age", "float" }, { "rate", "float", 1 },
    { "size", "float", 1 }, { "tint", "color" } })
  world:define("match", { { "step", "uint32" }, { "score", "uint32" }, { "walls", "uint32" }, { "random", "string" } })
end

return components
