-- Poses of glTF nodes: as parts, as matrices, and as the resulting world matrices.

-- tags: machine

local cuttle = require "cuttle"
local gltf = require "cuttle.import.gltf"
local gltf_sample = require "spec.support.gltf_sample"
local failure = gltf_sample.failure
local level_source = gltf_sample.level_source
local with_nodes = gltf_sample.with_nodes
local near = require "spec.support.near"
local seed = require "spec.support.seed"

-- The transform of a single node with the given fields.
local function transform(fields)
  return level_source(with_nodes({ fields })).entities[1].components.transform
end

local function complaint(fields)
  return failure(with_nodes({ fields }))
end

describe("the pose of a glTF node", function()
  it("accepts numbers up to the single-precision limit", function()
    local largest = 3.4028234663852886e38
    assert.same({ position = { 5e9, -largest, 0 }, scale = { 1, -3e9, largest } },
      transform({ translation = { 5e9, -largest, 0 }, scale = { 1, -3e9, largest } }))
    local found = transform({ matrix = { 1, 0, 0, 0, 0, 4e9, 0, 0, 0, 0, 1, 0, 5e9, -1e38, 0, 1 } })
    assert.same({ position = { 5e9, -1e38, 0 }, rotation = { 0, 0, 0, 1 }, scale = { 1, 4e9, 1 } }, found)
  end)

  it("stays a matrix if a scale would exceed that limit", function()
    local a = 3e38
    local matrix = { a, a, 0, 0, -a, a, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }
    assert.same({ matrix = matrix }, transform({ matrix = matrix }))
  end)

  it("is at the origin by default", function()
    assert.same({ position = { 0, 0, 0 } }, transform({ name = "a" }))
  end)

  it("has the file's translation, rotation and scale", function()
    assert.same({ position = { 1, 2, 3 }, rotation = { 0, 0.6, 0, 0.8 }, scale = { 4, -5, 0 } },
      transform({ translation = { 1, 2, 3 }, rotation = { 0, 0.6, 0, 0.8 }, scale = { 4, -5, 0 } }))
  end)

  local wrong = {
    { { rotation = { 0, 0, 1 } }, "rotation: expected 4 numbers, got 3" },
    { { translation = { 0, 0 } }, "translation: expected 3 numbers, got 2" },
    { { scale = 2 }, "scale: expected 3 numbers, got 2" },
    { { matrix = { 1 } }, "matrix: expected 16 numbers, got 1" },
    { { translation = { 0, "x", 0 } },
      'translation[2]: expected a number that single precision holds (to 3.4e38), got "x"' },
    { { scale = { 1, 1, 1e300 } },
      "scale[3]: expected a number that single precision holds (to 3.4e38), got 1e+300" },
    { { translation = { -3.5e38, 0, 0 } },
      "translation[1]: expected a number that single precision holds (to 3.4e38), got -3.5e+38" },
    { { matrix = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1e39, 0, 1 } },
      "matrix[14]: expected a number that single precision holds (to 3.4e38), got 1e+39" },
    { { rotation = { 0, 0, 0, 0 } }, "rotation: expected a quaternion of length 1, got length 0" },
    { { matrix = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }, scale = { 1, 1, 1 } },
      "scale: not together with matrix: a node has one or the other" },
    { { matrix = { 1, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 1, 0, 0, 0, 0, 1 } },
      "matrix[8]: expected 0: the last row of a matrix is 0 0 0 1, got 0.5" },
    { { matrix = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2 } },
      "matrix[16]: expected 1: the last row of a matrix is 0 0 0 1, got 2" },
  }
  for _, case in ipairs(wrong) do
    it("is refused: " .. case[2], function()
      assert.equal("glTF text: nodes[1]." .. case[2], complaint(case[1]))
    end)
  end
end)

