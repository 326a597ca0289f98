---@meta cuttle
-- luacheck: no unused, no unused args
-- Longer than other files: this is the complete reference of the functions that scripts can call, for editors (Lua
-- language server) and for docs/reference, which `make reference` writes. Nothing here runs. A spec compares it with
-- the real tables.

--- The table that `require "cuttle"` returns.
--
-- A mistake in the script raises an error that names the argument and the value. Bad data from outside (a file, JSON, a
-- blob) returns `nil, message` with the place. In neither case is an operation left half done.
---@class cuttle
---@field ENTITY_INDEX_BITS integer 22
---@field ENTITY_GENERATION_BITS integer 8
---@field ENTITY_TAG integer 1: the two low bits of an entity's light userdata
---@field MAX_ENTITIES integer 2^22: the largest number of living entities of one EntityManager
---@field NOBODY integer 0xFFFFFFFF: the value of entity columns for "no entity"
---@field _VERSION string "cuttle " and the version, for example "cuttle 1.2.3"
---@field null userdata null in level source that is written as Lua tables: removes a value of a prefab
---@field import cuttle.import
local cuttle = {}

---@class cuttle.entity_manager_options
---@field minimum_free_indices? integer how many free indices must wait before the oldest is reused; default 1024
---@field trace? boolean records names of entities and where they are destroyed, for errors about dead entities: some 24
-- bytes for each death, which are never freed

--- Makes an EntityManager: it issues entity ids and tracks which are alive. Several worlds may share one EntityManager.
---@param options? cuttle.entity_manager_options
---@return cuttle.EntityManager
function cuttle.entity_manager(options) end

---@class cuttle.world_options
---@field name? string unique per EntityManager, 1 to 63 characters; default world1, world2, ...
---@field seed? integer 0 to 2^53 - 1: seed of `random` and of the random probes of gc, so that a run can be replayed;
-- default 1

--- Makes a world over an EntityManager. The world has one manager for each component type.
---@param entities cuttle.EntityManager
---@param options? cuttle.world_options
---@return cuttle.World
function cuttle.world(entities, options) end

--- Makes a packed array of entities in C, so that one call can pass thousands. Copies the entities of a table or list.
---@param items? cuttle.entities
---@return cuttle.list
function cuttle.list(items) end

--- Makes a recorder of an EntityManager with all its worlds. It takes a snapshot every `every` frames (1 by default)
-- and keeps `keep` of them (600 by default) before it overwrites the oldest. It stores what changed from one snapshot
-- to the next: where a tenth of a game moves, about a seventh of the memory of `keep` snapshots.
---@param entities cuttle.EntityManager
---@param options? { every?: integer, keep?: integer } each 1 to 2^20
---@return cuttle.Recorder
function cuttle.recorder(entities, options) end

---@class cuttle.rollback_options
---@field step fun(frame: integer, inputs: table, again: boolean) simulates one frame; `inputs[p]` is the input of
-- player p, nil if that player gave none. The table is reused. `again`: the frame was simulated before: play no sounds
---@field players? integer 1 to 64; default 2
---@field player? integer the player of this machine; default 1
---@field delay? integer frames between giving a local input and using it, 0 to 1000, the same on all machines; default
-- 2. The frames 1 to `delay` have no input
---@field window? integer how many frames may be simulated with guessed inputs, 0 (lockstep) to 1000; default 8

--- Makes a rollback object, for games in which every machine simulates everything: it guesses inputs that have not
-- arrived, and simulates frames again if a guess was wrong. The transport is the game's. The state is that of all
-- worlds of the EntityManager; see `entities:restore` for what it contains. Keeps at most `window` + 1 snapshots.
---@param entities cuttle.EntityManager
---@param options cuttle.rollback_options
---@return cuttle.Rollback
function cuttle.rollback(entities, options) end

---@class cuttle.stage_level
---@field name string unique
---@field x number the corner with the lowest coordinates, in world units
---@field y number
---@field w number size, 0 or more
---@field h number

---@class cuttle.stage_options
---@field load fun(name: string): cuttle.Resource|nil, string? returns the resource of a level; nil if it is not ready
-- yet, and nil and a message if it cannot be loaded. Called again for each level that is needed
---@field margin? number the view is this much larger on each side; default 0
---@field ahead? number `load` is called for levels that are up to this much further away; default 0
---@field remember? boolean keeps `level:save()` of each level that is unloaded, and spawns it in this state; default
-- false
---@field states? table<string, string> states of levels, from `stage:states()`

--- Makes a stage, which spawns and unloads the levels of a large world around a view.
--
--     local stage = cuttle.stage(world, {
--       { name = "cellar", x = 0, y = 0, w = 320, h = 180 },
--       { name = "garden", x = 320, y = 0, w = 640, h = 180 },
--     }, { load = function(name) return cuttle.load(name .. ".level") end, margin = 32, ahead = 200, remember = true })
--
--     stage:look(player_x, player_y, 320, 180) -- each frame
--
-- The entities of the levels have world positions. Other fields of the levels, such as `depth` and `neighbours`, are
-- ignored. The index is copied. The stage follows snapshots in memory. Its levels have the names of the index as their
-- `level:name()`, and a stage takes over the levels of a loaded save that have a name of its index, whether the save
-- was loaded before the stage was made or is loaded later. `states()` is stored beside the save.
---@param world cuttle.World
---@param index cuttle.stage_level[]
---@param options cuttle.stage_options
---@return cuttle.Stage
function cuttle.stage(world, index, options) end

---@class cuttle.publisher_options
---@field components string[] names of 1 to 64 components; required
---@field keep? integer how many recorded frames can be the base of a message, the newest included: 1 (every message is
-- full, unless it is for the newest frame) to 1,000,000; default 64
---@field steps? table<string, number> by `"component.field"`, for fields of floats and doubles: the nearest multiple of
-- this number is sent, as an integer of few bytes (ties to even). The published world is not changed. A value that is
-- not finite, or is more than 2^53 steps, is sent exactly. So is the matrix of a sheared transform
---@field where? cuttle.Query of this world: only entities that match it at a frame are published; default: all with a
-- published component

--- Makes a publisher of a world: it describes what changed from one frame to another, for subscribers on other
-- machines. Publishes all fields of the components except the bodies of actors, the links of transforms, and grids by
-- the cells that changed. The order of the children of a transform and the poses of the nodes of models are not
-- published. A transform whose parent is not published, or that is attached to a node while `model` is not published,
-- is published as a root with its world pose. The publisher keeps a copy of the published values and the world alive.
-- Raises for an unknown component or field.
---@param world cuttle.World
---@param options cuttle.publisher_options
---@return cuttle.Publisher
function cuttle.publisher(world, options) end

---@class cuttle.subscriber_options
---@field max_bytes? integer largest message, 1 to 2^31 - 1; default 2^20
---@field max_entities? integer most entities in a message and in all, 0 to 4,194,304; default 65,536
---@field components? string[] names of the components that messages may have; default: any

--- Makes a subscriber: entities and components of a world that follow the messages of a publisher. A message is
-- untrusted input: one that is damaged, too large, or has other components is refused, and nothing changes. The
-- subscriber keeps a copy of the received values and the world alive.
---@param world cuttle.World
---@param options? cuttle.subscriber_options
---@return cuttle.Subscriber
function cuttle.subscriber(world, options) end

--- Describes the first difference between two EntityManagers: of the first entity by index, the first component and
-- field with both values, and how many fields and entities differ. Compares what `entities:hash` covers. For finding
-- why two machines disagree. Takes some microseconds per component.
---@param a cuttle.EntityManager
---@param b cuttle.EntityManager
---@return string|nil text nil if the hashes are equal
function cuttle.diff(a, b) end

--- Returns the 30-bit id of an entity: index + 2^22 x generation.
---@param e cuttle.entity
---@return integer
function cuttle.entity_id(e) end

--- Returns the entity with an id. Raises for numbers that are not whole or outside 0 .. 2^30 - 1.
---@param id integer
---@return cuttle.entity
function cuttle.entity_from_id(id) end

--- Returns the index of an entity, 0 to 2^22 - 1.
---@param e cuttle.entity
---@return integer
function cuttle.entity_index(e) end

--- Returns the generation of an entity, 0 to 255.
---@param e cuttle.entity
---@return integer
function cuttle.entity_generation(e) end

--- Returns whether a value is an entity, dead or alive: a light userdata with tag 1 and no bit above the low 32.
---@param v any
---@return boolean
function cuttle.is_entity(v) end

--- Returns the two tag bits of a light userdata, nil for other values: 0 raw pointer, 1 entity, 2 and 3 host engine.
---@param v any
---@return integer|nil
function cuttle.tag(v) end

--- Returns `entity(INDEX:GENERATION)`.
---@param e cuttle.entity
---@return string
function cuttle.entity_tostring(e) end

--- Makes `tostring(e)` return `entity(INDEX:GENERATION)`. All light userdata of a Lua state share one metatable, so
-- this is opt-in. An existing `__tostring` is kept for light userdata that are not entities.
function cuttle.pretty_entities() end

--- Returns the sine of an angle in radians: the same bits on every host, as in formulas. Exact to the last digit of a
-- float up to 2^20 in magnitude, and beyond that a number from -1 to 1. `math.sin` differs between hosts.
---@param x number
---@return number
function cuttle.sin(x) end

--- Returns the cosine of an angle in radians, like `cuttle.sin`.
---@param x number
---@return number
function cuttle.cos(x) end

--- Returns the angle of the direction x, y in radians, from -pi to pi: the same bits on every host, as in formulas.
---@param y number
---@param x number
---@return number
function cuttle.atan2(y, x) end

--- Returns e^x: the same bits on every host, as in formulas.
---@param x number
---@return number
function cuttle.exp(x) end

--- Returns the natural logarithm: the same bits on every host, as in formulas. -infinity for 0, NaN for negative
-- numbers.
---@param x number
---@return number
function cuttle.log(x) end

---@class cuttle.compiler_options
---@field json? fun(text: string): table a decoder, which may raise an error or return nil and a message; default: the
-- first installed of lua-cjson, dkjson and json, otherwise the decoder of cuttle

--- Makes an EntityCompiler, which compiles level source into a blob. It compiles the components that the world has when
-- `compile` is called. (Bitsquid, part 4.)
---@param world cuttle.World
---@param options? cuttle.compiler_options
---@return cuttle.Compiler
function cuttle.compiler(world, options) end

---@class cuttle.schema_options
---@field compiler? cuttle.Compiler components registered with it are also allowed, with any value
---@field title? string default "cuttle level"

--- Returns a JSON Schema (draft 7) of level source for the current components of the world. Editors use it to complete
-- and check level files. The same components give the same text. In VS Code:
--
--     "json.schemas": [ { "fileMatch": ["levels/*.json"], "url": "./level.schema.json" } ]
---@param world cuttle.World
---@param options? cuttle.schema_options
---@return string text
function cuttle.schema(world, options) end

--- Loads a compiled level from a string. The whole blob is checked.
---@param blob string
---@param name? string under which saves refer to the resource (see `entities:restore`), "" by default; messages begin
-- with it. A table is not a name, so that the results of `compiler:compile` can be passed on
---@return cuttle.Resource|nil resource
---@return string? message the error in the blob
function cuttle.resource(blob, name) end

--- Loads a save that `snapshot:tostring` made on any host. The checksum is checked here, the contents when the save is
-- restored.
---@param text string
---@return cuttle.Snapshot|nil snapshot
---@return string? message the error in the text
function cuttle.snapshot(text) end

--- Writes a page that shows the current state of all worlds: the tree with names, components, counts, memory, levels
-- and timings, for a bug report or for machines without sockets. The page is one file, which any browser opens from the
-- disk. After a failure the file is unchanged. Takes a few microseconds and some hundred bytes for each entity.
---@param entities cuttle.EntityManager
---@param path string
---@return true|nil ok
---@return string? message begins with the path
function cuttle.report(entities, path) end

--- Loads a compiled level from a file, with the same checks as `cuttle.resource`.
---@param path string
---@param options? { read?: fun(path: string): string?, string?, limit?: number, name?: string } `read` replaces
-- io.open, `limit` is the largest accepted size in bytes, 2^30 by default, `name` the name of the resource in saves, by
-- default the path. A device or a pipe is refused
---@return cuttle.Resource|nil resource
---@return string? message begins with the path
function cuttle.load(path, options) end

--- Makes a reader of the bytes that a registered compiler wrote, in the host's byte order, for spawners.
---
---     world:register_spawner("spikes", function(entities, count, index, data)
---       for i = 1, count do
---         local r = cuttle.reader(data[i])
---         local length, kind = r:f32(), r:string()
---         make_spikes(entities[index[i] + 1], length, kind)
---       end
---     end)
---@param bytes string
---@return cuttle.Reader
function cuttle.reader(bytes) end

--- An entity: a light userdata that holds a 30-bit id (22 bits index, 8 bits generation), shifted left by two, tag 1.
-- Equal ids are equal values: `==` works, and an entity is a table key and creates no garbage. It is a weak reference:
-- `entities:alive(e)` returns whether the entity is alive. (Bitsquid: Building a Data-Oriented Entity System, part 1.)
---@class cuttle.entity

--- A row of one manager at one moment: row + 2^22 x epoch. A stored instance is refused as stale after rows have moved.
---@class cuttle.instance : integer

---@alias cuttle.target cuttle.entity | cuttle.instance
---@alias cuttle.entities cuttle.entity[] | cuttle.list

-- ------------------------------------------------------------------------------------------------------------------

--- Issues entity ids and tracks which are alive. (Bitsquid, part 1.)
---@class cuttle.EntityManager
local EntityManager = {}

--- Creates an entity, or a table of `n` entities, all or nothing. Free indices are reused oldest first, and only while
-- more than the minimum are waiting. Raises `entity manager is full (4194304 alive)`.
---@param n integer
---@param out? table filled from index 1; later entries stay
---@return cuttle.entity[]
---@overload fun(self: cuttle.EntityManager): cuttle.entity
function EntityManager:create(n, out) end

--- Creates `n` entities in a new list. This is the fastest way.
---@param n integer
---@return cuttle.list
function EntityManager:create_list(n) end

--- Destroys an entity, or the living entities of a list, one after another. Destroy callbacks run inside; their first
-- error is raised after all have run. Component rows do not move: `gc` removes them.
---@param e cuttle.entity
---@return boolean died false if it was already dead, which is not an error
---@overload fun(self: cuttle.EntityManager, list: cuttle.entities): integer the number of destroyed entities
function EntityManager:destroy(e) end

--- Returns whether an entity is alive. False for any id that was never issued.
---@param e cuttle.entity
---@return boolean
function EntityManager:alive(e) end

--- Like `alive`, for an id as a number, as entity columns hold it. Compiled by LuaJIT. False for NOBODY.
---@param id integer 0 to 2^32 - 1
---@return boolean
function EntityManager:alive_id(id) end

--- Returns the number of living entities.
---@return integer
function EntityManager:count() end

--- Loops over the living entities, by index. The loop body may create and destroy entities: new ones and those that
-- died are not visited. The beginning of the loop copies the ids of all: O(entities), 10 ns each.
---@return fun(): cuttle.entity
function EntityManager:each() end

--- Registers `fn(e)`, which runs inside every destroy. `alive(e)` is false then, but all components of e can be read
-- until the callbacks have returned; setters and create raise. Callbacks run in order of registration.
---@param fn fun(e: cuttle.entity)
---@return integer token
function EntityManager:on_destroy(fn) end

