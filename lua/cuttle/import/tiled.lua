--- Tiled importer: converts a Tiled map to level source, `cuttle.import.tiled(text_or_path [, options])`.
-- Does not depend on worlds, managers and the binary format: the result is a plain Lua table for the compiler.
--
-- **Result.** One entity for each layer (name, id "layer 3", transform: its offset); groups have their layers as
-- children, at any depth. The children of object layers are their objects (name, id: the editor's number). The children
-- of tile layers are the tiles, if the option `tiles` is set. Units are pixels, y points down as in the editor and in
-- LÖVE, z is 0. All parts keep the order of the document: back to front. Mappings receive the visibility; invisible
-- parts are imported like others.
--
-- **Objects** have the position that Tiled uses: their upper left corner, or for tile objects the object alignment of
-- the tileset (by default the lower left corner, in isometric maps the middle of the bottom edge). They are rotated
-- around that point. Mappings receive the size, which never becomes a scale. A flipped tile object has a scale of -1
-- and is positioned at the opposite edge, so that it covers the same box; `x` and `y` are those of the document.
--
-- **Tiles** have the transform that draws their image (0, 0 at its upper left, width, height) where Tiled draws it:
-- flipped tiles have a scale of -1; tiles flipped along the diagonal also have an angle, and are positioned at another
-- corner of the same box. Tiles whose size differs from the cell's are aligned to its lower left corner. Tile offset,
-- render size and fill mode of the tileset are applied (not to objects, where the game must apply the offset when it
-- draws).
--
-- **Grids** (`tiles = "grid"`): the entity of a tile layer has a `grid` component whose cells are at the positions of
-- the map's cells, and no children. Cells hold global tile ids without flip flags, 0 is empty; the third result
-- describes the tiles. The grid of an infinite map covers all chunks, and the layer's entity is positioned at the upper
-- left chunk. Isometric layers have a matrix that makes the cells parallelograms. Staggered and hexagonal rows cannot
-- be represented, which causes a warning.
--
-- **Formats.** Tiled's own files (`.tmx`, 1.0 and later 1.x, with `.tsx` and `.tx`) through lua-expat, JSON (`.tmj`,
-- 1.2 and later), Lua exports (parsed as data, not executed; they do not contain the types of properties, so that
-- colors and files are strings), and worlds (`.world`). The beginning of the text determines the format. A world
-- becomes an entity for each of its maps, at the map's position, with the file's name as id and name; ids in it begin
-- with the file's name: "cave.tmx:5", "cave.tmx:layer 3".
--
-- **Orientations.** Orthogonal, isometric, staggered and hexagonal maps, as Tiled draws them. In isometric maps objects
-- also have the pixel position at which they are drawn, and `points` are projected; `x`, `y`, `width`, `height` are the
-- document's.
--
-- **Mappings and property values**: docs/editors/mappings.md lists what mappings receive and may return,
-- docs/editors/tiled.md the values of properties. `spec/lua/import/mappings_page_spec.lua` compares the lists with what
-- mappings receive.
--
-- **Leniency.** Parts that do not affect the result may be missing; a wrong type is always an error. Cells are imported
-- only if the option `tiles` is set; otherwise they are counted for a warning as far as they can be decoded.
-- @module cuttle.import.tiled

local documents = require "cuttle.import.document"
local each = require "cuttle.each"
local exports = require "cuttle.import.tiled_lua"
local failure = require "cuttle.failure"
local files = require "cuttle.import.tiled_files"
local fields = require "cuttle.import.tiled_fields"
local geometry = require "cuttle.import.tiled_geometry"
local grids = require "cuttle.import.grids"
local json = require "cuttle.json"
local leftovers = require "cuttle.import.leftovers"
local level_index = require "cuttle.import.level_index"
local layers = require "cuttle.import.tiled_layers"
local source = require "cuttle.import.source"
local tiled_grids = require "cuttle.import.tiled_grids"
local tilesets = require "cuttle.import.tiled_tilesets"
local types = require "cuttle.import.tiled_types"
local xml = require "cuttle.import.tiled_xml"

local OPTIONS = {
  components = "table", fields = "string", draw_order = "boolean", tiles = "boolean|string", tile = "function",
  layer = "function", map = "function", layers = "table|function", levels = "table|function", split = "boolean",
  project = "string", inflate = "function", directory = "string", name = "string", read = "function", limit = "number",
  json = "function", progress = "function", lazy = "boolean", max_elements = "number", max_cells = "number",
  root = "string", on_disk = "boolean",
}

-- Document ---------------------------------------------------------------------------------------------------------

local OTHERS = {
  tileset = "a tileset of Tiled: import the map that uses it",
  template = "an object template of Tiled: import the map that uses it",
  world = "a world of Tiled within a world: list its maps",
}

