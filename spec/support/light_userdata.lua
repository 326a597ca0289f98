-- Light userdata with any bits, as a host engine could pass them. Only test builds can create them; a release build has
-- only cjson.null, a null pointer.

local core = require "cuttle.core"

local light_userdata = {}

-- Returns a light userdata, or nil in a release build. `bits` is at most 2^32 - 1; `high` has the 32 bits above.
function light_userdata.make(bits, high)
  return core.testing and core.testing.light_userdata(bits, high or 0)
end

function light_userdata.null()
  local found, cjson = pcall(require, "cjson")
  return found and cjson.null or light_userdata.make(0)
end

return light_userdata