--- Unregisters a callback.
---@param token integer
---@return boolean known whether it was registered
function EntityManager:off_destroy(token) end

--- Saves the manager and all its worlds in one block of memory: ids, free queue and log of deaths, rows, strings,
-- counters, random states, poses, dirty marks and mode of transforms, levels, and the values of `value` fields. These
-- are kept by reference: the snapshot restores which table a field holds, not the contents of the table. Not saved:
-- callbacks, attached tables, the inner state of bodies. Takes about as long as copying the bytes. Raises inside a
-- callback, batch, spawn or restore, and with its name for a plugin's component that cannot be saved.
---@param old? cuttle.Snapshot is overwritten and returned: its memory is reused. Unchanged if memory runs out
---@return cuttle.Snapshot
function EntityManager:snapshot(old) end

--- Restores a snapshot, any number of times, also of another manager with the same worlds and components. For other
-- worlds or components it raises and changes nothing. Afterwards instances are stale, and loops stop. An id created
-- after the snapshot may be issued again: drop references from the abandoned time. Levels spawned since are empty.
-- Bodies of actors are compared by value: `on_destroy` of actors runs for removed bodies, `on_spawn` makes missing
-- ones, each in row order. These callbacks may read everything, but changing the manager or its worlds raises `the
-- EntityManager is being restored` (column views do not check this). Attached entries of entities that are not alive
-- are removed. Hooks are not run; `on_restore` runs last.
--
-- A save (`cuttle.snapshot`) is matched by the names of worlds, components and fields, and by types. A field that the
-- save lacks gets its default. A field or component that is no longer defined is dropped; the second result lists these
-- cases, one text each. Returns nil and a message, with nothing changed, for a field of another type, a missing label
-- of an enum, an undefined mesh or model resource, a model with other nodes, a world that exists on one side only, and
-- damaged bytes. World matrices are computed again, as by `evaluate` and `propagate`; `on_spawn` runs for every actor.
--
-- The levels of a save are new Level objects, which `world:levels()` lists; earlier ones are empty. A level gets the
-- resource with its resource's name from `resources`, or else one that a level of these worlds still holds (a resource
-- without a name only if it is the same version). Without it, `find`, `entity`, `copy_range` and `unload` work, but
-- `restart` and `patch` return nil, `the level's resource 'forest' was not given`. If it is another version than that
-- of the save, `restart` spawns from it, names are those of the save until then, and `patch` returns nil, `the level
-- was spawned from another version of 'forest'`. A save that an earlier version of cuttle wrote has no levels.
---@param snapshot cuttle.Snapshot
---@param options? { resources?: table<string, cuttle.Resource> } resources by name, for the levels of a save
---@return true|nil restored
---@return string[]|string? notes for a save: a list of the parts that did not fit; or the message
function EntityManager:restore(snapshot, options) end

--- Returns 16 hexadecimal digits, equal on every host and interpreter for equal states. Covers living ids, generations,
-- the order of the free queue, counters of component ids, and the fields of each living component by owner and creation
-- order; strings by content; local poses, links and children in order, poses of models; the state of `world:random`.
-- Does not cover rows, dead rows, world matrices, dirty marks, `value` fields and bodies, so gc and sort do not change
-- it. O(rows). For lockstep, replays and desync detection.
---@return string
function EntityManager:hash() end

--- Registers `fn()`, which runs after every restore, for example to rebuild your own indices. It may change everything,
-- but must not take or restore snapshots. The first error is raised after all callbacks have run.
---@param fn fun()
---@return integer token
function EntityManager:on_restore(fn) end

--- Unregisters a callback of `on_restore`.
---@param token integer
---@return boolean known whether it was registered
function EntityManager:off_restore(token) end

--- Checks all invariants, in O(indices). For tests and bug reports.
---@return true|nil ok
---@return string? message
function EntityManager:validate() end

--- Returns the number of bytes held.
---@return integer
function EntityManager:memory() end

-- ------------------------------------------------------------------------------------------------------------------

--- The saved state of an EntityManager and its worlds: made by `entities:snapshot`, or from a save by
-- `cuttle.snapshot`.
---@class cuttle.Snapshot
local Snapshot = {}

--- Returns a save: the living state as a string that outlives the program, the same on every host for the same state.
-- Not included: bodies, attached tables, dead rows, world matrices. Values of `value` fields must be nil,
-- booleans, numbers, strings, or plain trees of tables of these. Raises, with a name, for other values, for a plugin's
-- component that cannot be saved, if a world has other components or fields since the snapshot, and from 4 GB (under
-- LuaJIT from 2 GB). O(bytes). During the call it needs as much memory again as the worlds hold.
---@return string
function Snapshot:tostring() end

--- Returns the number of bytes held, without the values that `value` fields refer to.
---@return integer
function Snapshot:bytes() end

-- ------------------------------------------------------------------------------------------------------------------

--- A ring of snapshots, made by `cuttle.recorder`. Call `frame` once per frame.
---@class cuttle.Recorder
local Recorder = {}

--- Ends a frame, and takes a snapshot of the first frame and then of every `every`th. When the ring is full, the oldest
-- snapshot is dropped. Raises the errors of `entities:snapshot`; then the frame is not counted and the recorder is
-- unchanged. Takes up to about 1.3 times as long as `entities:snapshot`: of the snapshot before, only the blocks that
-- have changed since are kept.
function Recorder:frame() end

--- Restores the state of an earlier frame: `frames` frames before the last one; 0 is the last one. If that frame has no
-- snapshot, restores the nearest earlier snapshot, or else the oldest. Later frames are dropped, and recording
-- continues from the restored frame. Raises the errors of `entities:restore` and then keeps all frames; if only a
-- callback raised, the state is restored. Takes one to about 2.5 times as long as `entities:restore`, for any `frames`.
---@param frames integer 0 or more
---@return integer frames by how many frames it went back; 0 if nothing is recorded
function Recorder:rewind(frames) end

--- Returns the number of snapshots, at most `keep`.
---@return integer
function Recorder:count() end

--- Returns the bytes held by all snapshots, which share what has not changed, including dropped ones whose memory will
-- be reused, and of the block for the next snapshot.
---@return integer
function Recorder:bytes() end

-- ------------------------------------------------------------------------------------------------------------------

--- The published state of a world, made by `cuttle.publisher`. Call `frame` once per frame, then make messages.
---@class cuttle.Publisher
local Publisher = {}

--- Records the current state. Raises in callbacks, batches, spawns and restores, and if a value of a `value` field is
-- not a plain tree of tables, strings, numbers and booleans; then nothing is recorded. After a component was defined
-- again, messages are full until the receiver has a newer frame. Takes about as long as one comparison of the published
-- columns, and 0.1 to 0.3 us for each changed component; all values of `value` fields are encoded.
---@return integer frame 1, 2, ...
function Publisher:frame() end

--- Returns a message with all changes from a recorded frame to the newest one: the same string for every receiver at
-- that frame. Any receiver whose frame is `base` or newer can apply it. If `base` is 0, or any other number that is not
-- the number of a kept frame, the message is full: it contains everything. Raises if no frame was recorded. Takes about
-- 2 ns per published entity, and 0.1 us per changed one.
---@param base number
---@return string message
function Publisher:message(base) end

--- Makes a peer, which remembers what one receiver was sent.
---@return cuttle.Peer
function Publisher:peer() end

-- ------------------------------------------------------------------------------------------------------------------

--- Record of the messages for one receiver, made by `publisher:peer`.
---@class cuttle.Peer
local Peer = {}

--- Returns a message from the frame that the receiver acknowledged to the newest one; a full one if there is none, or
-- if it is older than the frames that the publisher keeps. With `list`, the receiver gets only these entities: an
-- entity that was missing in the list of a message since the acknowledged frame is sent with all values, and one that
-- was in such a list and is not in this one is removed at the receiver. An entity whose transform parent is not in the
-- list is a root there, with the world pose that the published values of its ancestors give. Dead and unpublished
-- entities in the list are ignored. With `limit`, the message has at most so many bytes, or one entity: the others
-- wait. Those that have waited longest come first, and removals and new entities come before changes. An entity that
-- waited in the message of the acknowledged frame is sent with all values; one that waited only in later messages is
-- sent with all changes since that frame, which the receiver can apply whichever of them arrived. Takes about 20 ns
-- per entity in the lists since the acknowledged frame, and 200 ns per entity that waits.
---@param list? cuttle.entities
---@param limit? integer 1 or more
---@return string message
function Peer:message(list, limit) end

--- Returns how many entities waited in the newest message.
---@return integer
function Peer:waiting() end

--- Notes that the receiver is at a frame: the number that `subscriber:apply` returned there. An older number than an
-- earlier one has no effect.
---@param frame number any number, because the receiver sent it
---@return boolean known false if no message of this peer had that frame, or if the frame is not kept any more
function Peer:acknowledge(frame) end

-- ------------------------------------------------------------------------------------------------------------------

--- Entities and components that follow a publisher, made by `cuttle.subscriber`.
---@class cuttle.Subscriber
local Subscriber = {}

--- Applies a message. It is applied if the frame of the subscriber is its base or newer, and older than its frame; a
-- full message of another session always. A message that is not newer does nothing. Entities and components are created
-- and destroyed as in any create and destroy: hooks run, with the reason `apply`. The entities are the subscriber's
-- own: ids differ, and `entity` fields are translated. A field that names an entity that has not arrived reads nil, and
-- gets its value when that entity arrives. A full message removes the received entities that it does not contain.
-- Entities and components that a script destroyed are created again if a message names them; those that it added stay.
-- If an `on_add` hook raises, everything is undone. Raises in callbacks, batches, spawns and restores.
---@param message string any bytes
---@return integer|nil frame the frame at which the subscriber is
---@return string? message why the message was refused; nothing has changed
function Subscriber:apply(message) end

--- Returns the local entity for an entity of the publisher, or nil if it has not arrived or is dead.
---@param id integer|cuttle.entity the publisher's entity, or its id
---@return cuttle.entity|nil
function Subscriber:entity(id) end

--- Returns the id that the publisher has for a local entity, or nil if it was not received.
---@param e cuttle.entity
---@return integer|nil
function Subscriber:id(e) end

--- Writes the received values where the world differs from them, and creates destroyed entities and components again:
-- for a prediction, which then simulates the newer inputs again. Otherwise a value that a script wrote stays until a
-- message names the field. Raises after a restore, until `reset`.
---@param list? cuttle.entities local entities; default: all received ones
---@return integer written the number of values that differed
function Subscriber:put_back(list) end

--- Forgets everything: the next message must be full. The entities stay, unless `destroy` is set. Needed after
-- `entities:restore`: `apply` returns nil and "entities were restored" until then.
---@param options? { destroy?: boolean }
function Subscriber:reset(options) end

--- Returns the differences between the published components and those of the world: fields and components that only one
-- side has. Empty if there are none, or if nothing was received.
---@return string[]
function Subscriber:fields() end

-- ------------------------------------------------------------------------------------------------------------------

--- Simulation with guessed inputs, made by `cuttle.rollback`. (GGPO by Tony Cannon.)
---@class cuttle.Rollback
local Rollback = {}

--- Stores the input of this machine's player for the next frame plus `delay`, and simulates the next frame. Returns nil
-- and stores nothing if that frame would be more than `window` frames after the newest one with all inputs: call it
-- again later. If `step` raises, the error is passed on, and the frame counts as not simulated. Raises the errors of
-- `entities:snapshot`. Takes the time of `step` and of one snapshot.
---@param input? string|number not NaN
---@return integer|nil frame the frame that was simulated
---@return integer? of_input the frame of the input; send it with the input to the other machines
function Rollback:advance(input) end

--- Takes an input that arrived from another machine. If its frame was simulated with another guess, the state before
-- that frame is restored, and all frames since are simulated again at once. Returns false if the input of that frame
-- was known already. Returns nil and a message if it cannot be right: another input of that frame is known, or the
-- frame is too far ahead.
---@param player integer not the player of this machine
---@param frame integer
---@param input? string|number not NaN
---@return boolean|nil new
---@return string? message
function Rollback:input(player, frame, input) end

--- Returns the newest simulated frame for which all inputs are known, and the hash of the state after it. If the hashes
-- of two machines differ for one frame, the game is not deterministic: see `cuttle.diff`. Takes the time of
-- `entities:hash`, and of two restores if newer frames were simulated.
---@return integer frame 0 before the first frame
---@return string hash
function Rollback:confirmed() end

---@class cuttle.rollback_stats
---@field frame integer the newest frame that was simulated
---@field confirmed integer the newest one with all inputs
---@field rollbacks integer wrong guesses
---@field resimulated integer frames that were simulated again
---@field deepest integer the most frames that one wrong guess cost
---@field time number processor time of restores and of frames simulated again, in seconds

--- Returns the counters.
---@return cuttle.rollback_stats
function Rollback:stats() end

-- ------------------------------------------------------------------------------------------------------------------

--- Levels around a view, made by `cuttle.stage`.
---@class cuttle.Stage
local Stage = {}

--- Moves the view. Unloads the farthest level that the view does not touch any more, and spawns the nearest one that
-- it touches and that is ready; with `all`, every one of them. Calls `load` for levels that are ahead. Returns the
-- names of the spawned and of the unloaded levels, or nil if nothing changed. A level whose `load` or spawn fails is in
-- `failed`, and so is one whose state cannot be saved, which stays spawned. Raises errors of `load` and of callbacks; a
-- level whose callback raised is unloaded. The names of levels that have changed when an error is raised are in the
-- result of the next call; in a result, the levels were unloaded before the others were spawned. Without a change, a
-- call takes about 10 microseconds for a hundred levels.
---@param x number centre of the view
---@param y number
---@param w? number size of the view; default 0
---@param h? number
---@param options? { all?: boolean } also accepted as the third argument
---@return string[]|nil spawned
---@return string[]|nil unloaded
function Stage:look(x, y, w, h, options) end

--- Returns the level of a name if it is spawned, or nil. Raises for a name that is not in the index.
---@param name string
---@return cuttle.Level|nil
function Stage:level(name) end

--- Returns the spawned levels, by name.
---@return table<string, cuttle.Level>
function Stage:levels() end

--- Returns the reason why levels could not be loaded or spawned, by name, and why the state of a level could not be
-- saved. A level that failed is not loaded or spawned again until `retry`; saving is tried again by each call.
---@return table<string, string>
function Stage:failed() end

--- Tries a level that failed again at the next `look`.
---@param name string
---@return boolean had_failed
function Stage:retry(name) end

--- Returns the states of the levels that were unloaded (with `remember`), by name. For the option `states`.
---@return table<string, string>
function Stage:states() end

--- Unloads all levels, and drops the resources that were loaded ahead. A level whose state cannot be saved stays
-- spawned and is in `failed`.
---@return string[] names of the unloaded levels
function Stage:clear() end

-- ------------------------------------------------------------------------------------------------------------------

--- The table that `require "cuttle.inspector"` returns: a web page that shows and edits the entities of a game. See
-- docs/inspector.md.
---@class cuttle.inspector
local inspector = {}

---@class cuttle.inspector_options
---@field port? integer 0 to 65535; default 8070; 0 means any free port
---@field recorder? cuttle.Recorder the page can show its frames
---@field reload? fun(level: cuttle.Level): cuttle.Resource|nil, string? loads the current version of a level's file; by
-- default the path from which its resource was loaded is loaded again

