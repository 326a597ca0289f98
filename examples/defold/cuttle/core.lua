-- What `require "cuttle.core"` finds in a Defold game: the module that src/extension.cpp has opened.
return rawget(_G, "cuttle_core")
