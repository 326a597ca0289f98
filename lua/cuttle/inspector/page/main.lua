--- Inspector page, main part: periodic requests, the search, and the connections between the parts.
-- Does not depend on elements that other parts make.

return [==[
let state = null; // the last reply about all worlds
let world = null; // the selected world
let serialHad = '';
let selected = null;
const schema = new Map();
const EVERY = { entity: 250, worlds: 1000, outline: 2000, timings: 500, map: 250 };

let lasting = false; // the shown text is about the user's last action, and stays until the next one

function showState(text, bad, lasts = false) {
  lasting = lasts;
  byId('state').textContent = text;
  byId('state').classList.toggle('bad', Boolean(bad));
}

// ---- the selected entity

// Reads "1042", "entity(1042:3)" or a unique name; an empty text means no entity.
function readEntity(text) {
  const plain = text.trim();
  if (plain === '') return null;
  if (/^\d+$/.test(plain)) return Number(plain);
  const parts = /^entity\((\d+):(\d+)\)$/.exec(plain);
  if (parts) return Number(parts[1]) + Number(parts[2]) * 4194304;
  const places = tree.forest.names.flatMap((name, place) => (name === plain ? [place] : []));
  if (places.length === 1) return tree.forest.ids[places[0]];
  throw new Error(places.length === 0 ? 'no entity has the name "' + plain + '"'
    : places.length + ' entities have that name');
}

async function refreshEntity() {
  if (selected === null) return;
  const id = selected;
  const reply = await source.entity(id);
  if (id !== selected) return;
  card.show(reply, schema, source.live && !source.past);
  map.select(id, byId('map').open ? linesOf(reply) : []);
}

// The entities to which an entity refers, and its children: pairs of an id and whether it is a child.
function linesOf(entity) {
  const { forest } = tree, place = forest.place.get(entity.id);
  const lines = place === undefined ? [] : forest.kids(place).map(at => [forest.ids[at], true]);
  for (const { name, components } of entity.worlds) {
    for (const component of components) {
      for (const field of (schema.get(name) || new Map()).get(component.name) || []) {
        if (field.type !== 'entity') continue;
        for (const item of component.items)
          if ((item.fields[field.name] || [null])[0] !== null) lines.push([item.fields[field.name][0], false]);
      }
    }
  }
  return lines;
}

// Shows the error of a change that has no other place for it.
function changing(work) {
  return async (...given) => {
    try {
      await work(...given);
      await Promise.all([refreshEntity(), refreshWorlds(), refreshOutline()]);
    } catch (error) {
      showState(error.message, true, true);
    }
  };
}
for (const action of ['pointerdown', 'keydown'])
  document.addEventListener(action, () => { lasting = false; }, true);

const card = new Card(byId('entity'), {
  write: async change => {
    await source.write(change);
    await refreshEntity();
  },
  add: async (place, values) => {
    await source.add(place, values);
    await Promise.all([refreshEntity(), refreshWorlds()]);
  },
  remove: changing(place => source.remove(place)),
  destroy: changing(id => source.destroy(id)),
}, { read: readEntity, show: id => selectEntity(id) });

const tree = new Tree(byId('tree'), byId('rows'), id => {
  selected = id;
  guard(refreshEntity)();
}, ids => source.kinds(world.name, ids));

const map = new WorldMap(byId('map'), id => selectEntity(id));

function selectEntity(id) {
  selected = id;
  tree.reveal(id);
  guard(refreshEntity)();
}

// ---- worlds

async function refreshWorlds() {
  state = await source.worlds();
  const names = state.worlds.map(each => each.name);
  const select = byId('world');
  if ([...select.options].map(option => option.value).join('\n') !== names.join('\n'))
    select.replaceChildren(...names.map(name => element('option', { value: name }, name)));
  const before = world && world.name;
  world = state.worlds.find(each => each.name === before) || state.worlds[0] || null;
  schema.clear();
  for (const each of state.worlds)
    schema.set(each.name, new Map(each.managers.map(manager => [manager.name, manager.fields])));
  byId('totals').textContent = countText(state.entities) + ' entities, ' +
    bytesText(state.bytes + state.worlds.reduce((sum, each) => sum + each.bytes, 0));
  slider.show(state.depth, state.rate);
  showPause(state);
  byId('new-entity').hidden = !source.live || Boolean(source.past);
  if (!world) return;
  select.value = world.name;
  showManagers(byId('managers'), world, name => search('query', name));
  levels.show(world);
}

async function refreshOutline() {
  if (!world) return;
  const reply = await source.outline(world.name, serialHad);
  if (reply.outline) {
    serialHad = reply.serial;
    tree.setOutline(reply.outline);
  }
  if (trouble || reply.outline || byId('mode').value === 'query') await runSearch();
  else count();
  await tree.describe(true);
}

async function refreshMap() {
  if (world && byId('map').open) map.show(await source.positions(world.name));
}

async function refreshTimings() {
  if (!world || source.past || !byId('measure').checked) return;
  graph.add(await source.timings(world.name), performance.now() / 1000);
}

const levels = new Levels(byId('levels'), source.live ? (name, level) => source.preview(name, level) : null);
const graph = new Graph(byId('graph'), byId('timings'));
const slider = new Slider(async frames => {
  let back = 0;
  try {
    back = (await source.lookBack(frames)) || 0;
    serialHad = '';
    tree.forget();
    await refreshWorlds();
    await Promise.all([refreshOutline(), refreshEntity(), refreshMap()]);
    await runSearch();
  } catch (error) {
    showState(error.message, true, true);
  }
  return back;
});

// ---- pause, and new entities

// The game's buttons are shown if it asks for them.
function showPause({ pausable, paused }) {
  byId('control').hidden = !pausable;
  byId('pause').textContent = paused ? 'Continue' : 'Pause';
  byId('pause').setAttribute('aria-pressed', String(Boolean(paused)));
  byId('step').disabled = !paused;
}

byId('pause').addEventListener('click', changing(async () => {
  const on = byId('pause').getAttribute('aria-pressed') !== 'true';
  showPause({ pausable: true, paused: await source.pause(on) });
}));
byId('step').addEventListener('click', changing(() => source.step()));
byId('new-entity').addEventListener('submit', event => {
  event.preventDefault();
  changing(async () => {
    selected = await source.create(world.name, byId('new-name').value.trim());
    byId('new-name').value = '';
  })().then(() => selectEntity(selected));
});

// ---- search

let trouble = ''; // error message of the last search

function count() {
  const all = tree.forest.ids.length;
  const found = byId('found');
  found.classList.toggle('bad', trouble !== '');
  found.textContent = trouble || (tree.matches ? countText(tree.matches.size) + ' of ' + countText(all) + ' entities'
    : countText(all) + ' entities');
}

// Finds entities by components, with the syntax of world:join: "transform velocity !frozen ?target".
async function findByComponents(text) {
  const terms = text.split(/[\s,"']+/).filter(term => term !== '');
  if (/^[!?]/.test(terms[0])) throw new Error('the first component must have no prefix ! or ?');
  if (terms.length > 8) throw new Error('at most 8 components');
  let ids = null;
  for (const term of terms) {
    const name = term.replace(/^[!?]/, '');
    if (!world.managers.some(manager => manager.name === name)) throw new Error('unknown component "' + name + '"');
    if (term[0] === '?') continue;
    const owners = new Set(await source.owners(world.name, name));
    if (ids === null) ids = owners;
    else ids = new Set([...ids].filter(id => owners.has(id) === (term[0] !== '!')));
  }
  if (ids === null) throw new Error('name a component');
  return ids;
}

// Finds entities by components, by a condition ("health.hp < 10"), or both ("enemy !frozen where health.hp < 10").
async function findByQuery(text) {
  const [, terms, condition] = /^(?:(.*?)\s+where\s+)?(.*)$/s.exec(text);
  if (terms === undefined && !/[.<>=~()]/.test(text)) return findByComponents(text);
  const met = new Set(await source.matches(world.name, condition));
  if (terms === undefined || terms.trim() === '') return met;
  return new Set([...(await findByComponents(terms.trim()))].filter(id => met.has(id)));
}

function findByName(text) {
  const plain = text.toLowerCase();
  const parts = /^(?:entity\()?(\d+)(?::(\d+)\))?$/.exec(plain);
  const id = parts && Number(parts[1]) + Number(parts[2] || 0) * 4194304;
  const { ids, names } = tree.forest;
  return new Set(ids.filter((each, at) => each === id || names[at].toLowerCase().includes(plain)));
}

let searches = 0;
let searched = ''; // the last search that succeeded
// Runs the search. If it fails, shows the error message and no entities.
async function runSearch() {
  const text = byId('query').value.trim();
  const asked = [world && world.name, byId('mode').value, text].join('\n');
  const mine = ++searches;
  try {
    const find = byId('mode').value === 'query' ? findByQuery : findByName;
    const matches = text === '' ? null : await find(text);
    if (mine !== searches) return;
    trouble = '';
    const same = matches && tree.matches && matches.size === tree.matches.size &&
      [...matches].every(id => tree.matches.has(id));
    if (!same && (matches || tree.matches)) tree.setMatches(matches, asked === searched);
    searched = asked;
  } catch (error) {
    if (mine !== searches) return;
    trouble = error.message;
    searched = '';
    tree.setMatches(new Set(), false);
  }
  count();
}

function search(mode, text) {
  byId('mode').value = mode;
  byId('query').value = text;
  byId('query').placeholder = mode === 'query' ? 'transform !frozen where health.hp < 10' : '';
  runSearch();
}

let typing = 0;
byId('query').addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(runSearch, 120);
});
byId('query').addEventListener('keydown', async event => {
  if (event.key !== 'ArrowDown') return;
  event.preventDefault();
  clearTimeout(typing);
  await runSearch(); // the tree must show the result before it gets the focus
  byId('tree').focus();
});
byId('mode').addEventListener('change', () => search(byId('mode').value, byId('query').value));
byId('search').addEventListener('submit', event => {
  event.preventDefault();
  runSearch();
});
document.addEventListener('keydown', event => {
  if (event.key !== '/' || event.target.matches('input, select')) return;
  event.preventDefault();
  byId('query').focus();
});

byId('world').addEventListener('change', event => {
  const before = world.name, measured = byId('measure').checked;
  world = state.worlds.find(each => each.name === event.target.value);
  serialHad = '';
  tree.forget();
  graph.clear();
  map.clear();
  byId('measure').checked = false;
  guard(async () => {
    if (measured) await source.profile(before, false);
    await refreshWorlds();
    await refreshOutline();
    await runSearch();
    await refreshMap();
    if (!source.live) graph.total(await source.timings(world.name));
  })();
});
byId('map').addEventListener('toggle', guard(() => Promise.all([refreshMap(), refreshEntity()])));
byId('measure').addEventListener('change', event => guard(async () => {
  graph.clear();
  await source.profile(world.name, event.target.checked);
  await refreshTimings();
})());

// ---- periodic requests

function guard(work) {
  return async () => {
    try {
      await work();
      if (source.live && work === refreshWorlds && !lasting) showState('live'); // others may have made no request
      return true;
    } catch (error) {
      showState(error instanceof TypeError ? 'no connection to the game' : error.message, true);
      return false;
    }
  };
}

// Repeats a request, one at a time, and only while the page is visible.
function repeat(work, milliseconds) {
  const guarded = guard(work);
  const again = async () => {
    const well = document.hidden || await guarded();
    setTimeout(again, well ? milliseconds : 3000);
  };
  setTimeout(again, milliseconds);
}

async function begin() {
  await refreshWorlds();
  await refreshOutline();
  if (source.live) {
    showState('live');
    repeat(refreshEntity, EVERY.entity);
    repeat(refreshWorlds, EVERY.worlds);
    repeat(refreshOutline, EVERY.outline);
    repeat(refreshTimings, EVERY.timings);
    repeat(refreshMap, EVERY.map);
  } else {
    byId('measure-label').hidden = true;
    byId('unit').textContent = 'ms';
    graph.total(await source.timings(world.name));
    showState('recorded at ' + source.data.made);
  }
  document.body.dataset.ready = 'yes';
}

guard(begin)();
]==]
