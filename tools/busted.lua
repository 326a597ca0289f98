-- Runs busted under the current interpreter, because busted's own command may be a script that starts another.

-- Replaces the parts of lua-system and lua-term that busted uses; tools/windows.sh and tools/wasm.sh do not build them.
if not pcall(require, "system") then
  package.loaded.system, package.preload.system = nil, function()
    return { gettime = os.time, monotime = os.clock, sleep = function() end }
  end
  package.preload.term = function()
    return { isatty = function() return false end }
  end
end

-- Where compiled loops over tables are wrong (see each.lua), loops in specs, busted and luassert, which uses `in next`,
-- would sometimes fail a run.
local each = dofile "lua/cuttle/each.lua"
if each ~= next then
  next = each -- luacheck: globals next
  function pairs(t) -- luacheck: globals pairs
    if type(t) ~= "table" then error("bad argument #1 to 'pairs' (table expected, got " .. type(t) .. ")", 2) end
    return each, t, nil
  end
end

require "busted.runner"({ standalone = false })
