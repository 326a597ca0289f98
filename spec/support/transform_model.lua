-- A transform hierarchy as plainly as can be written, in Lua tables and doubles, and a random run that holds the
-- manager against it. Tolerance: each number of a world matrix may be off by 2e-4 of the largest one that was
-- multiplied on the way to it (floats have 7 digits, and trees here are some ten deep).

local cuttle = require "cuttle"

-- busted gives its assert to spec files only.
local assert = require "luassert"

local TOLERANCE = 2e-4

local function multiply(a, b)
  local out = {}
  for j = 0, 3 do
    for i = 1, 4 do
      local sum = 0
      for k = 0, 3 do sum = sum + a[i + 4 * k] * b[4 * j + k + 1] end
      out[4 * j + i] = sum
    end
  end
  return out
end

local function compose(p, q, s)
  local x, y, z, w = unpack(q)
  return {
    (1 - 2 * (y * y + z * z)) * s[1], 2 * (x * y + z * w) * s[1], 2 * (x * z - y * w) * s[1], 0,
    2 * (x * y - z * w) * s[2], (1 - 2 * (x * x + z * z)) * s[2], 2 * (y * z + x * w) * s[2], 0,
    2 * (x * z + y * w) * s[3], 2 * (y * z - x * w) * s[3], (1 - 2 * (x * x + y * y)) * s[3], 0,
    p[1], p[2], p[3], 1,
  }
end

local function inverse(m)
  local function c(a, b, d, e) return m[a] * m[b] - m[d] * m[e] end
  local out = {
    c(6, 11, 7, 10), c(3, 10, 2, 11), c(2, 7, 3, 6), 0,
    c(7, 9, 5, 11), c(1, 11, 3, 9), c(3, 5, 1, 7), 0,
    c(5, 10, 6, 9), c(2, 9, 1, 10), c(1, 6, 2, 5), 0,
    0, 0, 0, 1,
  }
  local determinant = m[1] * out[1] + m[5] * out[2] + m[9] * out[3]
  for i = 1, 11 do out[i] = out[i] / determinant end
  for i = 1, 3 do out[12 + i] = -(out[i] * m[13] + out[i + 4] * m[14] + out[i + 8] * m[15]) end
  return out
end

local function largest(m)
  local most = 0
  for i = 1, 16 do most = math.max(most, math.abs(m[i])) end
  return most
end

local model = {}

local function world_of(node)
  if node.parent then return multiply(world_of(node.parent), node.matrix) end
  return node.matrix
end

-- The scale of numbers that went into a world matrix.
local function size_of(node)
  local size = math.max(1, largest(node.matrix), largest(world_of(node)))
  if node.parent then return math.max(size, size_of(node.parent) * math.max(1, largest(node.matrix))) end
  return size
end

local function leave(node)
  if not node.parent then return end
  for i, child in ipairs(node.parent.children) do
    if child == node then
      table.remove(node.parent.children, i)
      break
    end
  end
  node.parent = nil
end

local function is_below(node, other)
  while node do
    if node == other then return true end
    node = node.parent
  end
  return false
end

-- Children of what goes are roots where they stand.
local function vanish(nodes, node)
  for _, child in ipairs(node.children) do
    child.matrix = world_of(child)
    child.parts = nil
  end
  for _, child in ipairs(node.children) do child.parent = nil end
  leave(node)
  nodes[node.e] = nil
end

local function generator(state)
  return function(n)
    state = (state * 16807) % 2147483647
    return state % n + 1
  end
end

