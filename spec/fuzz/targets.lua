-- The fuzz targets: every format of the importers with our own samples, the JSON reader, and formulas. A target is
-- {name=, texts=, check= function(text) -> error or nil}. Correct results are: a refusal with a message that begins
-- with a file, or a level that compiles or is refused with a message that begins with its name; and a blob that is a
-- valid resource.

local cuttle = require "cuttle"
local fuzz = require "spec.fuzz.fuzz"
local formats = require "spec.support.tiled_formats"
local formula_input = require "spec.support.formula_input"
local gltf_sample = require "spec.support.gltf_sample"
local json = require "cuttle.json"
local ldtk_sample = require "spec.support.ldtk_sample"
local mutate = require "spec.fuzz.mutate"
local tiled_sample = require "spec.support.tiled_sample"

local random = math.random

-- Levels -----------------------------------------------------------------------------------------------------------

local world = cuttle.world(cuttle.entity_manager())
world:define("props", { { "value", "value" } })
world:define("health", { { "hp", "float" }, { "target", "entity" } })
local compiler = cuttle.compiler(world)

-- Compiles and spawns a level. Returns an error or nil.
local function source_trouble(source)
  local ok, blob, message = pcall(compiler.compile, compiler, source, { name = "fuzz" })
  if not ok then return "the compiler raised " .. tostring(blob) end
  if not blob then return fuzz.message_trouble(message, "the compiler") end
  local resource, trouble = cuttle.resource(blob)
  if not resource then return "the compiler's blob is refused: " .. trouble end
  local level = world:spawn(resource) -- undefined meshes are refused
  if level then
    level:unload()
    world:gc "all"
  end
end

-- A mapping whose result comes from the document, so that any value can reach the compiler.
local function map_hp(fields)
  local hp = type(fields) == "table" and rawget(fields, "hp")
  return { health = { hp = type(hp) == "number" and hp or nil } }
end

local function options()
  local tiles = ({ true, false, "grid" })[random(4)]
  local chosen = { name = "fuzz", directory = "", tiles = tiles, fields = random(2) == 1 and "props" or nil }
  if random(3) == 1 then chosen.components = { ["*"] = map_hp } end
  if random(3) == 1 then chosen.tile = function() return { health = {} } end end
  if random(3) == 1 then chosen.layer = function(layer) return layer.cells and layer.cells() and {} or nil end end
  return chosen
end

-- Returns the check of a target whose texts an importer reads.
local function checker(importer, more)
  return function(text)
    local chosen = options()
    more(chosen)
    local ok, source, warnings = pcall(importer, text, chosen)
    if not ok then return "the importer raised " .. tostring(source) end
    if not source then return fuzz.message_trouble(warnings, "the importer") end
    for _, warning in ipairs(warnings) do
      local trouble = fuzz.message_trouble(warning, "a warning")
      if trouble then return trouble end
    end
    return source_trouble(source)
  end
end

