--- glTF importer: converts a scene of a glTF 2.0 file to level source, `cuttle.import.gltf(text_or_path [, options])`.
-- Does not depend on worlds, managers and the binary format: the result is a plain Lua table for the compiler.
--
-- **Result.** One entity for each node of the scene, in the file's order and hierarchy, with the node's pose, its name
-- if it has one, and its index as id. Units and axes are the file's (metres and y up in glTF). A node's matrix is
-- converted to position, rotation and scale; a sheared or flat matrix is kept as `matrix`. In both cases world matrices
-- equal the file's. A `/` in a name becomes `_`. Nodes outside the scene are left out; a node of the scene whose parent
-- is not in the scene becomes a root. The file is JSON (`.gltf`) or the binary container (`.glb`).
--
-- **Numbers.** An `index`, an id and the option `scene` are the file's own numbers, which count from 0. Places in
-- messages count from 1, as everywhere: `nodes[3]` is node 2.
--
-- **Mappings**: docs/editors/mappings.md lists what mappings receive and may return.
-- `spec/lua/import/mappings_page_spec.lua` compares the lists with what mappings receive. Custom fields are the node's
-- `extras` (custom properties in Blender) as plain Lua tables.
--
-- **Instances** (EXT_mesh_gpu_instancing): a node with instances becomes an entity with its pose, name, id, camera and
-- light, and one child entity for each instance, with the instance's pose, but without name and id. Mappings by class
-- and name, of meshes and of skins are called for each instance, and not for the node.
--
-- **Not imported:** vertices, images, animations, and other files, except for the poses of instances. Mappings receive
-- descriptions of meshes, skins, cameras and lights (KHR_lights_punctual). A required extension must be one that does
-- not change nodes, or be listed in the option `extensions`; an extension that is used but not required causes a
-- warning. Parts that do not affect the result may be missing or unknown; a wrong type in a part that is read is always
-- an error.
-- @module cuttle.import.gltf

local accessors = require "cuttle.import.gltf_accessors"
local binary = require "cuttle.import.gltf_binary"
local documents = require "cuttle.import.document"
local each = require "cuttle.each"
local failure = require "cuttle.failure"
local instances = require "cuttle.import.gltf_instances"
local json = require "cuttle.json"
local leftovers = require "cuttle.import.leftovers"
local parts = require "cuttle.import.gltf_parts"
local pose = require "cuttle.import.gltf_pose"
local source = require "cuttle.import.source"
local tree = require "cuttle.import.gltf_tree"
local values = require "cuttle.import.gltf_values"

local OPTIONS = {
  components = "table", fields = "string", mesh = "function", skin = "function", camera = "function",
  light = "function", meshes = "boolean", scene = "number|string", extensions = "table", directory = "string",
  name = "string", read = "function", limit = "number", json = "function", progress = "function",
  max_elements = "number", max_cells = "number", root = "string", on_disk = "boolean",
}

-- Document ---------------------------------------------------------------------------------------------------------

-- The name of a document without a name, in messages.
local NAMELESS = "glTF text"

local function open(text_or_path, options)
  if binary.is_container(text_or_path) then return source.given(text_or_path, options, NAMELESS) end
  return source.open(text_or_path, options, NAMELESS)
end

local function decode(cursor, text, options)
  local document = documents.decoder(options)(cursor, text)
  if type(document) ~= "table" or #document > 0 then
    cursor:fail(nil, "not a glTF document (expected an object, got %s)", json.type_name(document))
  end
  return document
end

-- Parses a version: 2 and 0 for "2.0".
local function version_at(cursor, asset, key)
  local version = asset[key]
  -- Some files of glTF 1.0 have a number.
  local is_old = type(version) == "number" and version < 2 and version >= 0
  version = is_old and ("%.1f"):format(version) or cursor:need(asset, key, "string")
  local major, minor = version:match("^(%d+)%.(%d+)$")
  if not major then cursor:fail(key, "expected a version such as \"2.0\", got %s", failure.show(version)) end
  return tonumber(major), tonumber(minor), version
end

