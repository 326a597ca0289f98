---@meta cuttle
-- luacheck: no unused, no unused args
-- Longer than other files: this is the whole reference of what a script can call, for editors (Lua language server)
-- and for docs/reference, which `make reference` writes. Nothing here runs, and nothing here knows how anything is
-- done. A spec holds it against the real tables.

--- What `require "cuttle"` returns.
--
-- A script's mistake raises an error that names argument and value. Bad data from outside (a file, JSON, a blob)
-- gives `nil, message` with the place. Neither leaves anything half done.
---@class cuttle
---@field ENTITY_INDEX_BITS integer 22
---@field ENTITY_GENERATION_BITS integer 8
---@field ENTITY_TAG integer 1: the two low bits of an entity's light userdata
---@field MAX_ENTITIES integer 2^22: entities alive at once in one EntityManager
---@field NOBODY integer 0xFFFFFFFF: what entity columns hold for nobody
---@field VERSION string
---@field null userdata null in level source that is written as Lua tables: takes away what a prefab has
---@field import cuttle.import
local cuttle = {}

---@class cuttle.entity_manager_options
---@field minimum_free_indices? integer how many dead indices wait before the oldest is used again; default 1024
---@field trace? boolean note names of entities and where they are destroyed, for messages about the dead: some 24 bytes
-- a death, never given back

--- Makes an EntityManager: it knows who is alive. Worlds are made over one; several may share it.
---@param options? cuttle.entity_manager_options
---@return cuttle.EntityManager
function cuttle.entity_manager(options) end

---@class cuttle.world_options
---@field name? string unique per EntityManager, 1 to 63 characters; default world1, world2, ...
---@field seed? integer of the random probes of gc, so that a run can be replayed; default 1

--- Makes a world: one manager of every component type, over an EntityManager.
---@param entities cuttle.EntityManager
---@param options? cuttle.world_options
---@return cuttle.World
function cuttle.world(entities, options) end

--- A packed array of entities in C: one call hands thousands across. Takes the entities of a table or of another list.
---@param items? cuttle.entities
---@return cuttle.list
function cuttle.list(items) end

--- A recorder of an EntityManager with all its worlds: a snapshot every `every` frames, 1 if nothing is said, `keep` of
-- them, 600 if nothing is said, before the oldest makes room. It takes `keep` times what a snapshot does.
---@param entities cuttle.EntityManager
---@param options? { every?: integer, keep?: integer } each 1 to 2^20
---@return cuttle.Recorder
function cuttle.recorder(entities, options) end

--- The 30-bit id of an entity: index + 2^22 x generation.
---@param e cuttle.entity
---@return integer
function cuttle.entity_id(e) end

--- The entity of an id. Raises for numbers that are not whole or outside 0 .. 2^30 - 1.
---@param id integer
---@return cuttle.entity
function cuttle.entity_from_id(id) end

--- The index of an entity, 0 to 2^22 - 1.
---@param e cuttle.entity
---@return integer
function cuttle.entity_index(e) end

--- The generation of an entity, 0 to 255.
---@param e cuttle.entity
---@return integer
function cuttle.entity_generation(e) end

--- Whether a value is an entity, dead or alive: a light userdata with tag 1 and nothing above 32 bits.
---@param v any
---@return boolean
function cuttle.is_entity(v) end

--- The two tag bits of a light userdata, nil for other values. 0 is a raw pointer, 1 an entity, 2 and 3 are the host's.
---@param v any
---@return integer|nil
function cuttle.tag(v) end

--- `entity(INDEX:GENERATION)`.
---@param e cuttle.entity
---@return string
function cuttle.entity_tostring(e) end

--- From now on `tostring(e)` says `entity(INDEX:GENERATION)`. All light userdata of a Lua state share one metatable,
-- so this is opt-in; a `__tostring` that is there already is kept for those that are no entities.
function cuttle.pretty_entities() end

---@class cuttle.compiler_options
---@field json? fun(text: string): table a JSON decoder; else lua-cjson, dkjson or json, whichever is found first

--- Makes an EntityCompiler: it turns level source into a blob. It knows the components that the world knows when
-- `compile` is called. (Bitsquid, part 4.)
---@param world cuttle.World
---@param options? cuttle.compiler_options
---@return cuttle.Compiler
function cuttle.compiler(world, options) end

---@class cuttle.schema_options
---@field compiler? cuttle.Compiler the names registered with it are allowed too, and may hold anything
---@field title? string default "cuttle level"

--- A JSON Schema (draft 7) of level source for the components that the world knows now: editors complete and check
-- level files by it. The same components give the same text. In VS Code:
--
--     "json.schemas": [ { "fileMatch": ["levels/*.json"], "url": "./level.schema.json" } ]
---@param world cuttle.World
---@param options? cuttle.schema_options
---@return string text
function cuttle.schema(world, options) end

--- A compiled level from a string. Everything in it is checked before a byte is believed.
---@param blob string
---@return cuttle.Resource|nil resource
---@return string? message what is wrong with it
function cuttle.resource(blob) end

--- A save that `snapshot:tostring` made, on any host. Nothing in it is believed: what the checksum lets pass is checked
-- when it is restored.
---@param text string
---@return cuttle.Snapshot|nil snapshot
---@return string? message what is wrong with it
function cuttle.snapshot(text) end

--- Writes a page that shows all worlds as they are now: the tree by names, components, counts, memory, levels and
-- timings, for a bug report or for machines without sockets. It is one file, which opens from the disk in any browser.
-- It is written whole, or not at all. A few microseconds an entity, some hundred bytes an entity.
---@param entities cuttle.EntityManager
---@param path string
---@return true|nil ok
---@return string? message begins with the path
function cuttle.report(entities, path) end

--- A compiled level from a file, checked like a string.
---@param path string
---@param options? { read?: fun(path: string): string?, string?, limit?: number } `read` opens the file in place of
---io.open, `limit` is how many bytes it may have: 2^30 unless told. A device or a pipe is refused
---@return cuttle.Resource|nil resource
---@return string? message begins with the path
function cuttle.load(path, options) end

--- Reads the bytes that a registered compiler wrote, in the host's byte order: for spawners, on every Lua alike.
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
-- Equal ids are equal values: `==` works, an entity is a table key and costs no garbage. It is a weak reference:
-- `entities:alive(e)` says whether it still means somebody. (Bitsquid: Building a Data-Oriented Entity System, part 1.)
---@class cuttle.entity

--- A row of one manager at one moment: row + 2^22 x epoch. A stored one is refused as stale once rows have moved.
---@class cuttle.instance : integer

---@alias cuttle.target cuttle.entity | cuttle.instance
---@alias cuttle.entities cuttle.entity[] | cuttle.list

-- ------------------------------------------------------------------------------------------------------------------

--- Knows who is alive. (Bitsquid, part 1.)
---@class cuttle.EntityManager
local EntityManager = {}

--- Creates an entity, or `n` of them into a table. An index is used again, oldest first, only while more than the
-- minimum of free indices wait; all or nothing. Raises `entity manager is full (4194304 alive)`.
---@param n integer
---@param out? table filled from 1 on; later entries are left alone
---@return cuttle.entity[]
---@overload fun(self: cuttle.EntityManager): cuttle.entity
function EntityManager:create(n, out) end

--- Creates `n` entities into a new list; the fastest way.
---@param n integer
---@return cuttle.list
function EntityManager:create_list(n) end

--- Destroys an entity, or those of a list that are alive, one after another. Destroy callbacks run inside; their first
-- error is raised when all have run. No component row moves: `gc` collects them.
---@param e cuttle.entity
---@return boolean died false if it was dead already, which is no mistake
---@overload fun(self: cuttle.EntityManager, list: cuttle.entities): integer how many died
function EntityManager:destroy(e) end

--- Whether an entity is alive. False for any id that was never handed out.
---@param e cuttle.entity
---@return boolean
function EntityManager:alive(e) end

--- The same for a number, as entity columns hold them; compiled by LuaJIT. False for NOBODY.
---@param id integer 0 to 2^32 - 1
---@return boolean
function EntityManager:alive_id(id) end

--- How many are alive.
---@return integer
function EntityManager:count() end

--- Loops over those who are alive now, by index. Entities may be created and destroyed inside: who is new is not
-- visited, who died is not, either.
---@return fun(): cuttle.entity
function EntityManager:each() end

--- `fn(e)` runs inside every destroy. `alive(e)` is false by then, but every manager still answers for e until the
-- callbacks have returned; setters and create raise. Callbacks run in order of registration.
---@param fn fun(e: cuttle.entity)
---@return integer token
function EntityManager:on_destroy(fn) end

--- Takes a callback off.
---@param token integer
---@return boolean known whether it was registered
function EntityManager:off_destroy(token) end

--- The manager and all its worlds as they are now, in one block of memory: ids, queue and log of the dead, rows,
-- strings, counters, random states, poses, dirty marks and mode of transforms, levels, and the values of `value`
-- fields, which it keeps alive: which table a field holds comes back, not what the table held. Not in it: callbacks,
-- attached tables, the inside of bodies. Takes about as long as copying the bytes. Raises inside a callback, batch,
-- spawn or restore, and by name for a plugin's component that cannot be saved.
---@param old? cuttle.Snapshot is overwritten and returned: its memory is used again. As it was if memory runs out
---@return cuttle.Snapshot
function EntityManager:snapshot(old) end

