-- The inspector in the browser, with the world and the frames of the recorder.
-- Shows: cuttle.inspector with LÖVE's sockets, polled once a frame.

local inspector = require "cuttle.inspector"

local inspect = {}
local current

-- Begins to listen, and returns the address, which contains a token; or nil and a message.
function inspect.listen(game)
  local message
  if not current then current, message = inspector.listen(game.entities, { recorder = game.recorder }) end
  if not current then return nil, message end
  return current:url()
end

function inspect.open(game)
  local url, message = inspect.listen(game)
  if url then love.system.openURL(url) else game.say(message) end
end

-- Call once a frame. Takes at most a millisecond.
function inspect.poll()
  if current then current:poll() end
end

return inspect