--- Starts listening on 127.0.0.1 only. Every program with the address that `url` returns can read and change the game.
-- A request without its token, from another origin or to another host gets 403 and no information.
---@param entities cuttle.EntityManager all its worlds are shown
---@param options? cuttle.inspector_options
---@return cuttle.Inspector|nil inspector
---@return string? message luasocket is missing, or the port is in use
function inspector.listen(entities, options) end

--- An inspector that accepts connections.
---@class cuttle.Inspector
local Inspector = {}

--- Serves the browser's requests for about the given time; unfinished work continues in the next call. Call it once a
-- frame, outside of callbacks, batches and loops. Requests cannot cause errors here. A call without work takes some
-- microseconds. Two requests take longer than the given time: a look back (a restore into hidden worlds), and a preview
-- of a patch (a spawn and a patch).
---@param seconds? number 0.001 by default
function Inspector:poll(seconds) end

--- Returns the address for a browser on this machine, with a new random token: `http://127.0.0.1:8070/?token=...`. The
-- token is from /dev/urandom. On systems without it (Windows) it is made from clocks and memory addresses, and a
-- program on the same machine might guess it.
---@return string
function Inspector:url() end

--- Returns whether the page asked the game to pause. The page shows its buttons *Pause* and *Step* after the first
-- call. A paused game must still call `poll`, because it learns from the page when to continue.
---@return boolean
function Inspector:paused() end

--- Returns true once for each step that the page asked for while the game is paused:
-- `if not inspector:paused() or inspector:step() then simulate(dt) end`.
---@return boolean
function Inspector:step() end

--- Closes all connections and frees the port. A paused game continues. A second call does nothing.
function Inspector:close() end

-- ------------------------------------------------------------------------------------------------------------------

--- A packed array of entities. Positions count from 1.
---@class cuttle.list
local list = {}

--- Returns the number of entities in the list.
---@return integer
function list:count() end

--- Returns the entity at a position.
---@param i integer
---@return cuttle.entity
function list:get(i) end

--- Replaces the entity at a position.
---@param i integer
---@param e cuttle.entity
function list:set(i, e) end

--- Appends an entity.
---@param e cuttle.entity
function list:add(e) end

--- Removes all entities and keeps the memory.
function list:clear() end

--- Loops over the entities.
---@return fun(): cuttle.entity
function list:each() end

--- Returns the entities in a Lua table.
---@return cuttle.entity[]
function list:totable() end

-- ------------------------------------------------------------------------------------------------------------------

--- A set of component managers over an EntityManager. `world.NAME` is the manager of a component.
---@class cuttle.World
---@field entities cuttle.EntityManager
---@field transform cuttle.Transform
---@field debug_name cuttle.DebugName
---@field model cuttle.Model
---@field mesh cuttle.Mesh
---@field point_mass cuttle.PointMass
---@field actor cuttle.Actor
---@field grid cuttle.Grid
local World = {}

---@class cuttle.define_options
---@field multiple? boolean an entity may have several of these components, each with its own id; default false
---@field lookup? "hash"|"array" lookup from entity to row: small, or direct for components that almost all entities
-- have; default "hash"
---@field hidden? string[] fields without the methods `FIELD` and `set_FIELD`, for names that are methods of managers
---@field migrate? boolean if the fields differ from an earlier definition, components keep those that fit by name and
-- type

--- Defines a component type from a schema: `{{"hp", "float", 100}, {"target", "entity"}}` (name, type, default; the
-- default also by name, `default = 100`). Types: float double int8 uint8 int16 uint16 int32 uint32 bool vec2 vec3 vec4
-- dvec2 dvec3 quat mat4 color entity string enum value. `{"state", "enum", {"idle", "run"}, "run"}` holds one of these
-- strings (the default is the first if none is given); in columns it is the number of the label, from 0. `{"loot",
-- "value"}` holds any Lua value, by reference: it is nil by default, has no column, and is released when the component
-- or its entity is destroyed. When many components are created, a table is a list with one value for each, `false` for
-- none. In level source it is any JSON value (null in an array becomes `false`), and each spawned entity gets its own
-- copy. The overrides of a spawn are copied in the same way; they accept no functions or userdata.
--
-- A field with the name of a method of managers (`count`, `name`, `get` ...) raises: rename it, or list it in `hidden`.
-- A hidden field has no methods `FIELD` and `set_FIELD`; `read`, `write`, `get`, `set` and columns still work. The
-- names include those of planned methods, and a later version may add more.
--
-- Defining the same fields again returns the existing manager, with the new defaults and `hidden`. Other fields replace
-- the existing manager if it has no rows; if it has rows, they raise unless `migrate` is set:
--
--     local health, dropped = world:define("health", fields, { migrate = true })
--
-- Then the rows of dead entities are removed as by `gc`, and components keep fields of the same name and type (of an
-- enum, the labels that still exist), ids and order; new fields get their defaults. `dropped` lists the lost fields,
-- one sentence each: `health.hp was float, is double`.
-- Hooks are kept and are not called. The old manager, its views, instances, loops and templates are stale; snapshots
-- from before are refused by name; compiled levels can be spawned if they only lack fields. Not possible for components
-- of plugins, nor inside hooks, batches and spawns.
---@param name string an identifier
---@param schema table[]
---@param options? cuttle.define_options
---@return cuttle.Manager
---@return string[]? dropped with `migrate`
function World:define(name, schema, options) end

--- Returns the manager with a name, or nil.
---@param name string
---@return cuttle.Manager|nil
function World:manager(name) end

--- Loops over name and manager, in spawn order.
---@return fun(): string, cuttle.Manager
function World:managers() end

--- Creates an entity, or `n` entities, with components in the form of level source: `{transform = {position = {1, 2,
-- 3}}}`. For `n` entities, a number, string, boolean, entity or vector may also be given for each, as in
-- `Manager:create_many`; a `value` field and an actor's `body` are the same reference for all. All or nothing.
---@param components table<string, table>
---@param n integer
---@param out? cuttle.entity[]
---@return cuttle.entity[]
---@overload fun(self: cuttle.World, components: table<string, table>): cuttle.entity
---@overload fun(self: cuttle.World, components: table<string, table>, n: integer, list: cuttle.list): cuttle.list
function World:create(components, n, out) end

--- Makes a template from values for `create`. Creating from a template costs a quarter, for example for bullets. The
-- tables are read once, and later changes to them have no effect. But a table in a `value` field and a `body` are kept
-- by reference, the same for all. Entities in the values must be alive at each create. Mistakes in the values raise
-- here.
--
--     local bullet = world:template { transform = {}, velocity = { x = 300 } }
--     local e = bullet:create()
---@param components table<string, table>
---@return cuttle.Template
function World:template(components) end

--- Makes a command buffer, for changes that must wait: for example removing components of other entities inside a loop,
-- or creating entities in a callback in which that is not allowed.
--
--     local later = world:buffer()
--     for e in world:join "fire" do later:add(neighbour_of(e), "fire") end
--     later:flush()
---@return cuttle.Buffer
function World:buffer() end

--- Loops over living entities that have all of up to 8 components: entity, instance1, instance2, ... in row order of
-- the first. The prefix `!` before a name selects only entities without that component, and adds no result; the prefix
-- `?` makes the component optional, with the result nil if it is absent. The first name has no prefix:
-- `world:join("transform", "velocity", "!frozen", "?target")`.
--
-- Inside the loop you may read, write, create and destroy entities, remove the component that the loop has just
-- returned, and remove any component of a `!` name. Rows that did not exist when the loop began are not visited, so a
-- loop that creates terminates; entities that died are not visited either. Removing another component, and gc, sort or
-- propagate that moved rows, make the next step raise "rows moved during the loop".
---@param ... string|cuttle.Manager
---@return fun(): cuttle.entity, cuttle.instance, ...
function World:join(...) end

--- Like `join`, but returns bare rows for columns. The loop compiles on LuaJIT.
---@param ... string|cuttle.Manager
---@return fun(): integer, ...
function World:rows(...) end

--- Makes a query: an object for loops over, and operations on, all living entities that have several components. The
-- arguments are those of `join`. It remembers which rows belong together until components are added or removed or
-- entities die. The same arguments return the same query, which the world keeps until a component is defined again.
--
--     local moving = world:query("transform", "velocity", "!frozen")
--     for body, velocity in moving:items() do body.local_position.x = body.local_position.x + velocity.v.x * dt end
---@param ... string|cuttle.Manager
---@return cuttle.Query
function World:query(...) end

--- Makes a formula: a system in one call. It computes fields of all living entities that have the components which the
-- text names, without a loop in Lua, and takes the same time with and without a JIT compiler. The query is made from
-- the components in order of appearance; all are required except those in `has.name`.
--
--     local move = world:formula([[
--       velocity.v.y -= gravity * dt
--       if health.hp < 20 then velocity.v *= 0.5 end
--       transform.local_position += velocity.v * dt
--     ]], { gravity = 9.8, dt = 1 / 60 })
--     move.dt = dt
--     move()
--
-- The language has Lua's syntax for `local name = e`, assignments, `if` and comments, adds `+=`, `-=`, `*=`, `/=` and
-- vectors, and computes in doubles, with the same bits on every host. The manual describes it in "Systems in one call".
-- A mistake in the text raises with its line and column.
---@param text string up to 64 KB, 256 statements, 4,096 operations, a nesting of 32
---@param parameters? table<string, cuttle.parameter> values that the text names; they become fields of the formula
---@return cuttle.Formula
function World:formula(text, parameters) end

--- Sets `to.to_field = from.from_field` for every living entity that has both managers, for its first components. Both
-- columns must hold numbers of one type; float and double may be mixed, and so may vec2 and dvec2, vec3 and dvec3. The
-- managers may be the same. For a transform's `local_position`, `local_rotation` or `local_scale` it counts as a set of
-- each, with one propagation at the end (in deferred mode at the next `propagate`). Takes about 3 ns for each entity if
-- the rows are in the same order.
---@param from string|cuttle.Manager
---@param from_field string
---@param to string|cuttle.Manager
---@param to_field string
---@return integer entities
function World:copy(from, from_field, to, to_field) end

--- Sets `to.to_field += k * from.from_field` in the same way, for floats and doubles. Adds in double and rounds once,
-- as a loop in Lua does: `world:add_scaled("velocity", "v", "transform", "local_position", dt)` moves every entity that
-- has both.
---@param from string|cuttle.Manager
---@param from_field string
---@param to string|cuttle.Manager
---@param to_field string
---@param k number
---@return integer entities
function World:add_scaled(from, from_field, to, to_field, k) end

--- Removes components of dead entities in every manager.
--
-- Components are removed in one of two ways when their entity dies (Bitsquid, part 2, "Destroying Components"). Those
-- that refer to something outside are notified at once: actors through `on_destroy`, attached tables, your own
-- `entities:on_destroy` callbacks. All others stay in their rows, without being visible, until gc removes them: call it
-- once a frame. It follows the log of deaths, so it costs almost nothing if no entity died.
--
-- With a limit, it removes at most about that many from all managers together, and the others in later calls, so that
-- unloading a level of 100,000 entities is spread over several frames. With "all", it removes all of them.
---@param limit? integer|"all"
---@return integer removed
function World:gc(limit) end

--- Returns a table keyed by entity, for any data of the script. The same name returns the same table. A new key must be
-- a living entity. Destroying an entity removes its entry at once, after its callbacks; `clear` and `destroy` empty the
-- tables, which accept no new entries after the world was destroyed. The death of an entity without an entry costs two
-- or three nanoseconds. Add entries with `t[e] = value`; entries added with `rawset` are not removed.
---@param name string
---@return table<cuttle.entity, any>
function World:attach(name) end

---@class cuttle.capture_options
---@field references? "error"|"nobody" what a field becomes that holds an entity outside of the list; default: an error

--- Returns a blob of living entities as they are now, in the form that the compiler makes: for copying entities, saving
-- a part of the world, and sending entities to another process. `cuttle.resource` and `spawn` create them like any
-- level.
--
--     local blob = world:capture(party)
--     local copies = world:spawn(assert(cuttle.resource(blob)), { position = { 10, 0, 0 } })
--
-- The blob has all components, the names, and the parents within the list. Roots are in the order of the list, each
-- followed by its children in the order of siblings. An entity whose parent is not in the list becomes a root with its
-- world pose. Bodies, poses of nodes of models and attached tables are not captured. Raises if an entity is dead, if a
-- field holds an entity outside of the list (with `references = "nobody"`, the captured field holds none), and if a
-- `value` field holds something that cannot be saved. Nothing changes. Takes 2 or 3 microseconds per entity.
---@param captured cuttle.entities
---@param options? cuttle.capture_options
---@return string blob
function World:capture(captured, options) end

---@class cuttle.spawn_options
---@field position? number[] composed with each root's pose
---@field rotation? number[] x, y, z, w
---@field angle? number radians about z, instead of rotation
---@field scale? number|number[]
---@field parent? cuttle.entity the roots are linked under it
---@field parent_node? integer|string the node of the parent's model to which roots are attached, unless they name one
---@field unknown? "skip"|"error" what to do about component types that the world does not have; default "skip"
---@field overrides? table<string, table<string, table>> path -> component -> values, see below
---@field state? string a string of `level:save`: the entities are spawned as they were
---@field name? string of the level, for `level:name`; saves keep it

--- Spawns a compiled level: all entities in one call, then type by type. All or nothing.
--
-- `overrides` make a spawn different from its resource, before hooks and callbacks run:
--
--     world:spawn(resource, { overrides = {
--       car = { transform = { angle = 1 }, health = { hp = 10 } },
--       ["car/wheel"] = { mesh = { { id = "tyre", resource = "flat" } } } } })
--
-- They apply to every entity with a path (as for `level:find`), in the order of the paths, type by type. The given
-- fields are set, other fields keep the resource's value; an entity without the component gets one. In a `multiple`
-- component, an item replaces the component with the same `id`; items without such a component are appended. A pose is
-- the local pose of the resource; the pose of the spawn is composed with it. Parents are the resource's, bodies are
-- made by `on_spawn`. Mistakes in the overrides raise.
---@param resource cuttle.Resource
---@param options? cuttle.spawn_options
---@return cuttle.Level|nil level
---@return string? message
function World:spawn(resource, options) end

---@class cuttle.poses
---@field positions number[] flat: x, y, z of each copy
---@field angles? number[] radians about z, one for each copy
---@field rotations? number[] flat: x, y, z, w of each copy, instead of angles
---@field scales? number[] one for each copy

--- Spawns many copies of a compiled level as one Level, for example a thousand bullets or a forest. `poses` has the
-- pose of each copy, or is the number of copies, all at the pose of the options.
--
--     local wood = world:spawn_many(tree, { positions = { 0,0,0, 4,0,1, 9,0,3 }, angles = { 0, 1, 2 } })
--     for k = 1, 3 do
--       local first, count = wood:copy_range(k)
--       local trunk = wood:entity(first)
--     end
--
-- The entities are ordered copy by copy, each copy in the resource's order; so are rows. `find` returns the first
-- living one, `restart` spawns all of them again at their poses, `unload` destroys all. The options are those of
-- `spawn`, and apply to every copy; with a table of poses, `position`, `rotation`, `angle` and `scale` in the options
-- raise. All or nothing. A spawner is called once for all copies, `on_spawn` for each actor.
---@param resource cuttle.Resource
---@param poses cuttle.poses|integer
---@param options? cuttle.spawn_options
---@return cuttle.Level|nil level
---@return string? message
function World:spawn_many(resource, poses, options) end

