--- Turns a Tiled map into level source: `cuttle.import.tiled(text_or_path [, options])`.
-- Knows nothing of worlds, managers and the binary format: what comes out is a plain Lua table for the compiler.
--
-- **What comes out.** One entity per layer (name, id "layer 3", transform: its offset), groups with their layers as
-- children at any depth; beneath object layers their objects (name, id: the editor's number), beneath tile layers the
-- tiles when asked. Units are pixels, y points down as in the editor and in LÖVE, z is 0. All parts keep the document's
-- order: back to front. Whether something is visible is told to the mapping, nothing is left out for it.
--
-- **Objects** stand where Tiled puts them: at their upper left corner, tile objects at what their tileset's object
-- alignment says (the lower left corner unless told, in isometric maps the bottom's middle), and are turned around
-- that point. Size is told to the mapping and never becomes a scale. A flipped tile object has a scale of -1 and stands
-- at the opposite edge, so that it covers the same box; `x` and `y` are those of the document.
--
-- **Tiles** have the transform that lays their image (0, 0 at its upper left, width, height) where Tiled draws it:
-- flipped ones have a scale of -1, those flipped along the diagonal an angle as well, and stand at another corner of
-- the same box. Tiles of another size than the cell's stand on its lower left corner; tile offset, render size and fill
-- mode of the tileset are taken in (not with objects: there the offset is for whoever draws).
--
-- **Grids** (`tiles = "grid"`): the entity of a tile layer has a `grid` component, whose cells lie where the map's do,
-- and no children. Cells hold global tile ids without flip flags, 0 is empty; what they mean is the third result. Of an
-- infinite map the grid covers all chunks, and the layer's entity stands at the upper left one. Isometric layers have a
-- matrix that makes parallelograms of the cells. Staggered and hexagonal rows do not lie so, which is warned of.
--
-- **Formats.** Tiled's own files (`.tmx`, 1.0 and later 1.x, with `.tsx` and `.tx`) through lua-expat, JSON (`.tmj`,
-- 1.2 and later), Lua exports (read as data, nothing is run; they tell no types of properties, so that colors and files
-- come as strings), each told by how it begins, and worlds (`.world`): an entity for each of the maps they list, at its
-- place, with the file's name as id and name; ids in it begin with the file's name: "cave.tmx:5", "cave.tmx:layer 3".
--
-- **Orientations.** Orthogonal, isometric, staggered and hexagonal maps, as Tiled draws them. In isometric maps objects
-- too have the pixels they are drawn at, with `points` projected; `x`, `y`, `width`, `height` stay the document's.
--
-- **Mappings** return nil (only transform and name), or a table of components, in the form of level source, laid over
-- what the editor gives; a `transform` in it is merged field by field. A second result, a string, is the entity's name.
-- What they raise, and results of another type, give `nil, message` with the place.
--
-- **Property values** by type: string, int, float, bool as they are; color {r, g, b, a} of 0 to 1; file its path seen
-- from where the map is read; object the id of its target, which is an id of the level source and so may be given to an
-- `entity` field as it is, nil when that was not imported (`references` has it whole); class a table of its members;
-- enumerations as stored, a string or a number. With option `project`, classes have the defaults of all their members
-- (a map holds only what was changed), so do objects, tiles, layers and maps of a class, and enumerations of flags are
-- sets {fire = true}. An object has, over the defaults of its class, the properties of its tile, of its template, and
-- its own.
--
-- **Leniency.** What does not touch the result may be missing; a wrong type is always an error. Cells are read when
-- tiles are asked for, and else counted for a warning as far as they can be read.
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
local layers = require "cuttle.import.tiled_layers"
local source = require "cuttle.import.source"
local tiled_grids = require "cuttle.import.tiled_grids"
local tilesets = require "cuttle.import.tiled_tilesets"
local types = require "cuttle.import.tiled_types"
local xml = require "cuttle.import.tiled_xml"

local OPTIONS = {
  components = "table", fields = "string", tiles = "boolean|string", tile = "function", layer = "function",
  map = "function", layers = "table|function", project = "string", inflate = "function", directory = "string",
  name = "string", read = "function", limit = "number", json = "function", progress = "function",
  lazy = "boolean", max_elements = "number", max_cells = "number", root = "string", on_disk = "boolean",
}

-- What the document is ---------------------------------------------------------------------------------------------

local OTHERS = {
  tileset = "a tileset of Tiled: import the map that uses it",
  template = "an object template of Tiled: import the map that uses it",
  world = "a world of Tiled within a world: list its maps",
}

-- The format of JSON changed in 1.2; XML and Lua exports can be read from 1.0 on. `least` is 2 or 0.
local function check_version(cursor, document, least)
  local version = document.version
  if json.is_null(version) then return nil end
  if type(version) ~= "number" then version = cursor:need(document, "version", "string") end
  version = tostring(version)
  local major, minor = version:match("^(%d+)%.?(%d*)")
  if not major then cursor:fail("version", "expected a version such as \"1.10\", got %s", failure.show(version)) end
  version = version:match("^%d+%.?%d*")
  if tonumber(major) > 1 then
    cursor:fail("version", "Tiled %s is newer than this importer knows (1.x): export for version 1.10", version)
  elseif tonumber(major) < 1 or (tonumber(minor) or 0) < least then
    cursor:fail("version", "Tiled %s is older than this importer knows (1.%d): open and save the map in Tiled 1.8 or "
      .. "later", version, least)
  end
  return version
end

local function check_kind(cursor, document)
  local kind = document.type
  if type(kind) == "string" and OTHERS[kind] then cursor:fail(nil, OTHERS[kind]) end
  local parts = not json.is_null(document.layers) and not json.is_null(document.tilewidth)
  if (not json.is_null(kind) and kind ~= "map") or not parts then
    cursor:fail(nil, "not a Tiled map (it has no layers or no tilewidth)")
  end
end

-- What mappings see of the map.
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
    background_color = fields.color(cursor, document, "backgroundcolor"),
    parallax_origin = { x = cursor:maybe(document, "parallaxoriginx", "coordinate", 0),
      y = cursor:maybe(document, "parallaxoriginy", "coordinate", 0) },
    directory = import.directory, tilesets = {} }
  if map.orientation ~= "hexagonal" then map.hex_side_length = 0 end
  return map
