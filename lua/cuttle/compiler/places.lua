--- Where in which file something stands, for messages: `level.json: entities[3].children[1].components.mesh[2]`; in a
-- prefab, behind the place where the source comes to it: `level.json: entities[3].prefab: lamp.json: entities[1]`.
-- Knows nothing of what may stand there.
--
-- Places are put together only when something fails. `nodes` is what source.lua reads a level into; the root of a
-- prefab instance stands in several places, its layers: number 1 is the outermost.
-- @module cuttle.compiler.places

local failure = require "cuttle.failure"

local concat, format, match = table.concat, string.format, string.match

local places = {}

-- Entities ---------------------------------------------------------------------------------------------------------

local function layer_of(nodes, node, number)
  local layers = nodes.layers[node]
  return layers and layers[number]
end

local function document_of(nodes, node, number)
  local layer = layer_of(nodes, node, number)
  return layer and layer.document or nodes.document[node]
end

--- `entities[3].children[1]`; of a very deep one the two ends.
function places.inside(nodes, node, number)
  local parts, up = {}, nodes.up
  while node > 0 do
    local layer = layer_of(nodes, node, number)
    local in_children = up[node] > 0 and not (layer and layer.position)
    parts[#parts + 1] = (in_children and ".children[" or "entities[")
      .. (layer and layer.position or nodes.position[node]) .. "]"
    number = nodes.via[node] or 1
    node = in_children and up[node] or 0
  end
  local shown = {}
  for index = #parts, 1, -1 do
    local from_top = #parts - index
    if #parts <= 40 or from_top < 20 or index <= 10 then
      shown[#shown + 1] = parts[index]
    elseif from_top == 20 then
      shown[#shown + 1] = "..."
    end
  end
  return concat(shown)
end

-- The file in which a layer of a node is written, and the place there.
local function site_of(nodes, node, number)
  return document_of(nodes, node, number).name .. ": " .. places.inside(nodes, node, number)
end

-- What a message begins with whose file a prefab includes: the source, and the place that the prefab was named in
-- there. Nothing for the source itself; the files between are left out, there may be hundreds.
local function way_to(nodes, document)
  local node
  while document.outer do node, document = document.node, document.outer end
  return node and document.name .. ": " .. places.inside(nodes, node, 1) .. ".prefab: " or ""
end

--- Fails at a key of a layer of a node.
function places.fail_in(nodes, node, number, key, message, ...)
  local document, place = document_of(nodes, node, number), places.inside(nodes, node, number)
  if key ~= "" then place = place .. "." .. key end
  failure.raise("%s%s: %s: %s", way_to(nodes, document), document.name, place, format(message, ...))
end

--- Fails with a message of a file that the entry being read names as its prefab.
function places.fail_file(nodes, node, message)
  local document = document_of(nodes, node, nodes.reading)
  failure.raise("%s%s", way_to(nodes, { outer = document, node = node }), message)
end

--- Fails at a key of the entry that is being read: `nodes.reading` says of which layer it is.
function places.fail(nodes, node, key, message, ...)
  places.fail_in(nodes, node, nodes.reading, key, message, ...)
end

-- Components -------------------------------------------------------------------------------------------------------

--- A component's place, and the document that it is in. `origin` is an item of overlay.lay, or nil where a node has
-- but one table of components; `field` chooses among the tables that such an item was made from.
function places.of_component(nodes, node, name, position, origin, field)
  local from = { node = node, layer = 1, key = "components" }
  if origin then
    local number = field and origin.sources[field] or origin.number
    from = nodes.overlays[node][number]
    position = number == origin.number and origin.position or 0
  end
  return site_of(nodes, from.node, from.layer) .. "." .. from.key .. (name and "." .. name or "")
    .. (position > 0 and "[" .. position .. "]" or ""), document_of(nodes, from.node, from.layer)
end

--- Fails at a component. A message that begins with a field's name goes on with the place.
function places.fail_component(nodes, node, name, position, origin, message)
  local field = match(message, "^([%a_][%w_]*): ")
  local given = field or match(message, "^unknown field '([%a_][%w_]*)'")
  local place, document = places.of_component(nodes, node, name, position, origin, given)
  failure.raise("%s%s%s%s", way_to(nodes, document), place, field and "." or ": ", message)
end

return places
