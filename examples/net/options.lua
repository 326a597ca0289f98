-- The options of both programs, from the command line: --NAME NUMBER, or --NAME TEXT.

local NUMBERS = {
  port = 0, -- of the server; 0 is any free port
  seconds = 10, -- of play, until the client ends the game
  things = 2000, -- in the world of the server
  loss = 0.1, duplicates = 0.05, -- shares of packets, in each direction
  delay = 0.05, jitter = 0.05, -- seconds: each packet takes `delay`, and up to `jitter` more
  limit = 1200, -- bytes of a message, so that a packet fits into one frame of a network
  pictures = 3, -- how many maps the client prints
  seed = 1,
}
local TEXTS = { server = "" } -- ADDRESS:PORT of a server that runs already

local function fail(text)
  io.stderr:write(text, "\n")
  os.exit(2)
end

-- Returns a table with all options.
local function read(arguments)
  local options = {}
  for _, defaults in ipairs { NUMBERS, TEXTS } do
    for name, default in pairs(defaults) do options[name] = default end
  end
  for place = 1, #arguments, 2 do
    local name, value = arguments[place]:match "^%-%-(%l+)$", arguments[place + 1]
    if not name or options[name] == nil then fail("unknown option " .. arguments[place]) end
    options[name] = TEXTS[name] and value or tonumber(value)
    if options[name] == nil then fail(arguments[place] .. ": number expected, got " .. tostring(value)) end
  end
  return options
end

-- Returns the command line of numbers that another program shall have, too.
local function to_text(options, names)
  local parts = {}
  for place, name in ipairs(names) do parts[place] = ("--%s %.17g"):format(name, options[name]) end
  return table.concat(parts, " ")
end

return { read = read, to_text = to_text }
