-- Import and compilation of one Tiled map, as by the command. Prints the number of entities and the peak memory of the
-- process.
-- usage: luajit bench/import_peak.lua MAP grid|entities

local cuttle = require "cuttle"

local level = assert(cuttle.import.tiled(arg[1], { tiles = arg[2] == "grid" and "grid" or true, lazy = true }))
local blob = assert(cuttle.compiler(cuttle.world(cuttle.entity_manager())):compile(level))
local status = io.open "/proc/self/status"
local kilobytes = status and status:read("*a"):match "VmHWM:%s*(%d+)"
print(("%d %d"):format(assert(cuttle.resource(blob)):entity_count(), (kilobytes or 0) * 1024))
