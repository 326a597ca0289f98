--- How the command ends when it is used wrongly, and when only a text was asked for.
-- Knows nothing of commands.
-- @module cuttle.cli.failure

local failure = {}

local Ending = {}

--- Raises a mistake in how the command is used: exit code 2. `command`: where the manual says how, "cuttle compile".
function failure.usage(message, command)
  error(setmetatable({ code = 2, message = message, command = command }, Ending), 0)
end

--- Raises a text that was asked for (help, version): it is printed, and all is done.
function failure.text(text)
  error(setmetatable({ code = 0, text = text }, Ending), 0)
end

--- Calls `fn(...)`: its result, or nil and how it ended (`code`, `message`, `command`, `text`). Anything else that is
-- raised passes.
function failure.guard(fn, ...)
  local ok, result = pcall(fn, ...)
  if ok then return result end
  if getmetatable(result) == Ending then return nil, result end
  error(result, 0)
end

return failure
