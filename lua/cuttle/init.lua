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

cuttle.import = {
  ldtk = require "cuttle.import.ldtk",
  tiled = require "cuttle.import.tiled",
  gltf = require "cuttle.import.gltf",
}

return cuttle
