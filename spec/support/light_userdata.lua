-- Light userdata of any bits, as a host engine would hand them to scripts. Lua cannot make one: only test builds can,
-- and a release build has but cjson.null, a NULL pointer.

local core = require "cuttle.core"

local light_userdata = {}

-- A light userdata, or nil in a release build. At most 2^32 - 1; 'high' are the 32 bits above.
function light_userdata.make(bits, high)
  return core.testing and core.testing.light_userdata(bits, high or 0)
end

function light_userdata.null()
  local found, cjson = pcall(require, "cjson")
  return found and cjson.null or light_userdata.make(0)
end

return light_userdata
