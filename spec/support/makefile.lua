-- The text of the Makefile with the files that it includes.

local tree = require "spec.support.tree"

local texts = { tree.read "Makefile" }
for _, path in ipairs(tree.files "tools/make") do texts[#texts + 1] = tree.read(path) end

return table.concat(texts, "\n")
