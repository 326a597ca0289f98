-- Runs busted under the interpreter that runs this file: busted's own command may be a script that starts another.

-- What busted needs of lua-system and lua-term, which tools/windows.sh and tools/wasm.sh do not build.
if not pcall(require, "system") then
  package.loaded.system, package.preload.system = nil, function()
    return { gettime = os.time, monotime = os.clock, sleep = function() end }
  end
  package.preload.term = function()
    return { isatty = function() return false end }
  end
end

-- Where compiled loops over tables go wrong (see there), those of specs, of busted and of luassert, which says
-- `in next`, would end a run now and then.
local each = dofile "lua/cuttle/each.lua"
if each ~= next then
  next = each -- luacheck: globals next
  function pairs(t) -- luacheck: globals pairs
    if type(t) ~= "table" then error("bad argument #1 to 'pairs' (table expected, got " .. type(t) .. ")", 2) end
    return each, t, nil
  end
end

require "busted.runner"({ standalone = false })