--- Puts all that back, any number of times, also from a snapshot of another manager with the same worlds and
-- components; raises, and changes nothing, for other ones. Instances are stale afterwards, loops that run stop. An id
-- created since may be issued again: drop references from the abandoned time. Levels spawned since are empty. Bodies of
-- actors are compared by value: `on_destroy` of actors is told of those that went, `on_spawn` makes those that are
-- missing, each in the order of rows; all may be read then, but whatever would change the manager or its worlds raises
-- `the EntityManager is being restored` (but for column views, where nobody asks). Attached entries of entities that
-- are not alive go. Hooks are not run, `on_restore` is, at last.
--
-- A save (`cuttle.snapshot`) is matched by the names of worlds, components and fields, and by types. A field that it
-- lacks gets its default, a field or component that is not defined any more is dropped: the second result lists those,
-- one text each. A field of another type, a label of an enum, a mesh or model resource that is not defined, a model
-- with other nodes, a world that only one side has, bytes that are not sound: nil and a message, and nothing has
-- changed. World matrices are worked out anew, as by `evaluate` and `propagate`; `on_spawn` runs for every actor.
---@param snapshot cuttle.Snapshot
---@return true|nil restored
---@return string[]|string? notes of a save: what did not fit, or the message
function EntityManager:restore(snapshot) end

--- 16 hexadecimal digits, equal on every host and interpreter for equal states: over living ids, generations, the
-- order of the queue, counters of component ids, and the fields of each living component by owner and order of
-- creation, strings by content; local poses, links and children in order, poses of models. Not over rows, dead rows,
-- world matrices, dirty marks, `value` fields and bodies: gc and sort do not change it. O(rows); for lockstep,
-- replays, desync.
---@return string
function EntityManager:hash() end

--- `fn()` runs after every restore: where an index of your own is built anew. It may change all there is, but take no
-- snapshot and restore none. The first error is raised when all have run.
---@param fn fun()
---@return integer token
function EntityManager:on_restore(fn) end

--- Takes such a callback off.
---@param token integer
---@return boolean known whether it was registered
function EntityManager:off_restore(token) end

--- Checks every invariant, in O(indices): for tests and bug reports.
---@return true|nil ok
---@return string? message
function EntityManager:validate() end

--- Bytes held.
---@return integer
function EntityManager:memory() end

-- ------------------------------------------------------------------------------------------------------------------

--- An EntityManager and its worlds as they were: made by `entities:snapshot`, or of a save by `cuttle.snapshot`.
---@class cuttle.Snapshot
local Snapshot = {}

--- A save: all that is alive as a string that outlives the program, the same on every host for the same state. Not in
-- it: Levels, bodies, attached tables, rows of the dead, world matrices. Values of `value` fields have to be nil,
-- booleans, numbers, strings, or plain trees of tables of these. Raises by name for another value, for a plugin's
-- component that cannot be written, if a world has got other components or fields since, and from 4 GB on, under LuaJIT
-- from 2 GB on. O(bytes); takes as much memory again as the worlds hold, for the length of the call.
---@return string
function Snapshot:tostring() end

--- Bytes held, without what `value` fields refer to.
---@return integer
function Snapshot:bytes() end

-- ------------------------------------------------------------------------------------------------------------------

--- A ring of snapshots, one call a frame: made by `cuttle.recorder`.
---@class cuttle.Recorder
local Recorder = {}

--- Counts a frame, which is over, and takes a snapshot if one is due: of the first frame, and then of every `every`th.
-- At the limit in the memory of the oldest. Raises what `entities:snapshot` raises; all is as it was then, and the
-- frame is not counted.
function Recorder:frame() end

--- Puts back what was when the frame was recorded that lies `frames` behind the last one; 0 is the last one itself.
-- Where that frame has no snapshot, the nearest before it; where there is none so old, the oldest. Later frames are
-- dropped; recording goes on from there. Raises what `entities:restore` raises, and keeps all frames; has gone back
-- where only a callback raised.
---@param frames integer 0 or more
---@return integer frames gone back; 0, and nothing happens, if nothing is recorded
function Recorder:rewind(frames) end

--- How many snapshots there are to go back to: `keep` at most.
---@return integer
function Recorder:count() end

--- Bytes held by all snapshots, also by those that were dropped, whose memory is used again.
---@return integer
function Recorder:bytes() end

-- ------------------------------------------------------------------------------------------------------------------

--- What `require "cuttle.inspector"` returns: a page in the browser that shows what lives, and changes it. See
-- docs/inspector.md.
---@class cuttle.inspector
local inspector = {}

---@class cuttle.inspector_options
---@field port? integer 0 to 65535; 8070 unless told, 0 for any that is free
---@field recorder? cuttle.Recorder whose frames the page can look at
---@field reload? fun(level: cuttle.Level): cuttle.Resource|nil, string? what a level's file says now; unless told, the
-- path is loaded that its resource was loaded from

--- Begins to listen, on 127.0.0.1 alone. Whoever has the address that `url` gives may look and change; requests without
-- its token, of another origin or to another host get the answer 403 and nothing else.
---@param entities cuttle.EntityManager all its worlds are shown
---@param options? cuttle.inspector_options
---@return cuttle.Inspector|nil inspector
---@return string? message there is no luasocket, or the port is taken
function inspector.listen(entities, options) end

--- An inspector that listens.
---@class cuttle.Inspector
local Inspector = {}

--- Serves what the browser has asked, for about so long, and what is not ready in the next call: once a frame, outside
-- of callbacks, batches and loops. Raises nothing because of what a browser sends. One that has nothing to do takes
-- some microseconds. Longer than told takes a look back (a restore into hidden worlds), and a look at what a patch
-- would change (a spawn and a patch).
---@param seconds? number 0.001 unless told
function Inspector:poll(seconds) end

--- The address for a browser on this machine, with a new random token in it: `http://127.0.0.1:8070/?token=...`. The
-- token is of /dev/urandom; where there is none (Windows) it is made of clocks and addresses of memory, and a program
-- of the same machine might guess it.
---@return string
function Inspector:url() end

--- Ends it, and frees the port. Safe twice.
function Inspector:close() end

-- ------------------------------------------------------------------------------------------------------------------

--- A packed array of entities. Places count from 1.
---@class cuttle.list
local list = {}

--- How many entities are in it.
---@return integer
function list:count() end

--- The entity at a place.
---@param i integer
---@return cuttle.entity
function list:get(i) end

--- Replaces the entity at a place.
---@param i integer
---@param e cuttle.entity
function list:set(i, e) end

--- Appends an entity.
---@param e cuttle.entity
function list:add(e) end

--- Forgets all, keeps the memory.
function list:clear() end

--- Loops over the entities.
---@return fun(): cuttle.entity
function list:each() end

--- A Lua table of them.
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
---@field multiple? boolean an entity may have several, told apart by ids; default false
---@field lookup? "hash"|"array" entity to row: small, or direct for what almost all have; default "hash"
---@field hidden? string[] fields without the methods `FIELD` and `set_FIELD`, for names that methods of managers have
---@field migrate? boolean where other fields are defined than before, components keep what fits by name and type

--- Defines a component from a schema: `{{"hp", "float", 100}, {"target", "entity"}}` (name, type, default; the default
-- also by name, `default = 100`). Types: float double int8 uint8 int16 uint16 int32 uint32 bool vec2 vec3 vec4 dvec2
-- dvec3 quat mat4 color entity string enum value. `{"state", "enum", {"idle", "run"}, "run"}` holds one of these
-- strings (the first unless told); in columns it is its number, from 0. `{"loot", "value"}` holds any Lua value, by
-- reference: nil unless given, without a column, and let go of as soon as the component or its entity is destroyed.
-- For many, a table is a list with a value for each, `false` for none. In level source it is any JSON value (null in an
-- array: `false`), of which each spawned entity gets a copy of its own; so it is in the overrides of a spawn, which
-- take no functions or userdata. A field with the name of a method of managers (`count`, `name`, `get` ...) raises:
-- rename it, or list it in `hidden`. A hidden field has no methods `FIELD` and `set_FIELD`; `read`, `write`, `get`,
-- `set` and columns work as always. The names include those of planned methods, and a later version may add more.
-- The same fields again give the manager there is, with the new defaults and `hidden`; other fields replace it while it
-- has no rows, else they raise, unless told to `migrate`:
--
--     local health, dropped = world:define("health", fields, { migrate = true })
--
-- Then components keep their fields of the same name and type (of an enum, the labels that are there yet), ids and
-- order; new fields get their defaults. `dropped` tells what went, a sentence each: `health.hp was float, is double`.
-- Hooks stay, and hear nothing of it. The manager of before, its views, instances, loops and templates say that they
-- are stale; snapshots from before are refused by name; compiled levels spawn if they only lack fields. Not for
-- components of plugins, nor inside hooks, batches and spawns.
---@param name string an identifier
---@param schema table[]
---@param options? cuttle.define_options
---@return cuttle.Manager
---@return string[]? dropped with `migrate`
function World:define(name, schema, options) end

--- The manager of a name, or nil.
---@param name string
---@return cuttle.Manager|nil
function World:manager(name) end

--- Loops over name and manager, in spawn order.
---@return fun(): string, cuttle.Manager
function World:managers() end

--- Creates an entity, or `n`, with components in the form of level source: `{transform = {position = {1, 2, 3}}}`. For
-- `n` a number, string, boolean, entity or vector may also be given for each, as in `Manager:create_many`; what a
-- `value` field or an actor's `body` is given goes to all of them, by reference. All or nothing.
---@param components table<string, table>
---@param n integer
---@param out? cuttle.entity[]
---@return cuttle.entity[]
---@overload fun(self: cuttle.World, components: table<string, table>): cuttle.entity
---@overload fun(self: cuttle.World, components: table<string, table>, n: integer, list: cuttle.list): cuttle.list
function World:create(components, n, out) end

