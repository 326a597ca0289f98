--- Search for all errors in level source that did not compile, in source order.
-- Does not depend on how a level without errors is compiled.
--
-- Compilation stops at the first error that it finds, in an order that depends on types and hash tables. Therefore the
-- source is read again in another mode: each error is recorded with its position, and the wrong part is left out. The
-- keys of Lua tables, which have no order, are sorted.
--
-- References to a part that was left out are not reported. `lost` holds all strings in such parts.
-- @module cuttle.compiler.mistakes

local components = require "cuttle.compiler.components"
local core = require "cuttle.core"
local each = require "cuttle.each"
local entries = require "cuttle.compiler.entries"
local failure = require "cuttle.failure"
local files = require "cuttle.files"
local json = require "cuttle.json"
local places = require "cuttle.compiler.places"
local prefabs = require "cuttle.compiler.prefabs"
local references = require "cuttle.compiler.references"
local registered = require "cuttle.compiler.registered"
local source = require "cuttle.compiler.source"

local huge, order_of = math.huge, places.order_of

-- The position of an error that concerns a whole file.
local WHOLE_FILE = 2 ^ 53

local mistakes = {}

-- Order -------------------------------------------------------------------------------------------------------------

local TYPES = { number = 1, string = 2, boolean = 3 }

local function is_before(a, b)
  local first, second = type(a), type(b)
  if first ~= second then return (TYPES[first] or 4) < (TYPES[second] or 4) end
  if first == "boolean" then return b and not a end
  return TYPES[first] ~= nil and a < b
end