-- Adds files beside the document, some of which are damaged.
local function reader(files)
  local texts = {}
  for _, text in pairs(files) do texts[#texts + 1] = text end
  table.sort(texts)
  return function(chosen)
    local damaged = {}
    chosen.read = function(path)
      if files[path] and not damaged[path] then
        damaged[path] = random(4) == 1 and mutate(files[path], texts) or files[path]
      end
      return damaged[path], not damaged[path] and "no such file" or nil
    end
  end
end

-- The targets ------------------------------------------------------------------------------------------------------

local targets = {}

local function target(name, texts, check)
  targets[#targets + 1] = { name = name, texts = texts, check = check }
end

do
  local outer, parts = ldtk_sample.split "part"
  local long = ldtk_sample.encode(ldtk_sample.tiled(130)) -- lists that are decoded in pieces
  target("ldtk", { ldtk_sample.encode(ldtk_sample.sample()), outer, long }, checker(cuttle.import.ldtk, function(chosen)
    reader(parts)(chosen)
    chosen.depth = random(3) == 1 and 2 or nil
    chosen.int_grid = ({ true, false })[random(3)]
    chosen.levels = random(3) == 1 and { "A" } or nil
    if random(3) == 1 then chosen.level = map_hp end
  end))
end

local function tiled_check(files)
  local read = reader(files)
  return checker(cuttle.import.tiled, function(chosen)
    read(chosen)
    chosen.levels = random(3) == 1 and { "a" } or nil
    if random(3) == 1 then chosen.map = map_hp end
  end)
end

do
  local infinite = tiled_sample.map({ tiled_sample.floor(1, "Floor", 1, 1, nil, { chunks = {
    { x = -1, y = 0, width = 1, height = 1, data = { 1 } },
    { x = 0, y = 0, width = 2, height = 1, data = { 2, 3 } } } }),
    tiled_sample.floor(2, "Coded", 1, 1, "AQAAAA==", { encoding = "base64" }) },
    { orientation = "hexagonal", hexsidelength = 4, staggeraxis = "x", staggerindex = "even" })
  target("tiled json", { formats.JSON, tiled_sample.encode(tiled_sample.sample()), tiled_sample.encode(infinite) },
    tiled_check(formats.FILES))
  target("tiled lua", { formats.LUA }, tiled_check(formats.FILES))
  target("tiled world", { [[{"type":"world","maps":[{"fileName":"a.tmj","x":0,"y":-5,"width":32,"height":32},
    {"fileName":"b.lua","x":48,"y":0}]}]] }, tiled_check { ["a.tmj"] = formats.JSON, ["b.lua"] = formats.LUA,
    ["set.tsj"] = formats.TSJ, ["wall.tj"] = formats.TJ, ["set.lua"] = formats.LUA_SET })
  if pcall(require, "lxp") then target("tiled xml", { formats.TMX }, tiled_check(formats.FILES)) end
end

do
  local check = checker(cuttle.import.gltf, function(chosen)
    local tiles_alone = { "tiles", "tile", "layer" }
    for _, name in ipairs(tiles_alone) do chosen[name] = nil end
    reader { ["trees.bin"] = gltf_sample.TREES }(chosen)
    chosen.meshes = random(2) == 1
    chosen.scene = random(4) == 1 and random(0, 2) or nil
    if random(3) == 1 then chosen.light, chosen.camera, chosen.skin = map_hp, map_hp, map_hp end
  end)
  local document = gltf_sample.sample()
  document.extensionsRequired = nil
  target("gltf", { gltf_sample.encode(document), gltf_sample.encode(gltf_sample.forest()),
    gltf_sample.encode(gltf_sample.forest "trees.bin") }, check)
  target("glb", { gltf_sample.binary(document), gltf_sample.binary(gltf_sample.forest()) }, check)
end

-- Accepted text can be written and decoded with the same result; other text is refused with a line.
local function json_trouble(text)
  local ok, fine, message = pcall(json.check, text)
  if not ok then return "the check raised " .. tostring(fine) end
  if not fine then return not message:find("^line %d+ column %d+: ") and "no line: " .. tostring(message) or nil end
  local read, value, trouble = pcall(json.decoder(), text)
  if not read then return "the decoder raised " .. tostring(value) end
  if value == nil then return fuzz.message_trouble(trouble, "the decoder") end
  local written, problem = json.encode(value)
  if not written then return not problem:find "infinite" and "cannot be encoded: " .. tostring(problem) or nil end
  local again = json.decoder()(written)
  if again == nil or json.encode(again) ~= written then return "differs after encoding: " .. written end
end

target("json", { formats.JSON,
  '{"a":[1,-2.5e3,"\\u00e9\\n",null,true,{"b":{}}],"":[[],[0]]}', "[]", "5" }, json_trouble)

target("formula", formula_input.TEXTS, formula_input.trouble)

return targets