-- Returns the version of a document. The JSON format changed in 1.2; XML and Lua exports are supported from 1.0.
-- `least` is 2 or 0.
local function check_version(cursor, document, least)
  local version = document.version
  if json.is_null(version) then return nil end
  if type(version) ~= "number" then version = cursor:need(document, "version", "string") end
  version = tostring(version)
  local major, minor = version:match("^(%d+)%.?(%d*)")
  if not major then cursor:fail("version", "expected a version such as \"1.10\", got %s", failure.show(version)) end
  version = version:match("^%d+%.?%d*")
  if tonumber(major) > 1 then
    cursor:fail("version", "Tiled %s is newer than this importer supports (1.x): export for version 1.10", version)
  elseif tonumber(major) < 1 or (tonumber(minor) or 0) < least then
    cursor:fail("version", "Tiled %s is older than this importer supports (1.%d): open and save the map in Tiled 1.8 "
      .. "or later", version, least)
  end
  return version
end

local function check_kind(cursor, document)
  local kind = document.type
  if type(kind) == "string" and OTHERS[kind] then cursor:fail(nil, OTHERS[kind]) end
  if not json.is_null(document.jsonVersion) and json.is_null(document.tilewidth) then
    cursor:fail(nil, "a project of LDtk, not a map of Tiled: use the ldtk importer")
  end
  local parts = not json.is_null(document.layers) and not json.is_null(document.tilewidth)
  if (not json.is_null(kind) and kind ~= "map") or not parts then
    cursor:fail(nil, "not a Tiled map (it has no layers or no tilewidth)")
  end
end

-- The description of a map for mappings.
local function describe_map(import, cursor, document, kind)
  local map = { version = check_version(cursor, document, kind == "JSON" and 2 or 0), world = import.world,
    class = fields.class(cursor, document),
    orientation = tilesets.one_of(cursor, document, "orientation", geometry.ORIENTATIONS, "orthogonal"),
    width = tilesets.whole(cursor, document, "width", 0), height = tilesets.whole(cursor, document, "height", 0),
    tile_width = tilesets.whole(cursor, document, "tilewidth", 1),
    tile_height = tilesets.whole(cursor, document, "tileheight", 1),
    infinite = cursor:maybe(document, "infinite", "boolean", false),
    render_order = cursor:maybe(document, "renderorder", "string", "right-down"),
    stagger_axis = tilesets.one_of(cursor, document, "staggeraxis", { x = true, y = true }, "y"),
    stagger_index = tilesets.one_of(cursor, document, "staggerindex", { odd = true, even = true }, "odd"),
    hex_side_length = tilesets.whole(cursor, document, "hexsidelength", 0, 0),
    skew_x = cursor:maybe(document, "skewx", "coordinate", 0),
    skew_y = cursor:maybe(document, "skewy", "coordinate", 0),
    background_color = fields.color(cursor, document, "backgroundcolor"),
    parallax_origin = { x = cursor:maybe(document, "parallaxoriginx", "coordinate", 0),
      y = cursor:maybe(document, "parallaxoriginy", "coordinate", 0) },
    directory = import.directory, tilesets = {} }
  if map.orientation ~= "hexagonal" then map.hex_side_length = 0 end
  return map
end

-- Building ---------------------------------------------------------------------------------------------------------

local DECODE = { XML = xml.decode, Lua = exports.decode }

-- Returns the decoder of documents. The beginning of a text determines its format: JSON, XML, Lua export.
local function decoder(options)
  local decode = documents.decoder(options)
  return function(cursor, text)
    local own = DECODE[source.kind_of(text)]
    if not own then return decode(cursor, text) end
    if options.progress then options.progress("decoding") end
    local document = own(cursor, text)
    if options.progress then options.progress("importing") end
    return document
  end
end

-- Returns the name of a map's tile descriptions: its file name without ending, unless another map has that name.
local function free_name(taken, name)
  local stem = files.without_ending(name)
  return taken[stem] and name or stem
end

-- Builds the entities of a map's layers. The state of an import has the fields of `shared`, which all maps of a world
-- share, and its own: `imported` and `owners` by object id; `tiles` by global id; `cells_read`: layers whose cells a
-- mapping has read.
-- @tparam table shared
-- @tparam table file `document`, `cursor` at its root, `directory`, `kind`
-- @tparam[opt] table place of a map in a world: `prefix` of ids, `x`, `y`, `world` for mappings
local function build_map(shared, file, place)
  local import = { cursor = file.cursor, directory = file.directory, imported = {}, owners = {}, tiles = {},
    cells_read = {}, x = 0, y = 0 }
  for key, value in each, shared do import[key] = value end
  for key, value in each, place or {} do import[key] = value end
  local cursor, document = file.cursor, file.document
  check_kind(cursor, document)
  local map = describe_map(import, cursor, document, file.kind)
  import.map, import.projection = map, geometry.projection(map)
  local chosen = layers.choose(import, cursor, document)
  map.fields, map.references = fields.read(import, cursor, document, map.class, "map", import.directory)
  import.ranges = tilesets.read_all(import, cursor, document, import.directory)
  for index, range in ipairs(import.ranges) do
    map.tilesets[index] = { first_gid = range.first, tileset = range.tileset }
  end
  import.tiles_name = free_name(shared.tile_resources, map.world and map.world.file or files.name_of(file.cursor.file))
  local entities = layers.build(import, cursor, document, chosen)
  if import.has_grids then shared.tile_resources[import.tiles_name] = tiled_grids.describe(import) end
  return entities, map
