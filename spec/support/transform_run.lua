-- Random runs that compare the transform manager with the model: all calls in any order, inside and outside of batches,
-- in both modes.

local actions = require "spec.support.transform_actions"
local cuttle = require "cuttle"
local matrices = require "spec.support.matrices"
local model = require "spec.support.transform_model"
local model_nodes = require "spec.support.model_nodes"
local new_random = require "spec.support.random"

-- busted provides its assert only to spec files.
local assert = require "luassert"

local SIN, COS = math.sin, math.cos

local LEVEL = { entities = { { components = { transform = { position = { 1, 2, 3 }, angle = 0.5 } }, children = {
  { components = { transform = { position = { 0, 1, 0 }, scale = { 1, 2, 1 } } } },
  { components = { debug_name = { name = "between" } }, children = {
    { components = { transform = { position = { -1, 0, 1 }, angle = -1 } } } } } } } } }

local LEVEL_PARTS = { { { 1, 2, 3 }, { 0, 0, SIN(0.25), COS(0.25) }, { 1, 1, 1 } },
  { { 0, 1, 0 }, { 0, 0, 0, 1 }, { 1, 2, 1 } }, { { -1, 0, 1 }, { 0, 0, SIN(-0.5), COS(-0.5) }, { 1, 1, 1 } } }

local SCALES = { { 1, -1, 1 }, { 0.5, 1, 1.5 }, { -1, 1, 2 }, { 2, 2, 2 }, { 0.5, 0.5, 0.5 }, { -1, -1, -1 } }
local FLAT = { { 0, 0, 0 }, { 1, 0, 1 }, { 0, 0, -1 } }

local Run = {}
Run.__index = Run

-- `names` are the steps inside batches, and in immediate mode.
local function new(seed, names)
  local random = new_random(seed)
  local entities = cuttle.entity_manager { minimum_free_indices = ({ 0, 1, 7, 1024 })[random(4)] }
  local world = cuttle.world(entities)
  model_nodes.open(world)
  return setmetatable({
    random = random, entities = entities, world = world, tf = world.transform, model = model.new(world.transform),
    resource = assert(cuttle.resource(assert(cuttle.compiler(world):compile(LEVEL)))), level_parts = LEVEL_PARTS,
    order = {}, batches = 0, names = names, puppet = model_nodes.PUPPET,
  }, Run)
end

-- ---------------------------------------------------------------- random values

function Run:number() return (self.random(2001) - 1001) / 250 end

function Run:position() return { self:number(), self:number(), self:number() } end

function Run:rotation()
  local q, square = { self:number(), self:number(), self:number(), self:number() + 5 }, 0
  for i = 1, 4 do square = square + q[i] ^ 2 end
  for i = 1, 4 do q[i] = q[i] / math.sqrt(square) end
  return q
end

