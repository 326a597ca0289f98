--- Inspector page, panels: managers, levels, and the slider for recorded frames.
-- Does not depend on the tree and the selected entity.

return [==[
function bytesText(bytes) {
  if (bytes < 10000) return bytes + ' B';
  return bytes < 1e7 ? (bytes / 1024).toFixed(0) + ' KB' : (bytes / 1048576).toFixed(1) + ' MB';
}
const countText = count => count.toLocaleString('en');

// The rows are kept while the components are the same, with the focus on a name.
function showManagers(table, world, search) {
  const names = JSON.stringify([world.name, ...world.managers.map(manager => manager.name)]);
  if (table.dataset.names !== names)
    table.tBodies[0].replaceChildren(...world.managers.map(({ name }) => element('tr', {},
      element('td', {}, element('button', { type: 'button', class: 'link', title: 'Entities with this component',
        onclick: () => search(name) }, name)),
      element('td', { class: 'number' }), element('td'), element('td', { class: 'number' }))));
  table.dataset.names = names;
  world.managers.forEach((manager, at) => {
    const [, rows, full, bytes] = table.tBodies[0].rows[at].cells;
    const share = manager.capacity > 0 ? manager.rows / manager.capacity : 0;
    const percent = Math.round(share * 100) + '%';
    rows.textContent = countText(manager.rows);
    full.replaceChildren(manager.capacity === 0 ? '' : element('span', { class: 'full',
      title: countText(manager.rows) + ' of ' + countText(manager.capacity) + ' rows' },
    element('i', { style: 'width:' + percent }), element('b', {}, percent + ' of ' + countText(manager.capacity))));
    bytes.textContent = bytesText(manager.bytes);
  });
}

function patchText(counts) {
  const parts = ['added', 'removed', 'changed', 'moved'].map(name => counts[name] + ' ' + name);
  const left = counts.left.length > 0 ? '; unchanged: ' + counts.left.join(', ') : '';
  return 'Entities: ' + parts.join(', ') + left;
}

// The elements and the shown results are kept while the levels are the same.
class Levels {
  constructor(box, preview) {
    this.box = box;
    this.preview = preview;
    this.shape = null;
  }
  show(world) {
    const shape = JSON.stringify([world.name, world.levels]);
    if (shape === this.shape) return;
    this.shape = shape;
    this.box.replaceChildren(...world.levels.map((level, at) => this.level(world, level, at)));
    if (world.levels.length === 0) this.box.append(element('p', { class: 'hint' }, 'No levels.'));
  }
  level(world, level, at) {
    const answer = element('p', { role: 'status' });
    const preview = async () => {
      try {
        answer.textContent = patchText(await this.preview(world.name, at + 1));
      } catch (error) {
        answer.textContent = error.message;
      }
    };
    const button = this.preview && element('button', { type: 'button', onclick: preview,
      title: 'Compares with the current file. Changes by the game would be kept.' },
    'What would a patch change?');
    const entities = countText(level.entities) + (level.entities === 1 ? ' entity' : ' entities');
    const about = (level.path || 'level ' + (at + 1)) + ': ' + entities + ', ' + bytesText(level.bytes);
    return element('div', { class: 'level' }, element('p', {}, about), button || '', answer);
  }
}

class Slider {
  constructor(look) {
    this.look = look;
    this.input = byId('frames');
    this.rate = 0;
    this.frames = 0;
    this.input.addEventListener('input', () => this.slide(-Number(this.input.value)));
    byId('now').addEventListener('click', () => {
      this.input.value = 0;
      this.slide(0);
    });
  }
  show(depth, rate) {
    this.rate = rate;
    byId('past').hidden = depth === 0 && this.frames === 0;
    this.input.min = -Math.max(depth, this.frames);
    this.showFrames();
  }
  showFrames() {
    const seconds = this.rate > 0 ? ' (about ' + (this.frames / this.rate).toFixed(1) + ' s)' : '';
    const text = this.frames > 0 ? this.frames + ' frames ago' + seconds : 'now';
    byId('ago').value = text;
    this.input.setAttribute('aria-valuetext', text);
    byId('now').hidden = this.frames === 0;
    document.body.classList.toggle('past', this.frames > 0);
  }
  // One request at a time. Of several positions during a request only the last is used.
  async slide(frames) {
    this.wanted = frames;
    if (this.looking) return;
    this.looking = true;
    while (this.wanted !== null) {
      const next = this.wanted;
      this.wanted = null;
      this.frames = await this.look(next);
      if (this.wanted === null) this.input.value = -this.frames;
      this.showFrames();
    }
    this.looking = false;
  }
}
]==]