describe("the matrix of a glTF node", function()
  it("becomes position, rotation and scale", function()
    local pose = transform({ matrix = { 0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 10, 20, 30, 1 } })
    assert.same({ 10, 20, 30 }, pose.position)
    assert.same({ 2, 3, 4 }, pose.scale)
    near({ 0, 0, math.sqrt(0.5), math.sqrt(0.5) }, pose.rotation, 1e-15)
    assert.is_nil(pose.matrix)
  end)

  it("becomes a negative scale on the mirrored axis, without a rotation", function()
    for axis = 1, 3 do
      local scale = { 1, 1, 1 }
      scale[axis] = -2
      local pose = transform({ matrix = { scale[1], 0, 0, 0, 0, scale[2], 0, 0, 0, 0, scale[3], 0, 0, 0, 0, 1 } })
      assert.same({ position = { 0, 0, 0 }, rotation = { 0, 0, 0, 1 }, scale = scale }, pose)
    end
  end)

  for axis = 1, 3 do
    it("becomes half a turn about axis " .. axis, function()
      local d, q = { -1, -1, -1 }, { 0, 0, 0, 0 }
      d[axis], q[axis] = 1, 1
      local pose = transform({ matrix = { d[1], 0, 0, 0, 0, d[2], 0, 0, 0, 0, d[3], 0, 0, 0, 0, 1 } })
      assert.same({ position = { 0, 0, 0 }, rotation = q, scale = { 1, 1, 1 } }, pose)
    end)
  end

  it("stays a matrix if it is sheared", function()
    local matrix = { 1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1 }
    assert.same({ matrix = matrix }, transform({ matrix = matrix }))
  end)

  it("stays a matrix if it is flat", function()
    local matrix = { 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1 }
    assert.same({ matrix = matrix }, transform({ matrix = matrix }))
  end)

  it("may differ from 0 0 0 1 in its last row by single-precision rounding", function()
    local matrix = { 1, 0, 0, 1e-8, 0.5, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1.0000001 }
    local taken = transform({ matrix = matrix }).matrix
    assert.same({ 0, 0, 0, 1 }, { taken[4], taken[8], taken[12], taken[16] })
  end)
end)

-- A reference in double precision from the glTF specification: column-major, T x R x S, parent x child.

local function product(a, b)
  local out = {}
  for column = 0, 3 do
    for row = 1, 4 do
      local sum = 0
      for k = 0, 3 do sum = sum + a[4 * k + row] * b[4 * column + k + 1] end
      out[4 * column + row] = sum
    end
  end
  return out
end

local function local_matrix(node)
  if node.matrix then return node.matrix end
  local t, q, s = node.translation or { 0, 0, 0 }, node.rotation or { 0, 0, 0, 1 }, node.scale or { 1, 1, 1 }
  local x, y, z, w = q[1], q[2], q[3], q[4]
  return { (1 - 2 * (y * y + z * z)) * s[1], 2 * (x * y + z * w) * s[1], 2 * (x * z - y * w) * s[1], 0,
    2 * (x * y - z * w) * s[2], (1 - 2 * (x * x + z * z)) * s[2], 2 * (y * z + x * w) * s[2], 0,
    2 * (x * z + y * w) * s[3], 2 * (y * z - x * w) * s[3], (1 - 2 * (x * x + y * y)) * s[3], 0,
    t[1], t[2], t[3], 1 }
end

-- The largest absolute row sum, which bounds the rounding errors of products.
local function size_of(m)
  local largest = 0
  for row = 1, 4 do
    largest = math.max(largest, math.abs(m[row]) + math.abs(m[row + 4]) + math.abs(m[row + 8]) + math.abs(m[row + 12]))
  end
  return largest
end

local function spawn(document)
  local world = cuttle.world(cuttle.entity_manager())
  local blob = assert(cuttle.compiler(world):compile(assert(gltf(gltf_sample.encode(document)))))
  return world, assert(world:spawn(assert(cuttle.resource(blob))))
end