--- Returns the levels that have a living entity, oldest first. O(levels).
---@return cuttle.Level[]
function World:levels() end

--- Registers the spawn function of a component type that a registered compiler compiles (Bitsquid, part 4,
-- register_component_spawner). The function is called once per type and level, in spawn order: components of earlier
-- types exist, those of later types do not. It receives the level's entities in the resource's order, the number of
-- instances, and for each instance the 0-based index of its entity and its bytes:
--
--     world:register_spawner("spikes", function(entity_lookup, num_instances, entity_index, data)
--       for i = 1, num_instances do
--         local e, r = entity_lookup[entity_index[i] + 1], cuttle.reader(data[i])
--         traps[e] = { length = r:f32(), kind = r:string() }
--       end
--     end)
--
-- If the function raises, the level is removed completely, and `spawn` returns nil and the message; changes to other
-- objects stay. A component compiled from fields is created by its manager as usual. Registering a name again replaces
-- its function; nil removes it.
---@param name string name of the component type
---@param fn nil|fun(entity_lookup: cuttle.entity[], num_instances: integer, entity_index: integer[], data: string[])
function World:register_spawner(name, fn) end

--- Removes all components and keeps the memory. With `entities = true`, destroys every entity that has a component
-- here.
---@param options? {entities: boolean}
function World:clear(options) end

--- Unloads its levels, destroys its components and frees its memory. Raises `world is in use` from its own callback or
-- spawn. Afterwards all its objects raise `world is destroyed`.
---@param options? {entities: boolean}
function World:destroy(options) end

--- Returns the bytes held, in total and by manager. The total includes strings, queries, formulas and spaces.
---@return integer bytes
---@return table<string, integer> by_manager
function World:memory() end

--- Reserves memory for `n` rows in every manager that has rows, and for their entities: creating up to that many does
-- not allocate (see `Manager:reserve`). Raises if memory runs out or `n` is above 4,194,304. O(n).
---@param n integer
function World:reserve(n) end

--- Returns a random number like `math.random`, from a generator of the world: without arguments a number in [0, 1);
-- with one an integer from 1 to it; with two an integer from `m` to `n`. The same seed gives the same numbers on every
-- host. Snapshots, saves and `entities:hash` contain the state of the generator, so that a game that was
-- rewound draws the same numbers again. Raises if the interval is empty, or has 2^53 numbers or more. (SplitMix64 by
-- Steele, Lea and Flood.)
---@param m? integer
---@param n? integer
---@return number
function World:random(m, n) end

--- Restarts the generator of `random`. The option `seed` of `cuttle.world` gives the first seed.
---@param n integer 0 to 2^53 - 1
function World:randomseed(n) end

--- Frees spare memory of rows, strings and entities, and returns the number of bytes freed. Otherwise memory that a
-- large level used is kept for the next one. Later creates allocate again. Rows do not move: instances, views and loops
-- stay valid; a `pointer` of a column does not. Dead rows are not spare until `gc` removes them. Inside callbacks of
-- the world, spawns and batches nothing is freed. O(rows): for the end of a level, not for each frame.
---@return integer bytes
function World:trim() end

--- Starts profiling of the world's managers, with all counters at 0; `false` stops it and keeps the timings. While it
-- is off, single creates have no cost, other operations cost one branch.
---@param on boolean
function World:profile(on) end

---@class cuttle.timing
---@field calls integer the number of calls
---@field time number seconds of all calls together

--- Returns the number and the time of calls since `profile(true)`: `timings.transform.propagate.time`. For each
-- manager: `create` and `remove` (calls, for any number of entities), `spawn` (of levels), `gc`, `hooks` (each function
-- called, including bodies of actors), `propagate`, `sort`, `evaluate`, `simulate`. Under `world`: `create`, `spawn`
-- and `unload` for all managers together, including the hooks that spawning and unloading call (this time is counted in
-- both places); and `on_destroy`, each call of a function of `entities:on_destroy`, for entities of any world.
---@return table<string, table<string, cuttle.timing>>
function World:timings() end

--- Returns the field values of all components of e, by manager. For a dead entity, if the EntityManager has `trace`,
-- only the text `dead`: `entity(7:0) "orc" is dead, destroyed at game.lua:12`.
---@param e cuttle.entity
---@return table<string, table>
function World:inspect(e) end

--- Returns a text with managers, counts, memory and the transform tree with names. Makes a line of about 90 bytes for
-- each transform, in 3 to 6 us.
---@return string
function World:dump() end

--- Checks all invariants, in O(rows). For tests, fuzzing and bug reports.
---@return true|nil ok
---@return string? message
function World:validate() end

-- ------------------------------------------------------------------------------------------------------------------

--- Components of one type: a structure of arrays, one row for each. (Bitsquid, part 2.) In addition to the methods
-- listed here, each field has `m:FIELD(target)` and `m:set_FIELD(target, ...)`, unless a method has that name. Vectors
-- are passed and returned as plain numbers. A target that is dead, stale or has no such component raises an error that
-- names it.
---@class cuttle.Manager
local Manager = {}

--- Adds a component to an entity. Raises if the entity already has one, unless the manager is `multiple`. Then the
-- values may contain `id`: a string or an integer, unique within the entity.
---@param e cuttle.entity
---@param values? table field = value; other fields get their defaults
---@return cuttle.instance
function Manager:create(e, values) end

--- Like `create` for many entities, all or nothing; the rows are consecutive. A scalar applies to all; a table of n
-- scalars gives one to each. For a vector of w numbers, w numbers apply to all, and w x n flat numbers or n tables give
-- one to each; `false` means no entity.
---@param entities cuttle.entities
---@param values? table
---@return cuttle.instance|nil first
function Manager:create_many(entities, values) end

--- Returns the (first) component of an entity, or the one with an id; nil if there is none.
---@param e cuttle.entity
---@param id? string|integer
---@return cuttle.instance|nil
function Manager:lookup(e, id) end

--- Returns the instances of many entities; `false` for an entity without the component.
---@param entities cuttle.entities
---@param out? table
---@return (cuttle.instance|false)[]
function Manager:lookup_many(entities, out) end

--- Returns the 0-based row of a target for columns; nil for an entity without the component.
---@param target cuttle.target
---@return integer|nil
function Manager:row(target) end

--- Returns the instance in a row.
---@param row integer
---@return cuttle.instance
function Manager:at(row) end

--- Returns the living owner of a row, or nil if it is dead: for loops over rows.
---@param row integer
---@return cuttle.entity|nil
function Manager:entity_at(row) end

--- Returns the row of a living owner whose id is given as a number. Compiled by LuaJIT. nil for NOBODY and dead
-- entities.
---@param id integer
---@return integer|nil
function Manager:row_of_id(id) end

--- Returns the next component of the same entity, or nil.
---@param instance cuttle.target
---@return cuttle.instance|nil
function Manager:next(instance) end

--- Loops over the components of an entity, in creation order.
---@param e cuttle.entity
---@return fun(): cuttle.instance
function Manager:instances(e) end

--- Returns the id of a component of a `multiple` manager: the string or number (1 to 2^30 - 1) it was given, else a
-- number that this manager has never used before. The id never changes and is never reused for another component.
---@param instance cuttle.target
---@return string|integer
function Manager:id(instance) end

--- Returns the ids of an entity's components, in creation order.
---@param e cuttle.entity
---@return (string|integer)[]
function Manager:ids(e) end

--- Returns whether an entity has such a component.
---@param e cuttle.entity
---@return boolean
function Manager:has(e) end

--- Returns the owner of an instance, dead or alive; nil if the row is orphaned.
---@param instance cuttle.instance
---@return cuttle.entity|nil
function Manager:entity(instance) end

--- Removes one component (an instance) or all components of an entity. The last row moves into the gap.
--- Hooks run first (`on_remove`). Inside a hook that runs for the same component, its other hooks run at once. For an
--- entity that is dying, or a world that is being cleared, the components are removed anyway, and the result is 0.
---@param target cuttle.target
---@return integer removed
function Manager:destroy(target) end

--- Removes all components of this manager from every entity of a list. Dead entities and entities without one are
--- skipped. The list is checked before anything is removed; hooks run as in `destroy`, and the first error of a hook is
--- raised at the end.
---@param owners cuttle.entity[]|cuttle.list
---@return integer removed the number of components
function Manager:destroy_many(owners) end

--- Why a component was added (`create`, `spawn`, `restart`, `patch`, `apply`: a message of a publisher) or removed
--- (`remove`: the component alone; `destroy`: its entity; `unload`, `restart`, `patch`, `apply`, `clear`; `undo`: the
--- call that created it failed; `world`: the world was destroyed or collected).
---@alias cuttle.reason
---| '"create"'
---| '"spawn"'
---| '"restart"'
---| '"patch"'
---| '"apply"'
---| '"remove"'
---| '"destroy"'
---| '"unload"'
---| '"clear"'
---| '"undo"'
---| '"world"'

--- Registers `fn(e, instance, reason)`, which runs for each added component: in every kind of create (`create`,
-- `create_many`, `world:create`, `set_debug_name`, spawn, restart), after all components of all entities of the call
-- exist (for a level, after it is spawned), actors with their bodies; managers in spawn order, then by row. An error
-- undoes the call: `on_remove` runs for those whose `on_add` had begun, then `entities:on_destroy`. The function may
-- destroy what was just created: then no further hooks run for it, and `create` returns nil. Components that plugins
-- add or remove in C with their table of functions do not run hooks.
---@param fn fun(e: cuttle.entity, instance: cuttle.instance, reason: cuttle.reason)
---@return integer token for `off_add`
function Manager:on_add(fn) end

--- Registers `fn(e, instance, reason)`, which runs once for each removed component: at once when the component or its
-- owner is destroyed, also by unload, `clear` and `world:destroy`, and when the world is collected. All components of
-- the entity can still be read. The order is: `entities:on_destroy`, these hooks in spawn order, then the removal of
-- actors' bodies. An error stops nothing; the first is raised at the end. While a world is destroyed or collected,
-- create, spawn and define raise `world is being destroyed`; while it is cleared, components with hooks cannot be
-- created. Hooks are kept when a component is defined again.
---@param fn fun(e: cuttle.entity, instance: cuttle.instance, reason: cuttle.reason)
---@return integer token for `off_remove`
function Manager:on_remove(fn) end

--- Unregisters a hook of `on_add`.
---@param token integer
---@return boolean known whether it was registered
function Manager:off_add(token) end

--- Unregisters a hook of `on_remove`.
---@param token integer
---@return boolean known whether it was registered
function Manager:off_remove(token) end

--- Returns the number of rows, including those of dead owners that are not collected.
---@return integer
function Manager:count() end

--- Loops over entity and instance in row order, living owners only. For changes inside the loop see World:join.
---@return fun(): cuttle.entity, cuttle.instance
function Manager:each() end

--- Returns all fields of a component, in the form that `create` takes.
---@param target cuttle.target
---@return table
function Manager:get(target) end

--- Writes several fields at once, all or nothing.
---@param target cuttle.target
---@param values table
function Manager:set(target, values) end

--- Reads one field by name, also a `hidden` one.
---@param target cuttle.target
---@param field string
---@return any ...
function Manager:read(target, field) end

--- Writes one field by name, also a `hidden` one.
---@param target cuttle.target
---@param field string
---@param ... any
function Manager:write(target, field, ...) end

--- Writes one field of every entity of a list: one value for all, or one for each, as in `create_many`. All or nothing.
-- An entity that is in the list twice is written twice, in order, and counted twice. A dead entity, or one without the
-- component, raises. For a transform it counts as a set of each, with one propagation at the end (in deferred mode at
-- the next `propagate`); `world_matrix` is set one at a time.
---@param owners cuttle.entity[]|cuttle.list
---@param field string
---@param values any `false` for no entity
---@return integer written
function Manager:write_many(owners, field, values) end

--- Reads one field of every entity of a list into a flat table, the numbers of vectors in sequence: `false` for "no
-- entity", and one `false` for each number of an entity without the component. Of transforms also `world_position`,
-- `world_rotation`, `world_scale`, `world_angle` and `local_angle`.
---@param owners cuttle.entity[]|cuttle.list
---@param field string
---@param out? table filled from index 1
---@return any[]
function Manager:read_many(owners, field, out) end

--- Adds to one field of numbers of every entity of a list: one value for all, or one each. An entity that occurs twice
-- receives both, in list order. Sums are computed in doubles and rounded to the field's type; values for fields of four
-- or more numbers are rounded to floats first. All or nothing: it raises if an integer field cannot hold a sum.
---@param owners cuttle.entity[]|cuttle.list
---@param field string
---@param values any
---@return integer additions
function Manager:add_many(owners, field, values) end

--- Returns a view of a field's column: `col[row]`, `col[row] = v`; of vectors `col[row].x`. It stays valid when rows
-- move and memory grows, and raises after its world was destroyed. While LuaJIT's compiler is on, loops over it
-- compile.
---@param field string
---@return cuttle.column
function Manager:column(field) end

--- Reserves memory for `n` rows in total: creating components up to that many does not allocate, except for strings,
-- cells of grids and nodes of models, until `world:trim` frees it. The entities may exist, or be created next. Rows,
-- instances and loops are not affected. Raises if memory runs out or `n` is above 4,194,304, with all components
-- unchanged. O(n + entities).
---@param n integer
function Manager:reserve(n) end

--- Removes rows of dead entities: those that died since the last call, then a few random probes, until four living in
-- sequence; with "all", all of them; with a limit, at most about that many, and the others in later calls. (Bitsquid,
-- part 2, gc().)
---@param limit? integer|"all"
---@return integer removed
function Manager:gc(limit) end

--- Returns the component's name.
---@return string
function Manager:name() end

--- Returns the fields: `{{name, type}, ...}`; an enum is `{name, "enum", labels}`.
---@return (string|string[])[][]
function Manager:fields() end

--- Returns the bytes held.
---@return integer
function Manager:memory() end

--- A view of a column. `i` is a row (checked against the count) or an instance (checked for staleness).
---@class cuttle.column
local column = {}

--- Returns the numbers of an item.
---@param i integer
---@return any ...
function column:get(i) end

--- Writes an item.
---@param i integer
---@param ... any
function column:set(i, ...) end

--- Returns the number of rows.
---@return integer
function column:count() end

--- Returns the items of all rows, including dead ones, in a flat table: the numbers of vectors in sequence.
---@param out? table filled from index 1
---@return any[]
function column:totable(out) end

--- Writes all rows: one value for all of them, or a table with one for each, in the form of `totable`. All or nothing.
---@param value any
function column:fill(value) end

--- Adds `k * other` to all rows; floats and doubles only, also in vectors.
---@param other cuttle.column a column of the same manager with the same number of lanes
---@param k number
function column:add_scaled(other, k) end

--- Multiplies all rows by `k`; floats and doubles only, also in vectors.
---@param k number
function column:scale(k) end

--- Returns the raw FFI pointer of the column, for experts: it is invalid after the manager grows or the world is
-- trimmed. For a transform's columns it is const. LuaJIT only.
---@return ffi.cdata*
function column:pointer() end

-- ------------------------------------------------------------------------------------------------------------------

--- Names of entities. Created with `name`, a string.
---@class cuttle.DebugName : cuttle.Manager
local DebugName = {}

--- Names an entity: adds the component, or changes its name.
---@param e cuttle.entity
---@param name string
function DebugName:set_debug_name(e, name) end

--- Returns the name of an entity, or nil.
---@param e cuttle.entity
---@return string|nil
function DebugName:debug_name(e) end

