-- Several errors in one level: the message names the first in the text, and the option mistakes receives all.

-- tags: pure_lua

local cuttle = require "cuttle"
local folder = require "spec.support.folder"
local json = require "cuttle.json"
local new_random = require "spec.support.random"
local new_world = require "spec.support.level_world"
local seed = require "spec.support.seed"
local rounds = require "spec.support.rounds"

local ROUNDS = rounds(30, 10)

-- Text with a fixed order of keys -------------------------------------------------------------------------------------
--
-- An object has `pairs`, an array has `items`. A pair with `plant` is written only while that mistake is planted.
-- `instead` is then written in place of the valid value.

local function object(...)
  return { pairs = { ... } }
end

local function pair(key, value)
  return { key = key, value = value }
end

local function write(out, value, made)
  if type(value) ~= "table" then
    out:put(json.encode(value))
  elseif value.items then
    out:put "["
    for place, item in ipairs(value.items) do
      out:put(place > 1 and ", " or "")
      write(out, item, made)
    end
    out:put "]"
  else
    out:put "{ "
    local comma = ""
    for _, entry in ipairs(value.pairs) do
      if not entry.plant or made[entry.plant] then
        out:put(comma .. json.encode(entry.key) .. ": ")
        comma = ", "
        local instead = entry.instead and made[entry.instead.plant] and entry.instead
        local mistake = entry.plant or instead and instead.plant
        if mistake then out.position[mistake] = out.length end
        local given = instead and instead.value or entry.value
        if entry.key == "prefab" then out.included[#out.included + 1] = { path = given, position = out.length } end
        write(out, given, made)
      end
    end
    out:put " }"
  end
end

local function written(value, made)
  local out = { length = 0, parts = {}, position = {}, included = {} }
  function out:put(text)
    self.parts[#self.parts + 1], self.length = text, self.length + #text
  end
  write(out, value, made)
  out.text = table.concat(out.parts)
  return out
end

-- A valid level
-- --------------------------------------------------------------------------------------------------------

local random

local function shuffled(list)
  for place = #list, 2, -1 do
    local other = random(place)
    list[place], list[other] = list[other], list[place]
  end
  return list
end

-- `sites` of a generated level: the places where a mistake of a kind can be planted. A site is used once. Components of
-- a prefab may be replaced where it is included, and an error in them is then no error.
local REPLACED = { health = true, transform = true, mesh = true, wheel = true }

local function site(level, kind, where)
  local in_prefab = level.file ~= "level.json"
  if in_prefab and REPLACED[kind] then return end
  if in_prefab and kind == "components" then kind = "laid" end
  level.sites[#level.sites + 1] = { kind = kind, where = where, top = level.file == "level.json" }
end

local function some_health(level)
  local list = { pair("hp", random(9)), pair("title", "orc") }
  if level.references[1] and random(2) == 1 then
    list[3] = pair("target", level.references[random(#level.references)])
  end
  return { pairs = shuffled(list) }
end

local function some_component(level, name)
  local made
  if name == "health" then
    made = some_health(level)
  elseif name == "transform" then
    made = { pairs = shuffled { pair("position", { items = { 1, 2, 3 } }), pair("scale", 2) } }
  elseif name == "mesh" then
    made = object(pair("resource", "stone"))
  elseif name == "spikes" then
    return 3
  else
    made = { items = { object(pair("id", "a"), pair("radius", 2)), object(pair("id", "b"), pair("radius", 2)) } }
    site(level, "wheel", made.items[2])
    return made
  end
  site(level, name, made)
  return made
end

local function some_components(level)
  local list = {}
  for _, name in ipairs { "health", "transform", "mesh", "wheel", "spikes" } do
    if random(2) == 1 then list[#list + 1] = pair(name, some_component(level, name)) end
  end
  local made = { pairs = shuffled(list) }
  site(level, "components", made)
  return made
end

local function some_entity(level, depth)
  level.count = level.count + 1
  local number = level.count
  local list = { pair("name", "n" .. number), pair("components", some_components(level)) }
  if number == 1 or random(2) == 1 then list[#list + 1] = pair("id", "i" .. number) end
  if level.prefabs and number > 1 and random(3) == 1 then
    list[#list + 1] = pair("prefab", level.prefabs[random(#level.prefabs)])
    local overrides = object(pair("inner", object(pair("health", some_health(level)))))
    site(level, "overrides", overrides)
    list[#list + 1] = pair("overrides", overrides)
  end
  if depth < 3 and random(2) == 1 then
    local children = {}
    for place = 1, random(3) do children[place] = some_entity(level, depth + 1) end
    list[#list + 1] = pair("children", { items = children })
  end
  local made = { pairs = shuffled(list) }
  site(level, number == 1 and "first" or depth > 0 and "child" or "entity", made)
  return made
end

local function some_file(name, count, prefabs, references)
  local level = { file = name, count = 0, prefabs = prefabs, references = references, sites = {} }
  local entities = {}
  for place = 1, count do entities[place] = some_entity(level, 0) end
  if prefabs == nil or name ~= "level.json" then
    local children = object(pair("name", "inner"), pair("components", some_components(level)))
    table.insert(entities[1].pairs, pair("children", { items = { children } }))
    for place, entry in ipairs(entities[1].pairs) do
      if entry.key == "children" and place < #entities[1].pairs then
        table.remove(entities[1].pairs, place)
        break
      end
    end
  end
  level.tree = { pairs = shuffled { pair("version", 1), pair("entities", { items = entities }) } }
  site(level, "document", level.tree)
  return level
end

-- Mistakes -----------------------------------------------------------------------------------------------------------

local function find(where, key)
  for place, entry in ipairs(where.pairs) do
    if entry.key == key then return entry, place end
  end
end

local function add(where, plant, key, value)
  table.insert(where.pairs, random(#where.pairs + 1), { key = key, value = value, plant = plant })
end

local function replace(where, plant, key, value)
  local found = find(where, key)
  if not found or found.instead then return false end
  found.instead = { plant = plant, value = value }
end

local function again(where, plant, key)
  local _, place = find(where, key)
  if not place then return false end
  table.insert(where.pairs, place + random(#where.pairs - place + 1),
    { key = key, value = "again", plant = plant })
end

-- By kind of site: a part of the message, and a function that plants the mistake or returns false if it has no place
-- for it.
local KINDS = {
  document = {
    { "unknown key 'odd'", function(where, plant) add(where, plant, "odd", object(pair("name", "odd"))) end },
    { "version: expected a number", function(where, plant) return replace(where, plant, "version", "new") end },
    { 'duplicate key "version"', function(where, plant) return again(where, plant, "version") end },
  },
  entity = {
    { "unknown key 'odd'", function(where, plant) add(where, plant, "odd", 1) end },
    { "cannot hold a '/'", function(where, plant) return replace(where, plant, "name", "a/b") end },
    { "expected a string", function(where, plant) return replace(where, plant, "name", true) end },
    { 'duplicate key "name"', function(where, plant) return again(where, plant, "name") end },
    { "is also the id of", function(where, plant) return replace(where, plant, "id", "i1") end },
    { "id: expected a string or", function(where, plant) return replace(where, plant, "id", { items = {} }) end },
    { "children: expected an array", function(where, plant) return replace(where, plant, "children", 5) end },
    { "components: expected an object", function(where, plant) return replace(where, plant, "components", 5) end },
    { "none.json", function(where, plant) return replace(where, plant, "prefab", "none.json") end },
    { "broken.json: line 1", function(where, plant) return replace(where, plant, "prefab", "broken.json") end },
    { "two.json: entities: a prefab has exactly one root",
      function(where, plant) return replace(where, plant, "prefab", "two.json") end },
    { "parent: unknown entity \"nobody\"",
      function(where, plant, top) if top then add(where, plant, "parent", "nobody") else return false end end },
    { "parent: the parent would make a cycle",
      function(where, plant, top)
        if not top then return false end
        add(where, plant, "parent", find(where, "name").value)
      end },
    { "overrides: only an entry with a prefab", function(where, plant)
      if find(where, "prefab") then return false end
      add(where, plant, "overrides", object())
    end },
  },
  components = {
    { "unknown component 'helth'", function(where, plant) add(where, plant, "helth", object()) end },
    { "health: expected an object", function(where, plant) return replace(where, plant, "health", 5) end },
    { "an entity can have only one transform", function(where, plant)
      return replace(where, plant, "transform", { items = { object() } })
    end },
    { "spikes: too sharp", function(where, plant) return replace(where, plant, "spikes", 99) end },
    { "differs from the entity's name", function(where, plant)
      add(where, plant, "debug_name", object(pair("name", "else")))
    end },
    { "mesh.resource: required", function(where, plant) return replace(where, plant, "mesh", object()) end },
    { "wheel[2]: expected an object", function(where, plant)
      return replace(where, plant, "wheel", { items = { object(), 7 } })
    end },
  },
  health = {
    { "unknown field 'odd'", function(where, plant) add(where, plant, "odd", 1) end },
    { "unknown field 'odd'", function(where, plant) add(where, plant, "odd", json.null) end },
    { "hp: expected a number", function(where, plant) return replace(where, plant, "hp", "much") end },
    { "hp: expected an integer", function(where, plant) return replace(where, plant, "hp", 1e12) end },
    { "title: expected a string", function(where, plant) return replace(where, plant, "title", 7) end },
    { 'target: unknown entity "nobody"',
      function(where, plant)
        if find(where, "target") then return replace(where, plant, "target", "nobody") end
        add(where, plant, "target", "nobody")
      end },
    { 'duplicate key "hp"', function(where, plant) return again(where, plant, "hp") end },
  },
  transform = {
    { "position: expected 3 numbers, got 1",
      function(where, plant) return replace(where, plant, "position", { items = { 1 } }) end },
    { "transform.parent: the hierarchy", function(where, plant) add(where, plant, "parent", "n1") end },
    { "matrix: not together with",
      function(where, plant)
        add(where, plant, "matrix", { items = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 } })
      end },
  },
  mesh = {
    { "unknown field 'odd'", function(where, plant) add(where, plant, "odd", 1) end },
    { "resource: expected a string", function(where, plant) return replace(where, plant, "resource", 1) end },
  },
  wheel = {
    { "wheel[2].id: another wheel", function(where, plant) return replace(where, plant, "id", "a") end },
    { "wheel[2].id: expected a string or", function(where, plant) return replace(where, plant, "id", 0) end },
    { "wheel[2].radius: expected", function(where, plant) return replace(where, plant, "radius", "r") end },
  },
  overrides = {
    { 'overrides["nobody"]: no such entity',
      function(where, plant) add(where, plant, "nobody", object(pair("health", object()))) end },
    { 'overrides["inner"].health: unknown field', function(where, plant)
      return replace(where, plant, "inner", object(pair("health", object(pair("odd", 1)))))
    end },
    { 'overrides["inner"]: expected an object', function(where, plant) return replace(where, plant, "inner", 5) end },
    { 'overrides["inner"]: unknown component', function(where, plant)
      return replace(where, plant, "inner", object(pair("odd", object())))
    end },
  },
}
KINDS.laid = { KINDS.components[1], KINDS.components[2], KINDS.components[3] }
KINDS.first, KINDS.child = { KINDS.entity[1], KINDS.entity[3], KINDS.entity[4] }, KINDS.entity

-- Plants up to `count` mistakes in random files. Returns a list of their messages and files.
local function plant_some(files, count)
  local made = {}
  for _ = 1, count * 3 do
    if #made == count then return made end
    local file = files[random(#files)]
    local place = random(math.max(#file.sites, 1))
    local chosen = file.sites[place]
    if chosen then
      local kinds = KINDS[chosen.kind]
      local kind = kinds[random(#kinds)]
      if kind[2](chosen.where, #made + 1, chosen.top and chosen.kind == "entity") ~= false then
        table.remove(file.sites, place)
        made[#made + 1] = { message = kind[1], file = file }
      end
    end
  end
  return made
end

-- Compares the positions of two mistakes. Each is a list: the positions of the prefabs that lead to the file, then the
-- position in it.
local function is_before(a, b)
  for place = 1, math.min(#a, #b) do
    if a[place] ~= b[place] then return a[place] < b[place] end
  end
  return #a < #b
end

local function first_way(texts, from, to, way, best)
  if from == to then return (not best or is_before(way, best)) and way or best end
  for _, included in ipairs(texts[from].included) do
    if texts[included.path] then
      local further = { unpack(way) }
      further[#further + 1] = included.position
      best = first_way(texts, included.path, to, further, best)
    end
  end
  return best
end

-- Removes the parts that depend on other mistakes: the path to a prefab, and suggested names.
local function essence(message)
  return (message:gsub("^.*%.prefab: ([%w_/]*%.json: )", "%1"):gsub(" %(did you mean .*$", ""))
end

local function without_columns(message)
  return (essence(message):gsub("line %d+ column %d+: ", ""))
end

describe("a level with several mistakes, seed " .. seed, function()
  local world, compiler, place

  before_each(function()
    random = new_random(seed)
    world = new_world()
    world.mesh:define_resource("stone", {})
    place = folder.new()
    place:write("broken.json", '{ "entities": [ { "name": "n1", "children": [ { "name": "inner" ] }')
    place:write("two.json", '{ "entities": [ { "name": "n1" }, { "name": "inner" } ] }')
  end)

  after_each(function() place:remove() end)

  local function new_compiler(options)
    compiler = cuttle.compiler(world, options)
    compiler:register("spikes", function(config)
      if config == 99 then error("too sharp", 0) end
      return tostring(config)
    end)
  end

  -- Compiles all files with some mistakes. Returns their texts, the bytes, the message, and the set of all messages
  -- without the parts that depend on other mistakes.
  local function compile(files, made)
    local texts = {}
    for _, file in ipairs(files) do
      texts[file.file] = written(file.tree, made)
      if file.file ~= "level.json" then place:write(file.file, texts[file.file].text) end
    end
    local list = {}
    local bytes, message = compiler:compile(texts["level.json"].text, { name = "level.json", directory = place.path,
      mistakes = function(one) list[#list + 1] = one end })
    if bytes then return texts, bytes end
    assert.equal(message, list[1])
    local found = {}
    for _, one in ipairs(list) do found[without_columns(one:gsub(place.path .. "/", ""))] = true end
    return texts, nil, message:gsub(place.path .. "/", ""), found
  end

  local function some_level()
    local arm = some_file("arm.json", 1, nil, {})
    local lamp = some_file("lamp.json", 1, { "arm.json" }, { "inner" })
    local level = some_file("level.json", 2 + random(4), { "lamp.json", "arm.json" }, { "i1" })
    return { level, lamp, arm }
  end

  local function check_round(round)
    local files = some_level()
    local texts, bytes, message = compile(files, {})
    assert(bytes and texts, message)
    local plants, alone, all = plant_some(files, 1 + random(5)), {}, {}
    for number, plant in ipairs(plants) do
      texts, bytes, alone[number] = compile(files, { [number] = true })
      local where = ("round %d: %s\n%s"):format(round, plant.message, texts[plant.file.file].text)
      all[number] = true
      if texts[plant.file.file].position[number] and first_way(texts, "level.json", plant.file.file, {}) then
        assert(not bytes, where)
        assert(alone[number]:find(plant.message, 1, true), where .. "\n" .. tostring(alone[number]))
      end
    end
    local found
    texts, bytes, message, found = compile(files, all)
    local first, best
    for number, plant in ipairs(plants) do
      local way = first_way(texts, "level.json", plant.file.file, {})
      local position = texts[plant.file.file].position[number]
      if way and position then
        -- Overrides of a prefab that cannot be read are not checked.
        local known = found[without_columns(alone[number])] or alone[number]:find("%.overrides%[")
        assert(known, ("round %d: not found: %s"):format(round, alone[number]))
        way[#way + 1] = position
        if not best or is_before(way, best) then first, best = number, way end
      end
    end
    if not first then return assert(bytes, message) end
    -- Overrides of a prefab that cannot be read are not checked.
    local instance = message and message:match "^(.-)%.prefab: "
    if instance and alone[first]:match "^(.-)%.overrides%[" == instance then return end
    -- A wrong name is not compared with the debug_name.
    local named = essence(alone[first]):match "^(.-)%.components%.debug_name%.name: "
    if named and message and essence(message):find(named .. ".name: ", 1, true) == 1 then return end
    if bytes or essence(alone[first]) ~= essence(message) then
      local text = {}
      for _, file in ipairs(files) do text[#text + 1] = file.file .. " " .. texts[file.file].text end
      error(("round %d: expected %s\ngot %s\n%s"):format(round, alone[first], message, table.concat(text, "\n")))
    end
  end

  it("is refused for the first error in the text", function()
    new_compiler()
    for round = 1, ROUNDS do check_round(round) end
  end)

  it("is refused for the first error with any decoder", function()
    new_compiler { json = function(text) return json.decode(text) end }
    for round = 1, ROUNDS / 10 do check_round(round) end
  end)
end)

describe("the compiler, given two errors in a level,", function()
  local compiler

  before_each(function() compiler = cuttle.compiler(new_world()) end)

  local function refuses(text, source)
    local result, message = compiler:compile(source, { name = "level.json" })
    assert.is_nil(result)
    assert.equal(text, message)
  end

  it("reports the first one in the text, even if its type is compiled last", function()
    refuses("level.json: entities[1].components.wheel.radius: expected a number, got string",
      [[ { "entities": [ { "components": { "wheel": { "radius": "x" } } },
        { "components": { "transform": { "position": 1 } } } ] } ]])
  end)

  it("reports two equal ids unless another error precedes them", function()
    refuses('level.json: entities[1].components.wheel[2].id: another wheel of the entity has "a" too',
      [[ { "entities": [ { "components": { "wheel": [ { "id": "a" }, { "id": "a" }, { "radius": true } ] } } ] } ]])
    refuses("level.json: entities[1].components.wheel[2].radius: expected a number, got boolean",
      [[ { "entities": [ { "components": { "wheel": [ { "id": "a" }, { "radius": true }, { "id": "a" } ] } } ] } ]])
  end)

  it("passes each item with the id of another one to the option mistakes", function()
    local list = {}
    compiler:compile([[ { "entities": [ { "components": { "wheel": [ { "id": "a" }, { "id": "a" }, { "id": "b" },
      { "id": "a" }, { "id": "b" } ] } } ] } ]], { name = "level.json",
      mistakes = function(one) list[#list + 1] = one:match "wheel(.*) of" end })
    assert.are.same({ "[2].id: another wheel", "[4].id: another wheel", "[5].id: another wheel" }, list)
  end)

  it("passes both to the option mistakes, and an error in a prefab once, at the first use of the prefab", function()
    local place = folder.new()
    place:write("lamp.json", '{ "entities": [ { "nme": "lamp" } ] }')
    place:write("none.json", '{ "entities": [] }')
    place:write("text.json", "text")
    local list = {}
    local _, message = compiler:compile([[ { "entities": [ { "prefab": "lamp.json" }, { "prefab": "no.json" },
      { "prefab": "lamp.json" }, { "prefab": "no.json" }, { "prefab": "none.json" }, { "prefab": "none.json" },
      { "prefab": "text.json" }, { "prefab": "text.json" } ], "entites": [], "entites": [] } ]],
      { name = "level.json", directory = place.path, mistakes = function(one)
        list[#list + 1] = one:gsub(place.path:gsub("%p", "%%%0") .. "/", "")
      end })
    place:remove()
    assert.are.same({
      "level.json: entities[1].prefab: lamp.json: entities[1]: unknown key 'nme' (did you mean 'name'?)",
      "level.json: entities[2].prefab: cannot read no.json: No such file or directory",
      "level.json: entities[4].prefab: cannot read no.json: No such file or directory",
      "level.json: entities[5].prefab: none.json: entities: a prefab has exactly one root, this file has none",
      "level.json: entities[7].prefab: text.json: line 1 column 1: this is not JSON",
      "level.json: unknown key 'entites' (did you mean 'entities'?)",
      'level.json: line 3 column 78: entites: duplicate key "entites"' }, list)
    assert.equal(list[1], (message:gsub(place.path:gsub("%p", "%%%0") .. "/", "")))
  end)

  it("reports a duplicate key at its second occurrence", function()
    refuses('level.json: line 1 column 56: entities[1].components.health.hp: duplicate key "hp"',
      '{ "entities": [ { "components": { "health": { "hp": 1, "hp": 2, "y": 3 } } } ] }')
    refuses("level.json: entities[1].components.health: unknown field 'x'",
      [[ { "entities": [ { "components": { "health": { "hp": 1, "x": 1, "hp": 2 } } } ] } ]])
    refuses("level.json: entities[1].name: expected a string, got 5",
      '{ "entities": [ { "name": 5, "name": "a" } ] }')
  end)

  it("reports fields that exclude entry other at their place, whatever else is wrong in the component", function()
    local function refuses_fields(message, fields)
      refuses("level.json: entities[1].components.transform." .. message,
        '{ "entities": [ { "components": { "transform": { ' .. fields .. ' } } } ] }')
    end
    refuses_fields("angle: not together with rotation", '"angle": 1, "rotation": [0, 0, 0, 1], "scale": "x"')
    refuses_fields("angle: not together with rotation", '"angle": 1, "rotation": [0, 0, 0, 1], "odd": 1')
    refuses_fields("scale: expected 3 numbers, got string", '"scale": "x", "angle": 1, "rotation": [0, 0, 0, 1]')
    refuses_fields("scale: expected 3 numbers, got string", '"rotation": [0, 0, 0, 1], "scale": "x", "angle": 1')
  end)

  it("reports a missing field after a wrong field of the same component", function()
    refuses("level.json: entities[1].components.mesh: unknown field 'resorce' (did you mean 'resource'?)",
      [[ { "entities": [ { "components": { "mesh": { "resorce": "stone" } } } ] } ]])
    refuses("level.json: unknown key 'entites' (did you mean 'entities'?)", '{ "entites": [] }')
  end)

  it("counts the columns of several mistakes in a line from its start, in characters", function()
    local found = {}
    assert.is_nil((compiler:compile('{ "entities": [ { "name": "ä", "name": "ö" }, { "_": "é", "id": 1, "id": 2 },\n'
      .. '{ "id": 3, "id": 3 }, { "name": "ü", "name": "u" } ] }', { mistakes = function(message)
      found[#found + 1] = message:match "line %d+ column %d+"
    end })))
    assert.same({ "line 1 column 32", "line 1 column 68", "line 2 column 12", "line 2 column 38" }, found)
  end)

  it("names the nearest entity only for the first of many misspelt ones, because that takes time", function()
    local entities, count, hints = {}, 0, 0
    for i = 1, 300 do entities[i] = { name = "lamp" .. i, components = { health = { target = "lmap" .. i } } } end
    assert.is_nil((compiler:compile({ entities = entities }, { mistakes = function(message)
      count, hints = count + 1, hints + (message:find("did you mean", 1, true) and 1 or 0)
    end })))
    assert.equal(300, count)
    assert.is_true(hints >= 20 and hints <= 100)
  end)

  it("does not report a reference to an entity that is wrong itself", function()
    local level = [[ { "entities": [ { "components": { "health": { "target": "lamp" } } }, %s ] } ]]
    refuses("level.json: entities[2]: unknown key 'nme' (did you mean 'name'?)", level:format '{ "nme": "lamp" }')
    refuses("level.json: entities[2].children: expected an array, got an object",
      level:format '{ "children": { "name": "lamp" } }')
    refuses("level.json: line 1 column 90: entities[2].children: duplicate key \"children\"",
      level:format '{ "children": [], "children": [ { "name": "lamp" } ] }')
    local by_path = level:gsub('"lamp"', '"post/lamp"')
    refuses('level.json: entities[2].parent: unknown entity "nobody"',
      by_path:format '{ "parent": "nobody", "name": "lamp" }, { "name": "post" }')
    refuses("level.json: entities[2].prefab: cannot read none.json: No such file or directory",
      by_path:format '{ "prefab": "none.json", "name": "post" }')
  end)

  it("does not report a parent path through an entity whose parent is missing", function()
    refuses("level.json: entities[2].parent: unknown entity \"d/e\" (did you mean 'd'?)",
      [[ { "entities": [ { "parent": "a/b" }, { "name": "b", "parent": "d/e" }, { "name": "a" }, { "name": "d" } ] } ]])
  end)

  it("does not report an entity below a cycle of parents", function()
    refuses("level.json: entities[2].parent: the parent would make a cycle",
      [[ { "entities": [ { "parent": "b" }, { "name": "b", "parent": "c" }, { "name": "c", "parent": "b" } ] } ]])
  end)

  it("reports the same error for a Lua table in any memory order, because keys are sorted", function()
    local fields = { "hp", "target", "title", "zzz" }
    for first = 1, #fields do
      local health, entity = {}, {}
      for number = 1, first * 7 do health["gone" .. number] = true end
      for number = 1, first * 7 do health["gone" .. number] = nil end
      for place = first, first + #fields - 1 do health[fields[place % #fields + 1]] = {} end
      for _, key in ipairs(first % 2 == 0 and { "id", "name", "components" } or { "components", "name", "id" }) do
        entity[key] = key == "components" and { wheel = 3, health = health } or key == "name" and 7 or "i"
      end
      refuses("level.json: entities[1].components.health.hp: expected a number, got table", { entities = { entity } })
      entity.components = { transform = { [true] = 1, parent = 1 } }
      refuses("level.json: entities[1].components.transform.parent: "
        .. "the hierarchy is given by children, or by parent beside components", { entities = { entity } })
    end
  end)

  it("reports an error in a shared table at its first occurrence", function()
    local wrong = { hp = "x" }
    refuses("level.json: entities[1].components.health.hp: expected a number, got string",
      { entities = { { components = { health = wrong } }, { components = { health = wrong, odd = {} } } } })
  end)
end)