end

-- Building ---------------------------------------------------------------------------------------------------------

local DECODE = { XML = xml.decode, Lua = exports.decode }

-- Documents are told by how they begin: JSON, XML, Lua exports.
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

-- What the tiles of a map are called for grids: its name without ending, unless another map has that already.
local function free_name(taken, name)
  local stem = files.without_ending(name)
  return taken[stem] and name or stem
end

-- The entities of a map's layers. The import of one map has what is `shared` by those of a world, and for itself:
-- `imported` and `owners` by object id; `tiles` by global id; `handed`: layers whose cells a mapping asked for.
-- @tparam table shared
-- @tparam table file `document`, `cursor` at its root, `directory`, `kind`
-- @tparam[opt] table place in a world: `prefix` of ids, `x`, `y`, `world` for mappings
local function build_map(shared, file, place)
  local import = { cursor = file.cursor, directory = file.directory, imported = {}, owners = {}, tiles = {},
    handed = {}, x = 0, y = 0 }
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
  import.tiles_name = free_name(shared.meanings, map.world and map.world.file or files.name_of(file.cursor.file))
  local entities = layers.build(import, cursor, document, chosen)
  if import.has_grids then shared.meanings[import.tiles_name] = tiled_grids.describe(import) end
  return entities, map
end

-- The entity of a map over those of its layers. Nothing is made of its properties when it has no entity.
local function wrap(shared, cursor, entities, map, node)
  local mapping, what, position = shared.options.map, "the map", { 0, 0, 0 }
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
    returned, name = source.call(cursor, what, mapping, map.fields, map)
    node.components = source.components(cursor, what, { position = position }, returned)
  else
    node.components = shared.leftovers:components({ position = position }, map.fields)
  end
  node.name = source.chosen_name(cursor, what, node.name, name)
  return { node }
end

