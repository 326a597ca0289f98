--- Overrides: the components that an entry sets on the entities inside its prefab.
-- Does not depend on the meaning of components.
-- @module cuttle.compiler.overrides

local each = require "cuttle.each"
local entries = require "cuttle.compiler.entries"
local references = require "cuttle.compiler.references"

local overrides = {}

local function add(nodes, node, overlay)
  local overlays = nodes.overlays[node]
  if not overlays then
    overlays = {}
    if nodes.components[node] then
      overlays[1] = { components = nodes.components[node], node = node, layer = 1, key = "components",
        name = nodes.names[node] }
    end
    nodes.overlays[node] = overlays
  end
  overlays[#overlays + 1] = overlay
end

-- The paths of a table of overrides, with their parts, without comments. Longer paths are applied later and take
-- precedence.
local function sorted_paths(list)
  local paths = {}
  for path in each, list do
    if type(list[path]) == "table" then paths[#paths + 1] = { text = path, parts = references.parts(path) } end
  end
  table.sort(paths, function(a, b)
    if #a.parts ~= #b.parts then return #a.parts < #b.parts end
    return a.text < b.text
  end)
  return paths
end

local function fail_missing(nodes, root, number, inner, path)
  local last = path.parts[#path.parts] or path.text
  local why = string.format("no such entity in %s%s", inner.name,
    references.hint(nodes, last, references.names, inner))
  if #path.parts == 1 and last == inner.root_name then
    why = string.format("this is the root of %s: set its components in the entry itself", inner.name)
  end
  nodes.missing = path.text
  nodes.way.refuse(nodes, root, number, entries.override_key(path.text), "%s", why)
end

--- Applies the overrides of one layer of a prefab's root. A path that matches no entity is refused.
function overrides.apply(nodes, root, number)
  local layers = nodes.layers[root]
  local list, inner = layers[number].read.overrides, layers[number + 1].document
  for _, path in ipairs(sorted_paths(list)) do
    local found = false
    for _, node in ipairs(references.find_all(nodes, inner, path.parts)) do
      if node ~= root then
        found = true
        add(nodes, node, { components = list[path.text], node = root, layer = number,
          key = entries.override_key(path.text), name = nodes.names[node] })
      end
    end
    if not found and not entries.is_ignored(path.text) then fail_missing(nodes, root, number, inner, path) end
  end
end

return overrides
