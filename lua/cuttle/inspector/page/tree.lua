--- Inspector page, tree of entities. Only visible rows are elements.
-- Does not depend on the source of entities, nor on the use of the selected one.

return [==[
const ROW = 24;

// Tree of an outline: roots and ordered children, as places in the columns of the outline.
class Forest {
  constructor(outline) {
    this.ids = outline.ids;
    this.names = outline.names;
    this.parents = outline.parents;
    this.place = new Map(outline.ids.map((id, place) => [id, place]));
    this.roots = [];
    this.children = new Map();
    outline.ids.forEach((id, place) => {
      const parent = outline.parents[place];
      if (parent < 0 || !this.place.has(parent)) return this.roots.push(place);
      if (this.children.has(parent)) this.children.get(parent).push(place);
      else this.children.set(parent, [place]);
    });
    for (const places of this.children.values()) this.order(places, outline.nexts);
  }
  // Sorts children by their sibling links: the first child is not the next sibling of another. Keeps the given order if
  // the links are inconsistent because an entity moved while the outline was made.
  order(places, nexts) {
    const followers = new Set(places.map(place => nexts[place]));
    const ordered = [];
    let place = places.find(candidate => !followers.has(this.ids[candidate]));
    while (place !== undefined && ordered.length < places.length) {
      ordered.push(place);
      place = this.place.get(nexts[place]);
    }
    if (ordered.length === places.length && new Set(ordered).size === places.length)
      ordered.forEach((each, at) => { places[at] = each; });
  }
  kids(place) { return this.children.get(this.ids[place]) || []; }
}

class Tree {
  // 'kinds' returns the components of entities, as a promise of one text for each id.
  constructor(box, rows, choose, kinds) {
    this.box = box;
    this.kinds = kinds;
    this.forget();
    this.holder = rows;
    this.choose = choose;
    this.forest = new Forest({ ids: [], names: [], parents: [], nexts: [] });
    this.open = new Set();
    this.shown = [];
    this.matches = null;
    this.chosen = null;
    this.active = 0;
    box.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(box);
    box.addEventListener('keydown', event => this.key(event));
    rows.addEventListener('click', event => this.click(event));
  }
  activeId() {
    const row = this.shown[this.active];
    return row && this.forest.ids[row.place];
  }
  rowOf(id) { return this.shown.findIndex(row => this.forest.ids[row.place] === id); }
  setOutline(outline) {
    const id = this.activeId();
    this.forest = new Forest(outline);
    this.kindOf = new Map([...this.kindOf].filter(([id]) => this.forest.place.has(id)));
    this.flatten();
    const at = this.rowOf(id);
    if (at >= 0) this.active = at;
    this.draw();
  }
  // Shows only a set of ids (null: all entities) and their ancestors. The first match becomes the active row. If a
  // search is repeated, the active row stays if it is still shown.
  setMatches(matches, again) {
    const id = this.activeId();
    this.matches = matches;
    this.flatten();
    const first = matches ? this.shown.findIndex(row => matches.has(this.forest.ids[row.place])) : 0;
    const at = again ? this.rowOf(id) : -1;
    if (at < 0) this.box.scrollTop = 0;
    this.move(at < 0 ? first : at);
  }
  flatten() {
    const forest = this.forest;
    let kept = null;
    if (this.matches) {
      kept = new Set();
      for (const id of this.matches) {
        let place = forest.place.get(id);
        while (place !== undefined && !kept.has(place)) {
          kept.add(place);
          place = forest.place.get(forest.parents[place]);
        }
      }
    }
    const keep = places => (kept ? places.filter(place => kept.has(place)) : places);
    this.shown = [];
    const stack = [{ places: keep(forest.roots), at: 0, depth: 0 }];
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (top.at >= top.places.length) {
        stack.pop();
        continue;
      }
      const place = top.places[top.at++];
      const kids = keep(forest.kids(place));
      const open = kids.length > 0 && (kept !== null || this.open.has(forest.ids[place]));
      this.shown.push({ place, depth: top.depth, kids: kids.length, open, at: top.at, of: top.places.length });
      if (open) stack.push({ places: kids, at: 0, depth: top.depth + 1 });
    }
    this.active = Math.max(0, Math.min(this.active, this.shown.length - 1));
  }
  // Drops the cached components, before another world or frame is shown.
  forget() { this.kindOf = new Map(); }
  // The range of rows that are elements: the first, and the one after the last.
  range() {
    return [Math.max(0, Math.floor(this.box.scrollTop / ROW) - 5),
      Math.min(this.shown.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + 5)];
  }
  // Requests the components of the visible entities without a name: of all ('again'), or only if some are not cached.
  async describe(again) {
    const { ids, names } = this.forest;
    const unnamed = this.shown.slice(...this.range()).filter(row => !names[row.place]).map(row => ids[row.place]);
    if (this.requesting || unnamed.length === 0 || !again && unnamed.every(id => this.kindOf.has(id))) return;
    const known = this.kindOf;
    this.requesting = true;
    try {
      (await this.kinds(unnamed)).forEach((kind, at) => known.set(unnamed[at], kind));
    } finally {
      this.requesting = false;
    }
    this.draw();
  }
  draw() {
    const [first, last] = this.range();
    const made = [];
    for (let at = first; at < last; ++at) made.push(this.row(at));
    this.holder.style.height = this.shown.length * ROW + 'px';
    this.holder.replaceChildren(...made);
    const active = byId('row-' + this.active);
    if (active) this.box.setAttribute('aria-activedescendant', active.id);
    else this.box.removeAttribute('aria-activedescendant');
    this.describe(false).catch(() => {}); // the next refresh of the tree repeats the request
  }
  label(place) {
    const kind = this.kindOf.get(this.forest.ids[place]);
    return this.forest.names[place] || (kind === '' ? '(no components)' : kind || '\u2026');
  }
  row(at) {
    const { place, depth, kids, open, at: position, of } = this.shown[at];
    const id = this.forest.ids[place];
    const unnamed = !this.forest.names[place];
    const context = this.matches && !this.matches.has(id);
    return element('div', {
      id: 'row-' + at, role: 'treeitem', 'data-at': at,
      class: 'row' + (at === this.active ? ' active' : '') + (context ? ' context' : '') +
        (unnamed ? ' unnamed' : ''),
      style: 'top:' + at * ROW + 'px;padding-left:' + (4 + Math.min(depth, 20) * 14) + 'px',
      'aria-level': depth + 1, 'aria-posinset': position, 'aria-setsize': of,
      'aria-expanded': kids > 0 ? String(open) : null, 'aria-selected': String(id === this.chosen),
    }, element('span', { class: 'twist', 'aria-hidden': 'true' }, kids > 0 ? (open ? '\u25bc' : '\u25b6') : ''),
    element('span', { class: 'name' }, this.label(place)),
    element('span', { class: 'id' }, String(id)));
  }
  click(event) {
    const row = event.target.closest('.row');
    if (!row) return;
    this.active = Number(row.dataset.at);
    if (event.target.classList.contains('twist')) this.toggle(!this.shown[this.active].open);
    else this.pick();
  }
  toggle(open) {
    const row = this.shown[this.active];
    if (!row || row.kids === 0 || this.matches) return;
    const id = this.forest.ids[row.place];
    if (open) this.open.add(id);
    else this.open.delete(id);
    this.flatten();
    this.draw();
  }
  pick() {
    const row = this.shown[this.active];
    if (!row) return;
    this.chosen = this.forest.ids[row.place];
    this.draw();
    this.choose(this.chosen);
  }
  move(to) {
    this.active = Math.max(0, Math.min(to, this.shown.length - 1));
    const top = this.active * ROW;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    const below = top + ROW - this.box.clientHeight;
    if (below > this.box.scrollTop) this.box.scrollTop = below;
    this.draw();
  }
  // Selects an entity and shows it: opens its ancestors.
  reveal(id) {
    let place = this.forest.place.get(id);
    this.chosen = id;
    if (place === undefined) return this.draw();
    for (place = this.forest.place.get(this.forest.parents[place]); place !== undefined;
      place = this.forest.place.get(this.forest.parents[place])) this.open.add(this.forest.ids[place]);
    this.flatten();
    this.move(this.rowOf(id));
  }
  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1);
    const row = this.shown[this.active];
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.shown.length,
      End: this.shown.length };
    if (event.ctrlKey || event.altKey || event.metaKey || !row) return;
    if (moves[event.key]) this.move(this.active + moves[event.key]);
    else if (event.key === 'ArrowRight') row.open ? this.move(this.active + 1) : this.toggle(true);
    else if (event.key === 'ArrowLeft') this.out(row);
    else if (event.key === 'Enter' || event.key === ' ') this.pick();
    else return;
    event.preventDefault();
  }
  // Closes the row, or moves to its parent.
  out(row) {
    if (row.open && !this.matches) return this.toggle(false);
    for (let at = this.active - 1; at >= 0; --at) {
      if (this.shown[at].depth < row.depth) return this.move(at);
    }
  }
}
]==]
