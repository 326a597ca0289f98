--- resource:describe and resource:component_types: the contents of a resource.
-- Does not depend on worlds, nor on the binary format of resources.

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local format = string.format
local heads, contents = core.describe.heads, core.describe.contents

local describe = {}

local TREE_LINES = 100 -- default
local LONGEST_NAME = 60
local DEEPEST_INDENT = 30
local MOST_TYPES = 12 -- listed for one entity

-- Makes a name printable: resources may contain control characters and very long names.
local function show(name)
  local dots = ""
  if #name > LONGEST_NAME then
    local length = LONGEST_NAME - 3
    -- Not in the middle of a UTF-8 sequence.
    while length > 0 and name:find("^[\128-\191]", length + 1) do length = length - 1 end
    name, dots = name:sub(1, length), "..."
  end
  return name:gsub("[%z\1-\31\127]", "?") .. dots
end

-- Returns whether a section is a component type. Sections of late fields have names like "transform.parent_node".
local function is_type(section) return not section.name:find(".", 1, true) end

-- Returns whether a section holds source ids, which level:patch compares.
local function is_ids(section) return section.name == "entity.id" end

-- Describes the sizes of the instances that a registered compiler produced.
local function show_opaque(sizes)
  local least, most = sizes[1], 0
  for _, size in ipairs(sizes) do least, most = math.min(least, size), math.max(most, size) end
  if not least then return ", opaque" end
  if least == most then return format(", opaque: %d bytes each", most) end
  return format(", opaque: %d to %d bytes each", least, most)
end

local function show_components(sections, found)
  local shown = {}
  for number, section in ipairs(sections) do
    local count = found[number]
    -- The name is printed before the components, and an id is not a component.
    if count and not (found.name and section.name == "debug_name") and not is_ids(section) then
      if #shown == MOST_TYPES then
        shown[#shown + 1] = "..."
        break
      end
      shown[#shown + 1] = show(section.name) .. (count > 1 and format(" x%d", count) or "")
    end
  end
  return #shown > 0 and ": " .. table.concat(shown, ", ") or ""
end

local function indent_of(depth)
  local blanks = ("  "):rep(math.min(depth, DEEPEST_INDENT) + 1)
  return depth > DEEPEST_INDENT and format("%s(%d deep) ", blanks, depth) or blanks
end

-- The first `limit` entities of the tree in depth-first order, with their depths.
local function walk(parents, limit)
  local first, following, nodes = {}, {}, {}
  for e = #parents, 1, -1 do
    local parent = parents[e]
    following[e], first[parent] = first[parent], e
  end
  local e, depth = first[0], 0
  while e and #nodes < limit do
    nodes[#nodes + 1] = { entity = e, depth = depth }
    if first[e] then
      e, depth = first[e], depth + 1
    else
      while e ~= 0 and not following[e] do e, depth = parents[e], depth - 1 end
      e = following[e]
    end
  end
  return nodes
end

local function add_tree(lines, sections, parts, limit)
  local parents, names = parts[0][1], parts[0][2]
  local nodes, found = walk(parents, limit), {}
  for _, node in ipairs(nodes) do found[node.entity] = { name = names[node.entity] } end
  for number in ipairs(sections) do
    for _, e in ipairs(parts[number][1]) do
      if found[e] then found[e][number] = (found[e][number] or 0) + 1 end
    end
  end
  lines[#lines + 1] = "tree:"
  for _, node in ipairs(nodes) do
    local name = names[node.entity]
    lines[#lines + 1] = indent_of(node.depth) .. (name and show(name) or "(no name)")
      .. show_components(sections, found[node.entity])
  end
  if #parents > #nodes then lines[#lines + 1] = format("  and %d more", #parents - #nodes) end
end

local function check_tree(lines)
  local is_count = type(lines) == "number" and lines >= 0 and lines <= core.MAX_ENTITIES and lines % 1 == 0
  if lines ~= "all" and not is_count then return '"all" or a number of lines expected' end
end

local OPTIONS = argument.option_list { { "tree", check_tree } }

--- Returns a text with one line for the resource, one for each component type, and the tree of its entities.
-- @param resource a resource
-- @tparam[opt] table options `tree`: the number of lines of the tree (100 by default), or "all"
-- @treturn string
function describe.describe(resource, options)
  argument.check_self(resource, "Resource", "describe")
  options = argument.options(options, 1, "describe", OPTIONS)
  local sections = argument.call(heads, resource)
  local limit = options.tree == "all" and core.MAX_ENTITIES or options.tree or TREE_LINES
  local parts = {}
  for number = 0, #sections do
    local needed = number == 0 or limit > 0 or sections[number].opaque
    if needed then parts[number] = argument.call(contents, resource, number) end
  end
  local parents, names, roots, named, types = parts[0][1], parts[0][2], 0, 0, 0
  for _, parent in ipairs(parents) do roots = parent == 0 and roots + 1 or roots end
  for _ in pairs(names) do named = named + 1 end
  for _, section in ipairs(sections) do types = is_type(section) and types + 1 or types end
  local lines = { format("entity resource, version %d: %d bytes, %d entities (%d roots, %d named), %d component types",
    sections.version, sections.bytes, #parents, roots, named, types) }
  for number, section in ipairs(sections) do
    if not is_ids(section) then
      lines[#lines + 1] = format("  %s: %d instances, %d bytes%s", show(section.name), section.instances,
        section.bytes, section.opaque and show_opaque(parts[number][2]) or "")
    end
  end
  if limit > 0 and #parents > 0 then add_tree(lines, sections, parts, limit) end
  return table.concat(lines, "\n")
end

--- Returns the names of the component types, in spawn order.
-- @param resource a resource
-- @treturn table
function describe.component_types(resource)
  argument.check_self(resource, "Resource", "component_types")
  local names = {}
  for _, section in ipairs(argument.call(heads, resource)) do
    if is_type(section) then names[#names + 1] = section.name end
  end
  return names
end

core.add_methods("Resource", describe)

return describe