local function check_version(cursor, document)
  if json.is_null(document.asset) then cursor:fail(nil, "not a glTF document (it has no asset)") end
  local asset = cursor:need(document, "asset", "object")
  cursor:enter("asset")
  local major, minor, version = version_at(cursor, asset, "version")
  if major ~= 2 then
    cursor:fail("version", "glTF %s is %s than this importer supports (2.x): export it as glTF 2.0", version,
      major > 2 and "newer" or "older")
  end
  if not json.is_null(asset.minVersion) then
    local least_major, least_minor, least = version_at(cursor, asset, "minVersion")
    if least_major > major or (least_major == major and least_minor > minor) then
      cursor:fail("minVersion", "%s is greater than the version, %s", least, version)
    elseif least_major == 2 and least_minor > 0 then
      cursor:fail("minVersion", "the file requires glTF %s, but this importer supports 2.0", least)
    end
  end
  cursor:leave()
  return version
end

-- Extensions that change neither the tree nor poses: prefixes of names, and names.
local HARMLESS_FAMILIES = { "KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_", "MSFT_packing_",
  "ADOBE_materials_" }
local HARMLESS = { "KHR_lights_punctual", "KHR_mesh_quantization", "KHR_draco_mesh_compression",
  "KHR_meshopt_compression", "EXT_meshopt_compression", "KHR_xmp", "KHR_xmp_json_ld", "KHR_techniques_webgl",
  "KHR_animation_pointer", "EXT_lights_image_based", "EXT_lights_ies", "EXT_mesh_features", "EXT_mesh_manifold",
  "EXT_structural_metadata", "CESIUM_primitive_outline" }

