--- Endings of the command: usage errors, and help or version texts.
-- Does not depend on the commands.
-- @module cuttle.cli.failure

local failure = {}

local Ending = {}

--- Raises a usage error: exit code 2. `command` is the command whose help describes the usage, "cuttle compile".
function failure.usage(message, command)
  error(setmetatable({ code = 2, message = message, command = command }, Ending), 0)
end

--- Raises a requested text (help, version): it is printed, and the command ends.
function failure.text(text)
  error(setmetatable({ code = 0, text = text }, Ending), 0)
end

--- Calls `fn(...)` and returns its result, or nil and the ending (`code`, `message`, `command`, `text`). Raises other
-- errors again.
function failure.guard(fn, ...)
  local ok, result = pcall(fn, ...)
  if ok then return result end
  if getmetatable(result) == Ending then return nil, result end
  error(result, 0)
end

return failure
