-- Actions on poses that transforms.lua does not cover: in the world, in 2D, of nodes, of cells.

local fields = require "spec.support.play.fields"
local matrices = require "spec.support.matrices"
local need = require("spec.support.play.run").need
local poses = require "spec.support.play.poses"
local scenery = require "spec.support.play.scenery"

local actions = {}

local function near(expected, got, label)
  local largest = 1
  for i = 1, #expected do largest = math.max(largest, math.abs(expected[i])) end
  for i = 1, #expected do
    local off = math.abs(expected[i] - got[i])
    if off > 1e-4 * largest or off ~= off then
      error(("%s: expected %s, got %s"):format(label, fields.text(expected), fields.text(got)), 0)
    end
  end
end

local function any_transform(gen)
  local w = gen:world()
  return w, (gen:owner(w, "transform"))
end

-- ---------------------------------------------------------------- reading transforms

-- Tests if position, rotation and scale define the whole matrix.
local function is_plain(m)
  local function dot(a, b) return m[a] * m[b] + m[a + 1] * m[b + 1] + m[a + 2] * m[b + 2] end
  return math.abs(dot(1, 5)) + math.abs(dot(1, 9)) + math.abs(dot(5, 9)) < 1e-6
end

actions.read_pose = { weight = 2, make = any_transform,
  play = function(run, w, n)
    local _, manager, e = run:transform(w, n)
    local m = poses.world(run.state.worlds[w], n)
    local p, q, s = { manager:world_position(e) }, { manager:world_rotation(e) }, { manager:world_scale(e) }
    near({ m[13], m[14], m[15] }, p, "world position")
    if is_plain(m) then near(m, matrices.compose(p, q, s), "the parts of a world matrix") end
    local x, y, angle = manager:pose_2d(e)
    near({ m[13], m[14] }, { x, y }, "pose_2d")
    local turn = manager:world_angle(e)
    near({ math.cos(turn), math.sin(turn) }, { math.cos(angle), math.sin(angle) }, "world_angle and pose_2d")
    local out = {}
    run.equal(1, select(2, manager:read_poses_2d({ e }, out)), "poses of read_poses_2d")
    near({ x, y, angle }, out, "read_poses_2d")
    near(poses.matrix(run:transform(w, n)), manager:local_matrix(e, {}), "local_matrix")
  end,
}

actions.read_family = { weight = 1, make = any_transform,
  play = function(run, w, n)
    local t, manager, e = run:transform(w, n)
    local world, ids = run.state.worlds[w], run.state.ids
    local function owner(instance) return instance and manager:entity(instance) end
    run.equal(poses.depth(world, n) - 1, manager:depth(e), "depth")
    local top = n
    while world.transform.of[top][1].parent do top = world.transform.of[top][1].parent end
    run.equal(ids[top], owner(manager:root(e)), "root")
    run.equal(ids[t.children[1] or 0], owner(manager:first_child(e)), "first_child")
    local siblings = t.parent and world.transform.of[t.parent][1].children or { n }
    for i, sibling in ipairs(siblings) do
      if sibling == n then
        run.equal(ids[siblings[i - 1] or 0], owner(manager:prev_sibling(e)), "prev_sibling")
        run.equal(ids[siblings[i + 1] or 0], owner(manager:next_sibling(e)), "next_sibling")
      end
    end
  end,
}

-- ---------------------------------------------------------------- writing transforms

-- Rotations about z by angles that floats round: the expected pose is read from the manager afterwards.
actions.angle = { weight = 1,
  make = function(gen)
    local w, n = any_transform(gen)
    return w, n, (gen.random(33) - 17) / 4
  end,
  play = function(run, w, n, angle)
    local t, manager, e = run:transform(w, n)
    need(t.position)
    manager:set_local_angle(e, angle)
    local actual = manager:local_angle(e)
    near({ math.cos(angle), math.sin(angle) }, { math.cos(actual), math.sin(actual) }, "local_angle")
    poses.set_matrix(t, matrices.compose(t.position, { 0, 0, math.sin(angle / 2), math.cos(angle / 2) }, t.scale))
  end,
}

local function is_current(world, n, base)
  local known, now = poses.world(world, n), matrices.multiply(base, poses.matrix(world.transform.of[n][1]))
  for i = 1, 16 do
    if known[i] ~= now[i] then return false end
  end
  return true
end