function Run:scale()
  if self.random(20) == 1 then return FLAT[self.random(#FLAT)] end
  return SCALES[self.random(14)] or { 1, 1, 1 }
end

-- A matrix, often sheared, whose numbers are equal in floats and doubles.
function Run:matrix()
  local m = matrices.compose(self:position(), self:rotation(), self:scale())
  if self.random(2) == 1 then m[1], m[6] = m[1] + self:number() / 4, m[6] + self:number() / 4 end
  for i = 1, 16 do m[i] = math.floor(m[i] * 64) / 64 end
  return m
end

-- ---------------------------------------------------------------- nodes

-- A random node, or nil.
function Run:pick()
  local order, nodes = self.order, self.model.nodes
  while #order > 0 do
    local i = self.random(#order)
    local node = order[i]
    if nodes[node.e] == node then return node end
    order[i] = order[#order]
    order[#order] = nil
  end
end

function Run:add(...)
  local node = self.model:add(...)
  self.order[#self.order + 1] = node
  return node
end

function Run:count()
  local count = 0
  for _ in pairs(self.model.nodes) do count = count + 1 end
  return count
end

-- ---------------------------------------------------------------- steps

-- Frequent steps are repeated: more nodes are created than removed, so that some hundred exist.
local COMMON = { "create", "create", "create", "create_many", "spawn", "set_local_position", "set_local_position",
  "set_local_rotation", "set_local_scale", "set_local_pose", "set_local_matrix", "set", "write_column", "write_column",
  "set_world_position",
  "set_world_rotation", "set_world_pose", "set_world_matrix", "link", "link", "link_and_keep", "unlink",
  "unlink_and_keep", "change_children", "change_name", "destroy_entity", "destroy_several", "destroy_component",
  "destroy_tree", "gc", "gc_all", "trim", "clear", "sort", "batch" }

-- Steps with models, most of which concern their nodes.
local NODES = { "link_to_node", "link_to_node", "link_to_node", "link_to_node_and_keep", "pose_node", "pose_node",
  "evaluate", "evaluate", "evaluate", "set_model_resource", "define_model", "destroy_model", "gc_models" }
for _, name in ipairs(COMMON) do NODES[#NODES + 1] = name end

-- Deferred mode propagates often.
local DEFERRED = { "propagate", "propagate", "propagate", "switch" }
for _, name in ipairs(COMMON) do DEFERRED[#DEFERRED + 1] = name end
local DEFERRED_NODES = { "propagate", "propagate", "propagate", "switch" }
for _, name in ipairs(NODES) do DEFERRED_NODES[#DEFERRED_NODES + 1] = name end

-- An instance may be refused, but never means another entity.
function Run:check_instance()
  local held = self.held
  if held then
    local ok, owner = pcall(self.tf.entity, self.tf, held.instance)
    if ok then assert.is_true(owner == held.e or owner == nil) else assert.matches("stale", owner) end
  end
  local node = self:pick()
  if node and self.random(20) == 1 then self.held = { e = node.e, instance = self.tf:lookup(node.e) } end
end

function Run:step(names)
  local node, other = self:pick(), self:pick()
  actions[node and names[self.random(#names)] or "create"](self, node, other)
  assert(self.world:validate())
  self:check_instance()
  node = self:pick()
  if node then self.model:check_pose(node) end
end

-- Makes some steps in a batch, which sometimes ends with an error but has the same result.
function actions.batch(run)
  if run.batches == 3 then return end
  local marker = run.random(3) == 1 and {}
  run.batches = run.batches + 1
  local ok, result = pcall(run.tf.batch, run.tf, function()
    for _ = 1, run.random(12) do run:step(run.names) end
    if run.random(4) == 1 then run.model:check() end
    if marker then error(marker) end
    return run
  end)
  run.batches = run.batches - 1
  if not ok and result ~= marker then error(result, 0) end
  assert.equal(marker or run, result)
end

-- ---------------------------------------------------------------- deferred mode

function actions.propagate(run)
  run.tf:propagate()
  run.model:propagate()
  assert.equal(0, run.tf:dirty_count())
  run.model:check()
end

function actions.switch(run)
  if run.batches > 0 then return end
  run.tf:set_mode "immediate"
  run.model:set_deferred(false)
  assert.equal(0, run.tf:dirty_count())
  run.model:check()
  for _ = 1, run.random(5) do run:step(run.names) end
  run.tf:set_mode "deferred"
  run.model:set_deferred(true)
end

-- ---------------------------------------------------------------- runs

-- `watch` is an optional function that is called after each step outside a batch.
local function play(run, steps, names, watch)
  for step = 1, steps do
    run:step(names)
    if step % 10 == 0 then run.model:check() end
    if watch then watch(run) end
  end
end

local runs = {}

function runs.immediate(seed, steps, watch) play(new(seed, COMMON), steps, COMMON, watch) end

local function play_deferred(seed, steps, names, deferred, watch)
  local run = new(seed, names)
  run.tf:set_mode "deferred"
  run.model:set_deferred(true)
  play(run, steps, deferred, watch)
end

function runs.deferred(seed, steps, watch) play_deferred(seed, steps, COMMON, DEFERRED, watch) end

-- The same runs with models and links to their nodes.
function runs.immediate_nodes(seed, steps, watch) play(new(seed, NODES), steps, NODES, watch) end

function runs.deferred_nodes(seed, steps, watch) play_deferred(seed, steps, NODES, DEFERRED_NODES, watch) end

return runs
