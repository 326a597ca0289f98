--- Rollback: every machine simulates the whole game, guesses inputs that have not arrived, and corrects wrong guesses.
-- Does not depend on the transport, nor on what an input means.
--
-- Frame f is simulated with one input for each player. The inputs of a player are known up to some frame; for later
-- frames the last known input before is the guess. Snapshots hold the states before the frames that were simulated with
-- a guess. If a guess was wrong, the state before its frame is restored, and the frames since are simulated again. The
-- idea is that of GGPO (Tony Cannon, 2006).
-- @module cuttle.rollback

local argument = require "cuttle.argument"
local core = require "cuttle.core"

local format = string.format
local type_name = core.messages.type_name

local Rollback = {}
Rollback.__index = Rollback
Rollback.__metatable = "Rollback"

-- The stored form of the input nil.
local NONE = {}

local MOST_PLAYERS, MOST_DELAY, MOST_WINDOW = 64, 1000, 1000

local OPTIONS = argument.option_list {
  { "players", argument.integer(1, MOST_PLAYERS) }, { "player", argument.integer(1, MOST_PLAYERS) },
  { "step", "function" },
  { "delay", argument.integer(0, MOST_DELAY) }, { "window", argument.integer(0, MOST_WINDOW) },
}

-- Returns what is wrong with an input, or nil.
local function input_trouble(value)
  local kind = type(value)
  if kind == "number" then return value ~= value and "an input must not be NaN" or nil end
  if kind ~= "string" and kind ~= "nil" then return "string, number or nil expected, got " .. type_name(value) end
end

-- Returns an input as it is stored. A negative zero equals zero, but would have other effects.
local function stored(input)
  if input == nil then return NONE end
  return input == 0 and 0 or input
end

-- Inputs -----------------------------------------------------------------------------------------------------------

-- One player: `known[frame]` for frames after `oldest`, and `complete`, up to which none is missing. `last` is the
-- input of the frame `oldest`. `used[frame]` is the input with which a frame was simulated.
local function new_player(delay)
  local player = { known = {}, used = {}, complete = delay, oldest = 0, last = NONE }
  for frame = 1, delay do player.known[frame] = NONE end
  return player
end

-- Returns the input for a frame, or the guess.
local function input_for(player, frame)
  local known = player.known
  while frame > player.oldest do
    if known[frame] ~= nil then return known[frame] end
    frame = frame - 1
  end
  return player.last
end

local function learn(player, frame, input)
  player.known[frame] = input
  while player.known[player.complete + 1] ~= nil do player.complete = player.complete + 1 end
end

-- Returns the newest frame up to which the inputs of all players are known, or of all players but `except`.
local function known_frame(self, except)
  local frame = math.huge
  for number, player in ipairs(self.inputs_of) do
    if number ~= except then frame = math.min(frame, player.complete) end
  end
  return frame
end

-- Forgets the inputs of frames that cannot be simulated again.
local function forget(self)
  local confirmed = math.min(known_frame(self), self.simulated)
  for _, player in ipairs(self.inputs_of) do
    for frame = player.oldest + 1, confirmed do
      player.last = player.known[frame]
      player.known[frame], player.used[frame] = nil, nil
    end
    player.oldest = math.max(player.oldest, confirmed)
  end
end

-- Simulation -------------------------------------------------------------------------------------------------------

-- Calls a function of the core. Its error message has no position and is raised at the line of the script by `guarded`.
local function call(self, fn, ...)
  local ok, result = pcall(fn, ...)
  if ok then return result end
  self.problem = result
  error(result, 0)
end

-- Returns the place of the snapshot of the state before a frame.
local function place_of(self, frame) return frame % (self.window + 1) + 1 end

local function save(self, frame)
  local place = place_of(self, frame)
  self.snapshots[place] = call(self, self.entities.snapshot, self.entities, self.snapshots[place])
end

local function load(self, frame)
  call(self, self.entities.restore, self.entities, self.snapshots[place_of(self, frame)])
end