-- Sets one part of the world pose; the others are kept.
actions.world_part = { weight = 2,
  make = function(gen)
    local w, n = any_transform(gen)
    return w, n, ({ "position", "rotation", "matrix" })[gen.random(3)], gen:pose()
  end,
  play = function(run, w, n, part, pose)
    local t, manager, e = run:transform(w, n)
    local base = poses.base(run.state.worlds[w], t)
    need(poses.is_solid(base) and matrices.volume(base) > 0 and t.position)
    local p, q, s = need(pose.position), need(pose.rotation), need(pose.scale)
    need(math.abs(q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2 + q[4] ^ 2 - 1) < 1e-6)
    local inverse = matrices.inverse(base)
    local wanted
    if part == "matrix" then
      local m = matrices.compose(p, q, s)
      manager:set_world_matrix(e, m)
      wanted = matrices.multiply(inverse, m)
    elseif part == "position" then
      manager:set_world_position(e, unpack(p))
      wanted = matrices.compose({ 0, 0, 0 }, t.rotation, t.scale)
      local origin = matrices.multiply(inverse, matrices.compose(p, { 0, 0, 0, 1 }, { 1, 1, 1 }))
      for i = 13, 15 do wanted[i] = origin[i] end
    else
      -- set_world_rotation keeps the scale of the getters, which may be older than the last propagate.
      need(is_plain(base) and is_current(run.state.worlds[w], n, base))
      manager:set_world_rotation(e, unpack(q))
      inverse[13], inverse[14], inverse[15] = 0, 0, 0
      wanted = matrices.multiply(inverse, matrices.compose({ 0, 0, 0 }, q, t.scale))
      for i = 1, 3 do wanted[12 + i] = t.position[i] end
    end
    poses.set_matrix(t, wanted)
  end,
}

-- Fills a column in deferred mode.
actions.fill_positions = { weight = 0.5,
  make = function(gen) return gen:world(), gen:pose().position end,
  play = function(run, w, position)
    local world = run.state.worlds[w]
    need(world.deferred)
    for _, list in pairs(world.transform.of) do need(list[1].position) end
    local column = run:manager(w, "transform"):column "local_position"
    local flat = column:totable()
    for i = 1, #flat do flat[i] = position[(i - 1) % 3 + 1] end
    column:fill(flat)
    for _, list in pairs(world.transform.of) do list[1].position = fields.copy(position) end
  end,
}

-- ---------------------------------------------------------------- models

