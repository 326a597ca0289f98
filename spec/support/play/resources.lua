-- The compiled levels of a run, which each host compiles once.

local cuttle = require "cuttle"
local levels = require "spec.support.play.levels"
local need = require("spec.support.play.run").need

local resources = {}

function resources.has_mood(k, v)
  for _, entity in ipairs(levels.flat(k, v)) do
    if entity.components.mood then return true end
  end
  return false
end

--- Returns the resource of a level, or nil: it can be compiled only while components have their first fields.
function resources.find(host, k, v)
  local key = k .. "." .. v
  if not host.resources[key] and (host.versions.field == 1 or not resources.has_mood(k, v)) then
    local blob = assert(cuttle.compiler(host.worlds.field):compile(levels.source(k, v)))
    host.resources[key] = assert(cuttle.resource(blob, key))
  end
  return host.resources[key]
end

function resources.get(run, k, v) return need(resources.find(run.host, k, v)) end

return resources