end

-- Makes the entity of a map, with the entities of its layers as children. If the map gets no entity, its properties are
-- counted as left out.
local function wrap(shared, cursor, entities, map, node)
  local mapping, label, position = shared.options.map, "the map", { 0, 0, 0 }
  if not mapping and not node then
    shared.leftovers:drop(map.fields)
    return entities
  end
  node = node or {}
  if map.world then position = { map.world.x, map.world.y, 0 } end
  node.children = #entities > 0 and entities or nil
  local name
  if mapping then
    local returned
    returned, name = source.call(cursor, label, mapping, map.fields, map)
    node.components = source.components(cursor, label, { position = position }, returned)
  else
    node.components = shared.leftovers:components({ position = position }, map.fields)
  end
  node.name = source.chosen_name(cursor, label, node.name, name)
  return { node }
end

-- Describes the map that a world names in `data` for mappings. `places` has the places of earlier maps by id.
local function describe_place(cursor, data, places)
  local path = cursor:need(data, "fileName", "string")
  local id = source.name(path)
  if not id then cursor:fail("fileName", "expected the path of a map, got \"\"") end
  if places[id] then cursor:fail("fileName", "%s is also %s", failure.show(path), places[id]) end
  places[id] = cursor:place()
  local world = { file = path, name = files.without_ending(files.name_of(path)),
    x = cursor:maybe(data, "x", "coordinate", 0), y = cursor:maybe(data, "y", "coordinate", 0),
    width = cursor:maybe(data, "width", "coordinate"), height = cursor:maybe(data, "height", "coordinate") }
  return world, id
end

-- Returns the entry of a map in the index. A world that was written by hand has no sizes: then the map is read.
local function entry_of(shared, cursor, data, world, directory)
  local entry = { name = world.name, x = world.x, y = world.y, w = world.width, h = world.height, depth = 0 }
  if entry.w and entry.h then return entry end
  local file = files.open(shared, cursor, data, "fileName", directory)
  check_kind(file.cursor, file.document)
  entry.w, entry.h = geometry.size(describe_map({}, file.cursor, file.document, file.kind))
  return entry
end

