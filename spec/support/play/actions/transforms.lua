-- Actions on transforms and models: poses, links, nodes, both modes.

local fields = require "spec.support.play.fields"
local matrices = require "spec.support.matrices"
local need = require("spec.support.play.run").need
local poses = require "spec.support.play.poses"

local actions = {}

local function parts_of(t)
  need(t.position)
  return { fields.copy(t.position), fields.copy(t.rotation), fields.copy(t.scale) }
end

-- ---------------------------------------------------------------- poses

local SETTERS = { position = 1, rotation = 2, scale = 3 }

-- Sets one part of a pose with its setter, with write, or through the column if that is allowed.
actions.pose = { weight = 8,
  make = function(gen)
    local w = gen:world()
    local n, pose = gen:owner(w, "transform"), gen:pose()
    local part = ({ "position", "position", "rotation", "scale" })[gen.random(4)]
    return w, n, part, pose[part], gen.random(4)
  end,
  play = function(run, w, n, part, value, method)
    local t, manager, e = run:transform(w, n)
    local parts, name = parts_of(t), "local_" .. part
    if method == 1 and run.state.worlds[w].deferred then
      manager:column(name):set(manager:row(e), unpack(value))
    elseif method == 2 then
      manager:write(e, name, unpack(value))
    elseif method == 3 then
      manager:set(e, { [part] = value })
    else
      manager["set_local_" .. part](manager, e, unpack(value))
    end
    parts[SETTERS[part]] = value
    poses.set_parts(t, unpack(parts))
  end,
}

