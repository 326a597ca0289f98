--- The page, whole: of parts that lie beside this file, as modules, so that it is found wherever modules are.
-- Knows nothing of sockets and files.

local page = {}

local SCRIPTS = { "source", "tree", "fields", "graph", "panels", "main" }

-- `data` is JSON, safe inside HTML, or "null": then the page asks the server it came from.
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

--- The page that asks the server it came from.
-- @treturn string
function page.live()
  live = live or table.concat(parts { "null" })
  return live
end

--- The page with what it shows inside.
-- @tparam table data a list of strings, JSON when joined
-- @treturn string
function page.report(data) return table.concat(parts(data)) end

return page
