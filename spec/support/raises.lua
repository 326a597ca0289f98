-- raises(text, f, ...): calls f(...), which must raise a string that contains the text. Returns the string.

-- busted provides its assert only to spec files.
local assert = require "luassert"

return function(text, f, ...)
  local ok, message = pcall(f, ...)
  if ok then error("expected an error: " .. text, 2) end
  assert.equal("string", type(message))
  if not message:find(text, 1, true) then
    error(("expected an error with: %s\ngot: %s"):format(text, message), 2)
  end
  return message
end