actions.read_model = { weight = 1,
  make = function(gen) return (gen:owner("field", "model")) end,
  play = function(run, n)
    local model, manager, e = run:component("field", "model", n, 1)
    local world, parents = run.state.worlds.field, scenery.MODELS[model.resource].parents
    local flat, found = manager:node_matrices(e), {}
    run.equal(#parents, manager:node_count(e), "nodes")
    for node, parent in ipairs(parents) do
      local own = matrices.compose(model.shown[node], { 0, 0, 0, 1 }, { 1, 1, 1 })
      found[node] = parent and matrices.multiply(found[parent], own) or own
      near(found[node], { manager:node_matrix(e, node) }, "the matrix of a node")
      near(found[node], { unpack(flat, node * 16 - 15, node * 16) }, "the matrix of a node among all")
      if run.state:list("field", "transform", n) then
        near(matrices.multiply(poses.world(world, n), found[node]), { manager:node_world_matrix(e, node) },
          "the matrix of a node in the world")
      end
    end
    run.equal("table", type(manager:resource_data(model.resource)), "the data of a model resource")
  end,
}

-- ---------------------------------------------------------------- grids

actions.grid_look = { weight = 0.5,
  make = function(gen)
    local n = gen:owner("field", "grid")
    return n, gen.random(2) == 1 and { "tiles", ({ "", "a", "sword" })[gen.random(3)] }
      or { "cell_size", ({ { 16, 16 }, { 8, 4 } })[gen.random(2)] }
  end,
  play = function(run, n, change)
    local component, manager, e = run:component("field", "grid", n, 1)
    if change[1] == "tiles" then
      manager:set_tiles(e, change[2])
    else
      manager:set_cell_size(e, unpack(change[2]))
    end
    component[change[1]] = change[2]
  end,
}

-- The first solid cell of a row. A cell without a tile resource is solid.
local function first_solid(component, y)
  for x = 0, 1 do
    local value = scenery.cell(component, 2 * y + x + 1)
    local tile = scenery.TILES[value]
    if value ~= 0 and (component.tiles ~= scenery.TILES_NAME or tile and tile.solid) then return x, value end
  end
end

local function check_cells(run, component, manager, e)
  local flat, cells, reader = {}, {}, manager:reader(e)
  for x, y, value in manager:cells(e) do
    for _, number in ipairs { x, y, value } do flat[#flat + 1] = number end
  end
  for i = 1, 4 do
    local x, y, value, flips = (i - 1) % 2, math.floor((i - 1) / 2), scenery.cell(component, i)
    local h, v, d = manager:flips(e, x, y)
    run.equal(flips, (h and 1 or 0) + (v and 2 or 0) + (d and 4 or 0), "the flips of a cell")
    run.equal(value, manager:cell(e, x, y), "a cell")
    run.equal(value, reader[i - 1], "a cell read by a reader")
    if value ~= 0 then
      for _, number in ipairs { x, y, value } do cells[#cells + 1] = number end
    end
    local tile = component.tiles == scenery.TILES_NAME and scenery.TILES[value] or nil
    if value ~= 0 then run.equal(tile, manager:tile(e, value), "the tile of a cell") end
  end
  run.equal(nil, manager:cell(e, 2, 0), "a cell outside")
  run.equal(fields.text(cells), fields.text(flat), "cells")
  return cells
end

-- A box that fits into a cell moves from the left through a row.
local function check_move(component, manager, e)
  local w, h = unpack(component.cell_size)
  for y = 0, 1 do
    local x = first_solid(component, y)
    local expected = { x and x * w - w / 4 or 3 * w, (y + 0.5) * h, x and 1 or 0, 0 }
    near(expected, { manager:move(e, -w, (y + 0.5) * h, w / 4, h / 4, 4 * w, 0) }, "the end of a move")
  end
end

local function check_shapes(run, component, manager, e)
  local inside, solid, around = 0, 0, 0
  for y = 0, 1 do
    for x = 0, 1 do
      local value = scenery.cell(component, 2 * y + x + 1)
      if value ~= 0 and value % 2 == 0 then solid = solid + 1 end
    end
  end
  local function even(value) return value % 2 == 0 end
  local flat = manager:colliders(e, even)
  for i = 1, #flat, 4 do inside = inside + flat[i + 2] * flat[i + 3] end
  for _, loop in ipairs(manager:outlines(e, even)) do
    for i = 1, #loop, 2 do
      local next_x, next_y = loop[i + 2] or loop[1], loop[i + 3] or loop[2]
      around = around + (loop[i] * next_y - next_x * loop[i + 1]) / 2
    end
  end
  run.equal(solid, inside, "the cells of rectangles")
  run.equal(solid, around, "the area of outlines")
end

actions.read_grid = { weight = 1,
  make = function(gen) return (gen:owner("field", "grid")) end,
  play = function(run, n)
    local component, manager, e = run:component("field", "grid", n, 1)
    local w, h = unpack(component.cell_size)
    run.equal("2 2", table.concat({ manager:size(e) }, " "), "the size of a grid")
    run.equal("2 2", manager:width(e) .. " " .. manager:height(e), "the fields of its size")
    local cells = check_cells(run, component, manager, e)
    check_shapes(run, component, manager, e)
    need(not run.state:list("field", "transform", n))
    for i = 1, 4 do
      local x, y = (i - 1) % 2, math.floor((i - 1) / 2)
      local at = { manager:cell_at(e, (x + 0.5) * w, (y + 0.5) * h) }
      run.equal(fields.text { x, y, (scenery.cell(component, i)) }, fields.text(at), "the cell at a point")
    end
    run.equal(nil, (manager:cell_at(e, -1, 0)), "the cell at a point outside")
    check_move(component, manager, e)
    local touched = manager:rectangle(e, 0.5, 0.5, 2 * w - 0.5, 2 * h - 0.5)
    run.equal(fields.text(cells), fields.text(touched), "cells that a box touches")
    for y = 0, 1 do
      local x, value = first_solid(component, y)
      local hit = { manager:ray(e, -1, (y + 0.5) * h, 2 * w + 1, (y + 0.5) * h) }
      local expected = x and { x, y, value, x * w, (y + 0.5) * h } or {}
      if x then near(expected, hit, "the hit of a ray") else run.equal(nil, hit[1], "the hit of a ray") end
    end
  end,
}

-- ---------------------------------------------------------------- masses

actions.simulate = { weight = 0.5,
  make = function() return true end,
  play = function(run)
    local of = run.state.worlds.field.point_mass.of
    for _, list in pairs(of) do
      for _, name in ipairs { "position", "velocity", "acceleration" } do
        for _, number in ipairs(list[1][name]) do need(math.abs(number) < 4096) end
      end
    end
    run:manager("field", "point_mass"):simulate(1)
    for _, list in pairs(of) do
      local mass, position, velocity = list[1], {}, {}
      for i = 1, 3 do
        velocity[i] = mass.velocity[i] + mass.acceleration[i]
        position[i] = mass.position[i] + velocity[i]
      end
      mass.position, mass.velocity = position, velocity
    end
  end,
}

return actions
