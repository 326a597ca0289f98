--- Rules for make: what an output was made from.
-- Knows nothing of levels or files.
-- @module cuttle.cli.rules

local rules = {}

-- What stands between two names of a rule, or begins a comment or a variable. Backslashes that come before a
-- character with one of its own would be taken for escapes themselves.
local function quoted(name)
  name = name:gsub("(\\*)([ #:])", "%1%1\\%2"):gsub("%$", "$$")
  return (name:gsub("=", "$(strip =)"))
end

-- Only in a target does % stand for anything.
local function quoted_target(name)
  return (quoted(name):gsub("(\\*)%%", "%1%1\\%%"))
end

-- For these make has no way of writing; what ends in `(member)` is an archive to it.
local function is_impossible(name)
  return name:find("[%c;|]") ~= nil or name:find("[ \\]$") ~= nil or name:find("%(.*%)$") ~= nil
end

--- The rules of several outputs as text. What an output was made from beside its source also gets an empty rule of its
-- own: once it is deleted, make does not stop for it, but compiles the level again.
-- @tparam table made list of {output=, source= (nil for standard input), dependencies=}
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string which name cannot stand in a rule
function rules.text(made)
  local lines, empty, met = {}, {}, {}
  for _, item in ipairs(made) do
    local names, words = { item.output, item.source }, { quoted_target(item.output) .. ":" }
    for _, name in ipairs(item.dependencies) do
      names[#names + 1] = name
      if not met[name] then empty[#empty + 1] = "\n" .. quoted_target(name) .. ":\n" end
      met[name] = true
    end
    for place, name in ipairs(names) do
      if is_impossible(name) then return nil, name .. ": the name cannot stand in a rule for make" end
      if place > 1 then words[#words + 1] = quoted(name) end
    end
    lines[#lines + 1] = table.concat(words, " ") .. "\n"
  end
  return table.concat(lines) .. table.concat(empty)
end

--- Whether a text begins with a rule for make, whichever tool wrote it.
function rules.are(text)
  local line = text:match("^[^\r\n]*"):gsub("\\.", "") .. " "
  return line:find("^[^%s#]+: ") ~= nil and not line:find('^[{%[]"')
end

return rules
