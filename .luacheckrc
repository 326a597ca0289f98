std = "max"
max_line_length = 120
files["spec"] = { std = "max+busted" }
-- What all versions of Lua have. LuaJIT alone runs what is compiled.
files["lua"] = { std = "min" }
for _, name in ipairs { "columns", "compat", "fast", "grid_readers", "items", "lanes", "love" } do
  files["lua/cuttle/" .. name .. ".lua"] = { std = "max" }
end
files["bin/cuttle"] = { globals = { "_" } } -- what the shell sees of the Lua
files["examples/love"] = { std = "max+love" }
