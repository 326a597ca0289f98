--- resource:describe and resource:component_types: what a resource holds.
-- Knows nothing of worlds, nor of the bytes of a resource.

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local format = string.format
local counts, section_of, tree, entity = core.describe.counts, core.describe.section, core.describe.tree,
  core.describe.entity

local describe = {}

local TREE_LINES = 100 -- unless told otherwise
local LONGEST_NAME = 60
local DEEPEST_INDENT = 30
local MOST_TYPES = 12 -- named in the line of an entity

-- A resource may come from anywhere: no control characters, and nothing endless.
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

-- The component types of a resource, in order: name, instances, bytes, opaque, and `least` and `most`, the bytes of its
-- smallest and largest instance, where they are known.
local function read_sections(resource)
  local sections = {}
  while true do
    local instances, bytes, opaque, least, most, name = section_of(resource, #sections + 1)
    if not instances then return sections end
    sections[#sections + 1] = { name = name, instances = instances, bytes = bytes, opaque = opaque, least = least,
      most = most }
  end
end

-- Whether a section is of a component type, and does not hold the late fields of one, as "transform.parent_node" does.
local function is_type(section) return not section.name:find(".", 1, true) end

-- Whether it holds source ids, which level:patch compares.
local function is_ids(section) return section.name == "entity.id" end

-- How much a registered compiler made of each instance.
local function show_opaque(section)
  local least, most = section.least, section.most
  if not least then return ", opaque" end
  if least == most then return format(", opaque: %d bytes each", most) end
  return format(", opaque: %d to %d bytes each", least, most)
end

local function show_components(sections, found)
  local shown = {}
  for number, section in ipairs(sections) do
    local count = found[number]
    -- The name stands before it already; an id is no component.
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

local function add_tree(lines, resource, sections, limit, entities)
  local nodes = tree(resource, limit)
  lines[#lines + 1] = "tree:"
  for i = 1, #nodes, 2 do
    local found = entity(resource, nodes[i])
    lines[#lines + 1] = indent_of(nodes[i + 1]) .. (found.name and show(found.name) or "(no name)")
      .. show_components(sections, found)
  end
  local more = entities - #nodes / 2
  if more > 0 then lines[#lines + 1] = format("  and %d more", more) end
end

local function check_tree(lines)
  local is_count = type(lines) == "number" and lines >= 0 and lines <= core.MAX_ENTITIES and lines % 1 == 0
  if lines ~= "all" and not is_count then return '"all" or a number of lines expected' end
end

local OPTIONS = argument.option_list { { "tree", check_tree } }

--- What a resource holds: a line for the whole, one for each component type, and the tree of its entities.
-- @param resource a resource
-- @tparam[opt] table options `tree`: how many lines of the tree, 100 unless told, or "all"
-- @treturn string
function describe.describe(resource, options)
  argument.check_self(resource, "Resource", "describe")
  options = argument.options(options, 1, "describe", OPTIONS)
  argument.call(counts, resource)
  local limit = options.tree == "all" and core.MAX_ENTITIES or options.tree or TREE_LINES
  local sections = read_sections(resource)
  local version, bytes, entities, roots, named = counts(resource)
  local lines = { format("entity resource, version %d: %d bytes, %d entities (%d roots, %d named), %d component types",
    version, bytes, entities, roots, named, #describe.component_types(resource)) }
  for _, section in ipairs(sections) do
    if not is_ids(section) then
      lines[#lines + 1] = format("  %s: %d instances, %d bytes%s", show(section.name), section.instances,
        section.bytes, section.opaque and show_opaque(section) or "")
    end
  end
  if limit > 0 and entities > 0 then add_tree(lines, resource, sections, limit, entities) end
  return table.concat(lines, "\n")
end

--- The names of its component types, in spawn order.
-- @param resource a resource
-- @treturn table
function describe.component_types(resource)
  argument.check_self(resource, "Resource", "component_types")
  argument.call(counts, resource)
  local names = {}
  for _, section in ipairs(read_sections(resource)) do
    if is_type(section) then names[#names + 1] = section.name end
  end
  return names
end

core.add_methods("Resource", describe)

return describe
