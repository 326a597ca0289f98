--- Deaths, explosions and splinters, and their entries in the chronicle.
-- Must not depend on the causes of damage.

local damage = {}

--- Registers callbacks for deaths. They can still read all components of the dying entity, so they keep no data.
-- @treturn function unregisters the callbacks
function damage.listen(game)
  local world, entities, tally = game.world, game.entities, game.tally
  local transform, health, powder, tale = world.transform, world.health, world.powder, world.tale

  local death = entities:on_destroy(function() tally.died = tally.died + 1 end)

  local explosion = powder:on_remove(function(e, fuse)
    local x, y = transform:world_position(e)
    game.blasts[#game.blasts + 1] = { x = x, y = y, radius = powder:radius(fuse), damage = powder:damage(fuse),
      blame = health:has(e) and health:blame(e) or nil }
  end)

  local loss = health:on_remove(function(e, life)
    local x, y = transform:world_position(e)
    local side = health:side(life)
    game.graves[#game.graves + 1] = { x = x, y = y }
    tally.lost[side] = (tally.lost[side] or 0) + 1
    tally.bounty[3 - side] = (tally.bounty[3 - side] or 0) + health:bounty(life)

    local story, culprit = tale:lookup(e), game:carrier(health:blame(life))
    local name, place = game:title(e)
    local text = name .. place .. " " .. (story and tale:ending(story) or "is no more")
    if culprit then
      local other, other_place = game:title(culprit)
      text = text .. ", by the hand of " .. other .. (other_place ~= place and other_place or "")
    end
    game:record(side == 0 and 4 or 10, "%s", text)
  end)

  return function()
    entities:off_destroy(death)
    powder:off_remove(explosion)
    health:off_remove(loss)
  end
end

-- Returns a function that creates the same splinters for each wreck, from a template, and into one list.
local function splintering(game)
  local transform, drift = game.world.transform, game.world.drift
  local splinter, list = game.world:template { transform = {}, drift = {} }, {}
  return function(x, y)
    local reach = game.scale * 6
    for _, e in ipairs(splinter:create(3, list)) do
      transform:set_local_position(e, x, y, 0)
      drift:set_velocity(e, game.random(-reach, reach), game.random(-reach, reach), 0)
    end
    game.tally.spawned = game.tally.spawned + 3
  end
end

-- Returns a system that destroys the entities without strength, and their descendants.
local function reaping(game)
  local world, entities = game.world, game.entities
  local transform, health = world.transform, world.health
  local hp, splinters = health:column("hp"), splintering(game)
  return function()
    for h, t in world:rows(health, transform) do
      if hp[h] <= 0 then
        local x, y = transform:world_position(transform:at(t))
        transform:destroy_tree(health:entity(health:at(h)))
        splinters(x, y)
      end
    end
    game.peak = math.max(game.peak, entities:count())
  end
end

-- Exploded powder damages the entities around it. More powder among them explodes in the next step.
local function blasting(game)
  local roster, health = game.roster, game.world.health
  local hp, blame = health:column("hp"), health:column("blame")
  return function()
    local blasts = game.blasts
    if #blasts == 0 then return end
    game.blasts = {}
    for _, blast in ipairs(blasts) do
      for i = 1, roster.count do
        local dx, dy, h = roster.x[i] - blast.x, roster.y[i] - blast.y, roster.row[i]
        if dx * dx + dy * dy < blast.radius * blast.radius and hp[h] > 0 then
          hp[h] = hp[h] - blast.damage
          blame[h] = blast.blame
        end
      end
    end
    game.tally.blasts = game.tally.blasts + #blasts
  end
end

--- Returns the systems of this file.
function damage.systems(game)
  return reaping(game), blasting(game)
end

return damage