-- Checks the world matrix of every node, which is named by its place, against the reference. The tolerance is 2e-6
-- times the product of the sizes on the path, about ten times the error of one product in single precision.
local function assert_worlds(nodes)
  local world, level = spawn(with_nodes(nodes))
  local by_name = {}
  for _, e in ipairs(level:entities()) do by_name[world.debug_name:debug_name(e)] = e end
  assert.equal(#nodes, level:count())
  local parents = {}
  for place, node in ipairs(nodes) do
    for _, child in ipairs(node.children or {}) do parents[child + 1] = place end
  end
  for place, node in ipairs(nodes) do
    local wanted = local_matrix(node)
    local size, ancestor = size_of(wanted), parents[place]
    while ancestor do
      local matrix = local_matrix(nodes[ancestor])
      wanted, size, ancestor = product(matrix, wanted), size * size_of(matrix), parents[ancestor]
    end
    near(wanted, { world.transform:world_matrix(by_name["n" .. place]) }, 2e-6 * size)
  end
end

describe("the world matrices of a glTF scene, seed " .. seed, function()
  local function between(least, most)
    return least + (most - least) * math.random()
  end

  local function quaternion()
    local x, y, z, w = between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1)
    local length = math.sqrt(x * x + y * y + z * z + w * w)
    if length < 0.1 then return quaternion() end
    return { x / length, y / length, z / length, w / length }
  end

  local function factor()
    return between(0.5, 2) * (math.random(4) == 1 and -1 or 1)
  end

  local function pose()
    return { translation = { between(-9, 9), between(-9, 9), between(-9, 9) },
      rotation = math.random(4) > 1 and quaternion() or nil,
      scale = math.random(3) > 1 and { factor(), factor(), factor() } or nil }
  end

  local function sheared()
    local matrix = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, between(-9, 9), between(-9, 9), between(-9, 9), 1 }
    for column = 0, 2 do
      for row = 1, 3 do matrix[4 * column + row] = between(-1, 1) end
    end
    return { matrix = matrix }
  end

  -- A forest of `count` nodes; `make` returns the pose of each.
  local function forest(count, make)
    local order, nodes = {}, {}
    for place = 1, count do
      table.insert(order, math.random(place), place)
      nodes[place] = make()
      nodes[place].name = "n" .. place
    end
    for index = 2, count do
      local parent = nodes[order[math.random(math.max(1, index - 6), index - 1)]]
      if math.random(8) > 1 then
        parent.children = parent.children or {}
        table.insert(parent.children, order[index] - 1)
      end
    end
    return nodes
  end

  before_each(function() math.randomseed(seed) end)

  it("are correct for translations, rotations and scales", function()
    for _ = 1, 8 do assert_worlds(forest(40, pose)) end
  end)

  it("are correct for matrices of rotations and scales, also mirrored ones", function()
    for _ = 1, 8 do
      assert_worlds(forest(40, function() return { matrix = local_matrix(pose()) } end))
    end
  end)

  it("are correct for matrices in single precision", function()
    local function rounded()
      local matrix = local_matrix(pose())
      for index = 1, 16 do matrix[index] = tonumber(("%.7g"):format(matrix[index])) end
      return { matrix = matrix }
    end
    for _ = 1, 8 do assert_worlds(forest(40, rounded)) end
  end)

  it("are correct for sheared and flat matrices", function()
    local function flat()
      local made = sheared()
      local column = math.random(0, 2)
      for row = 1, 3 do made.matrix[4 * column + row] = 0 end
      return made
    end
    for _ = 1, 8 do
      assert_worlds(forest(40, function() return math.random(3) == 1 and flat() or sheared() end))
    end
  end)

  it("are correct for slightly sheared matrices", function()
    local function leaning()
      local matrix = local_matrix(pose())
      local shear = 10 ^ between(-7, -1)
      for row = 1, 3 do matrix[row] = matrix[row] + shear * matrix[4 + row] end
      return { matrix = matrix }
    end
    for _ = 1, 8 do assert_worlds(forest(40, leaning)) end
  end)

  it("are correct for all of these in one tree", function()
    local makers = { pose, sheared, function() return { matrix = local_matrix(pose()) } end }
    for _ = 1, 8 do assert_worlds(forest(60, function() return makers[math.random(3)]() end)) end
  end)

  it("are correct for scales of very different sizes", function()
    local function uneven()
      local made = pose()
      made.scale = { 10 ^ between(-3, 3), 10 ^ between(-3, 3), 10 ^ between(-3, 3) }
      return { matrix = local_matrix(made) }
    end
    for _ = 1, 40 do
      local node = uneven()
      node.name = "n1"
      assert_worlds({ node })
    end
  end)
end)
