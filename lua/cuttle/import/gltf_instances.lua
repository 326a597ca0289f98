--- Instances of a glTF node: EXT_mesh_gpu_instancing.
-- Does not depend on the hierarchy, nor on the entities of instances.
-- @module cuttle.import.gltf_instances

local json = require "cuttle.json"
local unpack = require "cuttle.compat".unpack

local instances = {}

--- The name of the extension.
instances.EXTENSION = "EXT_mesh_gpu_instancing"

local PARTS = { { "TRANSLATION", "translation", 3 }, { "ROTATION", "rotation", 4 }, { "SCALE", "scale", 3 } }

--- Reads the instances of a node.
-- @tparam cursor cursor at the node
-- @tparam table node
-- @tparam table accessors of the document
-- @treturn[1] table a list of {translation=, rotation=, scale=}, in the form of a node; nil if the node has no
-- instances
-- @treturn[2] nil if the numbers are compressed
-- @treturn[2] string the name of the extension that compresses them
function instances.read(cursor, node, accessors)
  local extensions = cursor:maybe(node, "extensions", "object", {})
  cursor:enter("extensions")
  local extension = cursor:maybe(extensions, instances.EXTENSION, "object", {})
  cursor:enter(instances.EXTENSION)
  local attributes = cursor:maybe(extension, "attributes", "object", {})
  cursor:enter("attributes")
  local list, first
  for _, part in ipairs(PARTS) do
    local attribute, key, width = unpack(part)
    if not json.is_null(attributes[attribute]) then
      accessors.cursor = cursor:fork()
      local items, packed = accessors:items(attributes, attribute, width)
      if not items then
        cursor:leave(3)
        return nil, packed
      end
      first = first or attribute
      list = list or {}
      if attribute ~= first and #items ~= #list then
        cursor:fail(attribute, "expected %d items, as in %s, got %d", #list, first, #items)
      end
      for index, item in ipairs(items) do
        list[index] = list[index] or {}
        list[index][key] = item
      end
    end
  end
  cursor:leave(3)
  return list
end

return instances
