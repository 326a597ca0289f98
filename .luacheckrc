std = "max"
max_line_length = 120
files["spec"] = { std = "max+busted" }
files["bin/cuttle"] = { globals = { "_" } } -- what the shell sees of the Lua
files["examples/love"] = { std = "max+love" }
