-- The inspector, in the browser: what is in the world, live, and in the recorder's past.
-- Shows: cuttle.inspector over the sockets that LÖVE has, asked once a frame.

local inspector = require "cuttle.inspector"

local inspect = {}
local current

-- Begins to listen, and returns the address, which holds a key of its own; or nil and a message.
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

-- Once a frame: takes a millisecond at most.
function inspect.poll()
  if current then current:poll() end
end

return inspect
