--- Inspector page, data sources: the server, or the data inside the page.
-- Does not depend on how the data is shown.

return [==[
const byId = id => document.getElementById(id);

// Makes an element with attributes and children. Strings become text, never HTML.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

// Sends requests to the game. An error reply becomes an Error with its message.
class ServerSource {
  constructor() {
    this.live = true;
    this.past = false;
    this.token = new URLSearchParams(location.search).get('token') || '';
  }
  async request(method, path, query = {}, body = undefined) {
    if (this.past) query = { ...query, past: 1 };
    const search = new URLSearchParams(query).toString();
    const response = await fetch(path + (search ? '?' + search : ''), {
      method, headers: { 'X-Cuttle-Token': this.token }, cache: 'no-store',
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new Error('the game replied with status ' + response.status);
    const reply = await response.json();
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply;
  }
  worlds() { return this.request('GET', '/worlds'); }
  outline(world, have) { return this.request('GET', '/outline', { world, have }); }
  async owners(world, component) { return (await this.request('GET', '/owners', { world, component })).ids; }
  async matches(world, condition) { return (await this.request('GET', '/matches', { world, condition })).ids; }
  async kinds(world, ids) { return (await this.request('GET', '/kinds', { world, ids: ids.join() })).kinds; }
  positions(world) { return this.request('GET', '/positions', { world }); }
  entity(id) { return this.request('GET', '/entity', { id }); }
  timings(world) { return this.request('GET', '/timings', { world }); }
  write(change) { return this.request('POST', '/write', {}, change); }
  add(place, values) { return this.request('POST', '/add', {}, { ...place, values }); }
  remove(place) { return this.request('POST', '/remove', {}, place); }
  async create(world, name) { return (await this.request('POST', '/create', {}, { world, name })).id; }
  destroy(id) { return this.request('POST', '/destroy', {}, { id }); }
  async pause(on) { return (await this.request('POST', '/pause', {}, { on })).paused; }
  step() { return this.request('POST', '/step', {}, {}); }
  profile(world, on) { return this.request('POST', '/profile', {}, { world, on }); }
  preview(world, level) { return this.request('POST', '/preview', {}, { world, level }); }
  async lookBack(frames) {
    this.past = false;
    const reply = await this.request('POST', '/past', {}, frames > 0 ? { frames } : {});
    this.past = reply.frames !== false;
    return reply.frames;
  }
}

// Answers requests from the data inside the page. The data is in columns; an entity's values are collected on demand.
class ReportSource {
  constructor(data) {
    this.live = false;
    this.data = data;
    this.rows = new Map();
  }
  async worlds() { return { ...this.data.worlds, depth: 0, past: false, rate: 0 }; }
  async outline(world) { return { serial: '1', outline: this.data.outlines[world] }; }
  async owners(world, component) { return this.data.components[world][component].owners; }
  async matches() { throw new Error('a condition needs the running game'); }
  async timings(world) { return this.data.timings[world]; }
  async positions(world) {
    const { owners, fields } = this.data.components[world].transform;
    const positions = fields.world_position;
    return { ids: owners, x: positions.map(each => each[0]), y: positions.map(each => each[1]) };
  }
  // Rows by owner, made on the first use of a component.
  rowsOf(world, component) {
    const key = world + '/' + component;
    if (!this.rows.has(key)) {
      const rows = new Map();
      this.data.components[world][component].owners.forEach((owner, row) => {
        if (rows.has(owner)) rows.get(owner).push(row);
        else rows.set(owner, [row]);
      });
      this.rows.set(key, rows);
    }
    return this.rows.get(key);
  }
  async kinds(name, ids) {
    const world = this.data.worlds.worlds.find(each => each.name === name);
    const names = world.managers.map(manager => manager.name).filter(each => each !== 'transform').concat('transform');
    return ids.map(id => names.filter(each => this.rowsOf(name, each).has(id)).join(', '));
  }
  async entity(id) {
    const entity = { id, text: 'entity(' + (id & 0x3fffff) + ':' + (id >>> 22) + ')', alive: true, worlds: [] };
    for (const world of this.data.worlds.worlds) {
      const components = [];
      for (const manager of world.managers) {
        const rows = this.rowsOf(world.name, manager.name).get(id);
        if (!rows) continue;
        const columns = this.data.components[world.name][manager.name];
        const items = rows.slice(0, 50).map(row => {
          const fields = {};
          for (const field of manager.fields) fields[field.name] = [columns.fields[field.name][row], false];
          return { id: manager.multiple ? columns.ids[row] : undefined, fields };
        });
        components.push({ name: manager.name, items, more: Math.max(rows.length - 50, 0) });
      }
      entity.worlds.push({ name: world.name, components });
    }
    return entity;
  }
}

const embedded = JSON.parse(byId('data').textContent);
const source = embedded ? new ReportSource(embedded) : new ServerSource();
]==]