--- Prepares what `create` takes, once: what is created often, such as bullets, costs a quarter then. The values are
-- those that the tables hold now, for each entity the same; later changes are not seen. Entities named in them must be
-- alive whenever the template creates; a `body` goes by reference, one for all. Mistakes raise here.
--
--     local bullet = world:template { transform = {}, velocity = { x = 300 } }
--     local e = bullet:create()
---@param components table<string, table>
---@return cuttle.Template
function World:template(components) end

--- Loops over living entities that have all of up to 8 components: entity, instance1, instance2, ... in row order of
-- the first. A name with `!` before it: only entities without that component, it takes no place among the results; with
-- `?`: nil where there is none. The first is plain: `world:join("transform", "velocity", "!frozen", "?target")`.
--
-- Inside: read, write, create, destroy entities, remove the component just handed out, and any of a `!` name. What did
-- not stand when the loop began is not visited, so a loop that creates ends; who died is not, either. Removing another
-- component, and gc, sort or propagate that moved rows, make the next step raise "rows moved during the loop".
---@param ... string|cuttle.Manager
---@return fun(): cuttle.entity, cuttle.instance, ...
function World:join(...) end

--- The same as bare rows for columns; the loop compiles on LuaJIT.
---@param ... string|cuttle.Manager
---@return fun(): integer, ...
function World:rows(...) end

--- Copies a field of every living entity that has both managers, the first component of each: `to.to_field =
-- from.from_field`. Columns of numbers of one type; float and double for each other, and vec2 and dvec2, vec3 and
-- dvec3. The managers may be the same.
-- To a transform's `local_position`, `local_rotation` or `local_scale` it is a set of each, with one propagation at
-- the end, or none before `propagate` in deferred mode. About 3 ns an entity where rows lie in one order.
---@param from string|cuttle.Manager
---@param from_field string
---@param to string|cuttle.Manager
---@param to_field string
---@return integer entities
function World:copy(from, from_field, to, to_field) end

--- The same with `to.to_field += k * from.from_field`, for floats and doubles, added in double and rounded once as a
-- loop in Lua does: `world:add_scaled("velocity", "v", "transform", "local_position", dt)` moves everything that has
-- both.
---@param from string|cuttle.Manager
---@param from_field string
---@param to string|cuttle.Manager
---@param to_field string
---@param k number
---@return integer entities
function World:add_scaled(from, from_field, to, to_field, k) end

--- Collects components of the dead in every manager.
--
-- Components end with their entity in one of two ways (Bitsquid, part 2, "Destroying Components"). Those that hold
-- something outside hear of the death at once: actors through `on_destroy`, attached tables, your own
-- `entities:on_destroy` callbacks. The rest stay in their rows, seen by nobody, until gc takes them: call this once a
-- frame. It follows the log of deaths, so it costs next to nothing when nobody died.
--
-- With a limit, at most about that many go, of all managers together, and the rest at later calls: so a level of
-- 100,000 that was unloaded is paid for over several frames. With "all" none of a dead entity is left.
---@param limit? integer|"all"
---@return integer removed
function World:gc(limit) end

--- A table keyed by entity for anything a script wants to remember; the same name gives the same table. A new key must
-- be a living entity. Destroying an entity removes its entry at once, after its callbacks; `clear` and `destroy` empty
-- the tables, which take nothing more once the world is destroyed. The death of an entity without an entry costs two
-- or three nanoseconds. Keys go in by `t[e] = value`: those that `rawset` puts in are not noticed.
---@param name string
---@return table<cuttle.entity, any>
function World:attach(name) end

---@class cuttle.spawn_options
---@field position? number[] composed with each root's pose
---@field rotation? number[] x, y, z, w
---@field angle? number radians about z, instead of rotation
---@field scale? number|number[]
---@field parent? cuttle.entity the roots are linked under it
---@field parent_node? integer|string the node of the parent's model that roots hang on, unless they name one
---@field unknown? "skip"|"error" what to do about component types the world does not know; default "skip"
---@field overrides? table<string, table<string, table>> path -> component -> values, see below

--- Spawns a compiled level: all entities in one call, then type by type. All or nothing.
--
-- `overrides` make a spawn different from its resource, before anybody sees it:
--
--     world:spawn(resource, { overrides = {
--       car = { transform = { angle = 1 }, health = { hp = 10 } },
--       ["car/wheel"] = { mesh = { { id = "tyre", resource = "flat" } } } } })
--
-- They apply to every entity of a path (as for `level:find`), in the order of the paths, type by type. The fields given
-- are set, others keep what the resource has; who has no such component gets one. Where there may be several, an item
-- with the `id` of one replaces it, others are appended. A pose is the local one of the resource; the spawn's is
-- composed with it. Parents are the resource's, bodies are made by `on_spawn`. Mistakes in them raise.
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

--- Spawns a compiled level many times over, as one Level: a thousand bullets, a wood. `poses` says where each copy is,
-- or is their number, for all at the pose of the options.
--
--     local wood = world:spawn_many(tree, { positions = { 0,0,0, 4,0,1, 9,0,3 }, angles = { 0, 1, 2 } })
--     for k = 1, 3 do
--       local first, count = wood:copy_range(k)
--       local trunk = wood:entity(first)
--     end
--
-- The entities lie copy by copy, each copy in the resource's order; so do rows. `find` tells the first that lives,
-- `restart` spawns all of them again at their poses, `unload` destroys all. Options are those of `spawn`, for every
-- copy; with a table of poses, `position`, `rotation`, `angle` and `scale` among them raise. All or nothing; a spawner
-- is called once for all copies, `on_spawn` for each actor.
---@param resource cuttle.Resource
---@param poses cuttle.poses|integer
---@param options? cuttle.spawn_options
---@return cuttle.Level|nil level
---@return string? message
function World:spawn_many(resource, poses, options) end

--- The levels of which something is alive, the oldest first. O(levels).
---@return cuttle.Level[]
function World:levels() end

--- Registers how components are spawned that a registered compiler made (Bitsquid, part 4,
-- register_component_spawner). The function is called once per type and level, in spawn order: the components of
-- earlier types are there, those of later ones are not. It gets the level's entities in the resource's order, how many
-- instances there are, per instance the place of its entity counted from 0, and its bytes:
--
--     world:register_spawner("spikes", function(entity_lookup, num_instances, entity_index, data)
--       for i = 1, num_instances do
--         local e, r = entity_lookup[entity_index[i] + 1], cuttle.reader(data[i])
--         traps[e] = { length = r:f32(), kind = r:string() }
--       end
--     end)
--
-- If it raises, nothing of the level is left, and `spawn` gives nil and its message; what it did to others stays. A
-- component compiled from fields goes to its manager as ever. Registering again replaces; nil takes it off.
---@param name string of the component type
---@param fn nil|fun(entity_lookup: cuttle.entity[], num_instances: integer, entity_index: integer[], data: string[])
function World:register_spawner(name, fn) end

--- Removes all components, keeps the memory; with `entities = true` destroys every entity that has a component here.
---@param options? {entities: boolean}
function World:clear(options) end

--- Unloads its levels, destroys its components and frees its memory. Raises `world is in use` from its own callback or
-- spawn. Afterwards all its objects raise `world is destroyed`.
---@param options? {entities: boolean}
function World:destroy(options) end

--- Bytes held, in all and by manager.
---@return integer bytes
---@return table<string, integer> by_manager
function World:memory() end

--- Makes room for `n` rows in every manager that has rows, and for `n` entities: creating up to that many does not
-- allocate (see `Manager:reserve`). Raises if memory runs out or `n` is above 4,194,304. O(n).
---@param n integer
function World:reserve(n) end

--- Gives memory back that rows, strings and entities no longer need, or not yet: what once held a large level is kept
-- for the next one otherwise. What comes takes it again. No row moves: instances, views and loops go on; a `pointer` of
-- a column does not. Rows of the dead are not spare before `gc`. Inside callbacks of the world, spawns and batches
-- nothing is spare. O(rows): for the end of a level, not for each frame.
---@return integer bytes
function World:trim() end

--- Begins to time the work of the world's managers, from 0 on; `false` ends it, and the timings stay. While it is off,
-- single creates pay nothing for it, all else a branch.
---@param on boolean
function World:profile(on) end

---@class cuttle.timing
---@field calls integer how often
---@field time number seconds, all calls together

--- How often work was done since `profile(true)`, and how long it took: `timings.transform.propagate.time`. By manager,
-- of what it has done: `create` and `remove` (calls, for however many entities), `spawn` (of levels), `gc`, `hooks`
-- (each function called, bodies of actors too), `propagate`, `sort`, `evaluate`, `simulate`. Under `world` there are
-- `create`, `spawn` and `unload` for all managers together, with the hooks that spawning and unloading call: time is
-- counted there and there; and `on_destroy`, each function of `entities:on_destroy` that was told of a death, whatever
-- world the entity was in.
---@return table<string, table<string, cuttle.timing>>
function World:timings() end

--- Every manager that knows e, with its field values. Of the dead, where the EntityManager has `trace`, the text `dead`
-- alone: `entity(7:0) "orc" is dead, destroyed at game.lua:12`.
---@param e cuttle.entity
---@return table<string, table>
function World:inspect(e) end

--- Managers, counts, memory and the transform tree with names, as text.
---@return string
function World:dump() end

--- Checks every invariant, in O(rows): for tests, fuzzing and bug reports.
---@return true|nil ok
---@return string? message
function World:validate() end

-- ------------------------------------------------------------------------------------------------------------------

--- Components of one type: a structure of arrays, one row each. (Bitsquid, part 2.) Beside what is listed here every
-- field has `m:FIELD(target)` and `m:set_FIELD(target, ...)`, unless a method has that name. Vectors go in and out as
-- plain numbers. A target that is dead, stale or has no such component raises, naming it.
---@class cuttle.Manager
local Manager = {}

