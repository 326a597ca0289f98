-- Random trees of prefabs, compared with the same level written out by a slow reference implementation.

local blob = require "spec.support.blob"
local cuttle = require "cuttle"
local each = require "cuttle.each"
local folder = require "spec.support.folder"
local json = require "cuttle.json"
local rounds = require "spec.support.rounds"
local seed = require "spec.support.seed"

local null, random = json.null, math.random
local NAMES = { "a", "b", "c", "lamp", "arm" }

-- The reference implementation
-- -----------------------------------------------------------------------------------------

local function copy(value)
  if type(value) ~= "table" then return value end
  local result = {}
  for key, item in each, value do result[key] = copy(item) end
  return result
end

local INSTEAD = { angle = { "rotation" }, rotation = { "angle" } }

local function lay_fields(below, above)
  local result = copy(below)
  for field in each, above do
    for _, other in ipairs(above[field] ~= null and INSTEAD[field] or {}) do result[other] = nil end
  end
  for field, value in each, above do
    if value == null then result[field] = nil else result[field] = copy(value) end
  end
  return result
end

local function lay_items(below, above)
  local result = copy(below)
  for _, item in ipairs(above) do
    local place = #result + 1
    for i, other in ipairs(below) do
      if item.id and other.id == item.id then place = i end
    end
    result[place] = copy(item)
  end
  return result
end

local function lay(below, above)
  local result = copy(below)
  for name, values in each, above do
    if values == null then
      result[name] = nil
    elseif name == "wheel" then
      result.wheel = lay_items(result.wheel or {}, values)
    else
      result[name] = lay_fields(result[name] or {}, values)
    end
  end
  return result
end