-- Restores the state before a frame. A restore may raise after it has restored the state (an error of a callback), so
-- the next call repeats it.
local function return_to(self, frame)
  self.repeated = frame
  load(self, frame)
  self.repeated, self.simulated = nil, frame - 1
end

-- Simulates the next frame. If the game's function raises, the state before the frame is restored.
local function simulate(self)
  local frame, inputs = self.simulated + 1, self.inputs
  save(self, frame)
  for number, player in ipairs(self.inputs_of) do
    local input = input_for(player, frame)
    player.used[frame] = input
    if input == NONE then input = nil end
    inputs[number] = input
  end
  local ok, problem = pcall(self.step, frame, inputs, frame <= self.newest)
  if not ok then
    return_to(self, frame)
    error(problem, 0)
  end
  self.simulated, self.newest = frame, math.max(self.newest, frame)
end

-- Simulates frames again after `go_back`, up to the newest one.
local function catch_up(self)
  if self.repeated then return_to(self, self.repeated) end
  if self.simulated == self.newest then return end
  local begun = os.clock()
  while self.simulated < self.newest do
    simulate(self)
    self.resimulated = self.resimulated + 1
  end
  self.time = self.time + (os.clock() - begun)
end

-- Restores the state before a frame.
local function go_back(self, frame)
  local begun = os.clock()
  return_to(self, frame)
  self.rollbacks, self.deepest = self.rollbacks + 1, math.max(self.deepest, self.newest - self.simulated)
  self.time = self.time + (os.clock() - begun)
end

-- Calls fn(self, ...) unless the game's function is running.
local function guarded(self, fn, ...)
  if self.running then error("the rollback is simulating a frame", 3) end
  self.running, self.problem = true, nil
  local ok, first, second = pcall(fn, self, ...)
  self.running = false
  if ok then return first, second end
  error(first, first == self.problem and 3 or 0)
end

-- Methods ----------------------------------------------------------------------------------------------------------

local function advance(self, input)
  catch_up(self)
  local frame = self.simulated + 1
  if frame > known_frame(self, self.player) + self.window then return nil end
  local of_input = frame + self.delay
  learn(self.inputs_of[self.player], of_input, stored(input))
  simulate(self)
  forget(self)
  return frame, of_input
end

--- Stores the input of this machine's player for the next frame plus `delay`, and simulates the next frame. Returns
-- nil, and stores nothing, if that frame would be more than `window` frames after the newest one with all inputs: call
-- it again later. If the game's function raises, the error is passed on, and the frame counts as not simulated. Takes
-- the time of the game's function and of one snapshot.
-- @tparam ?string|number|nil input
-- @treturn number|nil the frame that was simulated
-- @treturn number the frame of the input; both are to be sent to the other machines
function Rollback:advance(input)
  argument.check_self(self, "Rollback", "advance")
  local trouble = input_trouble(input)
  if trouble then argument.bad(1, "advance", "%s", trouble) end
  local frame, of_input = guarded(self, advance, input)
  return frame, of_input
end

local is_frame = argument.integer(1, 2 ^ 53)

local function receive(self, player, frame, input)
  learn(player, frame, input)
  if frame <= self.simulated and player.used[frame] ~= input then go_back(self, frame) end
  catch_up(self)
  forget(self)
end

--- Takes an input that arrived from another machine. If its frame was simulated with another guess, the state before
-- that frame is restored, and the frames since are simulated again.
-- @tparam number number the player
-- @tparam number frame
-- @tparam ?string|number|nil input
-- @treturn[1] boolean true; false if the input of that frame was known, as for a message that arrives twice
-- @treturn[2] nil
-- @treturn[2] string why the input cannot be right: another one is known, or the frame is too far ahead
function Rollback:input(number, frame, input)
  argument.check_self(self, "Rollback", "input")
  local trouble = self.is_player(number)
  if trouble then argument.bad(1, "input", "%s", trouble) end
  if number == self.player then argument.bad(1, "input", "player %d is the player of this machine", number) end
  trouble = is_frame(frame)
  if trouble then argument.bad(2, "input", "%s", trouble) end
  trouble = input_trouble(input)
  if trouble then argument.bad(3, "input", "%s", trouble) end
  local player = self.inputs_of[number]
  if frame <= player.oldest then return false end
  local known = player.known[frame]
  if known == stored(input) then return false end
  if known ~= nil then return nil, format("player %d has another input for frame %d", number, frame) end
  local last = self.newest + 2 * self.delay + self.window
  if frame > last then
    return nil, format("frame %d of player %d is too far ahead, the last possible one is %d", frame, number, last)
  end
  guarded(self, receive, player, frame, stored(input))
  return true