--- Gives an entity a component. Raises when it has one, unless the manager is `multiple`; then `id` may be among the
-- values: a string or an integer, unique within the entity.
---@param e cuttle.entity
---@param values? table field = value; the rest are defaults
---@return cuttle.instance
function Manager:create(e, values) end

--- The same for many at once, all or nothing; rows are consecutive. A scalar is for all, a table of as many scalars one
-- each; of a vector of w numbers: w numbers are for all, w x n flat numbers or n tables one each; `false` for nobody.
---@param entities cuttle.entities
---@param values? table
---@return cuttle.instance|nil first
function Manager:create_many(entities, values) end

--- The (first) component of an entity, or the one with an id; nil if there is none.
---@param e cuttle.entity
---@param id? string|integer
---@return cuttle.instance|nil
function Manager:lookup(e, id) end

--- Instances of many entities; `false` where there is none.
---@param entities cuttle.entities
---@param out? table
---@return (cuttle.instance|false)[]
function Manager:lookup_many(entities, out) end

--- The 0-based row of a target for columns, nil for an entity that has none.
---@param target cuttle.target
---@return integer|nil
function Manager:row(target) end

--- The instance in a row.
---@param row integer
---@return cuttle.instance
function Manager:at(row) end

--- The living owner of a row, nil when it is dead: for loops over rows.
---@param row integer
---@return cuttle.entity|nil
function Manager:entity_at(row) end

--- The row of a living owner given as a number; compiled by LuaJIT. nil for NOBODY and the dead.
---@param id integer
---@return integer|nil
function Manager:row_of_id(id) end

--- The next component of the same entity, or nil.
---@param instance cuttle.target
---@return cuttle.instance|nil
function Manager:next(instance) end

--- Loops over the components of an entity, in creation order.
---@param e cuttle.entity
---@return fun(): cuttle.instance
function Manager:instances(e) end

--- The id of a component of a `multiple` manager: the string or the number (1 to 2^30 - 1) it was given, else one that
-- the manager has never had before. It stays with the component, and never comes to mean another.
---@param instance cuttle.target
---@return string|integer
function Manager:id(instance) end

--- The ids of an entity's components, in creation order.
---@param e cuttle.entity
---@return (string|integer)[]
function Manager:ids(e) end

--- Whether an entity has such a component.
---@param e cuttle.entity
---@return boolean
function Manager:has(e) end

--- The owner of an instance, dead or not; nil when the row is nobody's any more.
---@param instance cuttle.instance
---@return cuttle.entity|nil
function Manager:entity(instance) end

--- Removes one component (instance) or all of an entity. The last row moves into the gap.
--- Hooks hear of it first (`on_remove`). In one, of what is being told to go, the rest of them hear of it at once; of
--- an entity that is dying, or of a world that is cleared, the components go by themselves, and 0 is returned.
---@param target cuttle.target
---@return integer removed
function Manager:destroy(target) end

--- Removes all components of this manager from every entity of a list. Dead entities and entities without one are
--- skipped. The list is checked before anything is removed; hooks run as in `destroy`, and the first error of a hook is
--- raised at the end.
---@param owners cuttle.entity[]|cuttle.list
---@return integer removed the number of components
function Manager:destroy_many(owners) end

--- Why a component was added (`create`, `spawn`, `restart`, `patch`) or removed (`remove`: the component alone;
--- `destroy`: its entity; `unload`, `restart`, `patch`, `clear`; `undo`: the call that created it failed; `world`: the
--- world was destroyed or collected).
---@alias cuttle.reason
---| '"create"'
---| '"spawn"'
---| '"restart"'
---| '"patch"'
---| '"remove"'
---| '"destroy"'
---| '"unload"'
---| '"clear"'
---| '"undo"'
---| '"world"'

--- From now on `fn(e, instance, reason)` is called for each component that comes: in every kind of create (`create`,
--- `create_many`, `world:create`, `set_debug_name`, spawn, restart), once all components of all entities of the call
--- are there (of a level, when that is spawned), actors with their bodies; managers in spawn order, then by row. What
--- it raises undoes the call: `on_remove` is called for those whose `on_add` had begun, then `entities:on_destroy`. It
--- may destroy what was just made: the rest is not told of it, and `create` returns nil. What plugins add in C with
--- their table of functions is not told, nor what they remove with it.
---@param fn fun(e: cuttle.entity, instance: cuttle.instance, reason: cuttle.reason)
---@return integer token for `off_add`
function Manager:on_add(fn) end

--- From now on `fn(e, instance, reason)` is called once for each component that goes: at once when it is destroyed, or
--- its owner, also by unload, `clear` and `world:destroy`, and when the world is collected; everything of the entity
--- can still be read. First `entities:on_destroy`, then these in spawn order, then the ends of actors' bodies. An error
--- stops nothing; the first is raised at the end. While a world is destroyed or collected, create, spawn and define
--- raise `world is being destroyed`; while it is cleared, what would be told to hooks cannot be created. Hooks stay
--- when a component is defined anew.
---@param fn fun(e: cuttle.entity, instance: cuttle.instance, reason: cuttle.reason)
---@return integer token for `off_remove`
function Manager:on_remove(fn) end

--- Takes a hook off again.
---@param token integer
---@return boolean known whether it was there
function Manager:off_add(token) end

--- Takes a hook off again.
---@param token integer
---@return boolean known whether it was there
function Manager:off_remove(token) end

--- Rows, those of dead but uncollected owners included.
---@return integer
function Manager:count() end

--- Loops over entity and instance in row order, living owners only. Inside: see World:join.
---@return fun(): cuttle.entity, cuttle.instance
function Manager:each() end

--- All fields of a component, in the form `create` takes.
---@param target cuttle.target
---@return table
function Manager:get(target) end

--- Writes several fields at once, all or nothing.
---@param target cuttle.target
---@param values table
function Manager:set(target, values) end

--- Reads one field, whatever its name: also one that is `hidden`.
---@param target cuttle.target
---@param field string
---@return any ...
function Manager:read(target, field) end

--- Writes one field, whatever its name: also one that is `hidden`.
---@param target cuttle.target
---@param field string
---@param ... any
function Manager:write(target, field, ...) end

--- Writes one field of every entity of a list: one value for all, or one for each, as in `create_many`. All or
-- nothing; one that stands there twice is written twice, in order, and counted twice. A dead entity, or one without
-- the component, raises. For a transform it is a set of each, with one propagation at the end, or none before
-- `propagate` in deferred mode; its `world_matrix` is set one at a time.
---@param owners cuttle.entity[]|cuttle.list
---@param field string
---@param values any `false` for nobody
---@return integer written
function Manager:write_many(owners, field, values) end

--- Reads one field of every entity of a list, the numbers of vectors one behind the other: `false` for nobody, and once
-- for each number of an entity without the component.
---@param owners cuttle.entity[]|cuttle.list
---@param field string
---@param out? table is filled from 1 on
---@return any[]
function Manager:read_many(owners, field, out) end

--- A view of a field's column: `col[row]`, `col[row] = v`; of vectors `col[row].x`. It stays right when rows move and
-- memory grows, and raises when its world is gone. While LuaJIT's compiler is on, loops over it compile.
---@param field string
---@return cuttle.column
function Manager:column(field) end

--- Makes room for `n` rows in all: creating components up to that many does not allocate, except for strings, cells of
-- grids and nodes of models, until `world:trim` frees the room. Rows, instances and loops are not affected. Raises if
-- memory runs out or `n` is above 4,194,304; all components are as before then. O(n).
---@param n integer
function Manager:reserve(n) end

--- Collects rows of the dead: those that died since the last call, then a few random probes, until four living in a
-- row; with "all" none is left; with a limit at most about that many go, and the rest at later calls. (Bitsquid, part
-- 2, gc().)
---@param limit? integer|"all"
---@return integer removed
function Manager:gc(limit) end

--- The component's name.
---@return string
function Manager:name() end

--- `{{name, type}, ...}`; of an enum `{name, "enum", labels}`.
---@return (string|string[])[][]
function Manager:fields() end

--- Bytes held.
---@return integer
function Manager:memory() end

--- A view of a column. `i` is a row (checked against the count) or an instance (checked for staleness).
---@class cuttle.column
local column = {}

--- The numbers of an item.
---@param i integer
---@return any ...
function column:get(i) end

--- Writes an item.
---@param i integer
---@param ... any
function column:set(i, ...) end

--- How many rows there are.
---@return integer
function column:count() end

--- The items of all rows, those of the dead too, the numbers of vectors one behind the other.
---@param out? table is filled from 1 on
---@return any[]
function column:totable(out) end

--- Writes all rows: one value for all of them, or a table with one for each, as `totable` tells them. All or nothing.
---@param value any
function column:fill(value) end

--- `column += k * other` for all rows; floats and doubles only, also in vectors.
---@param other cuttle.column of the same manager, as wide
---@param k number
function column:add_scaled(other, k) end

--- `column *= k` for all rows; floats and doubles only, also in vectors.
---@param k number
function column:scale(k) end

--- The raw FFI pointer of the column, for experts: it is wrong as soon as the manager grows, or the world is trimmed.
-- Of a transform's columns it is const. LuaJIT only.
---@return ffi.cdata*
function column:pointer() end

-- ------------------------------------------------------------------------------------------------------------------

--- Names for entities. Created with `name`, a string.
---@class cuttle.DebugName : cuttle.Manager
local DebugName = {}

--- Names an entity; creates the component or renames.
---@param e cuttle.entity
---@param name string
function DebugName:set_debug_name(e, name) end

--- The name of an entity, or nil.
---@param e cuttle.entity
---@return string|nil
function DebugName:debug_name(e) end

--- The living entity of that name, of several the one named first; nil if there is none. O(1).
---@param name string
---@return cuttle.entity|nil
function DebugName:find(name) end

