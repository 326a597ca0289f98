--- Selection of the levels of an LDtk project, and their descriptions before layers are read.
-- Does not depend on layers, tiles and entities, nor on level source.
-- @module cuttle.import.ldtk_levels

local failure = require "cuttle.failure"
local fields = require "cuttle.import.ldtk_fields"
local files = require "cuttle.files"
local level_index = require "cuttle.import.level_index"
local json = require "cuttle.json"
local source = require "cuttle.import.source"

local levels = {}

local OLDER = "%s is older than this importer supports (1.x): open and save it in LDtk 1.x"

--- Returns the version of a document. Raises an error at the cursor unless it is a project of LDtk 1.x.
function levels.version(cursor, document)
  if not json.is_null(document.tiledversion) or not json.is_null(document.tilewidth) then
    cursor:fail(nil, "a file of Tiled, not an LDtk project: use the tiled importer for the map")
  end
  if document.levels == nil and document.layerInstances ~= nil then
    cursor:fail(nil, "a separate level file of LDtk: import the project (.ldtk) it belongs to")
  elseif json.is_null(document.jsonVersion) and not json.is_null(document.levels)
    and not json.is_null(document.defs) then
    cursor:fail(nil, OLDER, "this project of an LDtk beta, without jsonVersion,")
  elseif json.is_null(document.jsonVersion) then
    cursor:fail(nil, "not an LDtk project (it has no jsonVersion)")
  end
  local version = document.jsonVersion
  version = type(version) == "number" and tostring(version) or cursor:need(document, "jsonVersion", "string")
  local major = tonumber(version:match("^(%d+)%.%d") or version:match("^%d+$"))
  if not major then
    cursor:fail("jsonVersion", "expected a version such as \"1.5.3\", got %s", failure.show(version))
  end
  if major > 1 then
    cursor:fail("jsonVersion", "LDtk %s is newer than this importer supports (1.x); save it in LDtk 1.x", version)
  elseif major < 1 or type(document.jsonVersion) == "number" then
    cursor:fail("jsonVersion", OLDER, "LDtk " .. version)
  end
  return version
end

-- Returns the background image of a level, or nil.
local function background(cursor, data)
  local path, place = cursor:maybe(data, "bgRelPath", "string"), cursor:maybe(data, "__bgPos", "object")
  if not path then return nil end
  local image = { path = path, x = 0, y = 0, scale_x = 1, scale_y = 1 }
  if place then
    cursor:enter("__bgPos")
    local corner, scale = cursor:numbers(place, "topLeftPx", 2), cursor:numbers(place, "scale", 2)
    local crop = cursor:numbers(place, "cropRect", 4)
    image.x, image.y, image.scale_x, image.scale_y = corner[1], corner[2], scale[1], scale[2]
    image.crop = { x = crop[1], y = crop[2], width = crop[3], height = crop[4] }
    cursor:leave()
  end
  return image
end

local function neighbours(cursor, data)
  local list = {}
  for index, item in cursor:each(data, "__neighbours") do
    list[index] = { iid = cursor:maybe(item, "levelIid", "string"), direction = cursor:maybe(item, "dir", "string") }
  end
  return list
end

-- The description of a level for `level` mappings and the option `levels`. `pen` is the position of the next level of a
-- linear layout.
local function describe_level(cursor, data, world, index, pen)
  local level = { identifier = cursor:need(data, "identifier", "string"), iid = cursor:maybe(data, "iid", "string"),
    uid = cursor:maybe(data, "uid", "integer"), depth = cursor:maybe(data, "worldDepth", "integer", 0),
    color = fields.color(cursor, data, "__bgColor"), background = background(cursor, data),
    neighbours = neighbours(cursor, data), world = world.identifier, index = index }
  if world.layout == "LinearHorizontal" or world.layout == "LinearVertical" then
    level.width, level.height = cursor:need(data, "pxWid", "coordinate"), cursor:need(data, "pxHei", "coordinate")
    level.x, level.y = pen.x, pen.y
    if world.layout == "LinearHorizontal" then pen.x = pen.x + level.width else pen.y = pen.y + level.height end
  else
    level.width, level.height = cursor:maybe(data, "pxWid", "coordinate"), cursor:maybe(data, "pxHei", "coordinate")
    level.x, level.y = cursor:need(data, "worldX", "coordinate"), cursor:need(data, "worldY", "coordinate")
  end
  return level
