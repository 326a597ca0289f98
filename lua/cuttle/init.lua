--- cuttle: a data-oriented entity system for Lua games.
-- What users require: the C module with the parts that are written in Lua beside it.
-- Knows nothing of how anything is done.
-- @module cuttle

local core = require "cuttle.core"
local each = require "cuttle.each"
require "cuttle.inspect"
require "cuttle.fast"

local cuttle = {
  _VERSION = "cuttle " .. core.VERSION,
  _DESCRIPTION = "data-oriented entities, components, transforms and compiled levels for Lua 5.1 and LuaJIT",
  _LICENSE = "MIT",
}

for name, value in each, core do
  if type(value) ~= "table" then cuttle[name] = value end
end

cuttle.compiler = require("cuttle.compiler").new
cuttle.schema = require "cuttle.schema"
cuttle.null = require("cuttle.json").null

-- Importers are loaded when they are first asked for: a game that ships compiled levels needs none.
local IMPORTERS = { ldtk = true, tiled = true, gltf = true }

cuttle.import = setmetatable({}, {
  __index = function(import, name)
    if not IMPORTERS[name] then return nil end
    import[name] = require("cuttle.import." .. name)
    return import[name]
  end,
})

return cuttle