--- All living entities of that name, in order of naming.
---@param name string
---@return cuttle.entity[]
function DebugName:find_all(name) end

--- Point masses: `mass` in kg, `position`, `velocity` and `acceleration`. (Bitsquid, part 2.)
---@class cuttle.PointMass : cuttle.Manager
local PointMass = {}

--- One step of semi-implicit Euler for all rows: velocity += acceleration * dt, then position += velocity * dt.
---@param dt number seconds; 0 and negative ones are taken, infinite ones and NaN raise
function PointMass:simulate(dt) end

--- Grids: one per entity, the cells of a map in one component: a layer of tiles, an int grid. Created with `width`,
-- `height`, `cell_size` (a number or two, 16 unless told), `cells` (a flat list by rows; all empty unless told) and
-- `tiles` (a name, which need not be defined). Cells hold numbers from 0 to 2^32 - 1, and 0 is empty; x and y count
-- from 0, as in the editors. Cell x, y covers x * w up to (x + 1) * w, and the like in y, in the space of its entity,
-- with the edges it begins with: a map imported with `tiles = "grid"` lies where its tiles lie with `tiles = true`. The
-- world is seen along z. `m:get` gives the cells as a list, `m:set` takes another size (cells that are in both stay) or
-- other cells. Cells take 4 bytes each, and levels, snapshots and grids with the same cells share them until one is
-- written: the first `set_cell` copies them. In deferred mode and batches, queries in the world take the pose that the
-- getters of transforms tell.
---@class cuttle.Grid : cuttle.Manager
local Grid = {}

--- Tells what numbers mean to the grids whose `tiles` is this name: number -> table. Of it, `solid` counts, for `ray`,
-- and is read now; the rest is the script's. Other keys than numbers are left alone. The same name again replaces it.
---@param name string
---@param tiles table<integer, {solid?: boolean}> kept as it is
function Grid:define_resource(name, tiles) end

--- The table that `define_resource` was given for a number by the grid's `tiles`, or nil.
---@param target cuttle.target
---@param value integer
---@return table|nil
function Grid:tile(target, value) end

---@param target cuttle.target
---@return integer width, integer height in cells
function Grid:size(target) end

--- The number in a cell; nil outside.
---@param target cuttle.target
---@param x integer
---@param y integer
---@return integer|nil
function Grid:cell(target, x, y) end

--- Writes a cell; raises outside.
---@param target cuttle.target
---@param x integer
---@param y integer
---@param value integer 0 to 2^32 - 1
function Grid:set_cell(target, x, y, value) end

--- Goes over all cells that are not empty, row by row, as they are when they are handed out. Raises when the grid goes
-- or gets another size meanwhile.
---@param target cuttle.target
---@return fun(): integer, integer, integer x, y, value
function Grid:cells(target) end

--- The cell at a point in the world, through the entity's transform if it has one. Nil outside, and where a scale of 0
-- makes a line of the grid.
---@param target cuttle.target
---@param x number
---@param y number
---@return integer|nil x, integer y, integer value
function Grid:cell_at(target, x, y) end

--- The cells that are not empty and that a box in the world touches, edges included, however the grid is turned or
-- mirrored: exactly, row by row. Takes time for the rows and for the cells between the box's sides.
---@param target cuttle.target
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param out? number[] filled from 1, what stands behind is left alone
---@return number[] cells flat: x, y, value, x, y, value, ...
---@return integer count of cells
function Grid:rectangle(target, x1, y1, x2, y2, out) end

--- The first solid cell on the way from a point in the world to another: where `tiles` is defined, one whose tile is
-- `solid`; else any that is not empty. A ray that begins in a solid cell hits it there. One that goes exactly through
-- the corner of four cells passes between them unless both at its sides are solid. At most width + height steps, some
-- nanoseconds each.
---@param target cuttle.target
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@return integer|nil x, integer y, integer value, number hit_x, number hit_y where the ray enters the cell
function Grid:ray(target, x1, y1, x2, y2) end

--- What reads the cells of a grid: `r[y * width + x]`, nil where there is no cell. Right also after `set_cell`, `set`
-- and `restore`, wherever the cells lie then; raises once the grid or its entity is gone. Loops over it compile on
-- LuaJIT: a read takes little more than one of a plain FFI array. Elsewhere it is a call of C.
---@param target cuttle.target
---@return table<integer, integer>
function Grid:reader(target) end

--- Meshes: several per entity. Fields `resource` (the name of a defined one, required; no view writes it), `color` and
-- `visible`, true unless told. An unknown resource raises, and at spawn gives `nil, message`.
---@class cuttle.Mesh : cuttle.Manager
local Mesh = {}

--- Describes static data that instances share: they refer to it by name and never copy it. The same name again
-- replaces it, under the instances there are; nothing removes it.
---@param name string
---@param desc table kept as it is
function Mesh:define_resource(name, desc) end

--- The table that was given to `define_resource`. Raises for unknown names.
---@param name string
---@return table
function Mesh:resource_data(name) end

--- Models: one per entity, a hierarchy of nodes inside it (Bitsquid, part 3: the scene graph of a model is apart from
-- that of entities). Field `resource`, the name of a defined one, required; no view writes it. Setting it gives the
-- nodes of that resource, at rest. Which nodes there are and how they rest is static and shared; local poses belong to
-- the instance. `evaluate` computes the matrices of all nodes of all instances, relative to their entities. Matrices
-- are 16 numbers, column-major, for column vectors: matrix = parent's matrix x local. Quaternions are x, y, z, w. A
-- node is named by its number, which counts from 1, or by its name, which is looked for: in loops take the number.
---@class cuttle.Model : cuttle.Manager
local Model = {}

---@class cuttle.model_node
---@field name? string not that of another node of the resource
---@field parent? integer|string number or name of an earlier node; a root unless told
---@field position? number[] three numbers; 0, 0, 0 unless told
---@field rotation? number[] four numbers of any length but zero
---@field angle? number radians about z, in place of rotation
---@field scale? number|number[] one number or three; 1 unless told

--- Describes nodes that instances share, 1 to 65,535 of them, each after its parent. The same name again replaces rest
-- poses and names, under the instances there are, which keep the poses they have, by number. Other nodes or parents
-- raise while living instances use the resource, and count for the instances to come when none does. A snapshot of
-- instances is refused once number, parents, names or order of the nodes have changed. What is wrong raises with its
-- place, `nodes[3].parent: ...`, and changes nothing.
---@param name string
---@param desc {nodes: cuttle.model_node[]} kept as it is
function Model:define_resource(name, desc) end

--- The table that was given to `define_resource`. Raises for unknown names.
---@param name string
---@return table
function Model:resource_data(name) end

--- How many nodes it has.
---@param target cuttle.target
---@return integer
function Model:node_count(target) end

--- Sets the pose of a node relative to its parent. Matrices follow at the next `evaluate`. A rotation may have any
-- length but zero, it is kept with length 1; scales are kept through zero and below.
---@param target cuttle.target
---@param node integer|string
---@param ... number px, py, pz, qx, qy, qz, qw, sx, sy, sz
function Model:set_node_pose(target, node, ...) end

--- The pose of a node relative to its parent, as it was set last.
---@param target cuttle.target
---@param node integer|string
---@return number ... px, py, pz, qx, qy, qz, qw, sx, sy, sz
function Model:node_pose(target, node) end

--- Computes the matrices of all instances that were posed since the last call, in memory order. The others cost next to
-- nothing. Transforms that hang on nodes (`transform:link`) follow: at once, or, in a batch or in deferred mode, when
-- what has changed is computed; each of them costs a look at its node's matrix.
function Model:evaluate() end

--- The matrix of a node relative to its entity, as the last `evaluate` left it; of a new instance that of the rest
-- pose. Fills `out` when given.
---@param target cuttle.target
---@param node integer|string
---@param out? table
---@return number|table ... 16 numbers, or out
function Model:node_matrix(target, node, out) end

--- The matrices of all nodes, one after another in one array: node i has the numbers 16 * i - 15 to 16 * i, as a
-- shader's array of matrices takes them. Fills `out` when given, and leaves alone what is behind them.
---@param target cuttle.target
---@param out? table
---@return number[]
function Model:node_matrices(target, out) end

--- The matrix of a node in the world: the world matrix of the entity, which needs a transform, x the node's. Computed
-- when asked. Fills `out` when given.
---@param target cuttle.target
---@param node integer|string
---@param out? table
---@return number|table ... 16 numbers, or out
function Model:node_world_matrix(target, node, out) end