end

local function hash_before(self, frame)
  load(self, frame)
  return self.entities:hash()
end

local function confirm(self)
  catch_up(self)
  local confirmed = math.min(known_frame(self), self.simulated)
  if confirmed == self.simulated then return confirmed, self.entities:hash() end
  local next_frame = self.simulated + 1
  save(self, next_frame)
  local ok, hash = pcall(hash_before, self, confirmed + 1)
  return_to(self, next_frame)
  if not ok then error(hash, 0) end
  return confirmed, hash
end

--- Returns the newest simulated frame for which the inputs of all players are known, and the hash of the state after it
-- (`entities:hash`). The state of this frame is equal on all machines: if the hashes differ, the game is not
-- deterministic; see `cuttle.diff`. Takes the time of the hash, and of two restores if newer frames were simulated.
-- @treturn number 0 before the first frame
-- @treturn string
function Rollback:confirmed()
  argument.check_self(self, "Rollback", "confirmed")
  local frame, hash = guarded(self, confirm)
  return frame, hash
end

--- Returns counters: `frame`, the newest simulated frame; `confirmed`, the newest one with all inputs; `rollbacks`;
-- `resimulated`, frames that were simulated again; `deepest`, the most frames that one correction simulated again;
-- `time`, the processor time of restores and of frames simulated again, in seconds.
-- @treturn table
function Rollback:stats()
  argument.check_self(self, "Rollback", "stats")
  return { frame = self.newest, confirmed = math.min(known_frame(self), self.simulated), rollbacks = self.rollbacks,
    resimulated = self.resimulated, deepest = self.deepest, time = self.time }
end

function Rollback:__tostring()
  return format("rollback at frame %d", self.newest)
end

--- Makes a rollback object. All worlds of the EntityManager belong to the simulation, and its state is restored when a
-- guess was wrong: see `entities:restore` for what a snapshot contains.
-- @param entities an EntityManager
-- @tparam table options `step(frame, inputs, again)`: simulates one frame; `inputs[p]` is the input of player p, nil if
-- that player gave none; the table is used again for each frame; `again` is true if the frame was simulated before
-- (no sounds then). `players` (2), `player` (1): the player of this machine. `delay` (2): frames between giving a local
-- input and using it; the frames 1 to `delay` have no input. All machines need the same delay. `window` (8): how many
-- frames are simulated with guesses at most; 0 is lockstep. Keeps `window` + 1 snapshots.
-- @treturn Rollback
return function(entities, options)
  argument.check_entities(entities, 1, "rollback")
  options = argument.options(options, 2, "rollback", OPTIONS)
  if not options.step then argument.bad(2, "rollback", "step: function expected, got nil") end
  local players, delay = options.players or 2, options.delay or 2
  local self = {
    entities = entities, step = options.step, player = options.player or 1, is_player = argument.integer(1, players),
    delay = delay, window = options.window or 8, simulated = 0, newest = 0, snapshots = {}, inputs = {}, inputs_of = {},
    rollbacks = 0, resimulated = 0, deepest = 0, time = 0, running = false,
  }
  if self.player > players then
    argument.bad(2, "rollback", "player: %d is above the number of players, %d", self.player, players)
  end
  for number = 1, players do self.inputs_of[number] = new_player(delay) end
  return setmetatable(self, Rollback)
end