local function is_harmless(name)
  for _, family in ipairs(HARMLESS_FAMILIES) do
    if name:sub(1, #family) == family then return true end
  end
  return false
end

-- Checks extensions that may change the result: a required one is an error, one that is only used is a warning.
local function check_extensions(project, cursor, document)
  local known, warned = { [instances.EXTENSION] = true }, {}
  for _, name in ipairs(HARMLESS) do known[name] = true end
  for _, name in ipairs(project.options.extensions or {}) do known[name] = true end
  for _, key in ipairs({ "extensionsRequired", "extensionsUsed" }) do
    local list = cursor:maybe(document, key, "array", {})
    cursor:enter(key)
    for place = 1, #list do
      local name = cursor:need(list, place, "string")
      if not known[name] and not is_harmless(name) then
        if key == "extensionsRequired" then
          cursor:fail(place, "unknown extension %s: list it in option extensions if the game does not need it",
            failure.show(name))
        end
        if not warned[name] then
          project.leftovers:warn("extension %s is ignored: list it in option extensions if the game does not need it",
            failure.show(name))
        end
        warned[name] = true
      end
    end
    cursor:leave()
  end
end

-- Nodes ------------------------------------------------------------------------------------------------------------

-- The description of a node for mappings.
local function describe_node(project, cursor, data, index, parent)
  local node = { name = values.name(cursor, data), index = index, parent = parent,
    translation = leftovers.plain(data.translation), rotation = leftovers.plain(data.rotation),
    scale = leftovers.plain(data.scale), matrix = leftovers.plain(data.matrix),
    extras = leftovers.plain(data.extras), extensions = leftovers.plain(data.extensions) }
  for _, kind in ipairs({ "mesh", "skin", "camera" }) do
    node[kind] = project.parts:find(cursor, data, kind, kind)
  end
  node.light = project.parts:light(cursor, data)
  return node
end

-- Returns the mapping of a node: by the custom field `class`, else `type`, else by the name with or without the number
-- that Blender appends to the names of copies, else the mapping "*".
local function mapping_of(mappings, fields, name)
  for _, key in ipairs({ "class", "type" }) do
    local kind = fields[key]
    if type(kind) == "string" and mappings[kind] then return mappings[kind] end
  end
  return name and (mappings[name] or mappings[name:match("^(.*)%.%d+$") or name]) or mappings["*"]
end

-- The mapping of `meshes = true`: a mesh component with the name of the mesh. Two meshes with the same name are an
-- error.
local function mesh_component(project, cursor)
  return function(mesh)
    local other = project.resources[mesh.resource] or mesh.index
    if other ~= mesh.index then
      cursor:fail("mesh", "mesh %d and mesh %d (counted from 0) are both called %s: rename one in option mesh",
        mesh.index, other, failure.show(mesh.resource))
    end
    project.resources[mesh.resource] = mesh.index
    return { mesh = { resource = mesh.resource } }
  end
end

-- Kinds of mappings, in the order in which they are applied: for a node, for an instance, and for a node with
-- instances.
local ALL_KINDS, INSTANCE_KINDS, HOLDER_KINDS = { "mesh", "skin", "camera", "light" }, { "mesh", "skin" },
  { "camera", "light" }

-- Builds the entity of a node: by the mappings of `kinds`, then by `mapping` with `fields`.
local function build_entity(project, node, transform, kinds, mapping, fields)
  local cursor, options = project.cursor, project.options
  local entity_label = "node " .. (node.name and node.name:sub(1, 60) or node.index .. " (counted from 0)")
  local components, entity, name = { transform = transform }, {}, nil
  local context = { file = cursor.file, place = cursor:place(), directory = project.directory,
    version = project.version, scene = project.scene }
  local function apply(mapping_of_kind, argument)
    local returned, given, instance = source.call(cursor, entity_label, mapping_of_kind, argument, node, context)
    source.make_instance(cursor, entity_label, entity, instance)
    for key, component in each, (source.components(cursor, entity_label, components.transform, returned)) do
      components[key] = component
    end
    if given ~= nil then name = given end
  end
  for _, kind in ipairs(kinds) do
    local of_kind = options[kind] or (kind == "mesh" and options.meshes and project.mesh_component)
    if node[kind] and of_kind then apply(of_kind, node[kind]) end
  end
  if mapping then apply(mapping, fields) end
  cursor:count_entity()
  entity.components = components
  entity.name = source.chosen_name(cursor, entity_label, node.instance and "" or node.name, name)
  return entity
end

-- Builds the entities of the instances of a node, which is their parent.
local function build_instances(project, node, list, mapping, fields)
  local cursor, entities = project.cursor, {}
  cursor:enter("extensions", instances.EXTENSION, 0)
  for place, data in ipairs(list) do
    cursor.keys[cursor.depth] = place
    local one = { instance = place - 1, parent = node, matrix = nil }
    for key, value in each, node do
      if key ~= "matrix" and one[key] == nil then one[key] = value end
    end
    one.translation, one.rotation, one.scale = data.translation, data.rotation, data.scale
    entities[place] = build_entity(project, one, pose.read(cursor, data), INSTANCE_KINDS, mapping, fields)
  end
  cursor:leave(3)
  return entities
end

local function read_instances(project, data, node)
  local list, packed = instances.read(project.cursor, data, project.accessors)
  if packed then
    project.leftovers:warn("the instances of %s are left out: their poses are compressed (%s)",
      tree.label(project.forest.nodes, node.index + 1), packed)
  end
  return list
end

local function build_node(project, place, parent)
  local cursor, data = project.cursor, project.forest.nodes[place]
  cursor:enter("nodes", place)
  local node = describe_node(project, cursor, data, place - 1, parent)
  local fields = type(node.extras) == "table" and #node.extras == 0 and node.extras or {}
  local mapping = mapping_of(project.options.components or {}, fields, node.name)
  local list = read_instances(project, data, node)
  local entity = build_entity(project, node, pose.read(cursor, data), list and HOLDER_KINDS or ALL_KINDS,
    not list and mapping or nil, fields)
  if not mapping then
    for key, component in each, (project.leftovers:components(nil, node.extras)) do
      entity.components[key] = component
    end
  end
  entity.id = node.index
  if list then entity.children = build_instances(project, node, list, mapping, fields) end
  cursor:leave(2)
  return entity, node
end

-- Builds entities depth first in file order. For each place, `lists` has the list of the entity and `parents` its
-- parent.
local function build_nodes(project, roots)
  local entities, lists, parents, stack, depth = {}, {}, {}, {}, 0
  local function push(places, list, parent)
    for at = #places, 1, -1 do
      depth = depth + 1
      stack[depth], lists[places[at]], parents[places[at]] = places[at], list, parent
    end
  end
  push(roots, entities, nil)
  while depth > 0 do
    local place = stack[depth]
    local entity, node = build_node(project, place, parents[place])
    local list, children = lists[place], project.forest.children[place]
    list[#list + 1] = entity
    depth = depth - 1
    if #children > 0 then
      entity.children = entity.children or {}
      push(children, entity.children, node)
    end
  end
  return entities
end

local function build(text_or_path, options)
  local file = open(text_or_path, options)
  local cursor = source.cursor(file.name, source.tally(options))
  local text = file.text
  if binary.has_magic(text) then text, file.chunk = binary.text(file.name, text) end
  local document = decode(cursor, text, options)
  local project = { options = options, cursor = cursor, directory = file.directory,
    parts = parts.new(file.name, document), resources = {},
    leftovers = leftovers.new(file.name, options), accessors = accessors.new(cursor, file, document, options) }
  project.mesh_component = mesh_component(project, cursor)
  project.version = check_version(cursor, document)
  check_extensions(project, cursor, document)
  project.forest = tree.read(cursor, document)
  local roots
  roots, project.scene = tree.scene(cursor, document, project.forest, options.scene, project.leftovers)
  return { version = 1, entities = build_nodes(project, roots) }, project.leftovers:list(), {}
end

-- Arguments: errors have the level of a function that the importer calls.

local function check_scene(scene)
  if type(scene) == "number" and not (scene >= 0 and scene <= 2 ^ 53 and scene % 1 == 0) then
    source.bad_argument("gltf", 2, "option \"scene\": expected an integer >= 0 or a name, got %s",
      tostring(scene))
  end
end

--- Imports a scene of a glTF file.
--
-- Options, all of them optional:
--
-- - `components`: {Player = function(fields, node, context) return {health = {...}} end}, mappings by the string in the
--   node's extras `class`, else `type`, else by the node's name, with or without the suffix `.001` that Blender adds to
--   copies; `["*"]` is used for all others.
-- - `fields = "props"`: keeps the extras of nodes without a mapping in the `value` field `value` of a component of this
--   name: `world:define("props", {{"value", "value"}})`.
-- - `meshes = true`: each node with a mesh gets `mesh = {resource = name of the mesh}`, or `mesh_3` if mesh 3 has no
--   name. The game must define these resources before it spawns the level.
-- - `mesh = function(mesh, node, context)`: returns the components of a node with a mesh; replaces `meshes`.
-- - `skin`, `camera`, `light`: the same for these parts of a node. Results of `components` override those of all four.
-- - `scene`: the index of a scene, from 0, or its name; by default the file's default scene, else the first scene, else
--   all roots.
-- - `extensions`: {"VENDOR_name", ...}, extensions that the game supports or does not need.
-- - `directory`: the folder of buffers; by default that of the path. `name`: the name of the document in messages.
--   `read = function(path)` -> contents, or nil and a message: replaces `io.open`.
-- - `limit = 2^28`: the largest accepted size of a file in bytes.
-- - `root`: the folder that must contain all files which the document names, with links resolved; by default
--   `directory`, or the folder of the path. With `read` only the paths are compared.
-- - `max_elements = 1e6`, `max_cells = 1e7`: the largest number of elements and cells of the document with all files
--   that it names. See `cuttle.import.cursor`.
-- - `json = function(text)` -> value: the decoder, as for `cuttle.compiler`.
--
-- @tparam string text_or_path a document (it begins with `{` or `[`), the bytes of a `.glb`, or a path
-- @tparam[opt] table options
-- @treturn[1] table level source, for `compiler:compile`
-- @treturn[1] table warnings, strings about parts that were left out; empty if there are none
-- @treturn[1] table an empty table; other importers return the tile descriptions of grids here
-- @treturn[2] string the error message with file and place
-- @raise for a wrong argument or option
local function gltf(text_or_path, options)
  source.check_text("gltf", text_or_path)
  options = source.options("gltf", 2, options, OPTIONS)
  source.check_mappings("gltf", 2, "components", options.components)
  source.check_names("gltf", 2, "extensions", options.extensions)
  leftovers.check_option("gltf", 2, options.fields)
  source.check_bounds("gltf", 2, options)
  check_scene(options.scene)
  return failure.guard(build, text_or_path, options)
end

return gltf