end

-- Reads a separate level file into the record, and moves the cursor there.
local function load_external(project, record, met)
  local relative = record.cursor:maybe(record.data, "externalRelPath", "string")
  if not relative or not json.is_null(record.data.layerInstances) then return end
  if not project.directory then
    record.cursor:fail("externalRelPath", "%s is a separate file: pass option directory, or import by path",
      failure.show(relative))
  end
  local path = source.join(project.directory, relative)
  local shortest = files.normalize(path)
  if met[shortest] then
    record.cursor:fail("externalRelPath", "%s is also the file of %s", failure.show(relative), met[shortest])
  end
  met[shortest] = record.cursor:place()
  local text = source.read_named(record.cursor, "externalRelPath", path, project.options)
  local cursor = record.cursor:named(path)
  local data = project.decode(cursor, text)
  if type(data) ~= "table" or json.is_null(data.layerInstances) then
    cursor:fail(nil, "not a separate level file of LDtk (it has no layerInstances)")
  end
  if json.is_null(data.fieldInstances) then data.fieldInstances = record.data.fieldInstances end
  record.cursor, record.data = cursor, data
end

-- Appends the levels of one world to `all`, and the selected ones to the records: data, cursor at it, description.
local function append_levels(project, holder, world, records, all, take)
  local cursor, pen = project.cursor, { x = 0, y = 0 }
  for index, data in cursor:each(holder, "levels") do
    local level = describe_level(cursor, data, world, index, pen)
    all[#all + 1] = level
    if take(level, level.identifier, level.iid) then
      records[#records + 1] = { data = data, cursor = cursor:fork(), level = level, place = #all,
        position = { level.x, level.y, level.depth * project.step } }
    end
  end
end

-- Returns the index of levels. Linear layouts, and files of some versions, have no neighbours.
local function index_of(all)
  local entries, names, has_neighbours = {}, {}, false
  for _, level in ipairs(all) do
    names[level.iid or level] = level.identifier
    has_neighbours = has_neighbours or #level.neighbours > 0
  end
  for index, level in ipairs(all) do
    local entry = { name = level.identifier, x = level.x, y = level.y, w = level.width or 0, h = level.height or 0,
      depth = level.depth, world = level.world, neighbours = {} }
    local met = { [level.identifier] = true }
    for _, neighbour in ipairs(level.neighbours) do
      local name = names[neighbour.iid] -- nil if the level is missing; a level may be listed for several directions
      if name and not met[name] then met[name], entry.neighbours[#entry.neighbours + 1] = true, name end
    end
    entries[index] = entry
  end
  if not has_neighbours then level_index.find_neighbours(entries) end
  return entries
end

--- Returns the selected levels of all worlds as records: `data`, `cursor` at it, `level` (its description), `position`,
-- `entry` (in the index). The second result is the index of all levels of the selected worlds.
-- @tparam table project uses `cursor`, `options`, `step`
-- @tparam table document
function levels.choose(project, document)
  local cursor, options, records, all = project.cursor, project.options, {}, {}
  local take, missed = source.selection(cursor, "level", options.levels)
  local take_world, missed_world = source.selection(cursor, "world", options.worlds)
  if #cursor:maybe(document, "worlds", "array", {}) > 0 then
    for index, data in cursor:each(document, "worlds") do
      local world = { identifier = cursor:need(data, "identifier", "string"), index = index,
        iid = cursor:maybe(data, "iid", "string"), layout = cursor:maybe(data, "worldLayout", "string") }
      if take_world(world, world.identifier, world.iid) then
        append_levels(project, data, world, records, all, take)
      end
    end
  else
    cursor:need(document, "levels", "array")
    local world = { layout = cursor:maybe(document, "worldLayout", "string") }
    append_levels(project, document, world, records, all, take)
  end
  missed_world()
  missed()
  local entries = index_of(all)
  for _, record in ipairs(records) do record.entry = entries[record.place] end
  return records, entries
end

--- Reads the separate level files of records: changes their `data` and `cursor`.
-- @tparam table project uses `options`, `directory`, `decode`
-- @tparam table records from `levels.choose`
function levels.load(project, records)
  local met = {}
  for _, record in ipairs(records) do load_external(project, record, met) end
end

return levels
