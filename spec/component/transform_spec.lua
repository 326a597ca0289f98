-- Transforms: poses, links, the hierarchy, loops over children, 2D calls.

-- tags: ffi machine

local cuttle = require "cuttle"
local kinds = require "spec.support.kinds"
local near = require "spec.support.near"
local raises = require "spec.support.raises"
local runs = require "spec.support.transform_run"
local scene = require "spec.support.scene"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"
local valid = require "spec.support.valid"

local function children(tf, e)
  local out = {}
  for child in tf:children(e) do out[#out + 1] = child end
  return out
end

-- The owner of an instance, or nil.
local function owner(tf, instance) return instance and tf:entity(instance) end

local SHEARED = { 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1 }
local FLAT = { 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }
local PROJECTIVE = { 1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }
local R = math.sqrt(0.5)

describe("a new transform", function()
  it("has position 0, no rotation and scale 1", function()
    local tf, make = scene()
    local e = make()
    near({ 0, 0, 0 }, { tf:local_position(e) })
    near({ 0, 0, 0, 1 }, { tf:local_rotation(e) })
    near({ 1, 1, 1 }, { tf:local_scale(e) })
    near({ 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }, { tf:world_matrix(e) })
    assert.is_nil(tf:parent(e))
  end)

  it("takes position, rotation and scale", function()
    local tf, make = scene()
    local e = make { position = { 1, 2, 3 }, rotation = { 0, 0, R, R }, scale = { 2, 3, 4 } }
    near({ 0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1 }, { tf:local_matrix(e) })
    near({ 0, 0, R, R }, { tf:local_rotation(e) })
    near({ 2, 3, 4 }, { tf:local_scale(e) })
  end)

  it("takes an angle as rotation", function()
    local tf, make = scene()
    local e = make { angle = math.pi / 2 }
    near({ 0, 0, R, R }, { tf:local_rotation(e) })
    near({ math.pi / 2 }, { tf:local_angle(e) })
  end)

  it("takes one number as uniform scale", function()
    local tf, make = scene()
    near({ 2, 2, 2 }, { tf:local_scale(make { scale = 2 }) })
  end)

  it("takes a matrix", function()
    local tf, make = scene()
    local e = make { matrix = { 0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1 } }
    near({ 1, 2, 3 }, { tf:local_position(e) })
    near({ 0, 0, R, R }, { tf:local_rotation(e) })
    near({ 2, 3, 4 }, { tf:local_scale(e) })
  end)

  it("takes a parent, and its pose is relative to the parent", function()
    local tf, make = scene()
    local parent = make { position = { 10, 0, 0 }, scale = 2 }
    local child = make { position = { 1, 0, 0 }, parent = parent }
    assert.equal(parent, owner(tf, tf:parent(child)))
    near({ 12, 0, 0 }, { tf:world_position(child) })
  end)

  it("takes a parent for each entity in create_many", function()
    local tf, make, entities, world = scene()
    local a, b = make { position = { 1, 0, 0 } }, make { position = { 2, 0, 0 } }
    local list = entities:create(3)
    tf:create_many(list, { parent = { a, b, false }, position = { 0, 1, 0 } })
    assert.same({ list[1] }, children(tf, a))
    assert.same({ list[2] }, children(tf, b))
    near({ 2, 1, 0 }, { tf:world_position(list[2]) })
    near({ 0, 1, 0 }, { tf:world_position(list[3]) })
    valid(world)
  end)

  it("refuses an angle together with a rotation", function()
    local _, make = scene()
    raises("angle: not together with rotation", make, { angle = 1, rotation = { 0, 0, 0, 1 } })
  end)

  it("refuses a matrix together with any part of a pose", function()
    local _, make = scene()
    for name, value in pairs { position = { 1, 2, 3 }, rotation = { 0, 0, 0, 1 }, angle = 1, scale = 1 } do
      raises("matrix: not together with " .. name, make, { matrix = SHEARED, [name] = value })
    end
  end)

  it("refuses a matrix with a perspective", function()
    local _, make = scene()
    raises("matrix: numbers 4, 8, 12 and 16 must be 0, 0, 0 and 1", make, { matrix = PROJECTIVE })
  end)

  it("refuses a parent without a transform, and a dead one", function()
    local tf, make, entities = scene()
    raises("parent: entity(0:0) has no transform", make, { parent = entities:create() })
    local dead = make()
    entities:destroy(dead)
    raises("is dead", make, { parent = dead })
    assert.equal(1, tf:count())
  end)

  it("refuses its own entity as parent", function()
    local tf, _, entities = scene()
    local e = entities:create()
    raises("has no transform", tf.create, tf, e, { parent = e })
    assert.is_false(tf:has(e))
  end)
end)

describe("a local pose", function()
  local function posed()
    local tf, make, _, world = scene()
    return tf, make { position = { 1, 2, 3 }, rotation = { R, 0, 0, R }, scale = { 2, 3, 4 } }, world
  end

  it("keeps rotation and scale when the position is set", function()
    local tf, e = posed()
    tf:set_local_position(e, 4, 5, 6)
    near({ 4, 5, 6 }, { tf:local_position(e) })
    near({ R, 0, 0, R }, { tf:local_rotation(e) })
    near({ 2, 3, 4 }, { tf:local_scale(e) })
  end)

  it("keeps position and scale when the rotation is set", function()
    local tf, e = posed()
    tf:set_local_rotation(e, 0, R, 0, R)
    near({ 1, 2, 3 }, { tf:local_position(e) })
    near({ 0, R, 0, R }, { tf:local_rotation(e) })
    near({ 2, 3, 4 }, { tf:local_scale(e) })
  end)

  it("keeps position and rotation when the scale is set", function()
    local tf, e = posed()
    tf:set_local_scale(e, 7, 8, 9)
    near({ 1, 2, 3 }, { tf:local_position(e) })
    near({ R, 0, 0, R }, { tf:local_rotation(e) })
    near({ 7, 8, 9 }, { tf:local_scale(e) })
    tf:set_local_scale(e, 5)
    near({ 5, 5, 5 }, { tf:local_scale(e) })
  end)

  it("keeps its rotation through a scale of zero", function()
    local tf, e = posed()
    tf:set_local_scale(e, 0)
    near({ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 1 }, { tf:local_matrix(e) })
    tf:set_local_position(e, 4, 5, 6)
    tf:set_local_scale(e, 1)
    near({ R, 0, 0, R }, { tf:local_rotation(e) })
    near({ 1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 4, 5, 6, 1 }, { tf:local_matrix(e) })
  end)

  it("keeps the signs of a mirrored scale", function()
    local tf, e = posed()
    for _, scale in ipairs { { 1, -1, 1 }, { 1, 1, -2 }, { -1, -1, 1 }, { -1, -2, -3 } } do
      tf:set_local_scale(e, unpack(scale))
      tf:set_local_rotation(e, 0, 0, R, R)
      tf:set_local_position(e, 1, 1, 1)
      tf:set_local_matrix(e, tf:local_matrix(e))
      near(scale, { tf:local_scale(e) })
    end
  end)

  it("keeps each part exactly through any sequence of sets", function()
    local tf, e, world = posed()
    local position, rotation, scale = { 1, 2, 3 }, { R, 0, 0, R }, { 2, 3, 4 }
    local sets = {
      function(x)
        position = { x, 1, -x }
        tf:set_local_position(e, x, 1, -x)
      end,
      function(x)
        rotation = { 0, 0.6 * (x < 0 and -1 or 1), 0, 0.8 }
        tf:set_local_rotation(e, unpack(rotation))
      end,
      function(x)
        scale = { x, -1, 0 }
        tf:set_local_scale(e, x, -1, 0)
      end,
      function(x)
        scale = { x, x, x }
        tf:set_local_scale(e, x)
      end,
    }
    for i = 1, 64 do
      sets[i % 4 + 1](i % 3 - 1)
      sets[math.floor(i / 4) % 4 + 1](i % 5 - 2)
      near(position, { tf:local_position(e) }, 0)
      near(rotation, { tf:local_rotation(e) }, 1e-6)
      near(scale, { tf:local_scale(e) }, 0)
    end
    valid(world)
  end)

  it("gives the matrix of the last values of its parts, independent of earlier ones", function()
    local tf, e = posed()
    local before = { tf:local_matrix(e) }
    tf:set_local_scale(e, 0, 5, -1)
    tf:set_local_rotation(e, 0, 1, 0, 0)
    tf:set_local_position(e, 9, 9, 9)
    tf:set_local_scale(e, 2, 3, 4)
    tf:set_local_position(e, 1, 2, 3)
    tf:set_local_rotation(e, R, 0, 0, R)
    near(before, { tf:local_matrix(e) }, 0)
  end)

  it("keeps its angle through a scale of zero", function()
    local tf, make = scene()
    local e = make { angle = 2, scale = 0 }
    near({ 2 }, { tf:local_angle(e) })
    near({ 2 }, { tf:world_angle(e) })
    tf:set_local_angle(e, -1)
    tf:set_local_scale(e, 1)
    near({ -1 }, { tf:local_angle(e) })
    near({ -1 }, { tf:world_angle(e) })
  end)

  it("has a NaN rotation after a rotation that is not finite was set, until the next set", function()
    local tf, e = posed()
    for _, x in ipairs { 0 / 0, math.huge, -math.huge } do
      tf:set_local_rotation(e, 0, x, 0, 1)
      for _, number in ipairs { tf:local_rotation(e) } do assert.is_true(number ~= number) end
      near({ 1, 2, 3 }, { tf:local_position(e) }, 0)
      near({ 2, 3, 4 }, { tf:local_scale(e) }, 0)
      tf:set_local_rotation(e, 0, 0, 0, 1)
      near({ 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1 }, { tf:local_matrix(e) }, 0)
    end
  end)

  it("is set as a whole", function()
    local tf, e, world = posed()
    tf:set_local_pose(e, 1, 2, 3, 0, 0, R, R, 2, 2, 2)
    near({ 0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1 }, { tf:local_matrix(e) })
    valid(world)
  end)

  it("has an angle about z from -pi to pi", function()
    local tf, e = posed()
    for angle = -3, 3, 0.25 do
      tf:set_local_angle(e, angle)
      near({ angle }, { tf:local_angle(e) }, 1e-6)
      near({ 0, 0, math.sin(angle / 2), math.cos(angle / 2) }, { tf:local_rotation(e) }, 1e-6)
    end
    tf:set_local_angle(e, 1 + 2 * math.pi)
    near({ 1 }, { tf:local_angle(e) })
    near({ 2, 3, 4 }, { tf:local_scale(e) })
  end)

  it("has its rotation normalized", function()
    local tf, e = posed()
    tf:set_local_rotation(e, 0, 0, 3, 4)
    near({ 0, 0, 0.6, 0.8 }, { tf:local_rotation(e) }, 1e-6)
    tf:set_local_rotation(e, 0, 0, 0, 0)
    near({ 0, 0, 0, 1 }, { tf:local_rotation(e) })
  end)

  it("takes a matrix as 16 numbers or a table", function()
    local tf, e = posed()
    tf:set_local_matrix(e, unpack(SHEARED))
    near(SHEARED, { tf:local_matrix(e) })
    tf:set_local_matrix(e, FLAT)
    near(FLAT, { tf:local_matrix(e) })
  end)

  it("fills a table with its matrix", function()
    local tf, e = posed()
    tf:set_local_matrix(e, SHEARED)
    local out = {}
    assert.equal(out, tf:local_matrix(e, out))
    near(SHEARED, out)
    assert.equal(out, tf:world_matrix(e, out))
    near(SHEARED, out)
  end)

  it("keeps a sheared matrix until a part is set", function()
    local tf, e = posed()
    tf:set_local_matrix(e, SHEARED)
    near(SHEARED, tf:get(e).matrix)
    assert.is_nil(tf:get(e).position)
    tf:set_local_position(e, 1, 1, 1)
    assert.is_nil(tf:get(e).matrix)
  end)

  it("replaces a sheared matrix by the nearest pose", function()
    local tf, e = posed()
    tf:set_local_matrix(e, SHEARED)
    tf:set_local_position(e, 5, 6, 7)
    local function distance()
      local sum = 0
      for i, number in ipairs { tf:local_matrix(e) } do sum = sum + (number - SHEARED[i]) ^ 2 end
      return sum
    end
    local best, angle = distance(), tf:local_angle(e)
    local scale = { tf:local_scale(e) }
    for _, step in ipairs { -0.3, -0.01, 0.01, 0.3 } do
      tf:set_local_angle(e, angle + step)
      assert.is_true(distance() > best)
      tf:set_local_angle(e, angle)
      for i = 1, 3 do
        local other = { unpack(scale) }
        other[i] = other[i] + step
        tf:set_local_scale(e, unpack(other))
        assert.is_true(distance() > best)
      end
      tf:set_local_scale(e, unpack(scale))
    end
  end)

  it("refuses a matrix with a perspective", function()
    local tf, e = posed()
    raises("numbers 4, 8, 12 and 16 must be", tf.set_local_matrix, tf, e, PROJECTIVE)
    raises("numbers 4, 8, 12 and 16 must be", tf.set_world_matrix, tf, e, PROJECTIVE)
    raises("numbers 4, 8, 12 and 16 must be", tf.write, tf, e, "local_matrix", PROJECTIVE)
    near({ 1, 2, 3 }, { tf:local_position(e) })
  end)

  it("refuses arguments that are not numbers", function()
    local tf, e = posed()
    raises("number expected, got string", tf.set_local_position, tf, e, 1, 2, "3")
    raises("number expected, got nil", tf.set_local_angle, tf, e, nil)
    raises("number expected", tf.set_local_pose, tf, e, 1, 2, 3, 0, 0, 0, 1, 1, 1)
    near({ 1, 2, 3 }, { tf:local_position(e) })
  end)

  it("accepts every number, and works again after finite numbers are set", function()
    local tf, e, world = posed()
    local child = world.entities:create()
    tf:create(child, { parent = e, position = { 1, 1, 1 } })
    for _, x in ipairs { 0 / 0, math.huge, -math.huge, 1e300, 1e-300 } do
      tf:set_local_position(e, x, x, x)
      tf:set_local_scale(e, x)
      tf:set_local_rotation(e, x, 0, 0, x)
      tf:set_local_angle(e, x)
      tf:set_local_rotation(e, 0, x, 0, 1)
      tf:world_rotation(child)
      tf:world_scale(child)
      tf:get(child)
      valid(world)
      pcall(tf.set_world_position, tf, child, 1, 2, 3)
      pcall(tf.set_world_rotation, tf, child, 0, 0, 0, 1)
      tf:unlink(child, { keep = "world" })
      valid(world)
      pcall(tf.link, tf, child, e, { keep = "world" })
      tf:set_local_matrix(e, x, 0, 0, 0, 0, x, 0, 0, 0, 0, x, 0, x, x, x, 1)
      valid(world)
      tf:set_local_pose(e, 1, 2, 3, 0, 0, 0, 1, 1, 1, 1)
      tf:set_local_pose(child, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1)
      tf:link(child, e)
    end
    near({ 2, 3, 4 }, { tf:world_position(child) })
  end)
end)

describe("get, set, read and write of transforms", function()
  it("use the fields of create", function()
    local tf, make = scene()
    local parent = make { position = { 1, 0, 0 } }
    local e = make { position = { 1, 2, 3 }, angle = 1, scale = 2, parent = parent }
    local copy = make(tf:get(e))
    near({ tf:world_matrix(e) }, { tf:world_matrix(copy) })
    assert.equal(parent, tf:get(copy).parent)
  end)

  it("set several parts at once and keep the others", function()
    local tf, make, _, world = scene()
    local parent = make { position = { 1, 0, 0 } }
    local e = make { position = { 1, 2, 3 }, scale = 2 }
    tf:set(e, { parent = parent, angle = math.pi / 2 })
    near({ 2, 2, 3 }, { tf:world_position(e) })
    near({ 2, 2, 2 }, { tf:local_scale(e) })
    near({ math.pi / 2 }, { tf:local_angle(e) })
    tf:set(e, { matrix = SHEARED })
    near(SHEARED, { tf:local_matrix(e) })
    valid(world)
  end)

  it("change nothing if the parent would make a cycle", function()
    local tf, make = scene()
    local e = make { position = { 1, 2, 3 } }
    local child = make { parent = e }
    raises("(parent: cycle: would be below itself: entity(0:0))", tf.set, tf, e,
      { parent = child, position = { 9, 9, 9 } })
    near({ 1, 2, 3 }, { tf:local_position(e) })
    assert.is_nil(tf:parent(e))
  end)

  it("name the field that cannot be written, and the entity", function()
    local tf, make = scene()
    local parent = make { scale = 0 }
    local e = make { parent = parent }
    raises("(numbers 4, 8, 12 and 16 must be 0, 0, 0 and 1)", tf.write, tf, e, "local_matrix",
      1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2)
    raises("(world_matrix: not a value for entity(1:0))", tf.write, tf, e, "world_matrix",
      unpack(SHEARED))
  end)

  it("take a scale of one number followed by nil", function()
    local tf, make = scene()
    local e = make()
    tf:set_local_scale(e, 2, nil, nil)
    near({ 2, 2, 2 }, { tf:local_scale(e) })
    tf:write(e, "local_scale", 3, nil)
    near({ 3, 3, 3 }, { tf:local_scale(e) })
    raises("number expected, got nil", tf.set_local_scale, tf, e, 2, nil, 3)
    raises("number expected, got nil", tf.set_local_position, tf, e, 2, nil, nil)
  end)

  it("access every field by name", function()
    local tf, make = scene()
    local parent = make { position = { 1, 0, 0 } }
    local e = make { parent = parent }
    tf:write(e, "local_position", 1, 2, 3)
    near({ 2, 2, 3 }, { tf:world_position(e) })
    near({ 1, 2, 3 }, { tf:read(e, "local_position") })
    tf:write(e, "local_rotation", 0, 0, 3, 4)
    near({ 0, 0, 0.6, 0.8 }, { tf:read(e, "local_rotation") })
    tf:write(e, "local_scale", 2, 2, 2)
    near({ 2, 2, 2 }, { tf:read(e, "local_scale") })
    tf:write(e, "world_matrix", SHEARED)
    near(SHEARED, { tf:read(e, "world_matrix") })
    near({ 4, 6, 7 }, { tf:local_position(e) })
  end)
end)

describe("a world pose", function()
  -- A rotated, mirrored, uniformly scaled parent and a child.
  local function family()
    local tf, make, _, world = scene()
    local parent = make { position = { 1, 2, 3 }, rotation = { 0.5, 0.5, 0.5, 0.5 }, scale = { -2, 2, 2 } }
    return tf, make { parent = parent, position = { 1, 1, 1 }, rotation = { 0.6, 0, 0, 0.8 } }, parent, world
  end

  it("is the local pose of a root", function()
    local tf, make = scene()
    local e = make { position = { 1, 2, 3 }, angle = 1, scale = { 1, -2, 0 } }
    near({ 1, 2, 3 }, { tf:world_position(e) })
    near({ 1 }, { tf:world_angle(e) })
    near({ 1, -2, 0 }, { tf:world_scale(e) })
  end)

  it("follows the parent at once, at any depth", function()
    local tf, make, _, world = scene()
    local root = make()
    local leaf = root
    for _ = 1, 10 do leaf = make { parent = leaf, position = { 1, 0, 0 } } end
    tf:set_local_position(root, 0, 5, 0)
    near({ 10, 5, 0 }, { tf:world_position(leaf) })
    tf:set_local_angle(root, math.pi / 2)
    near({ 0, 15, 0 }, { tf:world_position(leaf) })
    near({ math.pi / 2 }, { tf:world_angle(leaf) })
    valid(world)
  end)

  it("is that of the product of matrices, including scale and rotation", function()
    local tf, make = scene()
    local parent = make { angle = 1, scale = 2 }
    local e = make { parent = parent, angle = 0.5, scale = { 1, 2, 3 } }
    near({ 1.5 }, { tf:world_angle(e) })
    near({ 2, 4, 6 }, { tf:world_scale(e) })
  end)

  it("can be set to a position", function()
    local tf, e, parent, world = family()
    tf:set_world_position(e, 7, 8, 9)
    near({ 7, 8, 9 }, { tf:world_position(e) })
    near({ 0.6, 0, 0, 0.8 }, { tf:local_rotation(e) })
    assert.equal(parent, owner(tf, tf:parent(e)))
    valid(world)
  end)

  it("can be set to a rotation, and keeps position and scale", function()
    local tf, e = family()
    local position, scale = { tf:world_position(e) }, { tf:world_scale(e) }
    tf:set_world_rotation(e, 0, 0, 0.6, 0.8)
    near({ 0, 0, 0.6, 0.8 }, { tf:world_rotation(e) })
    near(position, { tf:world_position(e) })
    near(scale, { tf:world_scale(e) })
    near({ 1, 1, 1 }, { tf:local_scale(e) }, 0)
  end)

  it("can be set to a rotation below a parent with uneven scale", function()
    local tf, make, _, world = scene()
    local parent = make { scale = { 1, 3, 1 } }
    local e = make { parent = parent, position = { 1, 1, 1 } }
    tf:set_world_rotation(e, 0, 0, 0.6, 0.8)
    near({ 0, 0, 0.6, 0.8 }, { tf:world_rotation(e) })
    near({ 1, 3, 1 }, { tf:world_scale(e) })
    near({ 1, 1, 1 }, { tf:local_position(e) })
    valid(world)
  end)

  it("can be set as a whole", function()
    local tf, e, _, world = family()
    tf:set_world_pose(e, 1, 2, 3, 0, 0, R, R, 4, 4, 4)
    near({ 0, 4, 0, 0, -4, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1 }, { tf:world_matrix(e) })
    valid(world)
  end)

  it("can be set with a scale of zero, and keeps the rotation", function()
    local tf, e = family()
    tf:set_world_pose(e, 1, 2, 3, 0, 0, R, R, 0, 0, 0)
    near({ 0, 0, 0 }, { tf:world_scale(e) })
    tf:set_local_scale(e, -0.5, 0.5, 0.5)
    near({ 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1 }, { tf:world_matrix(e) })
  end)

  it("can be set to a matrix", function()
    local tf, e = family()
    tf:set_world_matrix(e, SHEARED)
    near(SHEARED, { tf:world_matrix(e) })
    tf:set_world_matrix(e, unpack(FLAT))
    near(FLAT, { tf:world_matrix(e) })
  end)

  it("cannot be set below a scale of zero, and the message names the entity", function()
    local tf, make = scene()
    local parent = make { scale = { 1, 0, 1 } }
    local e = make { parent = parent, position = { 1, 2, 3 } }
    raises("entity(0:0) has a scale of 0", tf.set_world_position, tf, e, 1, 1, 1)
    raises("entity(0:0) has a scale of 0", tf.set_world_rotation, tf, e, 0, 0, 0, 1)
    raises("entity(0:0) has a scale of 0", tf.set_world_pose, tf, e, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1)
    raises("entity(0:0) has a scale of 0", tf.set_world_matrix, tf, e, SHEARED)
    near({ 1, 2, 3 }, { tf:local_position(e) })
  end)

  it("cannot be set if no float holds the local pose", function()
    local tf, make, _, world = scene()
    for _, size in ipairs { 1e-30, 1e-45 } do
      local parent = make { scale = size }
      local e = make { parent = parent, position = { 1, 2, 3 } }
      local other = make { position = { 1e10, 0, 0 }, scale = 1e20 }
      local message = "or one too near to 0: no local pose below it gives this world pose"
      raises(message, tf.set_world_position, tf, e, 1e10, 0, 0)
      raises(message, tf.set_world_pose, tf, e, 1e10, 0, 0, 0, 0, 0, 1, 1, 1, 1)
      raises(message, tf.set_world_matrix, tf, e, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1e10, 0, 0, 1)
      raises(message, tf.link, tf, other, parent, { keep = "world" })
      near({ 1, 2, 3 }, { tf:local_position(e) })
      near({ 1, 1, 1 }, { tf:local_scale(e) })
      assert.is_nil(tf:parent(other))
      near({ 1e10, 0, 0 }, { tf:local_position(other) })
      assert.is_true(world:validate())
    end
    -- Infinities that the caller passes are stored.
    local e = make { parent = make() }
    tf:set_world_position(e, 1 / 0, 0, 0)
    assert.equal(1 / 0, (tf:local_position(e)))
  end)

  it("cannot be set below a NaN, and the message names the entity", function()
    local tf, make = scene()
    local parent = make()
    local e = make { parent = parent }
    tf:set_local_rotation(parent, 0 / 0, 0, 0, 1)
    raises("entity(0:0) has a scale of 0 (or a NaN or infinity) in its world matrix", tf.set_world_position, tf, e,
      1, 1, 1)
  end)

  it("can be set below a mirrored, rotated and unevenly scaled chain", function()
    local tf, make, _, world = scene()
    local top = make { position = { 5, 6, 7 }, rotation = { 0.5, -0.5, 0.5, 0.5 }, scale = { -1, 2, 3 } }
    local middle = make { parent = top, angle = 0.7, scale = { 1, 0.5, -2 } }
    local e = make { parent = middle, angle = 0.3, scale = { 1, 2, 3 } }
    local leaf = make { parent = e, position = { 1, 1, 1 } }
    tf:set_world_position(e, 1, 2, 3)
    near({ 1, 2, 3 }, { tf:world_position(e) })
    near({ 0.3 }, { tf:local_angle(e) })
    near({ 1, 2, 3 }, { tf:local_scale(e) }, 0)
    tf:set_world_pose(e, 4, 5, 6, 0, 0.6, 0, 0.8, 1, -1, 2)
    near({ 4, 5, 6 }, { tf:world_position(e) })
    near({ 0.28, 0, -0.96, 0, 0, -1, 0, 0, 1.92, 0, 0.56, 0, 4, 5, 6, 1 }, { tf:world_matrix(e) })
    near({ 4 + 0.28 + 1.92, 4, 6 - 0.96 + 0.56 }, { tf:world_position(leaf) })
    valid(world)
  end)

  it("is kept by a local matrix, which is sheared below an uneven scale", function()
    local tf, make = scene()
    local parent = make { scale = { 1, 3, 1 } }
    local e = make { angle = math.pi / 4 }
    local before = { tf:world_matrix(e) }
    tf:link(e, parent, { keep = "world" })
    near(before, { tf:world_matrix(e) })
    assert.is_not_nil(tf:get(e).matrix)
    tf:set_local_position(e, 0, 0, 0)
    assert.is_nil(tf:get(e).matrix)
  end)

  it("includes the rotation that a scale of zero above hides", function()
    local tf, make = scene()
    local top = make { angle = 0.5 }
    local flat = make { parent = top, angle = 0.25, scale = 0 }
    local e = make { parent = flat, angle = 1 }
    near({ 1.75 }, { tf:world_angle(e) })
    tf:unlink(e, { keep = "world" })
    tf:set_local_scale(e, 1)
    near({ 1.75 }, { tf:world_angle(e) })
  end)
end)

describe("link", function()
  it("keeps the local pose", function()
    local tf, make, _, world = scene()
    local parent, child = make { position = { 10, 0, 0 } }, make { position = { 1, 0, 0 } }
    assert.equal(0, select("#", tf:link(child, parent)))
    near({ 1, 0, 0 }, { tf:local_position(child) })
    near({ 11, 0, 0 }, { tf:world_position(child) })
    assert.equal(0, select("#", tf:unlink(child)))
    near({ 1, 0, 0 }, { tf:world_position(child) })
    assert.is_nil(tf:parent(child))
    valid(world)
  end)

  it('keeps the world pose with keep = "world"', function()
    local tf, make, _, world = scene()
    local parent = make { position = { 10, 0, 0 }, angle = 1, scale = 2 }
    local child = make { position = { 1, 2, 3 }, angle = 0.5, scale = { 1, 2, 3 } }
    local leaf = make { parent = child, position = { 1, 1, 1 } }
    local before, below = { tf:world_matrix(child) }, { tf:world_matrix(leaf) }
    tf:link(child, parent, { keep = "world" })
    near(before, { tf:world_matrix(child) })
    near(below, { tf:world_matrix(leaf) })
    near({ -0.5 }, { tf:local_angle(child) })
    tf:unlink(child, { keep = "world" })
    near(before, { tf:world_matrix(child) })
    near({ 0.5 }, { tf:local_angle(child) })
    near({ 1, 2, 3 }, { tf:local_scale(child) })
    valid(world)
  end)

  it("moves the descendants too", function()
    local tf, make = scene()
    local parent, child = make { position = { 10, 0, 0 } }, make()
    local leaf = make { parent = child, position = { 1, 0, 0 } }
    tf:link(child, parent)
    near({ 11, 0, 0 }, { tf:world_position(leaf) })
    tf:unlink(child)
    near({ 1, 0, 0 }, { tf:world_position(leaf) })
  end)

  it("makes the child the last one, also if it was a child before", function()
    local tf, make, _, world = scene()
    local parent = make()
    local a, b, c = make { parent = parent }, make { parent = parent }, make { parent = parent }
    assert.same({ a, b, c }, children(tf, parent))
    tf:link(a, parent)
    assert.same({ b, c, a }, children(tf, parent))
    tf:link(c, make())
    assert.same({ b, a }, children(tf, parent))
    valid(world)
  end)

  it("refuses a cycle of any length", function()
    local tf, make, _, world = scene()
    local a = make()
    local b = make { parent = a }
    local c = make { parent = b }
    raises("cycle: entity(0:0) cannot be its own parent", tf.link, tf, a, a)
    raises("cycle: entity(1:0) is below entity(0:0)", tf.link, tf, a, b)
    raises("cycle: entity(2:0) is below entity(0:0)", tf.link, tf, a, c, { keep = "world" })
    assert.is_nil(tf:parent(a))
    valid(world)
  end)

  it("needs transforms on both sides, and names the entity that lacks one", function()
    local tf, make, entities = scene()
    local e, bare = make(), entities:create()
    raises("entity(1:0) has no transform", tf.link, tf, e, bare)
    raises("entity(1:0) has no transform", tf.link, tf, bare, e)
    raises("entity(1:0) has no transform", tf.unlink, tf, bare)
    raises("got nil", tf.link, tf, e, nil)
  end)

  it("has one option with one value", function()
    local tf, make = scene()
    local a, b = make(), make()
    raises("unknown option 'kep' (did you mean 'keep'?)", tf.link, tf, a, b, { kep = "world" })
    raises('keep: "world" expected, got "local"', tf.link, tf, a, b, { keep = "local" })
    raises('keep: "world" expected, got boolean', tf.unlink, tf, a, { keep = true })
    assert.is_nil(tf:parent(a))
    tf:link(a, b, {})
    assert.equal(b, owner(tf, tf:parent(a)))
  end)

  it("cannot keep the world pose below a scale of zero", function()
    local tf, make, _, world = scene()
    local flat, e = make { scale = 0 }, make { position = { 1, 2, 3 } }
    raises("entity(0:0) has a scale of 0", tf.link, tf, e, flat, { keep = "world" })
    assert.is_nil(tf:parent(e))
    near({ 1, 2, 3 }, { tf:local_position(e) })
    valid(world)
  end)
end)

describe("a parent of thousands of children", function()
  local count = rounds(100000, 2000)

  local function crowd()
    local tf, make, entities, world = scene()
    local parent, list = make { position = { 1, 0, 0 } }, entities:create(count)
    tf:create_many(list)
    for i = 1, count do tf:link(list[i], parent) end
    return tf, parent, list, entities, world
  end

  it("has them in the order in which they were linked", function()
    local tf, parent, list, _, world = crowd()
    local i = 0
    for child in tf:children(parent) do
      i = i + 1
      if child ~= list[i] then error("child " .. i .. " is in the wrong place") end
    end
    assert.equal(count, i)
    valid(world)
  end)

  it("can lose them in any order, and the rest keep their order", function()
    local tf, parent, list, _, world = crowd()
    local gone = {}
    for i = 1, count - 7 do
      local child = list[i * 7919 % count + 1]
      gone[child] = true
      tf:unlink(child, i % 2 == 0 and { keep = "world" } or nil)
    end
    local left = {}
    for _, child in ipairs(list) do
      if not gone[child] then left[#left + 1] = child end
    end
    assert.equal(7, #left)
    assert.same(left, children(tf, parent))
    valid(world)
  end)

  it("can die, and all of them are roots at once", function()
    local tf, parent, list, entities, world = crowd()
    entities:destroy(parent)
    for i = 1, count, 997 do
      assert.is_nil(tf:parent(list[i]))
      assert.is_nil(tf:next_sibling(list[i]))
      near({ 1, 0, 0 }, { tf:local_position(list[i]) }, 0)
    end
    valid(world)
  end)
end)

describe("a parent with many children whose row moves", function()
  local COUNT = 40

  -- A parent in the last row, with COUNT children.
  local function family()
    local tf, make, entities, world = scene()
    local list = {}
    for i = 1, COUNT do list[i] = make { position = { i, 0, 0 }, angle = i / 20 } end
    local parent = make { position = { 0, 10, 0 }, angle = 0.5, scale = 2 }
    for _, e in ipairs(list) do tf:link(e, parent) end
    return tf, make, entities, world, list, parent
  end

  it("is still the parent of all of them, and of children that are linked later", function()
    local tf, make, _, world, list, parent = family()
    for i = COUNT, 11, -1 do
      tf:destroy(list[i])
      assert.equal(i - 1, tf:row(parent))
      for k = 1, i - 1 do assert.equal(parent, owner(tf, tf:parent(list[k]))) end
    end
    local late = make { position = { 1, 1, 0 }, parent = parent }
    tf:set_local_position(parent, 0, 20, 0)
    near({ 2 * math.cos(0.5) - 2 * math.sin(0.5), 20 + 2 * math.sin(0.5) + 2 * math.cos(0.5), 0 },
      { tf:world_position(late) })
    assert.equal(11, #children(tf, parent))
    valid(world)
    for k = 1, 10 do tf:unlink(list[k]) end
    tf:destroy(late)
    tf:link(list[1], parent)
    tf:destroy(list[2])
    assert.same({ list[1] }, children(tf, parent))
    valid(world)
  end)

  it("is sorted before them", function()
    local tf, _, _, world, list, parent = family()
    tf:destroy(list[COUNT])
    tf:sort()
    assert.equal(0, tf:row(parent))
    for k = 1, COUNT - 1 do assert.equal(k, tf:row(list[k])) end
    valid(world)
  end)

  it("leaves their world poses unchanged when it is destroyed", function()
    for _, removed in ipairs { "component", "entity", "index reused" } do
      local tf, make, entities, world, list, parent = family()
      tf:destroy(list[COUNT])
      if removed == "component" then tf:destroy(parent) else entities:destroy(parent) end
      if removed == "index reused" then
        local successor = make { position = { 5, 5, 5 } }
        assert.equal(cuttle.entity_index(parent), cuttle.entity_index(successor))
        assert.same({}, children(tf, successor))
      end
      for k = 1, COUNT - 1 do
        assert.is_nil(tf:parent(list[k]))
        near({ 2 * k * math.cos(0.5), 10 + 2 * k * math.sin(0.5), 0 }, { tf:local_position(list[k]) }, 1e-4)
        near({ 0.5 + k / 20 }, { tf:local_angle(list[k]) })
        near({ 2, 2, 2 }, { tf:local_scale(list[k]) })
      end
      valid(world)
    end
  end)

  it("leaves their world poses unchanged below an uneven scale, a mirroring and a sheared matrix", function()
    for _, pose in ipairs { { scale = { 1, 2, 1 } }, { scale = -2 }, { matrix = SHEARED } } do
      local tf, make, entities, world = scene()
      local parent = make(pose)
      local child = make { position = { 1, 2, 3 }, angle = 1, scale = { 1, 2, 3 }, parent = parent }
      local matrix, turn, size = { tf:world_matrix(child) }, { tf:world_rotation(child) }, { tf:world_scale(child) }
      entities:destroy(parent)
      assert.same(matrix, { tf:local_matrix(child) })
      near(turn, { tf:local_rotation(child) })
      near(size, { tf:local_scale(child) })
      valid(world)
    end
  end)
end)

describe("one entity in several worlds", function()
  -- A pickaxe that has a place in the hall and another, smaller, in the inventory.
  local function pickaxe()
    local entities = cuttle.entity_manager { minimum_free_indices = 0 }
    local hall, inventory = cuttle.world(entities), cuttle.world(entities)
    local e, slot, child = entities:create(), entities:create(), entities:create()
    inventory.transform:create(slot, { position = { 100, 0, 0 }, scale = 0.5 })
    hall.transform:create(e, { position = { 1, 2, 3 } })
    inventory.transform:create(e, { parent = slot, position = { 2, 0, 0 } })
    hall.transform:create(child, { parent = e })
    inventory.transform:create(child, { parent = e })
    return entities, hall, inventory, e, child, slot
  end

  it("has a pose, a parent and children in each", function()
    local _, hall, inventory, e, child, slot = pickaxe()
    near({ 1, 2, 3 }, { hall.transform:world_position(e) })
    near({ 101, 0, 0 }, { inventory.transform:world_position(e) })
    assert.is_nil(hall.transform:parent(e))
    assert.equal(slot, owner(inventory.transform, inventory.transform:parent(e)))
    hall.transform:set_local_position(e, 4, 5, 6)
    near({ 4, 5, 6 }, { hall.transform:world_position(child) })
    near({ 101, 0, 0 }, { inventory.transform:world_position(child) })
    raises("has no transform", hall.transform.link, hall.transform, e, slot)
  end)

  it("waits for propagate only in the world that is deferred", function()
    local _, hall, inventory, e, child = pickaxe()
    hall.transform:set_mode "deferred"
    hall.transform:set_local_position(e, 0, 0, 0)
    inventory.transform:set_local_position(e, 0, 0, 0)
    near({ 1, 2, 3 }, { hall.transform:world_position(child) })
    near({ 100, 0, 0 }, { inventory.transform:world_position(child) })
    hall.transform:propagate()
    near({ 0, 0, 0 }, { hall.transform:world_position(child) })
  end)

  it("dies in all at once, and its children are roots in each", function()
    local entities, hall, inventory, e, child = pickaxe()
    entities:destroy(e)
    for world, place in pairs { [hall] = { 1, 2, 3 }, [inventory] = { 101, 0, 0 } } do
      assert.is_false(world.transform:has(e))
      assert.is_nil(world.transform:parent(child))
      near(place, { world.transform:local_position(child) })
      valid(world)
    end
    assert.equal(1, hall.transform:gc "all")
    assert.equal(1, inventory.transform:gc "all")
  end)

  it("keeps its transform in one when the other is destroyed", function()
    local entities, hall, inventory, e, child = pickaxe()
    hall:destroy()
    assert.is_true(entities:alive(e))
    near({ 101, 0, 0 }, { inventory.transform:world_position(child) })
    assert.equal(2, inventory.transform:destroy_tree(e))
    valid(inventory)
  end)
end)

describe("traversal of the hierarchy", function()
  it("reaches parents, children and siblings", function()
    local tf, make = scene()
    local root = make()
    local a, b = make { parent = root }, make { parent = root }
    local leaf = make { parent = a }
    assert.equal(a, owner(tf, tf:first_child(root)))
    assert.equal(b, owner(tf, tf:next_sibling(a)))
    assert.equal(a, owner(tf, tf:prev_sibling(b)))
    assert.is_nil(tf:next_sibling(b))
    assert.is_nil(tf:prev_sibling(a))
    assert.is_nil(tf:first_child(leaf))
    assert.equal(root, owner(tf, tf:root(leaf)))
    assert.equal(root, owner(tf, tf:root(root)))
    assert.equal(2, tf:depth(leaf))
    assert.equal(0, tf:depth(root))
  end)

  it("accepts instances and entities", function()
    local tf, make = scene()
    local root = make()
    local child = make { parent = root }
    assert.same({ child }, children(tf, tf:lookup(root)))
    assert.equal(root, owner(tf, tf:parent(tf:first_child(root))))
  end)

  it("works for a chain of thousands", function()
    local tf, _, entities, world = scene()
    local count = rounds(1000000, 20000)
    local chain = entities:create(count)
    tf:create_many(chain, { position = { 1, 0, 0 } })
    for i = 2, count do tf:link(chain[i], chain[i - 1]) end
    local tip = chain[count]
    assert.equal(count - 1, tf:depth(tip))
    near({ count, 0, 0 }, { tf:world_position(tip) })
    tf:set_local_position(chain[1], 2, 0, 0)
    near({ count + 1, 0, 0 }, { tf:world_position(tip) })
    raises("cycle", tf.link, tf, chain[1], tip)
    valid(world)
    assert.equal(count, tf:destroy_tree(chain[1]))
    assert.equal(count, tf:gc "all")
    valid(world)
  end)
end)

describe("children of a destroyed transform", function()
  local function family(pose)
    local tf, make, entities, world = scene()
    local top = make { position = { 100, 0, 0 } }
    local parent = make { parent = top, position = { 10, 0, 0 }, angle = 1, scale = 2 }
    local child = make(pose or { position = { 1, 0, 0 }, angle = 0.5 })
    tf:link(child, parent)
    return tf, top, parent, child, entities, world, make
  end

  it("are roots as soon as its entity is destroyed", function()
    local tf, _, parent, child, entities, world = family()
    local before = { tf:world_matrix(child) }
    entities:destroy(parent)
    assert.is_nil(tf:parent(child))
    assert.equal(child, owner(tf, tf:root(child)))
    assert.equal(0, tf:depth(child))
    near(before, { tf:local_matrix(child) }, 0)
    near(before, { tf:world_matrix(child) }, 0)
    near({ 1.5 }, { tf:local_angle(child) })
    near({ 2, 2, 2 }, { tf:local_scale(child) })
    valid(world)
  end)

  it("are roots as soon as its component is destroyed", function()
    local tf, _, parent, child, _, world = family()
    local before = { tf:world_matrix(child) }
    tf:destroy(parent)
    assert.is_nil(tf:parent(child))
    near(before, { tf:local_matrix(child) }, 0)
    valid(world)
  end)

  it("do not follow the ancestors any more", function()
    local tf, top, parent, child, entities = family()
    local before = { tf:world_position(child) }
    entities:destroy(parent)
    tf:set_local_position(top, 0, 0, 0)
    near(before, { tf:world_position(child) }, 0)
    tf:set_local_scale(child, 1)
    near(before, { tf:world_position(child) }, 0)
    near({ 1.5 }, { tf:world_angle(child) })
  end)

  for _, name in ipairs { "local_position", "local_rotation", "local_scale", "local_matrix" } do
    it("have the " .. name .. " of a root even if it is the first call afterwards", function()
      local first, _, parent, child, entities = family()
      entities:destroy(parent)
      local values = { first[name](first, child) }
      local other, _, same_parent, same_child, same_entities = family()
      same_entities:destroy(same_parent)
      other:gc "all"
      near({ other[name](other, same_child) }, values, 0)
      local read, _, read_parent, read_child, read_entities = family()
      read_entities:destroy(read_parent)
      near(values, { read:read(read_child, name) }, 0)
    end)
  end

  it("are roots in column views, even if these are read first", function()
    local function views(tf)
      return { tf:column("local_position"), tf:column("local_rotation"), tf:column("local_scale"),
        tf:column("local_matrix"), tf:column("world_matrix") }
    end
    for _, name in ipairs { "local_position", "local_rotation", "local_scale", "local_matrix" } do
      local tf, _, parent, child, entities = family()
      local all, row = views(tf), tf:row(child)
      local accessor = tf:column(name)[row]
      entities:destroy(parent)
      local part = name == "local_matrix" and 13 or "x"
      local values, first = { tf:column(name):get(row) }, accessor[part]
      near({ tf[name](tf, child) }, values, 0)
      near({ values[name == "local_matrix" and 13 or 1] }, { first }, 0)
      local twin, _, twin_parent, twin_child, twin_entities = family()
      local column = twin:column(name)
      twin_entities:destroy(twin_parent)
      near(values, { column:get(twin:row(twin_child)) }, 0)
      assert.equal(tf:count(), all[1]:count())
    end
  end)

  it("are not among the children of its parent", function()
    local tf, top, parent, _, entities = family()
    assert.same({ parent }, children(tf, top))
    entities:destroy(parent)
    assert.same({}, children(tf, top))
    assert.is_nil(tf:first_child(top))
  end)

  it("are roots even if the index of the dead entity was reused", function()
    local tf, _, parent, child, entities, world, make = family()
    local before = { tf:world_position(child) }
    entities:destroy(parent)
    local successor = make { position = { 5, 5, 5 } }
    assert.equal(cuttle.entity_index(parent), cuttle.entity_index(successor))
    assert.is_nil(tf:parent(child))
    tf:set_local_position(successor, 6, 6, 6)
    near(before, { tf:world_position(child) }, 0)
    assert.same({}, children(tf, successor))
    valid(world)
    tf:gc "all"
    valid(world)
  end)

  it("are still its children in the callbacks of its death", function()
    local tf, top, parent, child, entities = family()
    local seen
    entities:on_destroy(function(e)
      assert.equal(parent, e)
      seen = { owner(tf, tf:parent(child)), tf:depth(child), children(tf, top)[1] }
      raises("is being destroyed", tf.link, tf, child, parent)
      raises("is being destroyed", tf.set_local_position, tf, parent, 0, 0, 0)
    end)
    entities:destroy(parent)
    assert.same({ parent, 2, parent }, seen)
    assert.is_nil(tf:parent(child))
  end)

  it("keep a sheared world matrix exactly", function()
    local tf, make, entities = scene()
    local parent = make { scale = { 1, 3, 1 } }
    local child = make { parent = parent, angle = 0.7 }
    local before = { tf:world_matrix(child) }
    entities:destroy(parent)
    near(before, tf:get(child).matrix, 0)
  end)

  it("have the same poses after gc", function()
    local tf, top, parent, child, entities, world = family()
    local before = { tf:world_matrix(child) }
    entities:destroy(parent)
    tf:gc "all"
    assert.equal(2, tf:count())
    assert.is_nil(tf:parent(child))
    near(before, { tf:world_matrix(child) }, 0)
    assert.same({}, children(tf, top))
    valid(world)
  end)
end)

describe("a loop over children", function()
  local function nest(count)
    local tf, make, entities, world = scene()
    local parent, list = make(), {}
    for i = 1, count do list[i] = make { parent = parent } end
    return tf, parent, list, entities, world, make
  end

  -- Returns the children that the loop visits while 'change' runs after each.
  local function visited(tf, parent, change)
    local out = {}
    for child in tf:children(parent) do
      out[#out + 1] = child
      change(child)
    end
    return out
  end

  it("uses link order", function()
    local tf, parent, list = nest(5)
    assert.same(list, children(tf, parent))
  end)

  for name, change in pairs {
    unlinked = function(tf, _, child) tf:unlink(child) end,
    ["linked elsewhere"] = function(tf, other, child) tf:link(child, other) end,
    ["linked there again"] = function(tf, _, child) tf:link(child, (tf:entity(tf:parent(child)))) end,
    ["linked away and back"] = function(tf, other, child)
      local parent = tf:entity(tf:parent(child))
      tf:link(child, other)
      tf:link(child, parent)
    end,
    destroyed = function(_, _, child, entities) entities:destroy(child) end,
    ["removed from transforms"] = function(tf, _, child) tf:destroy(child) end,
  } do
    it("visits all children when each is " .. name, function()
      local tf, parent, list, entities, world, make = nest(6)
      local other = make()
      assert.same(list, visited(tf, parent, function(child) change(tf, other, child, entities) end))
      valid(world)
    end)
  end

  it("visits all children when the transform of each is destroyed, in any order of rows", function()
    for shift = 1, 6 do
      local tf, parent, list = nest(6)
      local order = {}
      for i = 1, 6 do order[i] = list[(i * 5 + shift) % 6 + 1] end
      for _, child in ipairs(order) do tf:link(child, parent) end
      assert.same(order, visited(tf, parent, function(child) tf:destroy(child) end))
      assert.equal(1, tf:count())
    end
  end)

  -- A change after the second of six children, and the numbers of the visited children.
  for name, case in pairs {
    ["visits all others if a visited child is unlinked"] = {
      { 1, 2, 3, 4, 5, 6 }, function(tf, _, list) tf:unlink(list[1]) end },
    ["skips children that are unlinked meanwhile"] = {
      { 1, 2, 3, 5 }, function(tf, _, list) tf:unlink(list[4]); tf:unlink(list[6], { keep = "world" }) end },
    ["skips children that are linked elsewhere meanwhile"] = {
      { 1, 2, 4, 5, 6 }, function(tf, _, list, make) tf:link(list[3], make()) end },
    ["skips children that are linked below another child meanwhile"] = {
      { 1, 2, 3, 4, 6 }, function(tf, _, list) tf:link(list[5], list[3]) end },
    ["visits a child that is linked again in its old place"] = {
      { 1, 2, 3, 4, 5, 6 }, function(tf, parent, list) tf:link(list[3], parent) end },
    ["skips children that died meanwhile"] = {
      { 1, 2, 5 }, function(_, _, list, _, entities) entities:destroy { list[2], list[3], list[4], list[6] } end },
    ["does not visit children that are linked meanwhile"] = {
      { 1, 2, 3, 4, 5, 6 }, function(tf, parent, _, make) tf:link(make(), parent) end },
    ["does not visit children that are created meanwhile"] = {
      { 1, 2, 3, 4, 5, 6 }, function(_, parent, _, make) make { parent = parent } end },
    ["ends when the parent dies"] = {
      { 1, 2 }, function(_, parent, _, _, entities) entities:destroy(parent) end },
    ["ends when the whole tree is destroyed"] = {
      { 1, 2 }, function(tf, parent) tf:destroy_tree(parent) end },
  } do
    it(name, function()
      local tf, parent, list, entities, world, make = nest(6)
      local expected = {}
      for i, number in ipairs(case[1]) do expected[i] = list[number] end
      assert.same(expected, visited(tf, parent, function(child)
        if child == list[2] then case[2](tf, parent, list, make, entities) end
      end))
      valid(world)
    end)
  end

  it("ends even if each step creates another child", function()
    local tf, parent, list, _, _, make = nest(6)
    assert.same(list, visited(tf, parent, function(child)
      tf:destroy(child)
      make { parent = parent }
    end))
    assert.equal(6, #children(tf, parent))
  end)

  it("allows new transforms elsewhere", function()
    local tf, parent, list, _, _, make = nest(6)
    assert.same(list, visited(tf, parent, function() make { parent = make() } end))
  end)

  it("raises when the transform of another child is destroyed", function()
    local tf, parent, list = nest(6)
    raises("transform: rows moved during the loop", function()
      for _ in tf:children(parent) do tf:destroy(list[4]) end
    end)
  end)

  it("raises when rows moved", function()
    local tf, parent, list, entities = nest(6)
    raises("transform: rows moved during the loop", function()
      for child in tf:children(parent) do
        if child == list[2] then
          entities:destroy(list[1])
          tf:gc()
        end
      end
    end)
  end)

  it("is not stopped by a gc that moves no row", function()
    local tf, parent, list = nest(6)
    assert.same(list, visited(tf, parent, function() tf:gc() end))
  end)

  it("raises when the world is destroyed", function()
    local tf, parent, _, _, world = nest(2)
    local step = tf:children(parent)
    step()
    world:destroy()
    raises("world is destroyed", step)
  end)

  it("returns nil after its end", function()
    local tf, parent = nest(1)
    local step = tf:children(parent)
    step()
    assert.is_nil(step())
    assert.is_nil(step())
  end)

  it("makes no garbage per child except its place in the list", function()
    local tf, parent = nest(500)
    local function count()
      local n = 0
      for _ in tf:children(parent) do n = n + 1 end
      return n
    end
    assert.equal(500, count())
    local garbage = kinds.interpreted_garbage(count, 1)
    assert.is_true(garbage < 3, "garbage: " .. garbage) -- the list of children
  end)
end)

describe("destroy_tree", function()
  it("destroys an entity and all its descendants, and returns their number", function()
    local tf, make, entities, world = scene()
    local top = make()
    local root = make { parent = top }
    local a, b = make { parent = root }, make { parent = root }
    local leaf = make { parent = a }
    local other = make()
    assert.equal(4, tf:destroy_tree(root))
    for _, e in ipairs { root, a, b, leaf } do assert.is_false(entities:alive(e)) end
    assert.is_true(entities:alive(top))
    assert.is_true(entities:alive(other))
    valid(world)
  end)

  it("destroys children before their parents, in link order", function()
    local tf, make, entities = scene()
    local root = make()
    local a, b = make { parent = root }, make { parent = root }
    local leaf = make { parent = a }
    local order = {}
    entities:on_destroy(function(e)
      order[#order + 1] = e
      if e ~= root then assert.is_not_nil(tf:parent(e)) end
    end)
    tf:destroy_tree(root)
    assert.same({ leaf, a, b, root }, order)
  end)

  it("tolerates callbacks that change the tree", function()
    local tf, make, entities, world = scene()
    local root = make()
    local a, b = make { parent = root }, make { parent = root }
    local late
    entities:on_destroy(function(e)
      if e ~= a then return end
      entities:destroy(b)
      late = make { parent = root }
    end)
    assert.equal(2, tf:destroy_tree(root))
    assert.is_false(entities:alive(b))
    assert.is_true(entities:alive(late))
    assert.is_nil(tf:parent(late))
    valid(world)
  end)

  it("raises the first error of a callback after all are destroyed", function()
    local tf, make, entities = scene()
    local root = make()
    make { parent = root }
    entities:on_destroy(function() error("no reason", 0) end)
    raises("no reason", tf.destroy_tree, tf, root)
    assert.equal(0, entities:count())
  end)

  it("returns 0 for a dead entity", function()
    local tf, make, entities = scene()
    local e = make()
    entities:destroy(e)
    assert.equal(0, tf:destroy_tree(e))
  end)

  it("destroys only the entity if it has no transform", function()
    local tf, _, entities = scene()
    local e = entities:create()
    assert.equal(1, tf:destroy_tree(e))
    assert.is_false(entities:alive(e))
  end)

  it("destroys the descendants of an entity in its own callback", function()
    local tf, make, entities = scene()
    local e = make()
    local child = make { parent = e }
    entities:on_destroy(function(dying)
      if dying == e then assert.equal(1, tf:destroy_tree(e)) end
    end)
    entities:destroy(e)
    assert.is_false(entities:alive(child))
  end)
end)

describe("transforms of 2D games", function()
  it("take two numbers for a position and a scale, and keep z", function()
    local tf, make = scene()
    local e = make { position = { 1, 2, 3 }, scale = { 2, 3, 4 } }
    tf:set_local_position(e, 5, 6)
    tf:set_local_scale(e, 7, 8)
    near({ 5, 6, 3 }, { tf:local_position(e) })
    near({ 7, 8, 4 }, { tf:local_scale(e) })
    tf:set_local_position(e, 1, 1, nil)
    near({ 1, 1, 3 }, { tf:world_position(e) })
    tf:set_local_scale(e, 2)
    near({ 2, 2, 2 }, { tf:local_scale(e) })
    raises("number expected, got string", tf.set_local_position, tf, e, "1", 2)
    raises("number expected, got no value", tf.set_local_position, tf, e, 1)
    raises("expected 3 numbers", tf.set_local_position, tf, e, { 1, 2 })
    raises("entity expected, got nil", tf.set_local_position, tf, nil, 1, 2)
  end)

  it("are created with two numbers: z is 0 and its scale is 1", function()
    local tf, make, entities, world = scene()
    local e = make { position = { 1, 2 }, scale = { 3, 4 } }
    near({ 1, 2, 0 }, { tf:local_position(e) })
    near({ 3, 4, 1 }, { tf:local_scale(e) })
    local level = assert(world:spawn(assert(cuttle.resource(assert(cuttle.compiler(world):compile {
      entities = { { components = { transform = { position = { 5, 6 }, scale = { 2, 2 } } } } } })))))
    near({ 5, 6, 0 }, { tf:world_position(level:entity(1)) })
    near({ 2, 2, 1 }, { tf:world_scale(level:entity(1)) })
    near({ 9, 8, 0 }, { tf:world_position(world:create { transform = { position = { 9, 8 } } }) })
    for _, count in ipairs { 1, 2, 3, 6 } do
      local list = world:create({ transform = { position = { 9, 8 }, scale = { 3, 4 } } }, count)
      near({ 9, 8, 0 }, { tf:local_position(list[count]) })
      near({ 3, 4, 1 }, { tf:local_scale(list[count]) })
    end
    near({ 4, 5, 6 }, { tf:local_position(world:create({ transform = { position = { 1, 2, 3, 4, 5, 6 } } }, 2)[2]) })
    raises("position: expected 3 numbers, got 1", make, { position = { 1 } })
    raises("expected 3 numbers for all", world.create, world, { transform = { position = { 1 } } }, 2)
    local list = entities:create(2)
    raises("position: expected 3 numbers for all", tf.create_many, tf, list, { position = { 1, 2 } })
    raises("position[1]: expected 3 numbers, got 2", tf.create_many, tf, list, { position = { { 1, 2 }, { 3, 4 } } })
    raises("scale[2]: expected 3 numbers, got 2", tf.create_many, tf, list, { scale = { { 1, 2, 1 }, { 3, 4 } } })
    near({ 3, 4, 0 }, { tf:local_position(world:create({ transform = { position = { { 1, 2 }, { 3, 4 } } } }, 2)[2]) })
    tf:create_many(list)
    raises("expected 3 numbers for all", tf.write_many, tf, list, "local_position", { 1, 2 })
  end)

  -- The expected result of pose_2d, from the other getters.
  local function pose_of(tf, e)
    local x, y = tf:world_position(e)
    local sx, sy = tf:world_scale(e)
    return { x, y, tf:world_angle(e), sx, sy }
  end

  it("have a world pose in the plane, the same as the other getters", function()
    local tf, make = scene()
    local list = { make { position = { 1, 2, 3 } }, make { angle = 2, scale = { 2, 3, 1 } }, make { angle = -3 },
      make { scale = { -1, 1, 1 }, angle = 1 }, make { scale = { -2, -2, 1 } }, make { scale = 0 },
      make { rotation = { R, 0, 0, R } }, make { matrix = SHEARED }, make { scale = { 1, 1, -1 }, angle = 0.5 } }
    for i = 1, #list do
      list[#list + 1] = make { parent = list[i], position = { 1, 0, 0 }, angle = i, scale = { 1, 2, 1 } }
    end
    for _, e in ipairs(list) do near(pose_of(tf, e), { tf:pose_2d(e) }) end
    local out, count = tf:read_poses_2d(list)
    assert.equal(#list, count)
    for i, e in ipairs(list) do near(pose_of(tf, e), { unpack(out, i * 5 - 4, i * 5) }) end
  end)

  it("are read by read_poses_2d into a table that is reused", function()
    local tf, make, entities = scene()
    local list = {}
    for i = 1, 4 do list[i] = make { position = { i, 0, 0 } } end
    entities:destroy(list[2])
    local out = { [16] = "stays" }
    local same, count = tf:read_poses_2d(nil, out)
    assert.equal(out, same)
    assert.equal(3, count)
    assert.same({ 1, 0, 0, 1, 1, 3, 0, 0, 1, 1, 4, 0, 0, 1, 1, "stays" }, out)
    local some, number = tf:read_poses_2d(cuttle.list { list[4], list[1], list[4] })
    assert.same({ 4, 0, 0, 1, 1, 1, 0, 0, 1, 1, 4, 0, 0, 1, 1 }, some)
    assert.equal(3, number)
    local none, zero = tf:read_poses_2d({})
    assert.same({ 0, {} }, { zero, none })
    raises("[2]: entity(1:0) is dead", tf.read_poses_2d, tf, list)
    raises("[1]: entity(1:1) has no transform", tf.read_poses_2d, tf, { entities:create() })
    raises("list of entities expected", tf.read_poses_2d, tf, 5)
    raises("table expected", tf.read_poses_2d, tf, nil, 5)
  end)

  it("are set in the plane, and keep their values along z", function()
    local tf, make, _, world = scene()
    local e = make { position = { 1, 2, 3 }, scale = { 2, 3, 4 }, rotation = { R, 0, 0, R } }
    tf:set_local_pose_2d(e, 5, 6, 1)
    near({ 5, 6, 1, 2, 3 }, { tf:pose_2d(e) })
    near({ 5, 6, 3 }, { tf:local_position(e) })
    tf:set_local_pose_2d(e, 5, 6, -1, 7)
    near({ 7, 7, 4 }, { tf:local_scale(e) })
    tf:set_local_pose_2d(e, 5, 6, 0, 7, -8)
    near({ 7, -8, 4 }, { tf:local_scale(e) })
    raises("number expected, got no value", tf.set_local_pose_2d, tf, e, 5, 6)
    raises("number expected, got string", tf.set_local_pose_2d, tf, e, 5, 6, 1, "x")
    raises("number expected, got nil", tf.set_local_pose_2d, tf, e, 5, 6, 1, nil, 2)
    valid(world)
  end)

  it("are set later in deferred mode", function()
    local tf, make = scene()
    local e = make()
    tf:set_mode "deferred"
    tf:set_local_pose_2d(e, 1, 2, 0.5)
    near({ 0, 0, 0, 1, 1 }, { tf:pose_2d(e) })
    tf:propagate()
    near({ 1, 2, 0.5, 1, 1 }, { tf:pose_2d(e) })
  end)
end)

describe("columns of transforms", function()
  it("have current poses in immediate mode", function()
    local tf, make = scene()
    local parent = make { position = { 1, 2, 3 } }
    local e = make { parent = parent, position = { 1, 0, 0 }, scale = 2 }
    local row = tf:row(e)
    near({ 1, 0, 0 }, { tf:column("local_position"):get(row) })
    near({ 2, 2, 2 }, { tf:column("local_scale"):get(row) })
    near({ 2, 2, 3, 1 }, { select(13, tf:column("world_matrix"):get(row)) })
  end)
end)

describe("random transforms, seed " .. seed, function()
  it("agree with a plain model in doubles", function()
    runs.immediate(seed, rounds(500, 200))
  end)
end)
