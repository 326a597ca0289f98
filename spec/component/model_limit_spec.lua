-- The limit of nodes of a model resource.

-- tags: once

local cuttle = require "cuttle"
local raises = require "spec.support.raises"

describe("a model resource", function()
  it("has at most 65,535 nodes", function()
    local world = cuttle.world(cuttle.entity_manager())
    local models, nodes = world.model, {}
    for i = 1, 65535 do nodes[i] = { parent = i > 1 and i - 1 or nil, position = { 1, 0, 0 } } end
    nodes[65535].name = "end"
    models:define_resource("long", { nodes = nodes })
    local e = world:create { model = { resource = "long" } }
    assert.equal(65535, (select(13, models:node_matrix(e, "end"))))
    models:set_node_pose(e, 1, 3, 0, 0, 0, 0, 0, 1, 1, 1, 1)
    models:evaluate()
    assert.equal(65537, (select(13, models:node_matrix(e, "end"))))
    nodes[65536] = {}
    raises("nodes: expected 1 to 65535 nodes, got 65536", models.define_resource, models, "longer", { nodes = nodes })
    assert.is_true(world:validate())
  end)
end)
