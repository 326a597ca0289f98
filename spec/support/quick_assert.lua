-- Makes frequent assertions of luassert cheap when they pass. For every call, luassert parses the name of the assertion
-- and copies the arguments, which takes longer than most calls of the module. Failures, and calls with too few
-- arguments, are left to luassert, with its messages.

local luassert = require "luassert"
local deepcompare = require("luassert.util").deepcompare

local quick = {}

-- Calls of luassert are tail calls: it reports the line of the caller of the last function of another file.
function quick.equal(...)
  local a, b = ...
  if a ~= nil and a == b then return ... end
  return luassert.state().equal(...)
end

function quick.same(...)
  local a, b = ...
  local are_tables = type(a) == "table" and type(b) == "table"
  if are_tables and deepcompare(a, b, true) or not are_tables and a ~= nil and a == b then return ... end
  return luassert.state().same(...)
end

function quick.is_true(...)
  if (...) == true then return ... end
  return luassert.state().is_true(...)
end

function quick.is_false(...)
  if (...) == false then return ... end
  return luassert.state().is_false(...)
end

function quick.is_truthy(...)
  if (...) then return ... end
  return luassert.state().is_truthy(...)
end

function quick.is_nil(...)
  if select("#", ...) > 0 and (...) == nil then return ... end
  return luassert.state().is_nil(...)
end

for name, assertion in pairs(quick) do rawset(luassert, name, assertion) end

rawset(luassert, "are", setmetatable({ equal = quick.equal, same = quick.same }, {
  __index = function(_, name) return luassert.state().are[name] end,
}))