-- The maps of a world, each an entity at its place.
local function build_world(shared, cursor, document, directory)
  local entities, places = {}, {}
  if #cursor:maybe(document, "patterns", "array", {}) > 0 then
    cursor:fail("patterns", "maps that are found by their names are not read: list them as maps")
  end
  cursor:need(document, "maps", "array")
  for index, data in cursor:each(document, "maps") do
    local path = cursor:need(data, "fileName", "string")
    local id = source.name(path)
    if not id then cursor:fail("fileName", "expected the path of a map, got \"\"") end
    if places[id] then cursor:fail("fileName", "%s is also %s", failure.show(path), places[id]) end
    places[id] = cursor:place()
    local world = { file = path, x = cursor:maybe(data, "x", "coordinate", 0),
      y = cursor:maybe(data, "y", "coordinate", 0), width = cursor:maybe(data, "width", "coordinate"),
      height = cursor:maybe(data, "height", "coordinate") }
    local file = files.open(shared, cursor, data, "fileName", directory)
    local layers_of, map = build_map(shared, file, { prefix = id .. ":", x = world.x, y = world.y, world = world })
    local node = { id = id, name = files.without_ending(files.name_of(path)) }
    entities[index] = wrap(shared, file.cursor, layers_of, map, node)[1]
  end
  return entities
end

local function build(text_or_path, options)
  local file = source.open(text_or_path, options, "Tiled text")
  local cursor = source.cursor(file.name, source.tally(options))
  -- `origins`: where tiles have their properties from. `meanings`: of the numbers in grids, by name.
  local shared = { options = options, decode = decoder(options), files = {}, origins = {}, described = {},
    inflaters = {}, meanings = {}, leftovers = leftovers.new(file.name, options) }
  file.cursor, file.kind = cursor, source.kind_of(file.text) or "JSON"
  file.document = shared.decode(cursor, file.text)
  if type(file.document) ~= "table" then
    cursor:fail(nil, "not a Tiled map (expected an object, got %s)", json.type_name(file.document))
  end
  local is_world = file.document.type == "world"
    or not json.is_null(file.document.maps) and json.is_null(file.document.layers)
  if not is_world then check_kind(cursor, file.document) end
  shared.types = types.read(shared, options.project)
  local entities, map
  if is_world then
    shared.is_world = true
    entities = build_world(shared, cursor, file.document, file.directory)
  else
    entities, map = build_map(shared, file)
    entities = wrap(shared, cursor, entities, map)
  end
  return { version = 1, entities = entities }, shared.leftovers:list(), shared.meanings
end

