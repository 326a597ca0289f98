--- The inspector's page as one text. Its parts are Lua modules, so that they are found on the path of modules.
-- Does not depend on sockets and files.

local page = {}

local SCRIPTS = { "source", "tree", "fields", "graph", "panels", "map", "main" }

-- The parts of the page. `data` is JSON that is safe inside HTML, or "null": then the page sends requests to its
-- server.
local function parts(data)
  local html = require "cuttle.inspector.page.body"
  local all = { "<!doctype html>\n<html lang=\"en\">\n<head>\n", html.head, "<style>\n",
    require "cuttle.inspector.page.style", "</style>\n</head>\n<body>\n", html.body,
    '<script type="application/json" id="data">' }
  for _, piece in ipairs(data) do all[#all + 1] = piece end
  all[#all + 1] = "</script>\n<script>\n'use strict';\n"
  for _, name in ipairs(SCRIPTS) do all[#all + 1] = require("cuttle.inspector.page." .. name) end
  all[#all + 1] = "</script>\n</body>\n</html>\n"
  return all
end

local live

--- Returns the page that sends requests to its server.
-- @treturn string
function page.live()
  live = live or table.concat(parts { "null" })
  return live
end

--- Returns the page with its data inside.
-- @tparam table data a list of strings that form JSON when joined
-- @treturn string
function page.report(data) return table.concat(parts(data)) end

return page
