-- shrink(list, fails): a short run that fails for the same reason, and its failure. `fails` plays a list of actions and
-- returns the failure or nil. Chunks are removed first, then single actions and pairs, and then arguments are
-- simplified.

local fields = require "spec.support.play.fields"

-- The failure without numbers and values, which differ between runs.
local function kind(message)
  local line = message:match "^[^\n]*":gsub(": expected .*", "")
  return (line:gsub("%(%d+:%d+%)", ""):gsub("%-?%d[%d.e+-]*", "#"))
end

-- The limit of runs during shrinking.
local MOST = 400

-- Removes chunks of half the length, then of a quarter, down to one.
local function drop_chunks(list, is_same)
  local size = math.ceil(#list / 2)
  while size >= 1 do
    local at, dropped = #list - size + 1, false
    while at > 1 - size and #list > 0 do
      local first, part = math.max(at, 1), {}
      for i, action in ipairs(list) do
        if i < first or i >= at + size then part[#part + 1] = action end
      end
      if #part < #list and is_same(part) then list, dropped = part, true end
      at = at - size
    end
    if size == 1 and not dropped then break end
    if not dropped then size = math.ceil(size / 2) end
    size = math.min(size, math.max(#list, 1))
  end
  return list
end

-- Removes any two actions, such as a step and its reversal.
local function drop_pairs(list, is_same)
  local i, j = 1, 2
  while i < #list do
    local part = {}
    for k, action in ipairs(list) do
      if k ~= i and k ~= j then part[#part + 1] = action end
    end
    if j <= #list and is_same(part) then
      list, i, j = part, 1, 2
    elseif j < #list then
      j = j + 1
    else
      i, j = i + 1, i + 2
    end
  end
  return list
end

-- Simpler values in place of one.
local function simpler(value)
  if type(value) == "number" and value ~= 1 and value ~= 0 then return { 1, 0 } end
  if type(value) == "string" and value ~= "" then return { "" } end
  if value == true then return { false } end
  return {}
end

-- Tries to simplify each part of `value`, which belongs to the run that is_same plays.
local function simplify(value, is_same, first)
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) > tostring(b) end)
  for _, key in ipairs(keys) do
    if not (first and key == 1) then
      local item = value[key]
      if type(key) == "number" and not first then
        table.remove(value, key)
        if is_same() then item = nil else table.insert(value, key, item) end
      elseif type(key) == "string" then
        value[key] = nil
        if is_same() then item = nil else value[key] = item end
      end
      for _, other in ipairs(item == nil and {} or simpler(item)) do
        value[key] = other
        if is_same() then
          item = other
          break
        end
        value[key] = item
      end
      if type(item) == "table" then simplify(item, is_same, type(item[1]) == "string" and #item > 1) end
    end
  end
end

return function(list, fails)
  local reason = fails(list)
  if not reason then return list end
  local wanted, played = kind(reason), 0
  local function is_same(part)
    played = played + 1
    if played > MOST then return false end
    local message = fails(part)
    if not message or kind(message) ~= wanted then return false end
    reason = message
    return true
  end
  list = drop_pairs(drop_chunks(list, is_same), is_same)
  list = fields.copy(list)
  for _, action in ipairs(list) do
    simplify(action, function() return is_same(list) end, true)
  end
  return drop_chunks(list, is_same), reason
end