--- Returns the living entity with a name (the one named first, if there are several), or nil. O(1). If all entities
-- that had the name are dead, each call also passes those that gc has not collected yet.
---@param name string
---@return cuttle.entity|nil
function DebugName:find(name) end

--- Returns all living entities with a name, in order of naming.
---@param name string
---@return cuttle.entity[]
function DebugName:find_all(name) end

--- Point masses: `mass` in kg, `position`, `velocity` and `acceleration`. (Bitsquid, part 2.)
---@class cuttle.PointMass : cuttle.Manager
local PointMass = {}

--- Advances all rows by one step of semi-implicit Euler: velocity += acceleration * dt, then position += velocity * dt.
---@param dt number seconds; 0 and negative numbers are allowed, infinities and NaN raise
function PointMass:simulate(dt) end

--- Grids: one per entity, the cells of a map in one component, such as a tile layer or an int grid. Created with
-- `width`, `height`, `cell_size` (one number or two, default 16), `cells` (a flat list row by row; default: all empty),
-- `flips` (a flat list: 1 horizontal + 2 vertical + 4 diagonal; default: none) and `tiles` (a name, which need not be
-- defined). Cells hold numbers from 0 to 2^32 - 1; 0 is empty. x and y count
-- from 0, as in the editors. In the space of its entity, cell x, y covers x * w up to but excluding (x + 1) * w, and
-- the same in y: a map imported with `tiles = "grid"` is at the same position as one imported with `tiles = true`.
-- Queries in the world look along z. `m:get` returns the cells as a list; `m:set` accepts another size (cells inside
-- both sizes stay) or other cells. A cell takes 4 bytes. Levels, snapshots and grids with the same cells share them
-- until one is written: the first `set_cell` copies them. In deferred mode and batches, queries in the world use the
-- pose that the getters of transforms return.
---@class cuttle.Grid : cuttle.Manager
local Grid = {}

--- Defines what numbers mean in the grids whose `tiles` is this name: number -> table. Only its `solid`, for `ray`, has
-- a meaning for cuttle and is read now; everything else is for the script. Keys that are not numbers are ignored.
-- Defining a name again replaces it.
---@param name string
---@param tiles table<integer, {solid?: boolean}> kept as it is
function Grid:define_resource(name, tiles) end

--- Returns the table that `define_resource` received for a number in the grid's `tiles`, or nil.
---@param target cuttle.target
---@param value integer
---@return table|nil
function Grid:tile(target, value) end

---@param target cuttle.target
---@return integer width, integer height in cells
function Grid:size(target) end

--- Returns the number in a cell; nil outside of the grid.
---@param target cuttle.target
---@param x integer
---@param y integer
---@return integer|nil
function Grid:cell(target, x, y) end

--- Writes a cell, and clears its flips. Raises outside of the grid.
---@param target cuttle.target
---@param x integer
---@param y integer
---@param value integer 0 to 2^32 - 1
function Grid:set_cell(target, x, y, value) end

--- Loops over all cells that are not empty, row by row, with their value at the time of each step. Raises if the grid
-- is removed or resized meanwhile.
---@param target cuttle.target
---@return fun(): integer, integer, integer x, y, value
function Grid:cells(target) end

--- Returns the cell at a point in the world, through the entity's transform if it has one. Returns nil outside of the
-- grid, and if a scale of 0 makes the grid a line.
---@param target cuttle.target
---@param x number
---@param y number
---@return integer|nil x, integer y, integer value
function Grid:cell_at(target, x, y) end

--- Returns the cells that are not empty and that a box in the world touches, edges included, for any rotation or
-- mirroring of the grid: exactly, row by row. The cost depends on the rows and on the cells between the box's sides.
---@param target cuttle.target
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param out? number[] filled from index 1; later entries stay
---@return number[] cells flat: x, y, value, x, y, value, ...
---@return integer count of cells
function Grid:rectangle(target, x1, y1, x2, y2, out) end

--- Returns the first solid cell on the way from one point in the world to another. If `tiles` is defined, a cell is
-- solid if its tile is `solid`; otherwise every cell that is not empty is solid. A ray that begins in a solid cell hits
-- that cell. A ray exactly through the corner of four cells passes between them unless both cells beside it are solid.
-- Takes at most width + height steps of some nanoseconds each.
---@param target cuttle.target
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@return integer|nil x, integer y, integer value, number hit_x, number hit_y where the ray enters the cell
function Grid:ray(target, x1, y1, x2, y2) end

--- Returns how a cell's tile is flipped: the diagonal flip, which exchanges x and y, is applied first, as in Tiled. Nil
-- outside of the grid.
---@param target cuttle.target
---@param x integer
---@param y integer
---@return boolean|nil horizontal, boolean vertical, boolean diagonal
function Grid:flips(target, x, y) end

--- Writes the flips of a cell. Raises outside of the grid. The first flip of a grid allocates a byte for each cell.
---@param target cuttle.target
---@param x integer
---@param y integer
---@param horizontal boolean
---@param vertical boolean
---@param diagonal boolean
function Grid:set_flips(target, x, y, horizontal, vertical, diagonal) end

--- Writes a number to a block of cells, and clears their flips. Corners are included, in any order. Cells outside of
-- the grid are left out.
---@param target cuttle.target
---@param x1 integer
---@param y1 integer
---@param x2 integer
---@param y2 integer
---@param value integer 0 to 2^32 - 1
---@return integer count cells of the block inside the grid
function Grid:fill(target, x1, y1, x2, y2, value) end

--- Moves a box in the world by a step and returns where it ends. It stops at the first solid cell, exactly at its edge,
-- and slides along it with the rest of the step. A step of any length passes through no wall. A cell is solid as for
-- `ray`; with `where`, if the function returns true for its number and the side that the box enters: (0, -1) is the
-- upper side if y points down. `where` is never called for empty cells. The space outside of the grid is free. An
-- overlap that the rounding of positions to floats explains counts as contact.
--
-- A box that begins inside solid cells may leave them, but does not move deeper: a larger part of it may not be inside
-- after the move, and a box that is completely inside moves only to the nearer end of the wall on each axis. Cells that
-- are solid only from one side do not hold a box.
--
-- Raises if the grid is rotated, mirrored or scaled, if a number is not finite, and if a half size is negative. If
-- `where` changes the grid, the move still uses the cells as they were. At most width + height steps of some
-- nanoseconds for each cell at an edge of the box.
---@param target cuttle.target
---@param x number centre of the box in the world
---@param y number
---@param half_w number half of its width
---@param half_h number
---@param dx number step
---@param dy number
---@param where? fun(value: integer, nx: integer, ny: integer): boolean
---@return number x, number y, integer hit_x, integer hit_y the new centre; for each axis the direction of the wall that
-- stopped the box: -1, 1, or 0 for none
function Grid:move(target, x, y, half_w, half_h, dx, dy, where) end

--- Returns few rectangles that cover exactly the solid cells, without overlap: for bodies of a physics engine. A cell
-- is solid as for `ray`; with `where`, if the function returns true for its number. It is called with the side 0, 0, so
-- a function for `move` works here, too, and must depend only on the number. O(cells).
---@param target cuttle.target
---@param where? fun(value: integer, nx: integer, ny: integer): boolean
---@return integer[] flat x, y, width, height of each rectangle, in cells
function Grid:colliders(target, where) end

--- Returns the outlines of the solid cells, for chains of edges and for pictures: loops of corners in cells. With y
-- down, outer outlines are clockwise and those of holes counterclockwise. The first corner is not repeated, and every
-- corner turns. Cells that touch only in a corner have separate outlines. `where` is as for `colliders`. O(cells).
---@param target cuttle.target
---@param where? fun(value: integer, nx: integer, ny: integer): boolean
---@return integer[][] loops `{x1, y1, x2, y2, ...}`
function Grid:outlines(target, where) end

--- Returns a reader of a grid's cells: `r[y * width + x]`, nil if there is no such cell. It stays valid after
-- `set_cell`, `set` and `restore`, and raises after the grid or its entity was destroyed. Loops over it compile on
-- LuaJIT: a read costs little more than one of a plain FFI array. Otherwise it is a call of C.
---@param target cuttle.target
---@return table<integer, integer>
function Grid:reader(target) end

--- Meshes: several per entity. Fields: `resource` (the name of a defined resource, required; views cannot write it),
-- `color` and `visible`, true by default. An unknown resource raises; at spawn it returns `nil, message`.
---@class cuttle.Mesh : cuttle.Manager
local Mesh = {}

--- Defines static data that instances refer to by name and share. Defining a name again replaces the data, also for
-- existing instances; resources cannot be removed.
---@param name string
---@param desc table kept as it is
function Mesh:define_resource(name, desc) end

--- Returns the table that was passed to `define_resource`. Raises for unknown names.
---@param name string
---@return table
function Mesh:resource_data(name) end

--- Models: one per entity, a hierarchy of nodes inside it (Bitsquid, part 3: the scene graph of a model is separate
-- from that of entities). The field `resource` is the name of a defined resource; it is required, and views cannot
-- write it. Setting it gives the instance the nodes of that resource, at rest. Nodes and rest poses are static and
-- shared; local poses belong to the instance. `evaluate` computes the matrices of all nodes of all instances, relative
-- to their entities. Matrices are 16 numbers, column-major, for column vectors: matrix = parent's matrix x local.
-- Quaternions are x, y, z, w. A node is given by its number, from 1, or by its name, which costs a lookup: use the
-- number in loops.
---@class cuttle.Model : cuttle.Manager
local Model = {}

---@class cuttle.model_node
---@field name? string unique within the resource
---@field parent? integer|string number or name of an earlier node; default: a root
---@field position? number[] three numbers; default 0, 0, 0
---@field rotation? number[] four numbers of any length but zero
---@field angle? number radians about z, instead of rotation
---@field scale? number|number[] one number or three; default 1

--- Defines nodes that instances share, 1 to 65,535 of them, each after its parent. Defining a name again replaces rest
-- poses and names, also for existing instances, which keep their poses by node number. Other nodes or parents raise
-- while living instances use the resource; if none does, they apply to new instances. A snapshot of instances is
-- refused if number, parents, names or order of the nodes have changed. An error raises with its place,
-- `nodes[3].parent: ...`, and changes nothing.
---@param name string
---@param desc {nodes: cuttle.model_node[]} kept as it is
function Model:define_resource(name, desc) end

--- Returns the table that was passed to `define_resource`. Raises for unknown names.
---@param name string
---@return table
function Model:resource_data(name) end

--- Returns the number of nodes.
---@param target cuttle.target
---@return integer
function Model:node_count(target) end

--- Sets the pose of a node relative to its parent. Matrices are updated by the next `evaluate`. A rotation may have any
-- length but zero and is stored with length 1; scales may be zero or negative.
---@param target cuttle.target
---@param node integer|string
---@param ... number px, py, pz, qx, qy, qz, qw, sx, sy, sz
function Model:set_node_pose(target, node, ...) end

--- Returns the pose of a node relative to its parent, as it was last set.
---@param target cuttle.target
---@param node integer|string
---@return number ... px, py, pz, qx, qy, qz, qw, sx, sy, sz
function Model:node_pose(target, node) end

--- Computes the matrices of all instances that were posed since the last call, in memory order. Other instances cost
-- almost nothing. Transforms that are attached to nodes (`transform:link`) are updated at once, or in a batch or in
-- deferred mode with the next computation of changes; each of them costs a check of its node's matrix.
function Model:evaluate() end

--- Returns the matrix of a node relative to its entity, as of the last `evaluate`; for a new instance, of the rest
-- pose. Fills `out` if it is given.
---@param target cuttle.target
---@param node integer|string
---@param out? table
---@return number|table ... 16 numbers, or out
function Model:node_matrix(target, node, out) end

--- Returns the matrices of all nodes in one flat array: node i has the numbers 16 * i - 15 to 16 * i, the layout of a
-- shader's array of matrices. Fills `out` if it is given; later entries stay.
---@param target cuttle.target
---@param out? table
---@return number[]
function Model:node_matrices(target, out) end

--- Returns the matrix of a node in the world: the world matrix of the entity, which needs a transform, x the node's.
-- Computed on each call. Fills `out` if it is given.
---@param target cuttle.target
---@param node integer|string
---@param out? table
---@return number|table ... 16 numbers, or out
function Model:node_world_matrix(target, node, out) end

