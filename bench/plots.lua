-- Plots of nanoseconds per item against items, from results (bench/results.lua), drawn by gnuplot as SVG.
--
-- usage: luajit bench/plots.lua RESULTS.csv FOLDER

package.path = "./?.lua;" .. package.path
local results = require "bench.results"

-- A curve: { bench, case, title, memory = "cold", limit = true (drawn dashed), limit_of = true (the case's limit) }.
local PLOTS = {
  {
    file = "loops",
    title = "p += v dt in a loop of Lua, LuaJIT",
    curves = {
      { "loops", "p += v dt, world:rows of two managers", "world:rows, two managers" },
      { "loops", "p += v dt, scalar columns", "scalar columns" },
      { "loops", "p += v dt, vec3 columns", "vec3 columns" },
      { "loops", "p += v dt, world:add_scaled of a vec3", "world:add_scaled" },
      { "loops", "limit: p += v dt, plain Lua tables", "plain Lua tables", limit = true },
      { "loops", "limit: p += v dt, plain FFI arrays", "plain FFI arrays", limit = true },
      { "loops", "limit: p += v dt, the loop in C", "the loop in C", limit = true },
    },
  },
  {
    file = "scripts",
    title = "Entities with two components, from LuaJIT",
    curves = {
      { "sizes", "create with two components, world:create each", "world:create, each" },
      { "sizes", "create with two components, a template each", "template:create, each" },
      { "sizes", "destroy with two components, in bulk, gc after", "destroy in bulk, and gc" },
      { "sizes", "create with two components, in bulk", "world:create in bulk" },
      { "sizes", "create with two components, plain Lua tables", "create plain Lua tables", limit = true },
    },
  },
  {
    file = "reads",
    title = "Read one field of a random entity, LuaJIT",
    curves = {
      { "sizes", "read one field, random entity, a method", "a method with an entity" },
      { "sizes", "read one field, random entity, row_of_id and a column", "row_of_id and a column" },
      { "sizes", "read one field, random entity, by row", "a column by row: random gather", limit = true },
      { "sizes", "read one field, random entity, plain Lua tables", "plain Lua tables", limit = true },
    },
  },
  {
    file = "core",
    title = "Components of 40 bytes in the core, random order, array map",
    curves = {
      { "core", "churn: destroy, gc, create with a component, array map", "destroy, gc, create: churn" },
      { "core", "remove, random order, array map", "remove" },
      { "core", "add 40 bytes, one by one, random order, array map", "add, one by one" },
      { "core", "look up one field, random order, array map", "look up one field" },
      { "core", "create, one by one", "create an entity" },
      { "core", "limit: copy 40 bytes to a random row, array map", "copy 40 bytes to a random row", limit = true },
      { "core", "limit: read a field of a known row, random order, array map", "random gather", limit = true },
    },
  },
  {
    file = "transforms",
    title = "Transforms that move in the core, world matrices included",
    curves = {
      { "hierarchy", "deferred: another 1 % of all roots", "1 % of all roots, deferred" },
      { "hierarchy", "roots of chains of 5 move", "chains of 5" },
      { "hierarchy", "roots of families of 10 move", "families of 10" },
      { "hierarchy", "a root moves, all others are its children", "one root, all below it" },
      { "hierarchy", "roots of chains of 5 move", "chains of 5, the loop in C", limit_of = true },
      { "hierarchy", "a root moves, all others are its children", "one root, the loop in C", limit_of = true },
    },
  },
  {
    file = "levels",
    title = "A level: transform, mesh, half of them an actor, a quarter with parents",
    curves = {
      { "spawn", "a level: load, with all checks", "load, with all checks" },
      { "spawn", "a level: spawn", "spawn, fresh memory", memory = "cold" },
      { "spawn", "a level: spawn", "spawn" },
      { "spawn", "a level: unload", "unload" },
      { "spawn", "a level: memcpy of the bytes written", "memcpy of the bytes written", limit = true },
    },
  },
}

-- Readable on white and on black.
local COLOURS = { "#d1495b", "#2e86de", "#2a9d6f", "#c77d0a", "#9b5de5", "#7a8793" }
local LIMIT_COLOURS = { "#7f8c8d", "#a0826d", "#6c8ebf" }
local GREY = "#808080"

-- Returns the points of a curve, items ascending: { { items, ns }, ... }.
local function points_of(rows, curve)
  local points = {}
  for _, row in ipairs(rows) do
    if row.bench == curve[1] and row.case == curve[2] and row.memory == (curve.memory or "warm") then
      local ns = curve.limit_of and row.limit_ns or row.best_ns
      points[#points + 1] = ns and { row.items, ns }
    end
  end
  table.sort(points, function(a, b) return a[1] < b[1] end)
  return points
end

-- Returns the gnuplot program that draws one plot into a file; nil if no curve has points.
local function program_of(rows, plot, path)
  local blocks, drawn, colour, limit_colour, least, most = {}, {}, 0, 0, math.huge, 0
  for i, curve in ipairs(plot.curves) do
    local points = points_of(rows, curve)
    if #points > 0 then
      local lines = {}
      least, most = math.min(least, points[1][1]), math.max(most, points[#points][1])
      for k, point in ipairs(points) do lines[k] = ("%.0f %.6g"):format(point[1], point[2]) end
      blocks[#blocks + 1] = ("$c%d << EOD\n%s\nEOD"):format(i, table.concat(lines, "\n"))
      local look
      if curve.limit or curve.limit_of then
        limit_colour = limit_colour + 1
        look = ('dashtype 2 linewidth 1.6 pointtype 6 linecolor rgb "%s"'):format(LIMIT_COLOURS[limit_colour])
      else
        colour = colour + 1
        look = ('linewidth 2 pointtype 7 linecolor rgb "%s"'):format(COLOURS[colour])
      end
      drawn[#drawn + 1] = ('$c%d using 1:2 with linespoints %s pointsize 0.5 title "%s"'):format(i, look, curve[3])
    end
  end
  if #drawn == 0 then return nil end
  return table.concat(blocks, "\n") .. ([[

set terminal svg size 760,400 noenhanced font "sans-serif,13"
set output "%s"
set title "%s" textcolor rgb "GREY" font "sans-serif,14"
set xlabel "items" textcolor rgb "GREY"
set ylabel "nanoseconds per item (best)" textcolor rgb "GREY"
set logscale xy
set format x "%%.0s%%c"
set format y "%%g"
set xrange [%.0f:%.0f]
unset mxtics
unset mytics
set border 3 linecolor rgb "GREY"
set tics nomirror textcolor rgb "GREY"
set grid xtics ytics linecolor rgb "GREY" linewidth 0.4 dashtype 3
set key outside right center Left reverse textcolor rgb "GREY" spacing 1.3 samplen 2.5
plot %s
]]):gsub("GREY", GREY):format(path, plot.title, least * 0.75, most * 1.33, table.concat(drawn, ", \\\n  "))
end

-- Removes invisible elements that gnuplot writes, half of the file.
local function shorten(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  text = text:gsub("<filter.-</filter>%s*", ""):gsub("<desc>.-</desc>%s*", ""):gsub("<title>.-</title>%s*", "")
  text = text:gsub("%s*<(%w+)([^>]-)%sid='(gpPt%d+)'([^>]*)/>", function(tag, before, id, after)
    if not text:find("#" .. id .. "'", 1, true) then return "" end
    return ("\n<%s%s id='%s'%s/>"):format(tag, before, id, after)
  end)
  text = text:gsub(' stroke%-linecap="butt" stroke%-linejoin="miter"', ""):gsub("(%d%.%d)%d+", "%1")
  repeat
    local count
    text, count = text:gsub("<g[^>]*>%s*</g>", "")
  until count == 0
  text = text:gsub("[ \t]*\n[ \t\n]*", "\n"):gsub("[ \t]+", " ")
  file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

local rows, message = results.read(arg[1])
if not rows then
  io.stderr:write("plots: ", message, "\n")
  os.exit(1)
end
for _, plot in ipairs(PLOTS) do
  local path = arg[2] .. "/" .. plot.file .. ".svg"
  local program = program_of(rows, plot, path)
  if program then
    local gnuplot = io.popen("gnuplot", "w")
    gnuplot:write(program)
    gnuplot:close()
    shorten(path)
    print(path)
  end
end