function model.run(seed, steps)
  local random = generator(seed % 2147483646 + 1)
  local entities = cuttle.entity_manager { minimum_free_indices = random(3) == 1 and 1024 or 0 }
  local world = cuttle.world(entities)
  local tf = world.transform
  local nodes, order = {}, {}

  local function number() return (random(2001) - 1001) / 250 end
  local function position() return { number(), number(), number() } end
  local function rotation()
    local q = { number(), number(), number(), number() + 5 }
    local length = math.sqrt(q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2 + q[4] ^ 2)
    for i = 1, 4 do q[i] = q[i] / length end
    return q
  end
  local function scale()
    local kind = random(8)
    if kind == 1 then return { 1, -1, 1 } end
    if kind == 2 then return { 0.5, 1, 1.5 } end
    if kind == 3 then return { -1, 1, 2 } end
    return { 1, 1, 1 }
  end

  local function pick()
    while #order > 0 do
      local i = random(#order)
      local node = order[i]
      if nodes[node.e] == node then return node end
      order[i] = order[#order]
      order[#order] = nil
    end
  end

  local function add()
    local parent = random(3) > 1 and pick() or nil
    local parts = { position(), rotation(), scale() }
    local node = { e = entities:create(), parent = parent, children = {} }
    node.parts, node.matrix = parts, compose(unpack(parts))
    tf:create(node.e, { position = parts[1], rotation = parts[2], scale = parts[3], parent = parent and parent.e })
    if parent then table.insert(parent.children, node) end
    nodes[node.e] = node
    order[#order + 1] = node
  end

  -- Parts of a matrix that was not made from parts are the manager's to choose; elsewhere they are checked for that.
  local function parts_of(node)
    local told = { { tf:local_position(node.e) }, { tf:local_rotation(node.e) }, { tf:local_scale(node.e) } }
    if node.parts then
      for part = 2, 3 do
        for i, x in ipairs(node.parts[part]) do assert.is_true(math.abs(x - told[part][i]) < 1e-4) end
      end
    end
    return { told[1], told[2], told[3] }
  end

  local function set(node, part, values, setter)
    local parts = parts_of(node)
    parts[part] = values
    node.parts = parts
    node.matrix = compose(unpack(parts))
    setter(tf, node.e, unpack(values))
  end

  -- Whether numbers below here are still good enough to be divided by.
  local function solid(node)
    if not node then return true end
    local w = world_of(node)
    local i = inverse(w)
    return largest(i) < 50 and largest(w) < 200
  end

  local actions = {
    -- More are made than go, so that some hundred live.
    add, add, add, add, add,
    function(node) set(node, 1, position(), tf.set_local_position) end,
    function(node) set(node, 2, rotation(), tf.set_local_rotation) end,
    function(node) set(node, 3, scale(), tf.set_local_scale) end,
    function(node)
      local p, q, s = position(), rotation(), scale()
      node.parts, node.matrix = { p, q, s }, compose(p, q, s)
      tf:set_local_pose(node.e, p[1], p[2], p[3], q[1], q[2], q[3], q[4], unpack(s))
    end,
    function(node)
      if not solid(node.parent) then return end
      local wanted = compose(position(), rotation(), scale())
      tf:set_world_matrix(node.e, wanted)
      node.matrix = node.parent and multiply(inverse(world_of(node.parent)), wanted) or wanted
      node.parts = nil
    end,
    function(node)
      if not solid(node.parent) then return end
      local parts, wanted = parts_of(node), position()
      local to = node.parent and inverse(world_of(node.parent)) or compose({ 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 })
      tf:set_world_position(node.e, unpack(wanted))
      local at = multiply(to, compose(wanted, { 0, 0, 0, 1 }, { 1, 1, 1 }))
      node.parts = { { at[13], at[14], at[15] }, parts[2], parts[3] }
      node.matrix = compose(unpack(node.parts))
    end,
    function(node, other)
      if is_below(other, node) then
        local ok, message = pcall(tf.link, tf, node.e, other.e)
        assert.is_true(not ok and message:find("cycle", 1, true) ~= nil)
        return
      end
      tf:link(node.e, other.e)
      leave(node)
      node.parent = other
      table.insert(other.children, node)
    end,
    function(node, other)
      if is_below(other, node) or not solid(other) then return end
      local wanted = world_of(node)
      tf:link(node.e, other.e, { keep = "world" })
      leave(node)
      node.parent, node.matrix, node.parts = other, multiply(inverse(world_of(other)), wanted), nil
      table.insert(other.children, node)
    end,
    function(node)
      if random(2) == 1 then
        tf:unlink(node.e)
      else
        if node.parent then node.matrix, node.parts = world_of(node), nil end
        tf:unlink(node.e, { keep = "world" })
      end
      leave(node)
    end,
    function(node)
      if random(2) == 1 then return end
      entities:destroy(node.e)
      vanish(nodes, node)
    end,
    function(node)
      tf:destroy(node.e)
      vanish(nodes, node)
    end,
    function(node)
      if #node.children > 4 then return end
      local function count(n)
        local sum = 1
        for _, child in ipairs(n.children) do sum = sum + count(child) end
        nodes[n.e] = nil
        return sum
      end
      leave(node)
      assert.equal(count(node), tf:destroy_tree(node.e))
    end,
    function() tf:gc() end,
    function() if random(5) == 1 then tf:gc "all" end end,
  }

  local function entity_of(instance) return instance and tf:entity(instance) end

  local function check(node)
    local expected, told, size = world_of(node), { tf:world_matrix(node.e) }, size_of(node)
    for i = 1, 16 do
      local off = math.abs(expected[i] - told[i])
      if off > TOLERANCE * size or off ~= off then
        error(("world matrix of %s, number %d: expected %.9g, got %.9g, size %g"):format(
          cuttle.entity_tostring(node.e), i, expected[i], told[i], size))
      end
    end
    assert.equal(node.parent and node.parent.e, entity_of(tf:parent(node.e)))
    local i = 0
    local first, last = tf:first_child(node.e), nil
    assert.equal(node.children[1] and node.children[1].e, entity_of(first))
    for child in tf:children(node.e) do
      i = i + 1
      assert.equal(node.children[i].e, child)
      assert.equal(last, entity_of(tf:prev_sibling(child)))
      assert.equal(node.children[i + 1] and node.children[i + 1].e, entity_of(tf:next_sibling(child)))
      last = child
    end
    assert.equal(#node.children, i)
  end

  for step = 1, steps do
    local node, other = pick(), pick()
    local action = (node == nil or other == nil) and add or actions[random(#actions)]
    action(node, other)
    assert(world:validate())
    if step % 10 == 0 then
      for _, each in pairs(nodes) do check(each) end
    end
  end
end

return model