--- Actors: `shape`, `mass`, and a body, any Lua value that is outside of cuttle (a physics engine's). Bodies are made
-- by `on_spawn` or given as `body` in the values of `create`, `set` and `world:create`; for many at once as a table
-- with one for each, `false` for none. They are not part of levels. `get`, `read` and `write` support `body`, columns
-- do not.
---@class cuttle.Actor : cuttle.Manager
local Actor = {}

--- Returns the body, or nil.
---@param target cuttle.target
---@return any
function Actor:body(target) end

--- Replaces the body; nil removes it. `on_destroy` runs for the old body first, unless it is the same.
---@param target cuttle.target
---@param body any
function Actor:set_body(target, body) end

--- Sets `body = fn(e, values)`, which runs for every new actor without a given body after all components of the call,
-- or of the level, exist; `values` are its shape and mass. If it raises, nothing is created, and bodies already made
-- are destroyed. One function per manager; nil removes it.
---@param fn nil|fun(e: cuttle.entity, values: table): any
function Actor:on_spawn(fn) end

--- Sets `fn(e, body)`, which runs once for each body, at once: entity or component destroyed, level unloaded, world
-- cleared, destroyed or collected. Its first error is raised at the end. Meanwhile that body cannot be replaced, and no
-- new ones can be made if the world is destroying all. One function per manager; nil removes it.
---@param fn nil|fun(e: cuttle.entity, body: any)
function Actor:on_destroy(fn) end

-- ------------------------------------------------------------------------------------------------------------------

--- The transform hierarchy (Bitsquid, part 3): local and world poses. World poses are up to date after every call,
-- except in deferred mode (`set_mode`). Matrices are 16 numbers, column-major, for column vectors: world = parent's
-- world x local. Quaternions are x, y, z, w. Fields: local_position, local_rotation, local_scale, local_matrix,
-- world_matrix. Values for create: position (two numbers or three), rotation or angle (radians about z), scale (one,
-- two or three), parent, parent_node; or matrix, parent, parent_node. If a third number is missing, it is 0, for a
-- scale 1. `create_many` takes all three numbers of a vector.
--
-- Position, rotation and scale are stored beside the matrix, and setting one keeps the others: a scale of zero hides a
-- rotation but does not lose it, a mirrored scale keeps its signs. A rotation is normalized; 0, 0, 0, 0 becomes no
-- rotation. A matrix is kept as given, also sheared or flat, until position, rotation or scale is set: then the nearest
-- pose replaces it. Any number may be set. An infinity or NaN in a rotation makes the whole rotation NaN, and the world
-- poses below it as well; they are valid again when the rotation is set to finite numbers.
--
-- To move thousands, write columns: in deferred mode, and inside a batch, those of `local_position`, `local_rotation`
-- and `local_scale` are written like any column, and the next `propagate`, or the end of the batch, computes all
-- changes; rotations are normalized then. Otherwise such a write raises. Columns of matrices are read-only.
--
--     for i, j in world:rows("transform", "velocity") do
--       local p, v = position[i], velocity[j]
--       p.x, p.y = p.x + v.x * dt, p.y + v.y * dt
--     end
--     world.transform:propagate()
---@class cuttle.Transform : cuttle.Manager
local Transform = {}

--- Returns the position relative to the parent.
---@param t cuttle.target
---@return number x, number y, number z
function Transform:local_position(t) end

--- Sets the position relative to the parent. Keeps rotation and scale, and z if it is not given.
---@param t cuttle.target
---@param x number
---@param y number
---@param z? number
function Transform:set_local_position(t, x, y, z) end

--- Returns the rotation relative to the parent.
---@param t cuttle.target
---@return number x, number y, number z, number w
function Transform:local_rotation(t) end

--- Sets the rotation relative to the parent, normalized; 0, 0, 0, 0 becomes no rotation. Keeps position and scale.
---@param t cuttle.target
---@param x number
---@param y number
---@param z number
---@param w number
function Transform:set_local_rotation(t, x, y, z, w) end

--- Returns the rotation about z relative to the parent, in radians.
---@param t cuttle.target
---@return number
function Transform:local_angle(t) end

--- Rotates about z, in radians; keeps position and scale.
---@param t cuttle.target
---@param angle number
function Transform:set_local_angle(t, angle) end

--- Returns the scale relative to the parent.
---@param t cuttle.target
---@return number x, number y, number z
function Transform:local_scale(t) end

--- Sets the scale relative to the parent. Keeps position and rotation, also through a scale of zero. One number applies
-- to all three axes, two keep z. Negative numbers mirror.
---@param t cuttle.target
---@param x number
---@param y? number
---@param z? number
function Transform:set_local_scale(t, x, y, z) end

--- Sets position, rotation and scale at once.
---@param t cuttle.target
---@param ... number px, py, pz, qx, qy, qz, qw, sx, sy, sz
function Transform:set_local_pose(t, ...) end

--- Returns the world pose in the plane, for 2D games: position, angle about z in radians, and scale.
---@param t cuttle.target
---@return number x, number y, number angle, number sx, number sy
function Transform:pose_2d(t) end

--- Sets the local pose in the plane: the rotation becomes one about z; position and scale along z stay. Without `sx`
-- the whole scale stays.
---@param t cuttle.target
---@param x number
---@param y number
---@param angle number radians
---@param sx? number
---@param sy? number default `sx`
function Transform:set_local_pose_2d(t, x, y, angle, sx, sy) end

--- Returns world poses in the plane for drawing, of the entities of a list, or of all living entities in the order of
-- `each`: five numbers for each entity, as in `pose_2d`. Takes 30 to 60 ns for each entity.
---@param owners cuttle.entity[]|cuttle.list|nil an entity without a transform raises
---@param out? table filled from index 1; later entries stay
---@return number[] out, integer count the number of entities
function Transform:read_poses_2d(owners, out) end

--- Returns the local matrix; fills `out` if it is given.
---@param t cuttle.target
---@param out? table
---@return number|table ... 16 numbers, or out
function Transform:local_matrix(t, out) end

--- Sets the local matrix from 16 numbers or a table of them; the last row must be 0, 0, 0, 1. A sheared matrix is kept
-- as given until position, rotation or scale is set; then the nearest pose replaces it.
---@param t cuttle.target
---@param ... number|table
function Transform:set_local_matrix(t, ...) end

--- Returns the position in the world.
---@param t cuttle.target
---@return number x, number y, number z
function Transform:world_position(t) end

--- Returns the rotation in the world; if the world matrix is sheared, the nearest rotation. Under a scale of zero it is
-- the product of the rotations of the ancestors.
---@param t cuttle.target
---@return number x, number y, number z, number w
function Transform:world_rotation(t) end

--- Returns the rotation about z in the world, in radians.
---@param t cuttle.target
---@return number
function Transform:world_angle(t) end

--- Returns the scale in the world: the lengths of the axes of the world matrix, which may be sheared below scaled
-- parents.
---@param t cuttle.target
---@return number x, number y, number z
function Transform:world_scale(t) end

--- Returns the world matrix; fills `out` if it is given.
---@param t cuttle.target
---@param out? table
---@return number|table ... 16 numbers, or out
function Transform:world_matrix(t, out) end

--- Sets the world position, by changing the local position. Raises below a parent with a zero in its scale.
---@param t cuttle.target
---@param x number
---@param y number
---@param z number
function Transform:set_world_position(t, x, y, z) end

--- Sets the world rotation, by changing the local rotation. Keeps the local position, and the local scale unless the
-- parent's scale is not uniform: then the local matrix becomes a sheared one that keeps the world scale. Raises below a
-- parent with a zero in its scale; so do the next two functions.
---@param t cuttle.target
---@param x number
---@param y number
---@param z number
---@param w number
function Transform:set_world_rotation(t, x, y, z, w) end

--- Sets the world pose, by changing the local pose. Below a rotation with a scale that is not uniform, this is a
-- sheared local matrix, kept until position, rotation or scale is set.
---@param t cuttle.target
---@param ... number px, py, pz, qx, qy, qz, qw, sx, sy, sz
function Transform:set_world_pose(t, ...) end

--- Sets the world matrix, by changing the local matrix.
---@param t cuttle.target
---@param ... number|table
function Transform:set_world_matrix(t, ...) end

--- Links a child to a parent, after its other children. Keeps the local pose, or with `keep = "world"` the world pose.
-- The list operation is O(1). Raises if the link would make a cycle.
--
-- Below a scale that is not uniform, position, rotation and scale alone cannot represent every world pose. The world
-- pose is kept in this case too: the local matrix becomes a sheared one, which `get` returns as `matrix`, until
-- position, rotation or scale is set. Then the nearest pose replaces it, and the world pose changes. Below a scale of
-- zero, a NaN or an infinity, no local matrix keeps the world pose, and the link raises.
--
-- With `node`, the number or name of a node of the parent's model, the child is attached to that node, for example a
-- sword to a hand. Its world pose is the parent's world x the node's matrix x local, with the matrix of the last
-- `model:evaluate`, or of the rest pose before the first one. A parent without a model, or without the node, raises.
-- `parent_node` has the same meaning in `create`, `set`, templates and level source. If the parent's model is removed,
-- or its new resource does not have the node, the child stays linked to the parent without a node, with its local pose.
-- A node is identified by its name, or by its number if it has none: if a new definition or another resource has the
-- name under another number, the child is attached to that node.
---@param child cuttle.target
---@param parent cuttle.target
---@param options? {keep?: "world", node?: integer|string}
function Transform:link(child, parent, options) end

--- Makes a child a root again.
---@param child cuttle.target
---@param options? {keep: "world"}
function Transform:unlink(child, options) end

--- Returns the parent, or nil. When the owner of a transform dies, its children become roots at their world poses.
---@param t cuttle.target
---@return cuttle.instance|nil
function Transform:parent(t) end

--- Returns the number of the node of its parent's model to which it is attached, or nil.
---@param t cuttle.target
---@return integer|nil
function Transform:parent_node(t) end

--- Returns the first child, or nil.
---@param t cuttle.target
---@return cuttle.instance|nil
function Transform:first_child(t) end

--- Returns the next child of the same parent, or nil.
---@param t cuttle.target
---@return cuttle.instance|nil
function Transform:next_sibling(t) end

--- Returns the previous child of the same parent, or nil.
---@param t cuttle.target
---@return cuttle.instance|nil
function Transform:prev_sibling(t) end

--- Returns the topmost ancestor; for a root, itself.
---@param t cuttle.target
---@return cuttle.instance
function Transform:root(t) end

--- Returns the number of ancestors.
---@param t cuttle.target
---@return integer
function Transform:depth(t) end

--- Loops over the children at the time the loop began, in link order; skips those that died or left since. The loop
-- body may link, unlink, create, destroy, and remove the transform that the loop has just returned. Otherwise see
-- World:join.
---@param t cuttle.target
---@return fun(): cuttle.entity
function Transform:children(t) end

--- Destroys an entity and all its descendants.
---@param e cuttle.entity
---@return integer died
function Transform:destroy_tree(e) end

--- Calls `fn`. Changes and links in it are only marked; at the end every changed subtree is computed once, also if `fn`
-- raises, whose error is raised again. Inside, world getters are up to date: they compute the chain of changed
-- ancestors. The `world_matrix` column has the values from before. Batches nest; the outermost computes. Inside,
-- `set_mode` raises, the world cannot be destroyed or cleared, and a coroutine cannot yield. In deferred mode a batch
-- adds nothing.
---@param fn fun(): ...
---@return any ... the results of fn
function Transform:batch(fn) end

--- Sets the mode: immediate (the default) or deferred. In deferred mode, sets, links and new transforms are only marked
-- until `propagate`, and world getters return the last propagated pose; for a new transform, the pose relative to its
-- parent's last propagated pose. `keep = "world"` and the setters of world poses use the poses that the getters return.
-- When a parent dies, its children become roots at their last propagated poses. Setting the mode back to immediate
-- propagates first.
--
-- While a set waits for `propagate`, `world_rotation` and `world_scale` are computed from the world matrix alone: the
-- signs of a mirrored scale may differ, together with the rotation.
---@param mode "immediate"|"deferred"
function Transform:set_mode(mode) end

--- In deferred mode, computes every changed subtree, parents before children, each node once: call it once a frame. The
-- cost depends on the number of changes. Moves no rows. In immediate mode it does nothing.
function Transform:propagate() end

--- Returns the number of rows that have changed since the last `propagate`, or since the batch began.
---@return integer
function Transform:dirty_count() end

--- Sorts rows in the order of the hierarchy: parents before children, families together, children in link order, roots
-- in their previous order. Then large trees are traversed in memory order. If rows moved, loops raise and instances are
-- stale.
function Transform:sort() end

--- Starts a watch, which records the entities with changed world poses, for physics, drawing caches and indexes of the
--- game's own. It costs 1 to 2 ns for each world pose that is computed, and about 12 bytes for each entity.
---@return cuttle.Watch
function Transform:watch() end

--- A watch of transforms. It keeps its world. Not in snapshots and saves.
---@class cuttle.Watch
local Watch = {}

--- Returns the living entities whose world pose was computed again, or whose transform was added, since the last call
--- (at first: since `watch`), each once, in no particular order. In deferred mode and in batches an entity is listed
--- after its world pose was computed. The second result is true if everything may have changed: after a restore, after
--- all transforms were removed at once, and when the list would have been longer than the rows. Then the list has all
--- living entities with a transform.
---@param out? cuttle.list its contents are replaced
---@return cuttle.list
---@return boolean
function Watch:list(out) end

-- ------------------------------------------------------------------------------------------------------------------

--- Compiles level source into blobs. Source is JSON text, or a Lua table of the same structure.
--
--     { "version": 1, "entities": [
--         { "name": "car", "components": {
--             "transform": { "position": [0, 0, 0] },
--             "mesh": [ { "id": "body", "resource": "body" }, { "resource": "glass" } ],
--             "health": { "hp": 50, "target": "lamp_7" } },
--           "children": [ { "name": "wheel", "components": { "transform": { "position": [1, 0, 0] } } } ] },
--         { "prefab": "lamp.json", "name": "lamp_7",
--           "components": { "transform": { "position": [4, 0, 2] } },
--           "overrides": { "arm/bulb": { "health": { "hp": 1 } } } } ] }
--
-- The top level has `version` (default 1) and `entities`. An entity has:
--
-- - `name`: its name, which becomes its debug_name. Several entities may have the same name; it must not contain `/`.
-- - `id`: a string or number, unique in the file, for references and for `level:patch`.
-- - `components`: type -> values; an array if the type is `multiple`, each item with an optional `id`. An empty table
--   is one component with defaults.
-- - `children`: the entities below it; or `parent`: the id, name or path (`lamp_7/bulb`) of its parent, in the same
--   file or in a prefab that the file includes.
-- - `prefab` and `overrides`: see below.
--
-- Keys that begin with `$` or `_` are ignored; other unknown keys and duplicate keys are errors. null means absent (in
-- Lua tables: `cuttle.null`). A transform is linked to the nearest ancestor that has one.
--
-- **References.** A field of type `entity` names another entity: by its id, else by its name, else by the name of an
-- entity inside a prefab, else by a path (`lamp_7/bulb`). `false` means no entity. A reference in a prefab instance, at
-- its root or below it, is looked up in the innermost file first, then in the including files. An unknown or ambiguous
-- reference is an error.
--
-- **Prefabs.** `prefab` is the path of a file of level source, relative to the file that names it (to the option
-- `directory` if the source is not a file). The file has one root: all its other entries have a `parent`. The root
-- replaces the entry, with the entry's name if it has one, and the entry's values are merged into it:
--
-- - Fields replace fields; null resets a field to its default, or removes a component. In a transform `rotation`,
--   `angle` and `matrix` replace each other, and any other field replaces a matrix.
-- - In a `multiple` component, an item with the `id` of an existing one replaces it completely, in its position; other
--   items are appended.
-- - `children` are appended.
-- - `overrides` change entities inside: path -> components, merged in the same way into every match. A longer path is
--   applied after a shorter one, and overrides of the including file after those of the included one. A path without a
--   match is an error.
--
-- A root may itself be an instance of another prefab. A cycle of prefabs is an error; its message shows the chain.
--
-- An error message begins with the name of the source. It contains the place, the expected value, and for a misspelt
-- name the nearest known one: `level.json: entities[1].components.health: unknown field 'hpp' (did you mean 'hp'?)`.
-- For an error in a prefab, the place that includes the prefab comes first, then the file of the prefab: `level.json:
-- entities[3].prefab: lamp.json: entities[1].components.health.hp: expected a number, got string`.
---@class cuttle.Compiler
local Compiler = {}

---@class cuttle.compile_options
---@field name? string the name of the source; messages begin with it
---@field endian? "little"|"big" byte order of the target; default: that of the host
---@field directory? string the directory for paths of prefabs; default: that of the file, else the current one
---@field read? fun(path: string): string?, string? reads prefabs, and the file of `compile_file`; replaces io.open
---@field root? string a folder that prefabs must not leave, with links resolved; with `read` only paths are compared
---@field limit? number the largest accepted size of a file in bytes; default 2^28
---@field mistakes? fun(message: string) called for each error in the source, in source order

--- Compiles a level. The same source gives the same bytes on every host.
---@param source string|table
---@param options? cuttle.compile_options
---@return string|nil blob
---@return table|string files the prefabs that it used, in the order of first use; or the error message with its place
function Compiler:compile(source, options) end

--- Compiles one file into another. After a failure the output is unchanged.
---@param from string
---@param to string
---@param options? cuttle.compile_options
---@return string|nil blob
---@return table|string files `from` and the prefabs that it used; or the error message with its place
function Compiler:compile_file(from, to, options) end

---@class cuttle.compile_context
---@field path string the component's place: `level.json: entities[3].components.spikes`
---@field writer fun(): cuttle.Writer makes a writer in the byte order of the target
---@field entity fun(name: string|number): integer the 0-based index of the entity with a name, id or path, as a spawner
-- receives it; an unknown one is an error at the component's place

--- Registers the compile function of a component type (Bitsquid, part 4, register_component_compiler). The function
-- receives the component's value in the source, a copy that it may change, and returns the bytes of one component.
-- Components defined by `world:define` need no function; a registered function replaces their compilation. If the
-- source has an error, the function is called again, to find the first one. It needs a spawner:
--
--     compiler:register("spikes", function(config, context)
--       if type(config.length) ~= "number" then error("length: expected a number", 0) end
--       return context.writer():f32(config.length):u32(context.entity(config.trigger)):tostring()
--     end)
--     world:register_spawner("spikes", function(entity_lookup, num_instances, entity_index, data)
--       for i = 1, num_instances do
--         local reader = cuttle.reader(data[i])
--         local length, trigger = reader:f32(), entity_lookup[reader:u32() + 1]
--         traps[entity_lookup[entity_index[i] + 1]] = { length = length, trigger = trigger }
--       end
--     end)
--     compiler:compile [[ { "entities": [
--       { "name": "plate" },
--       { "components": { "spikes": { "length": 2, "trigger": "plate" } } } ] } ]]
--
-- `config` may be any JSON value. Keys whose value is null and keys that begin with `$` or `_` are removed, at any
-- depth; a null in an array is `cuttle.null`. If a prefab and the entry that includes it both have the component,
-- objects are merged field by field, and other values replace. An error of the function ends the compilation with the
-- place in the source; if the message begins with a field's name, the name becomes part of the place.
---@param name string an identifier
---@param fn fun(config: any, context: cuttle.compile_context): string
---@param spawn_order? integer default 1000; transform 1, debug_name 2, model 3, mesh 4, point_mass 5, actor 6, grid 7,
-- script-defined ones 100, 101, ... A lower one is spawned first
function Compiler:register(name, fn, spawn_order) end

--- The bytes of one component, written value by value in the byte order of the target. Every method except `tostring`
-- returns the writer itself: `context.writer():u8(1):string("a"):tostring()`. A number that does not fit raises; the
-- error contains it. A NaN is written as the one quiet NaN.
---@class cuttle.Writer
local Writer = {}

--- Writes an integer from 0 to 255, 1 byte.
---@param v integer
---@return cuttle.Writer
function Writer:u8(v) end

--- Writes an integer from 0 to 65535, 2 bytes.
---@param v integer
---@return cuttle.Writer
function Writer:u16(v) end

--- Writes an integer from 0 to 2^32 - 1, 4 bytes.
---@param v integer
---@return cuttle.Writer
function Writer:u32(v) end

--- Writes an integer from -128 to 127, 1 byte.
---@param v integer
---@return cuttle.Writer
function Writer:i8(v) end

--- Writes an integer from -32768 to 32767, 2 bytes.
---@param v integer
---@return cuttle.Writer
function Writer:i16(v) end

--- Writes an integer from -2^31 to 2^31 - 1, 4 bytes.
---@param v integer
---@return cuttle.Writer
function Writer:i32(v) end

--- Writes any number, rounded to 4 bytes.
---@param v number
---@return cuttle.Writer
function Writer:f32(v) end

--- Writes any number, 8 bytes.
---@param v number
---@return cuttle.Writer
function Writer:f64(v) end

--- Writes a string: its length as `u32`, then its bytes, without padding and without a terminating zero byte.
---@param v string
---@return cuttle.Writer
function Writer:string(v) end

--- Returns all bytes written so far.
---@return string
function Writer:tostring() end

--- Reads bytes value by value; see `cuttle.reader`. Reading beyond the end raises
-- `reader: 4 bytes expected at byte 12, 2 left` (bytes count from 0) and does not change the position.
---@class cuttle.Reader
local Reader = {}

---@return integer
function Reader:u8() end

---@return integer
function Reader:u16() end

---@return integer
function Reader:u32() end

---@return integer
function Reader:i8() end

---@return integer
function Reader:i16() end

---@return integer
function Reader:i32() end

---@return number
function Reader:f32() end

---@return number
function Reader:f64() end

--- Reads a string in the format of `Writer:string`.
---@return string
function Reader:string() end

--- Returns the number of unread bytes.
---@return integer
function Reader:left() end

--- A checked, read-only compiled level. It can be spawned any number of times, in any world. If a script-defined
-- component has new fields since the level was compiled, they get their defaults. If a field was removed or has another
-- type, spawning returns `nil, message`: compile the level again.
---@class cuttle.Resource
local Resource = {}

--- Returns the number of entities.
---@return integer
function Resource:entity_count() end

--- Returns the names of the component types, in spawn order.
---@return string[]
function Resource:component_types() end

--- Returns the size of the blob in bytes.
---@return integer
function Resource:bytes() end

--- Describes the contents as text: a line for the resource, one for each component type in spawn order with count and
-- bytes, and the tree of entities with their components. The tree has at most `tree` lines, 100 by default, or all of
-- them with "all".
---@param options? {tree: integer|"all"}
---@return string
function Resource:describe(options) end

--- A set of components, and the living entities that have all of them: the matches, in row order of the first manager.
-- If the first manager is `multiple`, each of its rows is a match; of the other managers the first instance is used.
-- Methods that change anything determine all matches first. A query keeps its world. Its methods raise after one of its
-- components was defined again or the world was destroyed, and in the callbacks of a restore.
---@class cuttle.Query
local Query = {}

--- Loops over the matches, as `world:join` does. An entity that stopped matching is not returned. The same query may be
-- used inside its own loop. Starting a loop over a kept query allocates nothing.
---@return fun(): cuttle.entity, cuttle.instance, ...
function Query:each() end

--- Loops over the matches as bare rows for columns, as `world:rows` does.
---@return fun(): integer, ...
function Query:rows() end

--- Loops over the matches with one object for each manager that is not excluded, nil for an absent optional component.
-- Its members are the fields of the component; `item.entity` is the entity and `item.row` the row.
--
--     for body, life in query:items() do
--       body.vy = body.vy + gravity * dt
--       body.pos:set(x, y, z)
--       if life.hp <= 0 then entities:destroy(life.entity) end
--     end
--
-- Writes are checked as in setters. The same objects are used for every step. They raise after the end of their loop
-- (but not after `break`, `return` or an error, which leave them at the last entity), and after their row was removed
-- or moved or the entity died. LuaJIT compiles loops that access up to about forty fields.
---@return fun(): table, ...
function Query:items() end

--- Returns the number of matches.
---@return integer
function Query:count() end

--- Returns the entity of the first match, or nil.
---@return cuttle.entity|nil
function Query:first() end

--- Returns the matching entities, each once. They are in the order of the rows of the first component; of an entity
--- with several of these, its first instance counts.
---@param out? cuttle.list its contents are replaced
---@return cuttle.list
function Query:list(out) end

--- Returns the matching entities, each once, like `list`.
---@param out? table is filled from 1 on
---@return cuttle.entity[]
function Query:entities(out) end

--- Reads one field of all matches: a flat table in the order of the matches, with `false` for no entity and for an
-- absent optional component. Every type but `value`; of transforms also `world_position`, `world_rotation`,
-- `world_scale`, `world_angle` and `local_angle`.
---@param field string "component.field"
---@param out? table is filled from 1 on
---@return any[]
---@return integer matches
function Query:read(field, out) end

--- Writes one field of all matches: one value for all, or the forms of `write_many`. An absent optional component is
-- skipped. A write to a transform counts as a set of each, with one propagation at the end. If it raises, nothing was
-- written.
---@param field string "component.field"
---@param values any
---@return integer matches
function Query:write(field, values) end

--- Adds a component to each matching entity, from values as in `create_many`. All or nothing: it raises, naming the
-- entity, if one has the component already and the manager is not `multiple`.
---@param component string|cuttle.Manager
---@param values? table
---@return integer components
function Query:create(component, values) end

--- Removes all components of a manager, which need not be in the query, from each matching entity.
---@param component string|cuttle.Manager
---@return integer components
function Query:remove(component) end

--- Destroys every matching entity; callbacks and hooks run as in `entities:destroy(list)`.
---@return integer entities
function Query:destroy() end

--- Makes a query of the matches for which a condition is true at the time of use. A condition is an expression of the
-- formula language (see `World:formula`) of type boolean. All methods of a query work on the result, also `where`; a
-- loop tests each condition once, when it begins. Without parameters, the same text returns the same query, which the
-- first query keeps; with parameters, each call makes one, so make it once and change it with `set`.
--
--     world:query("health"):where("health.hp <= 0"):destroy()
---@param condition string
---@param parameters? table<string, cuttle.parameter>
---@return cuttle.Query
function Query:where(condition, parameters) end

--- Changes a parameter of the query's condition. The new value has the type of the old one.
---@param name string
---@param value cuttle.parameter
function Query:set(name, value) end

--- Returns the sum of an expression over all matches, in order, computed in doubles: a number for each lane. The
-- compiled expression is kept with the query. 0 without matches.
---@param expression string a number or vector
---@param parameters? table<string, cuttle.parameter>
---@return number ...
function Query:sum(expression, parameters) end

--- Returns the lowest value of an expression over all matches, for each lane; nil without matches.
---@param expression string a number or vector
---@param parameters? table<string, cuttle.parameter>
---@return number|nil ...
function Query:min(expression, parameters) end

--- Returns the highest value of an expression over all matches, for each lane; nil without matches.
---@param expression string a number or vector
---@param parameters? table<string, cuttle.parameter>
---@return number|nil ...
function Query:max(expression, parameters) end

--- Returns the entity with the lowest value, and the value: the earlier entity if two are equal, nil without matches.
-- NaN is never the lowest.
---@param expression string a number
---@param parameters? table<string, cuttle.parameter>
---@return cuttle.entity|nil
---@return number|nil
function Query:lowest(expression, parameters) end

--- Returns the entity with the highest value, and the value: the earlier entity if two are equal, nil without matches.
-- NaN is never the highest.
---@param expression string a number
---@param parameters? table<string, cuttle.parameter>
---@return cuttle.entity|nil
---@return number|nil
function Query:highest(expression, parameters) end

--- Returns the matching entities in ascending order of an expression, for drawing by layer or y. Equal values are in
-- the order of the query; NaN comes last.
---@param expression string a number
---@param out? cuttle.list its contents are replaced
---@return cuttle.list
function Query:sorted(expression, out) end

--- Makes a formula over the matches of this query: see `World:formula`. The text names components of the query, except
-- in `at`; an optional one has the defaults of its fields where it is absent.
---@param text string
---@param parameters? table<string, cuttle.parameter>
---@return cuttle.Formula
function Query:formula(text, parameters) end

---@alias cuttle.parameter number|boolean|cuttle.entity|number[]

--- A system in one call: see `World:formula`. `formula()` runs it for all matches and returns their number;
-- `formula(list)` runs it for the entities of a list that match. Its parameters are its fields: `formula.dt = dt`; a
-- name that is not a parameter, or a value of another type, raises. A value that does not fit an integer field raises
-- and names statement, entity, field and value; then nothing was written. Raises after one of its components was
-- defined again or the world was destroyed, and in the callbacks of a restore.
---@class cuttle.Formula
---@overload fun(list?: cuttle.entities): integer
local Formula = {}

--- Returns what the formula does: `reads` and `writes` (sorted lists of "component.field"), and the numbers of
-- `operations` and of `temporaries` that it computes with.
---@return {reads: string[], writes: string[], operations: integer, temporaries: integer}
function Formula:describe() end

--- Makes an index of the matches by world position. The query must contain `transform` without `!`; a match without an
--- optional transform is in no answer. The index is empty until the first `update`.
---
--- - `cell`: about the usual reach of a question, from 1e-30 to 1e30. It has no effect on answers.
--- - `radius`: makes circles, in three dimensions spheres, instead of points: one number, or a numeric field
---   ("body.radius") of a component that the query names without `!`. An absent `?` component and a negative radius
---   count as 0. The scale of a transform does not change a radius.
--- - `mask`: an integer field; a question with a mask returns only entities with `bit.band(field, mask) ~= 0`.
--- - `dimensions`: 2 (default) ignores z, in positions and arguments; 3 adds z to all points.
---@param options {cell: number, radius?: number|string, mask?: string, dimensions?: integer}
---@return cuttle.Space
function Query:space(options) end

--- An index of the entities of a query by world position. Answers are as of the last `update`, without entities that
--- died since, and in the order of the query, so equal worlds give equal answers on every host. Two circles touch if
--- `d*d <= (r1 + r2 + reach)^2`, computed in doubles. Entities with a position that is not finite are in no answer. A
--- question visits the cells that it touches, or all entries if these are fewer. A space keeps its query and world,
--- and `world:memory` counts it. Not in snapshots: after a restore it is empty until `update`, which may be called in
--- `on_restore`. Its methods raise after one of the components was defined again or the world was destroyed, and in
--- the callbacks of a restore. Boxes and other shapes belong to a physics engine.
---@class cuttle.Space
local Space = {}

--- Brings the index up to date with entities that moved, were added or were removed, and with fields. Reads the world
--- poses that the getters of transforms return. If few entities changed, the cost is that of these and of a comparison
--- of the entities, otherwise of building the index again.
---@return integer entries
function Space:update() end

--- Returns the entities whose circle touches the circle around a point.
---@param x number
---@param y number
---@param z? number only with three dimensions
---@param reach number from 0 on
---@param out? cuttle.list its contents are replaced
---@param mask? integer
---@return cuttle.list
function Space:within(x, y, z, reach, out, mask) end

--- Returns the entities whose circle touches a box between two corners, which may be infinite.
---@param x1 number
---@param y1 number
---@param z1? number only with three dimensions
---@param x2 number
---@param y2 number
---@param z2? number only with three dimensions
---@param out? cuttle.list its contents are replaced
---@param mask? integer
---@return cuttle.list
function Space:box(x1, y1, z1, x2, y2, z2, out, mask) end

--- Returns the entity with the nearest centre, and the distance; of equally near ones the first in the order of the
--- query. nil if there is none.
---@param x number
---@param y number
---@param z? number only with three dimensions
---@param max? number the largest distance
---@param except? cuttle.entity an entity that is not returned
---@param mask? integer
---@return cuttle.entity|nil
---@return number distance
function Space:nearest(x, y, z, max, except, mask) end

--- Returns the entities with the nearest centres, and a table of their distances, nearest first.
---@param n integer how many at most
---@param x number
---@param y number
---@param z? number only with three dimensions
---@param max? number the largest distance
---@param except? cuttle.entity an entity that is not returned
---@param mask? integer
---@return cuttle.list
---@return number[] distances
function Space:nearest_many(n, x, y, z, max, except, mask) end

--- Returns the first entity whose circle is touched by a segment, or by a circle that moves along it if `radius` is
--- given; of several at the same fraction the first in the order of the query. The other results are the fraction of
--- the segment from 0 to 1, the point of the segment at this fraction, and the normal, the direction from the centre of
--- the entity to this point. A segment that starts inside a circle gives 0. nil if nothing is touched.
---@param x1 number
---@param y1 number
---@param z1? number only with three dimensions
---@param x2 number
---@param y2 number
---@param z2? number only with three dimensions
---@param radius? number 0 by default
---@param except? cuttle.entity an entity that is not touched
---@param mask? integer
---@return cuttle.entity|nil
---@return number fraction
---@return number ... hit x, y, (z), normal x, y, (z)
function Space:ray(x1, y1, z1, x2, y2, z2, radius, except, mask) end

--- Returns all pairs of entities whose circles touch, or are at most `reach` apart: a list of two entities for each
--- pair, and the number of pairs. Of each pair, the first in the order of the query comes first; pairs are sorted by
--- their first, then by their second entity. With `other`, another space of the same world, the first entity of each
--- pair is of this space and the second of the other; an entity makes no pair with itself. Raises for more than
--- 33,554,432 pairs.
---@param reach? number 0 by default
---@param out? cuttle.list its contents are replaced
---@param other? cuttle.Space
---@return cuttle.list
---@return integer pairs
function Space:pairs(reach, out, other) end

--- Returns the number of entries of the last `update`; 0 after a restore.
---@return integer
function Space:count() end

--- Returns the bytes held by the index and the scratch memory of its answers.
---@return integer
function Space:memory() end

--- Prepared component values, from which entities are created. Keeps its world alive.
---@class cuttle.Template
local Template = {}

--- Creates an entity, or `n`, as `world:create` does. All or nothing. Raises if one of the components was defined
-- again, if an entity in the values has died, and if the world is destroyed.
---@param n integer
---@param out? cuttle.entity[]
---@return cuttle.entity[]
---@overload fun(self: cuttle.Template): cuttle.entity
---@overload fun(self: cuttle.Template, n: integer, list: cuttle.list): cuttle.list its contents are replaced
function Template:create(n, out) end

--- Creates one entity with the template's values except those given, by component and field:
-- `bullet:create_with { body = { vx = 3 } }`. In a transform `rotation`, `angle` and `matrix` replace each other. A
-- component that the template does not have is added. In a `multiple` component, an item replaces the template's item
-- with the same `id` completely; other items are appended. Raises as `create` and `world:create` do, with nothing
-- created.
---@param values table<string, table>
---@return cuttle.entity
function Template:create_with(values) end

--- A command buffer: changes of a world that wait for `flush`. Arguments are checked when they are given. Tables are
-- read at the flush. Keeps its world alive. Its commands are not in snapshots.
---@class cuttle.Buffer
local Buffer = {}

--- Creates an entity at the next flush, as `world:create` does.
---@param components table<string, table>
function Buffer:create(components) end

--- Destroys an entity at the next flush.
---@param e cuttle.entity
function Buffer:destroy(e) end

--- Adds a component at the next flush, as `manager:create` does.
---@param e cuttle.entity
---@param component string|cuttle.Manager
---@param values? table
function Buffer:add(e, component, values) end

--- Removes all components of a manager from an entity at the next flush.
---@param e cuttle.entity
---@param component string|cuttle.Manager
function Buffer:remove(e, component) end

--- Calls a function at the next flush.
---@param fn function
---@param ... any its arguments
function Buffer:call(fn, ...) end

--- Runs the commands in order and returns how many. A command for an entity that has died is skipped and not counted.
-- Commands that are added during the flush wait for the next one. An error stops the flush: the command that raised it
-- is removed, those after it stay in the buffer.
---@return integer commands
function Buffer:flush() end

--- Returns the number of commands.
---@return integer
function Buffer:count() end

--- Removes all commands.
function Buffer:clear() end

-- ------------------------------------------------------------------------------------------------------------------

--- The entities of a spawn, in the resource's order. Dead ones are included until the level is unloaded.
---@class cuttle.Level
local Level = {}

--- Returns the number of spawned entities, including those that have died since; 0 after `unload`.
---@return integer
function Level:count() end

--- Returns the option `name` of the spawn, or else the name of the level's resource, which may be "". After a save was
-- loaded, the names tell its levels in `world:levels()` apart.
---@return string
function Level:name() end

--- Returns the i-th entity.
---@param i integer
---@return cuttle.entity
function Level:entity(i) end

--- Returns the range of the entities of a copy: the first index and the count. Nil if there is no such copy, or if the
-- level is unloaded. A level of `world:spawn` is one copy.
---@param k integer from 1
---@return integer|nil first for `entity`
---@return integer? count
function Level:copy_range(k) end

--- Returns all entities in a new table.
---@return cuttle.entity[]
function Level:entities() end

--- Returns all entities in a new list.
---@return cuttle.list
function Level:list() end

--- Returns the entities without a parent in the level.
---@return cuttle.entity[]
function Level:roots() end

--- Returns the living entity with a path of names in the resource: `tower/turret`. A name without `/` is the first
-- entity of that name.
---@param path string
---@return cuttle.entity|nil
function Level:find(path) end

--- Returns the number of skipped components of each type that the world did not have.
---@return table<string, integer>
function Level:skipped() end

--- Destroys the living entities of the level, in bulk. A second call does nothing, and neither does a call in a hook
--- while the level is spawned, patched or unloaded; these return 0.
---@return integer died the number of destroyed entities
function Level:unload() end

--- Removes a living entity from the level, together with the entities of the level that are below it, in the resource
-- or as children of its transform: the player who goes to the next room. `unload`, `restart` and `patch` do not change
-- them, `find` does not find them, and a save has them outside of the level. A restart spawns new ones. `entity`,
-- `entities` and `list` still return them at their places. Raises for an entity that is not of this level, and while
-- the level is spawned, patched or unloaded. Takes a time in proportion to the level.
---@param e cuttle.entity
---@return cuttle.Level
function Level:release(e) end

--- Returns the state of the level: what differs between its entities now and what its resource would spawn with the
-- options of the level. These are changed fields, removed and added components, other parents, and dead entities.
-- `world:spawn(resource, { state = state })` spawns the level in this state, for levels that come back:
--
--     local states = {}
--     states.cellar = level:save()
--     level:unload()
--     level = world:spawn(cellar, { state = states.cellar }) -- an opened chest is still open
--
-- The values are set before hooks and callbacks run; no hook or callback runs for an entity that was dead. An entity
-- that a script created is not part of a level, and one that has left the level (`release`) counts as dead. A field
-- that holds an entity outside of the level gets the same id again, or nil if that entity is not alive then. Components
-- that a registered spawner adds again get the saved values, of several without string ids in their order; removed ones
-- come back. Bodies, poses of nodes of models and the order of siblings are not in the state. An unchanged level has a
-- state of 40 bytes.
--
-- Returns `nil` and a message if the level is unloaded, or comes from a save without its resource. Raises if a `value`
-- field holds something that cannot be saved. Costs about two spawns of the level; nothing changes.
---@return string|nil state
---@return string? message
function Level:save() end

--- Returns what the last spawn could not apply of the option `state`, because the resource has another version now or
-- components were defined differently: a list of texts such as `hut/chest: health.hp: was int32, is float`. The list is
-- empty if everything was applied, and after `unload`.
---@return string[]
function Level:left() end

--- Spawns the level again from the same resource and options, then unloads the old entities. While the new entities are
-- spawned, both exist, and the level holds the new ones. If anything fails (the parent is dead, there is no room for
-- both, a callback raises), the new entities are destroyed and the old ones stay. An error of a callback that runs for
-- an old entity is raised at the end.
---@return cuttle.Level|nil level
---@return string? message
function Level:restart() end

--- Updates the living level to a newer version of its resource: changes of the designer are applied, changes by scripts
-- since the spawn stay, ids stay. Entities are matched by their source `id` (inside a prefab: within that prefab's
-- instance), wherever they are in the hierarchy now; those without an id by name and order among entities of the same
-- name under the same parent. Each copy of `spawn_many` is matched separately.
--
-- The old and the new value are those that a spawn with this level's options would write from each resource. A field
-- (including the node to which a transform is attached) is written if the two differ and the entity still has the old
-- value. Components and entities that the new version adds are created, those that it lacks are removed. Entities and
-- components that a script destroyed or removed stay removed, including new entities below them; those that a script
-- added stay. Items of a `multiple` component are matched by id, those without an id by order. Actors keep their
-- bodies.
--
-- All or nothing: hooks run for new components first, and an error undoes everything. Meanwhile the level can neither
-- be unloaded nor restarted. Errors of callbacks for removed parts are raised at the end.
--
--     local resource, message = cuttle.load "street.level"
--     local patched = resource and level:patch(resource)
--     if patched then print(patched.added, patched.removed, patched.changed, patched.moved) end
---@param resource cuttle.Resource
---@return cuttle.Patched|nil patched
---@return string? message the level is unchanged then
function Level:patch(resource) end

---@class cuttle.Patched
---@field added integer the number of spawned entities
---@field removed integer the number of destroyed entities
---@field changed integer the number of entities changed in place: fields written, components added or removed
---@field moved integer the number of entities whose transform has another parent
---@field left string[] "street/lamp: engine" for each entity whose data for a spawner differs: only a spawn applies it

-- ------------------------------------------------------------------------------------------------------------------

---@class cuttle.import_gltf_options
---@field fields? string keeps extras of nodes without a mapping in the field `value` of a component of that name
---@field components? table<string, fun(fields: table, node: table, context: table): table?, string?> mappings
---@field mesh? fun(mesh: table, node: table, context: table): table?, string? components of a node with a mesh
---@field meshes? boolean each node with a mesh gets a mesh component with the mesh's name as resource
---@field camera? fun(camera: table, node: table, context: table): table?, string? components of a node with a camera
---@field light? fun(light: table, node: table, context: table): table?, string? components of a node with a light
---@field skin? fun(skin: table, node: table, context: table): table?, string? components of a node with a skin
---@field scene? integer|string index from 0, or name; default: the default scene, else the first one, else all roots
---@field extensions? string[] extensions that the game supports or does not need
---@field directory? string the folder of buffers; default: that of the path; a text needs it, or `read`
---@field name? string the name of the document in messages
---@field read? fun(path: string): string?, string? replaces io.open
---@field limit? number the largest accepted size of a file in bytes; default 2^28
---@field root? string a folder that must contain all files which the document names, with links resolved; default:
---`directory` or the folder of the path. With `read` only paths are compared
---@field max_elements? number the largest number of elements of the document with all files that it names; default 1e6
---@field max_cells? number the largest number of cells of its layers; default 1e7
---@field json? fun(text: string): table a JSON decoder

---@class cuttle.import_ldtk_options
---@field fields? string keeps custom fields without a mapping in the field `value` of a component of that name
---@field depth? boolean|number the z of a level is its depth; or its depth multiplied by this number
---@field components? table<string, function> identifier, or "*": function(fields, entity, context) -> components
---@field tiles? boolean|"grid" each tile becomes an entity; `"grid"`: tile layers and int grids become grid components
---@field tile? function function(tile, layer) -> components, or false to leave it out
---@field int_grid? boolean|function each cell that is not 0; or function(value, cell) -> components, or false
---@field layer? function function(layer) -> components
---@field level? function function(fields, level) -> components
---@field levels? string[]|function identifiers or iids, or function(level) -> boolean; only these levels are decoded
---@field worlds? string[]|function the same for the worlds of a project
---@field split? boolean makes a level source of each level: the first result is a table of them by name
---@field directory? string the folder of separate level files; default: that of the path; a text needs it, or `read`
---@field name? string the name of the document in messages
---@field read? function function(path) -> text, or nil and a message: replaces io.open
---@field limit? number the largest accepted size of a file in bytes; default 2^28
---@field root? string a folder that must contain all files which the document names, with links resolved; default:
---`directory` or the folder of the path. With `read` only paths are compared
---@field max_elements? number the largest number of elements of the document with all files that it names; default 1e6
---@field max_cells? number the largest number of cells of its layers; default 1e7
---@field json? function function(text) -> value: the decoder, as for `cuttle.compiler`

---@class cuttle.import_tiled_options
---@field fields? string keeps properties without a mapping in the field `value` of a component of that name
---@field components? table<string, function> by class: fun(fields, object, context) -> components or nil, name; `*`
---@field tiles? boolean|"grid" each tile becomes an entity; `"grid"`: each tile layer becomes a grid component
---@field draw_order? boolean objects of layers with the draw order "topdown" are sorted by y
---@field tile? fun(tile: table, layer: table): table|false|nil, string? components of a tile, false leaves it out
---@field layer? fun(layer: table): table|nil, string? components of a layer
---@field map? fun(fields: table, map: table): table|nil, string? makes an entity for the map, above its layers
---@field layers? string[]|fun(layer: table): boolean the layers to import; default: all
---@field levels? string[]|fun(map: table): boolean maps of a world, by name without ending or as listed; default: all
---@field split? boolean makes a level source of each map of a world: the first result is a table of them by name
---@field project? string text or path of the `.tiled-project`: defaults of classes, flags of enumerations
---@field inflate? fun(bytes: string, kind: string, size: integer): string decompresses zlib, gzip or zstd layers
---@field directory? string the folder of tilesets and templates; default: that of the path; a text needs it, or `read`
---@field name? string the name of the document in messages
---@field read? fun(path: string): string?, string? replaces `io.open`
---@field limit? number the largest accepted size of a file in bytes; default 2^28
---@field root? string a folder that must contain all files which the document names, with links resolved; default:
---`directory` or the folder of the path. With `read` only paths are compared
---@field max_elements? number the largest number of elements of the document with all files that it names; default 1e6
---@field max_cells? number the largest number of cells of its layers; default 1e7
---@field json? fun(text: string): table the decoder, as for `cuttle.compiler`

--- Converts levels made in editors to level source: a Lua table for `compiler:compile`. The second result is a list of
-- warnings about parts that were left out, such as tiles and custom fields without a mapping. With `tiles = "grid"`,
-- the third result describes the tiles of grids:
--
--     local level, warnings, tile_resources = assert(cuttle.import.tiled("cave.tmx", { tiles = "grid" }))
--     for name, tiles in pairs(tile_resources) do world.grid:define_resource(name, tiles) end
--
-- For projects of several levels (LDtk, worlds of Tiled), the fourth result is an index of all their levels, also of
-- those that the option `levels` leaves out.
---@class cuttle.import
local import = {}

--- Imports an LDtk project (1.x). Levels and layers become entities, their contents become children; ids are the
-- editor's. Separate level files are read from the folder of the project. The page "Mappings" describes the
-- arguments and results of mappings.
---@param text_or_path string JSON, or a path
---@param options? cuttle.import_ldtk_options
---@return table? source for `compiler:compile`; with `split`, one for each level by name
---@return string[]|string warnings parts that were left out; or the error message, with file and place
---@return table<string, table>? tile_resources tile descriptions of grids, by name of a tileset or of an int grid layer
---@return table[]? index all levels of the project: `{name=, x=, y=, w=, h=, depth=, neighbours= (names), world=}`
function import.ldtk(text_or_path, options) end

--- Imports a scene of a glTF 2.0 file (`.gltf`, `.glb`): each node becomes an entity with its pose, its name, and its
-- index, from 0, as id. The mapping of a node is found by the string in the node's extras `class`, else `type`, else by
-- the node's name with or without a suffix `.001`, else under `"*"`. It receives the extras, the node and a context,
-- and returns components, which are added to the entity, and a name. World matrices equal those of the file.
-- The page "Mappings" describes the arguments and results of mappings.
---@param text_or_path string JSON text, the bytes of a `.glb`, or a path
---@param options? cuttle.import_gltf_options
---@return table|nil source
---@return string[]|string warnings parts that were left out; or the error message, with file and place
---@return table? tile_resources empty, because there are no grids
function import.gltf(text_or_path, options) end

--- Imports a Tiled map (`.tmx` through lua-expat, `.tmj`, a Lua export, which is not executed) or world (`.world`):
-- layers, groups, objects, templates, and tiles if the option is set. Supports orthogonal, isometric, oblique,
-- staggered and hexagonal maps, infinite maps, and flipped and rotated tiles and objects. Layers compressed with zstd
-- need lua-zstd, or the option `inflate`. The page "Mappings" describes the arguments and results of mappings.
---@param text_or_path string a document (it begins with `{`, `[`, `<` or `return`) or its path
---@param options? cuttle.import_tiled_options
---@return table|nil source level source; with `split`, one for each map of a world by name
---@return string[]|string warnings parts that were left out; or the error message, with file and place
---@return table<string, table>? tile_resources tile descriptions of grids, by name of the map
---@return table[]? index all maps of a world: `{name=, x=, y=, w=, h=, depth=, neighbours= (names)}`; nil for one map
function import.tiled(text_or_path, options) end