local function sorted_keys(list)
  local keys = {}
  for key in each, list do keys[#keys + 1] = key end
  table.sort(keys, is_before)
  return keys
end

-- Numbers the keys of a Lua table and of all tables in it. A table with several references has its first position.
local function number_keys(positions, top)
  local count, stack = 0, {}
  local function open(list)
    if type(list) ~= "table" or positions[list] then return end
    positions[list] = {}
    stack[#stack + 1] = { list = list, keys = sorted_keys(list), cursor = 0 }
  end
  open(top)
  while #stack > 0 do
    local frame = stack[#stack]
    frame.cursor = frame.cursor + 1
    local key = frame.keys[frame.cursor]
    if key == nil then
      stack[#stack] = nil
    else
      count = count + 1
      positions[frame.list][key] = count
      open(rawget(frame.list, key))
    end
  end
end

local function is_earlier(a, b)
  for place = 1, math.min(#a, #b) do
    if a[place] ~= b[place] then return a[place] < b[place] end
  end
  return #a < #b
end

local function append_position(order, position)
  local longer = {}
  for place, number in ipairs(order) do longer[place] = number end
  longer[#longer + 1] = position
  return longer
end

-- Recording errors --------------------------------------------------------------------------------------------------

-- Records an error. `reference` is the text of an unresolved reference.
local function keep(found, order, message, reference)
  found.list[#found.list + 1] = { order = order, message = message, reference = reference }
end

-- Calls `fn(...)`. Returns true and its result, or records its data error and returns false.
local function try(found, order, fn, ...)
  local nodes = found.nodes
  nodes.missing = nil
  local ok, result = pcall(fn, ...)
  if ok then return true, result end
  if not failure.is(result) then error(result, 0) end
  keep(found, order, result.message, nodes.missing)
  return false
end

-- Adds all strings in a part that is left out to `lost`.
local function mark_lost(found, value)
  local stack, seen = { value }, {}
  while #stack > 0 do
    local top = table.remove(stack)
    if type(top) == "table" and not seen[top] then
      seen[top] = true
      for key, item in each, top do
        stack[#stack + 1] = item
        if type(key) == "string" then stack[#stack + 1] = key end
      end
    elseif type(top) ~= "table" then
      found.lost[entries.reference_of(top) or false] = true
    end
  end
end

local function is_lost(found, reference)
  if found.lost[reference] then return true end
  for _, part in ipairs(references.parts(reference)) do
    if found.lost[part] then return true end
  end
  return false
end

-- Returns the message of an error inside a prefab's file without the place of the prefab, or nil for other errors.
local function in_prefab(mistake)
  local order = mistake.order
  return #order > 1 and order[#order] ~= huge and mistake.message:match("%.prefab: (.*)") or nil
end

-- Returns the messages in order. Errors that follow from other errors are left out, unless there are no others. An
-- error in a prefab's file is reported once, at the first use of the prefab.
local function messages_of(found)
  local independent, messages, met = {}, {}, {}
  for _, mistake in ipairs(found.list) do
    local follows = mistake.reference ~= nil and is_lost(found, mistake.reference)
    if not follows then independent[#independent + 1] = mistake end
  end
  local list = #independent > 0 and independent or found.list
  table.sort(list, function(a, b) return is_earlier(a.order, b.order) end)
  for _, mistake in ipairs(list) do
    local known = in_prefab(mistake) or mistake.message
    if not met[known] then messages[#messages + 1] = mistake.message end
    met[known] = true
  end
  return messages
end

-- Documents ---------------------------------------------------------------------------------------------------------

-- Decodes text. `found.troubles` lists the errors in the file that is being opened: `position`, `message`.
local function decode(found, text, name, decode_strictly)
  found.troubles = {}
  local document, read = json.locate(text, found.positions)
  if read then
    mark_lost(found, read.hidden)
    for place, duplicate in ipairs(read.duplicates) do
      found.troubles[place] = { position = duplicate.position, message = name .. ": " .. duplicate.message }
    end
    return document
  end
  for word in text:gmatch '"([^"\\]*)"' do found.lost[word] = true end
  document = decode_strictly(text, name)
  number_keys(found.positions, document)
  return document
end

-- Checks the keys of a document one by one, and returns its entities.
local function read_document(found, name, document)
  if entries.object_trouble(document) then return entries.of_document(name, document) end
  local entities
  for key, value in each, document do
    local alone = { entities = {}, [key] = value }
    local ok, result = pcall(entries.of_document, name, alone)
    if ok and key == "entities" then entities = result end
    if not ok and not failure.is(result) then error(result, 0) end
    if not ok then
      mark_lost(found, value)
      found.troubles[#found.troubles + 1] = { position = found.positions[document][key], message = result.message }
    end
  end
  return entities or entries.of_document(name, { entities = rawget(document, "entities") })
end

-- Opens a prefab. Errors in its file are recorded at each use of the prefab.
local function open_prefab(found, nodes, node, document, path)
  local order = order_of(nodes, node, nodes.reading, "prefab")
  found.troubles = {}
  local ok, opened = pcall(source.strict.prefab, nodes, node, document, path)
  if not ok and not failure.is(opened) then error(opened, 0) end
  local troubles = ok and found.troubles_of[opened] or found.troubles
  for _, trouble in ipairs(troubles) do
    keep(found, append_position(order, trouble.position), places.in_file(nodes, node, trouble.message))
  end
  if ok then
    found.troubles_of[opened] = troubles
    return opened
  end
  local file = files.normalize(files.join(document.directory, path))
  local is_inside = opened.message:find("prefab: " .. file .. ": ", 1, true)
  keep(found, append_position(order, is_inside and WHOLE_FILE or huge), opened.message)
  for _, layer in ipairs(nodes.layers[node]) do mark_lost(found, { layer.read.name }) end
  return nil
end

-- Entries -----------------------------------------------------------------------------------------------------------

local function read_overrides(found, nodes, node, value, into)
  into.overrides = {}
  for path, values in each, value do
    local order = order_of(nodes, node, nodes.reading, "overrides", path)
    local alone = {}
    if try(found, order, entries.read_pair, nodes, node, "overrides", { [path] = values }, alone) then
      into.overrides[path] = values
    end
  end
end

local function read_entry(found, nodes, node, entry, into)
  found.nodes, nodes.positions = nodes, found.positions
  if nodes.reading == 1 then
    local pending = nodes.pending[#nodes.pending]
    nodes.entries[node], nodes.starts[node] = entry, found.positions[pending.list][pending.cursor]
  end
  if not try(found, order_of(nodes, node, nodes.reading), entries.begin, nodes, node, entry, into) then
    mark_lost(found, entry)
    return into
  end
  for key, value in each, entry do
    local order = order_of(nodes, node, nodes.reading, key)
    if key == "overrides" and not entries.object_trouble(value) then
      read_overrides(found, nodes, node, value, into)
    elseif not try(found, order, entries.read_pair, nodes, node, key, value, into) then
      mark_lost(found, value)
    end
  end
  try(found, order_of(nodes, node, nodes.reading, "overrides"), entries.finish, nodes, node, into)
  return into
end

-- Records an unresolved reference. If a parent is not found, the name of the entity is lost, because paths may use it.
local function refuse(found, nodes, node, number, key, message, ...)
  local reference, path = nodes.missing, type(key) == "table" and key[1]
  local order = path and order_of(nodes, node, number, "overrides", path) or order_of(nodes, node, number, key)
  try(found, order, places.fail_in, nodes, node, number, key, message, ...)
  found.list[#found.list].reference, nodes.missing = reference, nil
  if key == "parent" then mark_lost(found, nodes.names[node]) end
end

-- Components --------------------------------------------------------------------------------------------------------

-- Compiles components of one entity, without references. Returns nil, or the message of an error, the number of the
-- component that caused it, and whether a single value caused it.
local function error_in(work, name, tables)
  local owners = {}
  for place = 1, #tables do owners[place] = 1 end
  local bytes, instance, message, unread =
    core.compile.section(work.big_endian, work.world, name, tables, owners, { 0 })
  if not bytes then return message, instance, unread end
end

-- Resolves the references of a component and returns its other values. Raises if a reference is not resolved.
local function values_of(work, node, name, known, position, origin, values)
  local given, result = components.clean(work, node, name, position, origin, values, known), {}
  for field, value in each, given do
    if not known.is_entity[field] or type(value) == "boolean" then result[field] = value end
  end
  return result
end

-- Raises if one field of a component is wrong independently of the others.
local function check_field(work, node, name, known, position, origin, field, value)
  local message, _, unread =
    error_in(work, name, { values_of(work, node, name, known, position, origin, { [field] = value }) })
  if unread and (places.field_in(message) == field or message:find "^unknown field") then
    places.fail_component(work.nodes, node, name, position, origin, message)
  end
end

-- Records the wrong fields of a component, and then an error in the combination of its correct fields.
local function check_fields(found, work, node, name, known, position, origin, values, message)
  local function order(field)
    return places.order_of_component(work.nodes, node, name, position, origin, field)
  end
  local right, before = {}, #found.list
  for field, value in each, values do
    if try(found, order(field), check_field, work, node, name, known, position, origin, field, value) then
      right[field] = value
    end
  end
  if #found.list > before then
    local why, _, unread = error_in(work, name, { values_of(work, node, name, known, position, origin, right) })
    message = not unread and why
  end
  if message then
    try(found, order(places.field_in(message)), places.fail_component, work.nodes, node, name, position, origin,
      message)
  end
end

-- Checks one component.
local function add(found, work, node, name, known, position, origin, values)
  local order = places.order_of_component(work.nodes, node, name, position, origin)
  if known.compile then
    local bucket = { name = name, known = known, count = 1, nodes = { node }, origins = { origin },
      tables = { values } }
    try(found, order, registered.compile, work, bucket)
  elseif components.value_trouble(values) then
    try(found, order, places.fail_component, work.nodes, node, name, position, origin,
      components.value_trouble(values))
  else
    local ok, given = pcall(values_of, work, node, name, known, position, origin, values)
    if not ok and not failure.is(given) then error(given, 0) end
    local message = ok and error_in(work, name, { given }) or nil
    if not ok or message then
      check_fields(found, work, node, name, known, position, origin, values, message)
    elseif known.multiple then
      local items = found.items[name] or {}
      items[#items + 1], found.items[name] = { given = given, position = position, origin = origin }, items
    end
  end
end

-- Checks all components of a type of one entity together: two of them may have the same id.
local function check_together(found, work, node)
  for name, items in each, found.items do
    local tables, with_id = {}, {}
    for place, item in ipairs(items) do tables[place] = item.given end
    local first, instance = error_in(work, name, tables)
    for place, item in ipairs(first and items or {}) do
      local id = item.given.id
      local other = id ~= nil and with_id[id] or nil
      -- Compared in pairs, because a comparison of all after each error would take quadratic time.
      local message = place == instance and first or other and error_in(work, name, { other, item.given })
      if message then
        try(found, places.order_of_component(work.nodes, node, name, item.position, item.origin),
          places.fail_component, work.nodes, node, name, item.position, item.origin, message)
      end
      if id ~= nil and not other then with_id[id] = item.given end
    end
  end
  found.items = {}
end

local function check_entity(found, work, node)
  local nodes, right = work.nodes, {}
  local overlays = nodes.overlays[node] or
    { { components = source.components(nodes, node) or {}, node = node, layer = 1, key = "components",
      name = nodes.names[node] } }
  nodes.overlays[node] = overlays
  for number, layer in ipairs(overlays) do
    local kept = {}
    for name, values in each, layer.components do
      local origin = { sources = {}, number = number, position = 0 }
      local order = places.order_of_component(nodes, node, name, 0, origin)
      if (work.types[name] or not entries.is_ignored(name))
        and try(found, order, components.check_overlay, work, node, overlays, number, name, values) then
        kept[name] = values
      end
    end
    right[number] = { components = kept, name = layer.name }
  end
  components.gather_overlays(work, node, right)
  check_together(found, work, node)
end

-- Level -------------------------------------------------------------------------------------------------------------

local function read_top(found, name, document)
  local ok, entities = pcall(read_document, found, name, document)
  for _, trouble in ipairs(found.troubles) do keep(found, { trouble.position }, trouble.message) end
  if not ok then error(entities, 0) end
  return entities
end

-- The reading mode that records errors.
local function new_way(found)
  local way = {}
  function way.document(name, document)
    return (found.nodes and read_document or read_top)(found, name, document)
  end
  function way.prefab(...) return open_prefab(found, ...) end
  function way.entry(...) return read_entry(found, ...) end
  function way.refuse(...) return refuse(found, ...) end
  return way
end

local function ignore_progress() end

local function collect(found, request)
  local function decode_file(text, name) return decode(found, text, name, request.decode) end
  local document = request.source
  if type(document) == "string" then
    document = decode_file(document, request.name)
  else
    number_keys(found.positions, document)
  end
  local cache = prefabs.new_cache(decode_file, request)
  local nodes = source.read(request.name, document, core.MAX_ENTITIES, cache, ignore_progress, new_way(found))
  local work = components.new_work(nodes, request.world, request.types, request.big_endian, ignore_progress)
  function work.add(...) return add(found, ...) end
  for node = 1, nodes.count do check_entity(found, work, node) end
end

--- Returns all errors in level source.
-- @tparam table request the failed compilation: `source` (text or a table), `name`, `directory`, `path`, `read`,
-- `root`, `limit` (as in `prefabs.new_cache`), `decode` (function(text, name) -> document, raises a data error),
-- `world`, `types`, `big_endian`
-- @treturn table the messages of all errors, in source order
function mistakes.find(request)
  local found = { list = {}, lost = {}, positions = {}, troubles = {}, troubles_of = {}, items = {} }
  local ok, trouble = pcall(collect, found, request)
  if not ok and not failure.is(trouble) then error(trouble, 0) end
  if not ok then keep(found, { huge }, trouble.message) end
  return messages_of(found)
end

return mistakes