-- Builds the selected maps of a world, each as an entity at its position. Returns their level source, or with option
-- `split` one for each map by name, and the index of all maps.
local function build_world(shared, cursor, document, directory)
  local options, entities, sources, places, entries = shared.options, {}, {}, {}, {}
  local take, missed = source.selection(cursor, "level", options.levels)
  if #cursor:maybe(document, "patterns", "array", {}) > 0 then
    cursor:fail("patterns", "patterns of file names are not supported: list the files as maps")
  end
  cursor:need(document, "maps", "array")
  for index, data in cursor:each(document, "maps") do
    local world, id = describe_place(cursor, data, places)
    entries[index] = entry_of(shared, cursor, data, world, directory)
    if take(world, world.name, world.file) then
      if options.split then level_index.check_name(cursor, "fileName", sources, world.name) end
      local file = files.open(shared, cursor, data, "fileName", directory)
      local layers_of, map = build_map(shared, file, { prefix = id .. ":", x = world.x, y = world.y, world = world })
      local nodes = wrap(shared, file.cursor, layers_of, map, { id = id, name = world.name })
      entities[#entities + 1], sources[world.name] = nodes[1], { version = 1, entities = nodes }
    end
  end
  missed()
  level_index.find_neighbours(entries)
  return options.split and sources or { version = 1, entities = entities }, entries
end

local function build(text_or_path, options)
  local file = source.open(text_or_path, options, "Tiled text")
  local cursor = source.cursor(file.name, source.tally(options))
  -- `origins`: by tile, the source of its properties. `tile_resources`: tile descriptions of grids, by name.
  local shared = { options = options, decode = decoder(options), files = {}, origins = {}, described = {},
    inflaters = {}, tile_resources = {}, leftovers = leftovers.new(file.name, options) }
  file.cursor, file.kind = cursor, source.kind_of(file.text) or "JSON"
  file.document = shared.decode(cursor, file.text)
  if type(file.document) ~= "table" then
    cursor:fail(nil, "not a Tiled map (expected an object, got %s)", json.type_name(file.document))
  end
  local is_world = file.document.type == "world"
    or not json.is_null(file.document.maps) and json.is_null(file.document.layers)
  if not is_world then check_kind(cursor, file.document) end
  shared.types = types.read(shared, options.project)
  local result, entries
  if is_world then
    shared.is_world = true
    result, entries = build_world(shared, cursor, file.document, file.directory)
  elseif options.levels or options.split then
    cursor:fail(nil, "this is one map: the options levels and split are for worlds (.world)")
  else
    local entities, map = build_map(shared, file)
    result = { version = 1, entities = wrap(shared, cursor, entities, map) }
  end
  return result, shared.leftovers:list(), shared.tile_resources, entries
end

--- Imports a Tiled map or world. External tilesets and templates are read as well, in any of the formats.
--
-- Options, all of them optional:
--
-- - `components`: {Player = function(fields, object, context) return {health = {...}} end}, mappings by the class of an
--   object (or, if it has none, of its tile); `["*"]` is used for all others.
-- - `fields = "props"`: keeps the properties of objects, layers and tiles without a mapping in the `value` field
--   `value` of a component of this name: `world:define("props", {{"value", "value"}})`.
-- - `draw_order = true`: the objects of layers with the draw order "topdown" are sorted by y, as Tiled draws them.
--   Otherwise they keep the order of the document.
-- - `tiles = true`: each tile becomes an entity without id, and without name unless `tile` returns one; `"grid"`: each
--   tile layer gets a `grid` component. Fields of a `grid` that the layer's mapping returns override it.
-- - `tile = function(tile, layer)`: returns the components of a tile, or `false` to leave it out. Implies `tiles =
--   true` unless `tiles` is given; not called for grids. Tables of a tile are shared by all equal tiles.
-- - `layer = function(layer)`: returns the components of a layer.
-- - `map = function(fields, map)`: makes an entity for the map, with the layers as children.
-- - `layers`: {"Things", ...}, names (a group includes its contents), or function(layer) -> boolean (called before
--   fields are read); false leaves out a group with its contents.
-- - `levels`: {"cave", ...}, maps of a world by their names without ending or as listed, or function(map) -> boolean.
--   Other maps are not read. `split = true`: the first result is a table of level sources by these names.
-- - `project`: text or path of the `.tiled-project`, for the defaults of classes.
-- - `inflate = function(bytes, kind, size)` -> bytes: decompresses "zlib", "gzip" or "zstd". By default cuttle
--   decompresses zlib and gzip, with lua-zlib if it is installed, and lua-zstd decompresses zstd.
-- - `directory`: the folder of other files; by default that of the path. `name`: the name of the document in messages.
--   `read = function(path)` -> text, or nil and a message: replaces `io.open`.
-- - `limit = 2^28`: the largest accepted size of a file in bytes.
-- - `root`: the folder that must contain all files which the document names, with links resolved; by default
--   `directory`, or the folder of the path. With `read` only the paths are compared.
-- - `max_elements = 1e6`, `max_cells = 1e7`: the largest number of elements and cells of the document with all files
--   that it names. See `cuttle.import.cursor`.
-- - `json = function(text)` -> value: the decoder, as for `cuttle.compiler`.
--
-- @tparam string text_or_path a document (it begins with `{`, `[`, `<` or `return`), or its path
-- @tparam[opt] table options
-- @treturn[1] table level source, for `compiler:compile`; with `split`, one for each map of a world by name
-- @treturn[1] table warnings, strings about parts that were left out; empty if there are none
-- @treturn[1] table tile descriptions for `grid:define_resource`, by the name that grids have as `tiles`: one for each
-- map, named like its file without ending; empty without grids. By global id: {id=, tileset= (name), class=, image=,
-- src=, width=, height=, fields=, animation=, collision=, wang= (by name of the set: eight indices of its colors),
-- solid= (true if its property `solid` is true)}
-- @treturn[1] table the index of all maps of a world: {{name=, x=, y=, w=, h=, depth=, neighbours={names}}}; nil for
-- one map
-- @treturn[2] nil
-- @treturn[2] string the error message with file and place
-- @raise for a wrong argument or option
local function tiled(text_or_path, options)
  source.check_text("tiled", text_or_path)
  options = source.options("tiled", 2, options, OPTIONS)
  source.check_mappings("tiled", 2, "components", options.components)
  leftovers.check_option("tiled", 2, options.fields)
  source.check_bounds("tiled", 2, options)
  source.check_names("tiled", 2, "layers", options.layers)
  source.check_names("tiled", 2, "levels", options.levels)
  grids.check_option("tiled", 2, options.tiles)
  if options.tile and options.tiles == nil then options.tiles = true end
  return failure.guard(build, text_or_path, options)
end

return tiled