--- Actors: `shape`, `mass`, and a body, any Lua value that lives outside (a physics engine's). Bodies are made by
-- `on_spawn` or given as `body` among the values of `create`, `set` and `world:create`; for many at once a table with
-- one for each, `false` for none. They are no part of levels. `get`, `read` and `write` know `body`, columns do not.
---@class cuttle.Actor : cuttle.Manager
local Actor = {}

--- The body, or nil.
---@param target cuttle.target
---@return any
function Actor:body(target) end

--- Replaces the body; nil takes it away. `on_destroy` hears of the old one first, unless it is the same.
---@param target cuttle.target
---@param body any
function Actor:set_body(target, body) end

--- `body = fn(e, values)` runs for every new actor without a given body when all components of the call, or of the
-- level, exist; `values` are its shape and mass. If it raises, nothing is created and bodies already made are freed.
-- One function per manager; nil removes it.
---@param fn nil|fun(e: cuttle.entity, values: table): any
function Actor:on_spawn(fn) end

--- `fn(e, body)` runs once per body, at once: entity or component destroyed, level unloaded, world cleared, destroyed
-- or collected. Its first error is raised when all is done. Meanwhile that body cannot be replaced, and no new ones can
-- be made where the world frees all. One function per manager; nil removes it.
---@param fn nil|fun(e: cuttle.entity, body: any)
function Actor:on_destroy(fn) end

-- ------------------------------------------------------------------------------------------------------------------

--- The transform hierarchy (Bitsquid, part 3): local and world poses. World poses are right after every call, but in
-- deferred mode (`set_mode`). Matrices are 16 numbers, column-major, for column vectors: world = parent's world x
-- local. Quaternions are x, y, z, w. Fields: local_position, local_rotation, local_scale, local_matrix, world_matrix.
-- Values for create: position (two numbers or three), rotation or angle (radians about z), scale (one, two or three),
-- parent, parent_node; or matrix, parent, parent_node. Of two numbers the third is 0, of a scale 1.
--
-- Position, rotation and scale are kept beside the matrix, and setting one leaves the others as they were set: a scale
-- of zero hides a rotation but does not lose it, a mirrored scale keeps its signs. A rotation is brought to length 1;
-- 0, 0, 0, 0 becomes no turn. A matrix is kept as given, sheared or flat, until position, rotation or scale is set:
-- then the nearest pose takes its place. Any number may be set. An infinity or NaN in a rotation makes the whole
-- rotation NaN, and world poses below are then no numbers either; they are right again when the rotation is set to
-- numbers.
--
-- To move thousands, write columns: in deferred mode, and inside a batch, those of `local_position`, `local_rotation`
-- and `local_scale` are written like any column, and the next `propagate`, or the end of the batch, computes what
-- changed; rotations are brought to length 1 then. Elsewhere such a write raises. Columns of matrices are read-only.
--
--     for i, j in world:rows("transform", "velocity") do
--       local p, v = position[i], velocity[j]
--       p.x, p.y = p.x + v.x * dt, p.y + v.y * dt
--     end
--     world.transform:propagate()
---@class cuttle.Transform : cuttle.Manager
local Transform = {}

--- The position relative to the parent.
---@param t cuttle.target
---@return number x, number y, number z
function Transform:local_position(t) end

--- Keeps rotation and scale, and z if it is not given.
---@param t cuttle.target
---@param x number
---@param y number
---@param z? number
function Transform:set_local_position(t, x, y, z) end

--- The rotation relative to the parent.
---@param t cuttle.target
---@return number x, number y, number z, number w
function Transform:local_rotation(t) end

--- Keeps position and scale. It is brought to length 1; 0, 0, 0, 0 becomes no turn.
---@param t cuttle.target
---@param x number
---@param y number
---@param z number
---@param w number
function Transform:set_local_rotation(t, x, y, z, w) end

--- The rotation about z, in radians.
---@param t cuttle.target
---@return number
function Transform:local_angle(t) end

--- Rotates about z, in radians; keeps position and scale.
---@param t cuttle.target
---@param angle number
function Transform:set_local_angle(t, angle) end

--- The scale relative to the parent.
---@param t cuttle.target
---@return number x, number y, number z
function Transform:local_scale(t) end

--- Keeps position and rotation, also through zero. One number stands for all three, two leave z alone. Negative numbers
-- mirror.
---@param t cuttle.target
---@param x number
---@param y? number
---@param z? number
function Transform:set_local_scale(t, x, y, z) end

--- Position, rotation and scale at once.
---@param t cuttle.target
---@param ... number px, py, pz, qx, qy, qz, qw, sx, sy, sz
function Transform:set_local_pose(t, ...) end

--- The world pose of a flat game: position, angle about z in radians, and scale, in the plane.
---@param t cuttle.target
---@return number x, number y, number angle, number sx, number sy
function Transform:pose_2d(t) end

--- Sets the local pose in the plane: the rotation becomes one about z; position and scale along z stay, and without
-- `sx` the whole scale stays.
---@param t cuttle.target
---@param x number
---@param y number
---@param angle number radians
---@param sx? number
---@param sy? number `sx` unless told
function Transform:set_local_pose_2d(t, x, y, angle, sx, sy) end

--- For drawing: the world poses of a list in the plane, or of all living entities in the order of `each`, five numbers
-- an entity as `pose_2d` tells them. Some 30 to 60 ns an entity.
---@param owners cuttle.entity[]|cuttle.list|nil an entity without a transform raises
---@param out? table is filled from 1 on, what lies behind stays
---@return number[] out, integer count how many entities
function Transform:read_poses_2d(owners, out) end

--- The local matrix; fills `out` when given.
---@param t cuttle.target
---@param out? table
---@return number|table ... 16 numbers, or out
function Transform:local_matrix(t, out) end

--- Takes 16 numbers or a table of them, the last row 0, 0, 0, 1. A sheared matrix is kept as given until position,
-- rotation or scale is set, which replaces it by the nearest pose.
---@param t cuttle.target
---@param ... number|table
function Transform:set_local_matrix(t, ...) end

--- Where it is in the world.
---@param t cuttle.target
---@return number x, number y, number z
function Transform:world_position(t) end

--- Its rotation in the world: where the world matrix is sheared, the nearest one. Under a scale of zero it is what the
-- rotations on the way say.
---@param t cuttle.target
---@return number x, number y, number z, number w
function Transform:world_rotation(t) end

--- Its rotation about z in the world, in radians.
---@param t cuttle.target
---@return number
function Transform:world_angle(t) end

--- Its scale in the world: lengths of the axes of the world matrix, which may be sheared below scaled parents.
---@param t cuttle.target
---@return number x, number y, number z
function Transform:world_scale(t) end

--- The world matrix; fills `out` when given.
---@param t cuttle.target
---@param out? table
---@return number|table ... 16 numbers, or out
function Transform:world_matrix(t, out) end

--- Sets the local position that gives this one. Raises below a parent whose scale has a zero.
---@param t cuttle.target
---@param x number
---@param y number
---@param z number
function Transform:set_world_position(t, x, y, z) end

--- Sets the local rotation that gives this one. Keeps the local position, and the local scale unless the parent's is
-- uneven: then the local matrix becomes a sheared one that keeps the world scale. Raises below a parent whose scale has
-- a zero; so do the next two.
---@param t cuttle.target
---@param x number
---@param y number
---@param z number
---@param w number
function Transform:set_world_rotation(t, x, y, z, w) end

--- Sets the local pose that gives this one. Below a turned and uneven scale that is a sheared local matrix, kept until
-- position, rotation or scale is set.
---@param t cuttle.target
---@param ... number px, py, pz, qx, qy, qz, qw, sx, sy, sz
function Transform:set_world_pose(t, ...) end

--- Sets the local matrix that gives this one.
---@param t cuttle.target
---@param ... number|table
function Transform:set_world_matrix(t, ...) end

--- Puts a child under a parent, behind its other children. Keeps the local pose, or with `keep = "world"` the world
-- pose. List work is O(1); raises when the link would make a cycle.
--
-- Below an uneven scale, position, rotation and scale alone cannot give every world pose. It is kept all the same: the
-- local matrix becomes a sheared one, which `get` tells as `matrix`, until position, rotation or scale is set. Then it
-- is replaced by the nearest pose, and the world pose changes. Below a scale of zero, a NaN or an infinity there is
-- no local matrix that keeps it, and the link raises.
--
-- With `node`, the number or name of a node of the parent's model, the child hangs on that node: a sword in a hand. Its
-- world pose is the parent's world x the node's matrix, as the last `model:evaluate` left it or, before the first one,
-- at rest, x local. A parent without a model, or another node, raises. `parent_node` says the same in `create`, `set`,
-- templates and level source, there of the entity above. When the parent's model goes, or gets a resource without the
-- node, the child stays linked to the parent alone, with its local pose. A node is known by its name, by its number
-- where it has none: where another resource, or a description anew, has the name under another number, the child is
-- there.
---@param child cuttle.target
---@param parent cuttle.target
---@param options? {keep?: "world", node?: integer|string}
function Transform:link(child, parent, options) end

--- Makes a child a root again.
---@param child cuttle.target
---@param options? {keep: "world"}
function Transform:unlink(child, options) end

--- The parent, or nil. When a transform's owner dies its children are roots where they stand.
---@param t cuttle.target
---@return cuttle.instance|nil
function Transform:parent(t) end

--- The number of the node of its parent's model that it hangs on, or nil.
---@param t cuttle.target
---@return integer|nil
function Transform:parent_node(t) end

--- The first child, or nil.
---@param t cuttle.target
---@return cuttle.instance|nil
function Transform:first_child(t) end

--- The next child of the same parent, or nil.
---@param t cuttle.target
---@return cuttle.instance|nil
function Transform:next_sibling(t) end

--- The previous child of the same parent, or nil.
---@param t cuttle.target
---@return cuttle.instance|nil
function Transform:prev_sibling(t) end

--- The topmost ancestor, itself for a root.
---@param t cuttle.target
---@return cuttle.instance
function Transform:root(t) end

--- How many ancestors it has.
---@param t cuttle.target
---@return integer
function Transform:depth(t) end

--- Loops over those who are children now, in link order; passes over those that died or left meanwhile. Inside: link,
-- unlink, create and destroy as you like, remove the transform just handed out. The rest: see World:join.
---@param t cuttle.target
---@return fun(): cuttle.entity
function Transform:children(t) end

--- Destroys an entity and all its descendants.
---@param e cuttle.entity
---@return integer died
function Transform:destroy_tree(e) end

--- Calls `fn`; what it sets, links and unlinks is only marked, and at the end every changed subtree is computed once,
-- also when `fn` raises: its error is passed on. Inside, world getters are right: they work out the chain of changed
-- ancestors. The `world_matrix` column shows the values from before. Batches nest; the outermost computes. Inside,
-- `set_mode` raises, the world cannot be destroyed or cleared, and a coroutine cannot yield. In deferred mode a batch
-- adds nothing.
---@param fn fun(): ...
---@return any ... what fn returns
function Transform:batch(fn) end

--- Immediate, as it begins, or deferred: then sets, links and new transforms are only marked until `propagate`, and
-- world getters tell the last propagated pose; of a new one that which its parent's last propagated pose gave it.
-- `keep = "world"` and the setters of world poses go by what the getters tell. When a parent dies its children stay
-- where they were last shown, as roots. Setting it back to immediate propagates first.
--
-- While a set waits for `propagate`, `world_rotation` and `world_scale` come from the world matrix alone: a mirrored
-- scale may be told with other signs, and the rotation that goes with them.
---@param mode "immediate"|"deferred"
function Transform:set_mode(mode) end

--- In deferred mode, once a frame: computes every changed subtree, parents before children, each node once. Costs as
-- much as what has changed. Moves no rows. In immediate mode it does nothing.
function Transform:propagate() end

--- How many rows have changed since the last `propagate`, or since the batch began.
---@return integer
function Transform:dirty_count() end

--- Puts rows in the order of the hierarchy: parents before children, families together, children in link order, roots
-- in the order they had. Large trees are then walked in the order in which they lie in memory. Loops raise and
-- instances are stale when rows moved.
function Transform:sort() end

-- ------------------------------------------------------------------------------------------------------------------

--- Turns level source into blobs: JSON text or the same shape as a Lua table.
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
-- At the top stand `version` (1 unless told) and `entities`. In an entity:
--
-- - `name`: what it is called, which becomes its debug_name. Several may have one name; it holds no `/`.
-- - `id`: a string or number, unique in the file, for references only.
-- - `components`: type -> values; an array where an entity may have several, each with an `id` if you like. An empty
--   table is one component with defaults.
-- - `children`: entities below it; or `parent`: the id, name or path (`lamp_7/bulb`) of the one above, in the same file
--   or in a prefab that it includes.
-- - `prefab` and `overrides`: see below.
--
-- Keys that begin with `$` or `_` are ignored, other unknown keys are errors, and so is a key twice. null is absent (in
-- Lua tables: `cuttle.null`). A transform is linked to the nearest ancestor that has one.
--
-- **References.** A field of type `entity` names another entity: by its id, else by its name, else by the name of one
-- inside a prefab, else by a path (`lamp_7/bulb`). `false` is nobody. Whatever stands in a prefab instance, at its root
-- or appended to it, looks in the innermost file first and then outwards. Unknown or ambiguous is an error.
--
-- **Prefabs.** `prefab` names a file of level source, seen from the file that names it (from the option `directory`
-- where the source is no file). It has one root: all its other entries have a `parent`. The root takes the place of the
-- entry, with the entry's name if it has one, and the entry is laid over it:
--
-- - Fields replace fields; null makes a field absent (its default), or removes a component. In a transform `rotation`,
--   `angle` and `matrix` replace one another, and a part replaces a matrix.
-- - Where there may be several components, an item with the `id` of one replaces that whole, in its place; others are
--   appended.
-- - `children` are appended.
-- - `overrides` reach entities inside: path -> components, laid over in the same way, at every match. A longer path
--   lies above a shorter one, the including file's above the included one's. A path that matches nothing is an error.
--
-- A root may be an instance of another prefab. A cycle of prefabs is an error, which shows the chain.
--
-- An error begins with the name of the source, and tells the place, what was expected there, and for a misspelt name
-- the nearest known one: `level.json: entities[1].components.health: unknown field 'hpp' (did you mean 'hp'?)`. What is
-- wrong in a prefab is told behind the place where the source comes to it, by the file in which it is written:
-- `level.json: entities[3].prefab: lamp.json: entities[1].components.health.hp: expected a number, got string`.
---@class cuttle.Compiler
local Compiler = {}

---@class cuttle.compile_options
---@field name? string what messages begin with
---@field endian? "little"|"big" byte order of the target; the host's unless told
---@field directory? string where the paths of its prefabs begin; a file's own directory, else the current one
---@field read? fun(path: string): string?, string? opens prefabs, and the file of `compile_file`, in place of io.open
---@field root? string a folder that prefabs may not leave, with links resolved; with `read` only the names are compared
---@field limit? number bytes that a file may have at most; 2^28 unless told
---@field mistakes? fun(message: string) called for each mistake in the source, in the order in which they stand

--- Compiles a level. The same source gives the same bytes everywhere.
---@param source string|table
---@param options? cuttle.compile_options
---@return string|nil blob
---@return table|string files the prefabs it needed, in the order of their first use, or what is wrong and where
function Compiler:compile(source, options) end

--- Compiles one file into another, which is replaced whole or not at all.
---@param from string
---@param to string
---@param options? cuttle.compile_options
---@return string|nil blob
---@return table|string files `from` and the prefabs it needed, or what is wrong and where
function Compiler:compile_file(from, to, options) end

---@class cuttle.compile_context
---@field path string names the component's place: `level.json: entities[3].components.spikes`
---@field writer fun(): cuttle.Writer for numbers and strings in the target's byte order
---@field entity fun(name: string|number): integer which entity of the level a name, id or path means, counted from 0
-- as a spawner gets them; one that is unknown fails at the component's place

--- Registers how components of a name are compiled (Bitsquid, part 4, register_component_compiler). The function gets
-- what stands in the source, a copy that it may change, and returns the bytes of one component. Components defined by
-- `world:define` need none of this; a registered function wins over a component of the same name. When something is
-- wrong in the source it is called again, to find the first mistake. Beside it belongs a spawner:
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
-- `config` may be any JSON value; keys of null and keys that begin with `$` or `_` are taken out, at any depth, and a
-- null in an array is `cuttle.null`. Of a prefab and the entry that includes it, objects are laid over one another
-- field by field, other values replace. What the function raises ends compiling, with the place in the source; a
-- message that begins with a field's name goes on with the place.
---@param name string an identifier
---@param fn fun(config: any, context: cuttle.compile_context): string
---@param spawn_order? integer default 1000; transform 1, debug_name 2, model 3, mesh 4, point_mass 5, actor 6, grid 7,
-- those of scripts 100, 101, ... A lower one is spawned first
function Compiler:register(name, fn, spawn_order) end

--- The bytes of one component, written one value after another in the target's byte order. Every method but `tostring`
-- returns the writer itself: `context.writer():u8(1):string("a"):tostring()`. A number that does not fit raises, naming
-- it; a NaN is written as the one quiet NaN.
---@class cuttle.Writer
local Writer = {}

--- An integer from 0 to 255.
---@param v integer
---@return cuttle.Writer
function Writer:u8(v) end

--- An integer from 0 to 65535, 2 bytes.
---@param v integer
---@return cuttle.Writer
function Writer:u16(v) end

--- An integer from 0 to 2^32 - 1, 4 bytes.
---@param v integer
---@return cuttle.Writer
function Writer:u32(v) end

--- An integer from -128 to 127, 1 byte.
---@param v integer
---@return cuttle.Writer
function Writer:i8(v) end

--- An integer from -32768 to 32767, 2 bytes.
---@param v integer
---@return cuttle.Writer
function Writer:i16(v) end

--- An integer from -2^31 to 2^31 - 1, 4 bytes.
---@param v integer
---@return cuttle.Writer
function Writer:i32(v) end

--- Any number, rounded to 4 bytes.
---@param v number
---@return cuttle.Writer
function Writer:f32(v) end

--- Any number, 8 bytes.
---@param v number
---@return cuttle.Writer
function Writer:f64(v) end

--- A string: its length as `u32`, then its bytes, without padding and without a zero byte behind them.
---@param v string
---@return cuttle.Writer
function Writer:string(v) end

--- All bytes so far.
---@return string
function Writer:tostring() end

--- Bytes taken apart one value after another; see `cuttle.reader`. What is not there any more raises
-- `reader: 4 bytes expected at byte 12, 2 left` (bytes count from 0) and moves nothing.
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

--- A string as `Writer:string` writes it.
---@return string
function Reader:string() end

--- How many bytes are not read yet.
---@return integer
function Reader:left() end

--- A checked, read-only compiled level. It may be spawned any number of times, into any world. A component of a script
-- may have got fields since it was compiled: they get their defaults. One that has lost a field, or whose field has
-- another type, makes spawning return `nil, message`: compile the level again.
---@class cuttle.Resource
local Resource = {}

--- How many entities it holds.
---@return integer
function Resource:entity_count() end

--- Names of the component types in it, in spawn order.
---@return string[]
function Resource:component_types() end

--- The size of the blob.
---@return integer
function Resource:bytes() end

--- What is in it, as text: a line for the whole, one for each component type in spawn order with count and bytes, and
-- the tree of entities with what each has. Of the tree 100 lines, or as many as `tree` says, or "all".
---@param options? {tree: integer|"all"}
---@return string
function Resource:describe(options) end

--- Components whose values were read once, to create entities with. Keeps its world.
---@class cuttle.Template
local Template = {}

--- Creates an entity, or `n`, as `world:create` does. All or nothing. Raises when one of the components was defined
-- again, when an entity among the values has died, and when the world is destroyed.
---@param n integer
---@param out? cuttle.entity[]
---@return cuttle.entity[]
---@overload fun(self: cuttle.Template): cuttle.entity
---@overload fun(self: cuttle.Template, n: integer, list: cuttle.list): cuttle.list its contents are replaced
function Template:create(n, out) end

-- ------------------------------------------------------------------------------------------------------------------

--- What a spawn made. Entities keep the resource's order; dead ones are told too, until it is unloaded.
---@class cuttle.Level
local Level = {}

--- How many entities were spawned.
---@return integer
function Level:count() end

--- The i-th of them.
---@param i integer
---@return cuttle.entity
function Level:entity(i) end

--- Where the entities of a copy are: the first one, and how many there are. Nil when there is no such copy, or the
-- level is unloaded. What `world:spawn` made is one copy.
---@param k integer from 1 on
---@return integer|nil first for `entity`
---@return integer? count
function Level:copy_range(k) end

--- All of them, in a new table.
---@return cuttle.entity[]
function Level:entities() end

--- All of them, in a new list.
---@return cuttle.list
function Level:list() end

--- Those without a parent in the level.
---@return cuttle.entity[]
function Level:roots() end

--- The living entity of a path by the names in the resource: `tower/turret`. A name without `/` is the first so named.
---@param path string
---@return cuttle.entity|nil
function Level:find(path) end

--- How many components of each type were skipped, because the world did not know it.
---@return table<string, integer>
function Level:skipped() end

--- Destroys what is still alive of it, in bulk. Safe twice.
---@return integer died how many
function Level:unload() end

--- Spawns the level again from the same resource and options, then unloads the old entities. While the new entities are
-- spawned, both exist, and the level holds the new ones. If anything fails (the parent is dead, there is no room for
-- both, a callback raises), the new entities are destroyed and the old ones stay. What a callback raises that is called
-- for an old entity is raised when all is done.
---@return cuttle.Level|nil level
---@return string? message
function Level:restart() end

--- Brings the living level to a newer version of its resource: what the designer changed comes, what a script changed
-- since stays, ids stay. Entities are found by the `id` that they have in the source (inside a prefab: within that
-- prefab's instance), wherever they stand by now; those without one by name and order among namesakes under the same
-- parent; each copy of `spawn_many` by itself.
--
-- Old and new value are what a spawn with this level's options would write from each resource. A field, what a
-- transform hangs on included, is written where the two differ and the entity still has the old one. Components that
-- the file has come to have are added, those it lost are removed; so are entities. What a script destroyed or removed
-- stays gone, with what is new below it; what it added stays. Items of a component of which there may be several go by
-- id, those without by order. Actors keep their bodies.
--
-- All or nothing: hooks hear of what is new first, and one that raises takes all back. Meanwhile the level can neither
-- be unloaded nor restarted. What is told of things that go, and raises, is raised when all is done.
--
--     local resource, message = cuttle.load "street.level"
--     local told = resource and level:patch(resource)
--     if told then print(told.added, told.removed, told.changed, told.moved) end
---@param resource cuttle.Resource
---@return cuttle.Patched|nil told
---@return string? message nothing has changed
function Level:patch(resource) end

---@class cuttle.Patched
---@field added integer entities that were spawned
---@field removed integer that were destroyed
---@field changed integer that were changed in place: fields written, components added or removed
---@field moved integer whose transforms hang elsewhere now
---@field left string[] "street/lamp: engine" of each entity whose data for a spawner differs: only a spawn brings it

-- ------------------------------------------------------------------------------------------------------------------

---@class cuttle.import_gltf_options
---@field fields? string extras of nodes without a mapping are kept in the field `value` of a component of that name
---@field components? table<string, fun(fields: table, node: table, context: table): table?, string?> mappings
---@field mesh? fun(mesh: table, node: table, context: table): table?, string? components of a node with a mesh
---@field meshes? boolean every node with a mesh gets a mesh component, whose resource is the mesh's name
---@field camera? fun(camera: table, node: table, context: table): table?, string? components of a node with a camera
---@field light? fun(light: table, node: table, context: table): table?, string? components of a node with a light
---@field skin? fun(skin: table, node: table, context: table): table?, string? components of a node with a skin
---@field scene? integer|string index from 0 on, or name; else the default scene, the first one, or all roots
---@field extensions? string[] extensions that the game understands or can do without
---@field directory? string where buffers are; that of the path unless told; a text needs it, or `read`
---@field name? string what messages call the document
---@field read? fun(path: string): string?, string? opens the file in place of io.open
---@field limit? number bytes that a file may have at most; 2^28 unless told
---@field root? string a folder that the files which the document names may not leave, with links resolved; `directory`
---or the folder of the path unless told. With `read` only the names are compared
---@field max_elements? number how many elements the document may have, with all files that it names; 1e6 unless told
---@field max_cells? number how many cells its layers may have; 1e7 unless told
---@field json? fun(text: string): table a JSON decoder

---@class cuttle.import_ldtk_options
---@field fields? string custom fields without a mapping are kept in the field `value` of a component of that name
---@field depth? boolean|number the depth of a level is its z; or so much for each step of depth
---@field components? table<string, function> identifier, or "*": function(fields, entity, context) -> components
---@field tiles? boolean|"grid" every tile becomes an entity; `"grid"`: tile layers and int grids become grid components
---@field tile? function function(tile, layer) -> components, or false to leave it out
---@field int_grid? boolean|function every cell that is not 0; or function(value, cell) -> components, or false
---@field layer? function function(layer) -> components
---@field level? function function(fields, level) -> components
---@field levels? string[]|function identifiers or iids, or function(level) -> boolean
---@field worlds? string[]|function the same of a project with several worlds
---@field directory? string where separate level files are; that of the path unless told; a text needs it, or `read`
---@field name? string what messages call the document
---@field read? function function(path) -> text, or nil and a message: opens files in place of io.open
---@field limit? number bytes that a file may have at most; 2^28 unless told
---@field root? string a folder that the files which the document names may not leave, with links resolved; `directory`
---or the folder of the path unless told. With `read` only the names are compared
---@field max_elements? number how many elements the document may have, with all files that it names; 1e6 unless told
---@field max_cells? number how many cells its layers may have; 1e7 unless told
---@field json? function function(text) -> value: the decoder, as for `cuttle.compiler`

---@class cuttle.import_tiled_options
---@field fields? string properties without a mapping are kept in the field `value` of a component of that name
---@field components? table<string, function> by class: fun(fields, object, context) -> components or nil, name; `*`
---@field tiles? boolean|"grid" every tile becomes an entity; `"grid"`: every tile layer becomes a grid component
---@field tile? fun(tile: table, layer: table): table|false|nil, string? components of a tile, false leaves it out
---@field layer? fun(layer: table): table|nil, string? components of a layer
---@field map? fun(fields: table, map: table): table|nil, string? gives the map an entity over its layers
---@field layers? string[]|fun(layer: table): boolean which layers; all unless told
---@field project? string text or path of the `.tiled-project`: defaults of classes, flags of enumerations
---@field inflate? fun(bytes: string, kind: string, size: integer): string unpacks zlib, gzip or zstd layers
---@field directory? string where tilesets and templates are; that of the path unless told; a text needs it, or `read`
---@field name? string what messages call the document
---@field read? fun(path: string): string?, string? opens files in place of `io.open`
---@field limit? number bytes that a file may have at most; 2^28 unless told
---@field root? string a folder that the files which the document names may not leave, with links resolved; `directory`
---or the folder of the path unless told. With `read` only the names are compared
---@field max_elements? number how many elements the document may have, with all files that it names; 1e6 unless told
---@field max_cells? number how many cells its layers may have; 1e7 unless told
---@field json? fun(text: string): table the decoder, as for `cuttle.compiler`

--- Levels made in editors, as level source: a Lua table for `compiler:compile`. Second comes a list of warnings: what
-- was there and did not come, such as tiles and custom fields that nobody asked for. Third, with `tiles = "grid"`, what
-- the numbers in grids mean:
--
--     local level, warnings, meanings = assert(cuttle.import.tiled("cave.tmx", { tiles = "grid" }))
--     for name, tiles in pairs(meanings) do world.grid:define_resource(name, tiles) end
---@class cuttle.import
local import = {}

--- Turns an LDtk project (1.x) into level source. Levels and layers are entities, what stands in them their children;
-- ids are the editor's. Separate level files are read from the folder of the project.
-- lua/cuttle/import/ldtk.lua says what mappings are told.
---@param text_or_path string JSON, or a path
---@param options? cuttle.import_ldtk_options
---@return table? source for `compiler:compile`
---@return string[]|string told warnings: what was left out; or what is wrong, with file and place in it
---@return table<string, table>? meanings of the numbers in grids, by name of a tileset or of an int grid layer
function import.ldtk(text_or_path, options) end

--- Imports a scene of a glTF 2.0 file (`.gltf`, `.glb`): every node becomes an entity with its pose, its name, and its
-- index, from 0 on, as id. A mapping is found by the string in the node's extras `class`, else `type`, else by the
-- node's name, as it is or without a `.001`, else under `"*"`; it is handed the extras, the node and a context, and
-- returns components to be laid over what is there, and a name. World matrices come out equal to the file's.
-- lua/cuttle/import/gltf.lua says what a node is told with.
---@param text_or_path string JSON text, the bytes of a `.glb`, or a path
---@param options? cuttle.import_gltf_options
---@return table|nil source
---@return string[]|string told warnings: what was left out; or what is wrong, with file and place
---@return table? meanings empty, as there are no grids
function import.gltf(text_or_path, options) end

--- Imports a Tiled map (`.tmx` through lua-expat, `.tmj`, a Lua export, which is not run) or world (`.world`): layers,
-- groups, objects, templates, and tiles when asked.
-- Orthogonal, isometric, staggered, hexagonal; infinite maps; tiles and objects flipped and turned as Tiled draws them.
-- Layers that are packed by zstd need lua-zstd, or option `inflate`. lua/cuttle/import/tiled.lua says what mappings are
-- told.
---@param text_or_path string a document (it begins with `{`, `[`, `<` or `return`) or the path of one
---@param options? cuttle.import_tiled_options
---@return table|nil source level source
---@return string[]|string told warnings: what was left out; or what is wrong, with file and place
---@return table<string, table>? meanings of the numbers in grids, by name of the map
function import.tiled(text_or_path, options) end