-- An entity has `components`, `children` and `parent`. `known` lists its names and ids by document, the innermost
-- first. `first` is the document where the lookup of its references begins.
local function enter(e, document, name, id)
  e.known[#e.known + 1] = { document = document, name = name, id = id }
  document.entities[#document.entities + 1] = e
end

local function is_within(document, inner)
  while inner and inner ~= document do inner = inner.outer end
  return inner == document
end

-- The name of an entity in a document: its outermost name there.
local function called(e, document)
  for place = #e.known, 1, -1 do
    if is_within(document, e.known[place].document) then return e.known[place] end
  end
end

local function adopt(parent, child)
  parent.children[#parent.children + 1], child.parent = child, parent
end

local function all_below(e, list)
  for _, child in ipairs(e.children) do
    list[#list + 1] = child
    all_below(child, list)
  end
  return list
end

local function is_at(e, parts, root, document)
  for place = #parts, 1, -1 do
    if not e or (called(e, document) or {}).name ~= parts[place] then return false end
    e = e ~= root and e.parent or nil
  end
  return true
end

local function override(root, overrides, document)
  local paths = {}
  for path in each, overrides do
    local parts = {}
    for part in path:gmatch "[^/]+" do parts[#parts + 1] = part end
    paths[#paths + 1] = { text = path, parts = parts }
  end
  table.sort(paths, function(a, b)
    if #a.parts ~= #b.parts then return #a.parts < #b.parts end
    return a.text < b.text
  end)
  local fine = true
  for _, path in ipairs(paths) do
    local found = false
    for _, e in ipairs(all_below(root, {})) do
      if called(e, document) and is_at(e, path.parts, root, document) then
        e.components, found = lay(e.components, overrides[path.text]), true
      end
    end
    fine = fine and found
  end
  return fine
end

local expand

local function expand_prefab(files, entry, document)
  local inner = { entities = {}, outer = document }
  local e = expand(files, files[entry.prefab], inner, inner)
  e.components = lay(e.components, entry.components or {})
  enter(e, document, entry.name or e.known[#e.known].name, entry.id)
  -- Appended children are not part of the prefab, so overrides do not reach them.
  if not override(e, entry.overrides or {}, inner) then files.trouble = true end
  return e
end

-- `first`: the document where the lookup of references begins if the entity is not an instance.
function expand(files, entry, document, first)
  local e
  if entry.prefab then
    e = expand_prefab(files, entry, document)
  else
    e = { components = copy(entry.components or {}), children = {}, known = {}, first = first }
    enter(e, document, entry.name, entry.id)
  end
  for _, child in ipairs(entry.children or {}) do adopt(e, expand(files, child, document, e.first)) end
  return e
end

local function only(list)
  return #list == 1 and list[1] or #list > 1 and "several" or nil
end

local function find(reference, document)
  while document do
    local by_id, by_name, below = {}, {}, {}
    for _, e in ipairs(document.entities) do
      for _, known in ipairs(e.known) do
        if known.document == document then
          if known.id == reference then by_id[#by_id + 1] = e end
          if known.name == reference then by_name[#by_name + 1] = e end
        end
      end
    end
    for _, e in ipairs(document.all) do
      local known = called(e, document)
      if known and known.name == reference then below[#below + 1] = e end
    end
    local found = only(by_id) or only(by_name) or only(below)
    if found then return found end
    document = document.outer
  end
end

-- The level without prefabs, or nil if the compiler has to refuse it.
local function written_out(files, level)
  local top, list, entities = { entities = {} }, {}, {}
  for place, entry in ipairs(level) do
    local e = expand(files, entry, top, top)
    entities[place], list[#list + 1] = e, e
    all_below(e, list)
  end
  for number, e in ipairs(list) do
    e.number = number
    for _, known in ipairs(e.known) do known.document.all = list end
  end
  local function plain(e)
    local health = e.components.health
    if health and health.target then
      local target = find(health.target, e.first)
      if type(target) ~= "table" then
        files.trouble = true
      else
        health.target = "#" .. target.number
      end
    end
    local children = {}
    for place, child in ipairs(e.children) do children[place] = plain(child) end
    return { name = e.known[#e.known].name, id = "#" .. e.number, components = e.components, children = children }
  end
  for place, e in ipairs(entities) do entities[place] = plain(e) end
  return not files.trouble and { entities = entities } or nil
end

-- Random levels
-- --------------------------------------------------------------------------------------------------------

local function maybe(share, value)
  if random() < share then return value end
end

local function some_components(may_remove)
  local removed = may_remove and null or nil
  local list = {}
  if random(2) == 1 then
    list.health = { hp = maybe(0.5, random(100)), title = maybe(0.3, NAMES[random(#NAMES)]),
      target = maybe(0.15, random(3) == 1 and tostring(random(3)) or NAMES[random(#NAMES)]) }
    if may_remove and random(8) == 1 then list.health.hp = null end
  end
  if random(3) == 1 then
    list.wheel = { { id = "x", radius = random(9) }, { id = maybe(0.5, "y"), radius = random(9) } }
  end
  if random(3) == 1 then
    list.transform = { position = { random(9), 0, 0 }, scale = maybe(0.3, 2) }
    list.transform[random(2) == 1 and "angle" or "_"] = 1
    if not list.transform.angle and random(2) == 1 then list.transform.rotation = { 1, 0, 0, 0 } end
    list.transform._ = nil
  end
  if removed and random(6) == 1 then list[({ "health", "wheel", "transform" })[random(3)]] = removed end
  return list
end

local function some_entry(file, depth, ids)
  local entry = { name = maybe(0.7, NAMES[random(#NAMES)]) }
  local id = tostring(random(3))
  if random(5) == 1 and not ids[id] then entry.id, ids[id] = id, true end
  if file < 5 and random(3) == 1 then entry.prefab = random(file + 1, 5) end
  entry.components = maybe(0.8, some_components(entry.prefab ~= nil))
  if entry.prefab and random(3) == 1 then
    local path = NAMES[random(#NAMES)]
    if random(3) == 1 then path = NAMES[random(#NAMES)] .. "/" .. path end
    entry.overrides = { [path] = some_components(true) }
  end
  if depth < 3 and random(2) == 1 then
    entry.children = {}
    for place = 1, random(3) do entry.children[place] = some_entry(file, depth + 1, ids) end
  end
  return entry
end

-- Replaces prefab numbers by file names.
local function with_paths(entry)
  local result = copy(entry)
  result.prefab = entry.prefab and entry.prefab .. ".json"
  for place, child in ipairs(entry.children or {}) do result.children[place] = with_paths(child) end
  return result
end

-- The contents of a resource without source ids, which differ if a prefab is written out.
local function without_ids(bytes)
  if not bytes then return nil end
  local found = blob.read(bytes)
  local names = found.entity_names > 0 and bytes:sub(found.entity_names + 1) or ""
  local parts = { found.num_entities, table.concat(found.parents, " "), names }
  for _, section in ipairs(found.sections) do
    if section.name ~= "entity.id" then
      parts[#parts + 1] = section.name .. section.schema .. table.concat(section.entity_index, " ")
      parts[#parts + 1] = bytes:sub(section.data + 1, section.data + section.size)
    end
  end
  return table.concat(parts, "\n")
end

describe("a random tree of prefabs, seed " .. seed, function()
  it("compiles like the same tree written out", function()
    math.randomseed(seed)
    local world = cuttle.world(cuttle.entity_manager())
    world:define("health", { { "hp", "int32", 100 }, { "target", "entity" }, { "title", "string", "orc" } })
    world:define("wheel", { { "radius", "float", 1 } }, { multiple = true })
    local compiler, place = cuttle.compiler(world), folder.new()
    local compiled = 0
    for round = 1, rounds(80, 40) do
      local files, level, ids = {}, {}, {}
      for file = 5, 1, -1 do
        files[file] = some_entry(file, 0, {})
        place:write(file .. ".json", assert(json.encode({ entities = { with_paths(files[file]) } },
          { arrays = { entities = true, children = true } })))
      end
      for number = 1, random(4) do level[number] = some_entry(0, 0, ids) end
      local source = {}
      for number, entry in ipairs(level) do source[number] = with_paths(entry) end
      local bytes, message = compiler:compile({ entities = source }, { directory = place.path })
      local plain = written_out(files, level)
      if plain then
        local expected, trouble = compiler:compile(plain)
        if without_ids(expected) ~= without_ids(bytes) then
          error(("round %d: %s\n%s\n%s"):format(round, message or trouble or "other bytes", json.encode(level),
            json.encode(plain)))
        end
        compiled = compiled + 1
      elseif bytes then
        error(("round %d: something should be wrong\n%s"):format(round, json.encode { level, files }))
      end
    end
    place:remove()
    assert.is_true(compiled > 0)
  end)
end)
