--- cuttle: a data-oriented entity system for Lua games.
-- The table that `require "cuttle"` returns: functions of the C module together with the functions written in Lua.
-- Does not depend on the implementation of either.
-- @module cuttle

if rawget(_G, "love") then require "cuttle.love" end

local core = require "cuttle.core"
local failure = require "cuttle.failure"
require "cuttle.attach"
require "cuttle.buffer"
require "cuttle.define"
require "cuttle.describe"
require "cuttle.inspect"
require "cuttle.models"
require "cuttle.spawners"
require "cuttle.world"
require "cuttle.fast"
require "cuttle.formula"

local cuttle = {
  _VERSION = "cuttle " .. core.VERSION,
  _DESCRIPTION = "data-oriented entities, components, transforms and compiled levels for LuaJIT, Lua 5.1 and Lua 5.4",
  _LICENSE = "MIT",
}

local PUBLIC = {
  "MAX_ENTITIES", "NOBODY", "ENTITY_INDEX_BITS", "ENTITY_GENERATION_BITS", "ENTITY_TAG",
  "entity_manager", "world", "list", "resource", "recorder", "snapshot",
  "entity_id", "entity_from_id", "entity_index", "entity_generation", "entity_tostring", "is_entity", "tag",
  "pretty_entities", "sin", "cos", "atan2", "exp", "log",
}
for _, name in ipairs(PUBLIC) do cuttle[name] = core[name] end

cuttle.diff = require "cuttle.diff"
cuttle.load = require "cuttle.load"
cuttle.report = require "cuttle.report"
cuttle.rollback = require "cuttle.rollback"
cuttle.stage = require "cuttle.stage"
cuttle.publisher = require("cuttle.replication").publisher
cuttle.subscriber = require("cuttle.replication").subscriber
cuttle.reader = require("cuttle.bytes").reader
cuttle.compiler = require("cuttle.compiler").new
cuttle.schema = require "cuttle.schema"
cuttle.null = require("cuttle.json").null

-- An importer is loaded when it is first used: a game that ships compiled levels needs none.
local IMPORTERS = { ldtk = true, tiled = true, gltf = true }

cuttle.import = setmetatable({}, {
  __index = function(import, name)
    if IMPORTERS[name] then
      import[name] = require("cuttle.import." .. name)
      return import[name]
    end
    -- A misspelt importer name raises. Any other name gives nil, so that scripts can test for an importer.
    local hint = type(name) == "string" and failure.hint(name, { "ldtk", "tiled", "gltf" }) or ""
    if hint ~= "" then error(("unknown importer '%s'%s"):format(name, hint), 2) end
    return nil
  end,
})

return cuttle
