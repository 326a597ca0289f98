-- Busted output for tools/specs.lua: busted's plain text, and the file CUTTLE_REPORT with a line for each start and end
-- of a test, and a last line with the counts. After a crash of the interpreter, the file has no counts, but the name of
-- the last test.
return function(options)
  local busted = require "busted"
  local handler = require "busted.outputHandlers.plainTerminal"(options)
  local report = assert(io.open(assert(os.getenv "CUTTLE_REPORT", "CUTTLE_REPORT names no file"), "wb"))
  report:setvbuf "line"

  busted.subscribe({ "test", "start" }, function(element)
    report:write("test ", (handler.getFullName(element):gsub("\n", " ")), "\n")
    return nil, true
  end)

  busted.subscribe({ "test", "end" }, function(_, _, status)
    report:write("end ", status, "\n")
    return nil, true
  end)

  -- Pending tests have neither passed nor failed. Errors outside a test (a file that does not load) count as errors.
  busted.subscribe({ "exit" }, function()
    report:write(("counts %d %d %d\n"):format(
      handler.successesCount, handler.failuresCount + handler.errorsCount, handler.pendingsCount))
    return nil, true
  end)

  return handler
end