actions.pose_many = { weight = 1,
  make = function(gen)
    local w = gen:world()
    return w, gen:owners(w, "transform", 5), gen:pose().position
  end,
  play = function(run, w, names, position)
    local list = run:entities_of(names)
    for _, n in ipairs(names) do parts_of((run:transform(w, n))) end
    run.equal(#list, run:manager(w, "transform"):write_many(list, "local_position", position), "write_many")
    for _, n in ipairs(names) do run:transform(w, n).position = position end
  end,
}

actions.local_pose = { weight = 2,
  make = function(gen)
    local w = gen:world()
    return w, gen:owner(w, "transform"), gen:pose()
  end,
  play = function(run, w, n, pose)
    local t, manager, e = run:transform(w, n)
    local p, q, s = need(pose.position), need(pose.rotation), need(pose.scale)
    manager:set_local_pose(e, p[1], p[2], p[3], q[1], q[2], q[3], q[4], unpack(s))
    poses.set_parts(t, p, q, s)
  end,
}

-- A pose in 2D: x and y, no rotation, and one scale.
actions.pose_2d = { weight = 1,
  make = function(gen)
    local w = gen:world()
    return w, gen:owner(w, "transform"), gen.random(9) - 5, gen.random(9) - 5, gen.random(2)
  end,
  play = function(run, w, n, x, y, s)
    local t, manager, e = run:transform(w, n)
    local parts = parts_of(t)
    manager:set_local_pose_2d(e, x, y, 0, s)
    poses.set_parts(t, { x, y, parts[1][3] }, { 0, 0, 0, 1 }, { s, s, parts[3][3] })
  end,
}

-- A sheared matrix.
actions.local_matrix = { weight = 1,
  make = function(gen)
    local w = gen:world()
    return w, gen:owner(w, "transform"), gen.random(3) - 2, gen:pose()
  end,
  play = function(run, w, n, shear, pose)
    local t, manager, e = run:transform(w, n)
    local m = matrices.compose(pose.position, pose.rotation, { 1, 1, 1 })
    m[1], m[2] = m[1] + shear, m[2] + shear
    manager:set_local_matrix(e, m)
    poses.set_matrix(t, m)
  end,
}

actions.world_pose = { weight = 2,
  make = function(gen)
    local w = gen:world()
    return w, gen:owner(w, "transform"), gen:pose()
  end,
  play = function(run, w, n, pose)
    local t, manager, e = run:transform(w, n)
    local base = poses.base(run.state.worlds[w], t)
    need(poses.is_solid(base))
    local p, q, s = need(pose.position), need(pose.rotation), need(pose.scale)
    manager:set_world_pose(e, p[1], p[2], p[3], q[1], q[2], q[3], q[4], unpack(s))
    if t.parent then
      poses.set_matrix(t, matrices.multiply(matrices.inverse(base), matrices.compose(p, q, s)))
    else
      poses.set_parts(t, p, q, s)
    end
  end,
}

-- ---------------------------------------------------------------- links

actions.link = { weight = 5,
  make = function(gen)
    local w = gen:world()
    local child, parent = gen:owner(w, "transform"), gen:owner(w, "transform")
    local node = gen.random(3) == 1 and gen:node(w, parent) or false
    return w, child, parent, gen.random(4) == 1, node
  end,
  play = function(run, w, child, parent, keep, node)
    local world = run.state.worlds[w]
    local t, manager, e = run:transform(w, child)
    local _, _, parent_entity = run:transform(w, parent)
    if poses.is_below(world, parent, child) then
      local ok, message = pcall(manager.link, manager, e, parent_entity)
      run.equal(true, not ok and message:find("cycle", 1, true) ~= nil, "a cycle is refused")
      return
    end
    need(poses.fits(world, child, parent))
    local parent_node = node and need(poses.node(world, parent, node))
    local base = poses.base(world, { parent = parent, parent_node = parent_node })
    need(not keep or poses.is_solid(base))
    local world_matrix = poses.world(world, child)
    manager:link(e, parent_entity, { keep = keep and "world" or nil, node = node or nil })
    poses.link(world, child, parent, parent_node)
    if keep then poses.set_matrix(t, matrices.multiply(matrices.inverse(base), world_matrix)) end
  end,
}

actions.unlink = { weight = 2,
  make = function(gen)
    local w = gen:world()
    return w, gen:owner(w, "transform"), gen.random(2) == 1
  end,
  play = function(run, w, n, keep)
    local world = run.state.worlds[w]
    local t, manager, e = run:transform(w, n)
    local world_matrix = poses.world(world, n)
    manager:unlink(e, keep and { keep = "world" } or nil)
    if keep and t.parent then poses.set_matrix(t, world_matrix) end
    poses.unlink(world, n)
  end,
}

local function tree(world, n, out)
  out[#out + 1] = n
  for _, child in ipairs(world.transform.of[n][1].children) do tree(world, child, out) end
  return out
end

actions.destroy_tree = { weight = 0.5,
  make = function(gen)
    local w = gen:world()
    return w, gen:owner(w, "transform")
  end,
  play = function(run, w, n)
    local _, manager, e = run:transform(w, n)
    local names = tree(run.state.worlds[w], n, {})
    run.equal(#names, manager:destroy_tree(e), "destroy_tree")
    for _, name in ipairs(names) do run:kill(name) end
  end,
}

-- ---------------------------------------------------------------- modes

actions.mode = { weight = 1,
  make = function(gen) return gen:world(), gen.random(2) == 1 and "deferred" or "immediate" end,
  play = function(run, w, mode)
    local world = run.state.worlds[w]
    run:manager(w, "transform"):set_mode(mode)
    if world.deferred ~= (mode == "deferred") then poses.propagate(world) end
    world.deferred = mode == "deferred"
  end,
}

actions.propagate = { weight = 2,
  make = function(gen) return gen:world() end,
  play = function(run, w)
    local manager = run:manager(w, "transform")
    manager:propagate()
    run.equal(0, manager:dirty_count(), "dirty_count after propagate")
    poses.propagate(run.state.worlds[w])
  end,
}

actions.sort = { weight = 0.5,
  make = function(gen) return gen:world() end,
  play = function(run, w) run:manager(w, "transform"):sort() end,
}

-- Plays other actions in a batch, which may end with an error.
actions.batch = { weight = 1.5,
  make = function(gen)
    local inner = {}
    for _ = 1, gen.random(4) do
      inner[#inner + 1] = gen:action(({ "pose", "local_pose", "link", "unlink", "world_pose" })[gen.random(5)])
    end
    return gen:world(), inner, gen.random(3) == 1
  end,
  play = function(run, w, inner, raise)
    local manager = run:manager(w, "transform")
    local ok, message = pcall(manager.batch, manager, function()
      for _, action in ipairs(inner) do run:play_inside(action) end
      if raise then error(run.SKIP, 0) end
    end)
    if not ok and message ~= run.SKIP then error(message, 0) end
    run.equal(not raise, ok, "a batch without error")
  end,
}

-- ---------------------------------------------------------------- models

actions.pose_node = { weight = 2,
  make = function(gen)
    local n = gen:owner("field", "model")
    return n, gen.random(3), gen:pose().position
  end,
  play = function(run, n, node, position)
    local model, manager, e = run:component("field", "model", n, 1)
    need(model.posed[node])
    manager:set_node_pose(e, node, position[1], position[2], position[3], 0, 0, 0, 1, 1, 1, 1)
    model.posed[node] = position
  end,
}

actions.evaluate = { weight = 2,
  make = function() return true end,
  play = function(run)
    run:manager("field", "model"):evaluate()
    poses.evaluate(run.state.worlds.field)
  end,
}

return actions
