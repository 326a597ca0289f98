-- The file for `require "cuttle.core"` in a Defold game. Returns the module that src/extension.cpp has opened.
return rawget(_G, "cuttle_core")
