--- Rules for make: the dependencies of outputs.
-- Does not depend on levels or files.
-- @module cuttle.cli.rules

local rules = {}

-- Escapes characters that separate names or begin a comment or a variable. Backslashes before such a character are
-- doubled, because make would read them as escapes.
local function quoted(name)
  name = name:gsub("(\\*)([ #:])", "%1%1\\%2"):gsub("%$", "$$")
  return (name:gsub("=", "$(strip =)"))
end

-- Also escapes %, which is special only in a target.
local function quoted_target(name)
  return (quoted(name):gsub("(\\*)%%", "%1%1\\%%"))
end

-- Returns whether make has no notation for a name; a name that ends in `(member)` would be read as an archive.
local function is_impossible(name)
  return name:find("[%c;|]") ~= nil or name:find("[ \\]$") ~= nil or name:find("%(.*%)$") ~= nil
end

--- Returns the rules of several outputs as text. Each dependency other than the source also gets an empty rule, so that
-- make compiles the level again if the file is deleted, instead of stopping.
-- @tparam table made list of {output=, source= (nil for standard input), dependencies=}
-- @treturn[1] string
-- @treturn[2] nil
-- @treturn[2] string an error message with a name that has no notation in make
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
      if is_impossible(name) then return nil, name .. ": rules for make cannot contain this name" end
      if place > 1 then words[#words + 1] = quoted(name) end
    end
    lines[#lines + 1] = table.concat(words, " ") .. "\n"
  end
  return table.concat(lines) .. table.concat(empty)
end

--- Returns whether a text begins with a rule for make, as any tool writes them.
function rules.are(text)
  local line = text:match("^[^\r\n]*"):gsub("\\.", "") .. " "
  return line:find("^[^%s#]+: ") ~= nil and not line:find('^[{%[]"')
end

return rules