--- Imports a Tiled map or world. External tilesets and templates are read beside it, in whatever format they are.
--
-- Options, all of them optional:
--
-- - `components`: {Player = function(fields, object, context) return {health = {...}} end}, mappings by the class of an
--   object (or, if it has none, of its tile); `["*"]` serves those without one. `object`: id, name, class, shape
--   (rectangle, ellipse, capsule, point, polygon, polyline, text, tile), x, y, width, height, rotation (degrees), angle
--   (radians), px {x, y} (where it stands in its layer), world {x, y}, center {x=, y=} (of its box, in the layer),
--   anchor {x, y} (where in the box it stands, of 0 to 1), points ({x=, y=}, from where it stands), text, visible,
--   opacity, tile, gid (of the tile), flip_x, flip_y, flip_diagonal, rotate_120, template (path), references (by field:
--   {entity=, imported=}), layer. `text`: text, color, font, size, wrap, bold, italic, underline, strikeout, kerning,
--   align_x, align_y. `context`: file, place, directory, version, map.
-- - `fields = "props"`: the properties of objects, layers and tiles without a mapping are kept, in the `value` field
--   `value` of a component of that name: `world:define("props", {{"value", "value"}})`.
-- - `tiles = true`: every tile becomes an entity, without id, and without name unless `tile` gives one; `"grid"`: every
--   tile layer gets a `grid` component. What a layer's mapping gives as `grid` is laid over it, field by field.
-- - `tile = function(tile, layer)`: components of a tile, or `false` to leave it out. `tile`: id (in its tileset), gid
--   (in the map, without flags), cx, cy, px {x, y}, flip_x, flip_y, flip_diagonal, rotate_120, width, height, image
--   (path), src {x=, y=, width=, height=} (in the image), class, fields, references, animation ({tile=, duration=} in
--   milliseconds), collision (shapes, as objects), probability, tileset. Giving it means `tiles = true`, unless that is
--   told; it is not called for grids. Tables of a tile are shared by all that are alike.
-- - `layer = function(layer)`: components of a layer. `layer`: name, id, class, type (tilelayer, objectgroup,
--   imagelayer, group), x, y (offset), opacity, visible, tint, parallax_x, parallax_y, fields, references, index (among
--   its siblings), parent (the group), total (x, y, opacity, visible, tint, parallax_x, parallax_y with those of the
--   groups around it), map; tile layers: columns, rows, and `cells()` -> {{x=, y=, width=, height=, gids=}, ...}, with
--   the flip flags, or nil and a message; object layers: draw_order, color; image layers: image (path), repeat_x,
--   repeat_y, transparent_color.
-- - `map = function(fields, map)`: gives the map an entity of its own, which has the layers as children. `map`: class,
--   references, orientation, width, height, tile_width, tile_height, infinite, render_order, stagger_axis,
--   stagger_index, hex_side_length, background_color, parallax_origin {x=, y=}, tilesets ({first_gid=, tileset=}),
--   version, directory, world (of the map in it: {file=, x=, y=, width=, height=}; nil without). `tileset`: name,
--   class, fields, path (of its file), image, image_width, image_height, tile_width, tile_height, tile_count, columns,
--   margin, spacing, offset_x, offset_y, object_alignment, render_size, fill_mode, tiles (by id), wang_sets ({name=,
--   class=, type= (corner, edge, mixed), tile=, fields=, colors=, tiles=}: `colors` {name=, class=, color=, tile=,
--   probability=, fields=}; `tiles` by id eight places in `colors`, 0 for none, from the upper edge on, clockwise).
-- - `layers`: {"Things", ...}, names (a group with all that is in it), or function(layer) -> boolean (fields are not
--   read yet); false leaves out a group with all that is in it.
-- - `project`: text or path of the `.tiled-project`, for the defaults of classes.
-- - `inflate = function(bytes, kind, size)` -> bytes: unpacks "zlib", "gzip" or "zstd". Without it cuttle unpacks zlib
--   and gzip, by lua-zlib where it is installed, and lua-zstd unpacks zstd.
-- - `directory`: where other files are looked for; by default that of the path. `name`: what messages call the
--   document. `read = function(path)` -> text, or nil and a message: opens files in place of `io.open`.
-- - `limit = 2^28`: bytes that a file may have at most.
-- - `root`: a folder that the files which the document names may not leave, with links resolved; by default
--   `directory`, or the folder of the path. With `read` only the names are compared.
-- - `max_elements = 1e6`, `max_cells = 1e7`: how many elements and cells the document may have, with all files that it
--   names. See `cuttle.import.cursor`.
-- - `json = function(text)` -> value: the decoder, as for `cuttle.compiler`.
--
-- @tparam string text_or_path a document (it begins with `{`, `[`, `<` or `return`) or the path of one
-- @tparam[opt] table options
-- @treturn[1] table level source, for `compiler:compile`
-- @treturn[1] table warnings, strings: what was there and did not come; empty if there are none
-- @treturn[1] table what the numbers in grids mean, by the name that these have as `tiles`: for each map one, named as
-- its file is without its ending, for `grid:define_resource`; empty without grids. By global id: {id=, tileset=
-- (name), class=, image=, src=, width=, height=, fields=, animation=, collision=, wang= (by name of the set: eight
-- places in its colors), solid= (true if its property `solid` is)}
-- @treturn[2] nil
-- @treturn[2] string what is wrong, with file and place
-- @raise for a wrong argument or option
local function tiled(text_or_path, options)
  source.check_text("tiled", text_or_path)
  options = source.options("tiled", 2, options, OPTIONS)
  source.check_mappings("tiled", 2, "components", options.components)
  leftovers.check_option("tiled", 2, options.fields)
  source.check_bounds("tiled", 2, options)
  source.check_names("tiled", 2, "layers", options.layers)
  grids.check_option("tiled", 2, options.tiles)
  if options.tile and options.tiles == nil then options.tiles = true end
  return failure.guard(build, text_or_path, options)
end

return tiled
