--- Inspector page, map: entities as dots at their world positions.
-- Does not depend on the tree, the selected entity and the source of positions.

return [==[
const DOT = 4; // pixels
const REACH = 10; // pixels between a click and a dot

// A canvas that shows x and y of world positions. Drag moves it, the wheel and the buttons zoom, a click selects.
class WorldMap {
  constructor(box, choose) {
    this.choose = choose;
    this.canvas = element('canvas', { role: 'img', 'aria-label': 'Map of world positions' });
    this.up = element('input', { type: 'checkbox', onchange: () => this.draw() });
    const zoom = (text, label, factor) => element('button', { type: 'button', 'aria-label': label,
      onclick: () => this.zoom(factor, this.canvas.clientWidth / 2, this.canvas.clientHeight / 2) }, text);
    box.append(this.canvas, element('p', { class: 'map-buttons' }, zoom('+', 'Zoom in', 1.5),
      zoom('\u2212', 'Zoom out', 1 / 1.5), element('button', { type: 'button', onclick: () => this.fit() }, 'Fit'),
      element('label', {}, this.up, ' y points up')));
    this.clear();
    this.colors = matchMedia('(prefers-color-scheme: dark)');
    this.colors.addEventListener('change', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.listen();
  }
  clear() {
    this.ids = [];
    this.xs = [];
    this.ys = [];
    this.place = new Map();
    this.lines = [];
    this.selected = null;
    this.scale = 0; // pixels per unit; 0: not fitted yet
    this.x = this.y = 0; // world position of the centre
  }
  listen() {
    let from = null;
    this.canvas.addEventListener('pointerdown', event => {
      from = { x: event.offsetX, y: event.offsetY, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener('pointermove', event => {
      if (!from) return;
      const dx = event.offsetX - from.x, dy = event.offsetY - from.y;
      if (!from.moved && Math.hypot(dx, dy) < 4) return;
      this.x -= dx / this.scale;
      this.y -= dy / this.scale * this.sign();
      from = { x: event.offsetX, y: event.offsetY, moved: true };
      this.draw();
    });
    this.canvas.addEventListener('pointerup', event => {
      if (from && !from.moved) this.click(event.offsetX, event.offsetY);
      from = null;
    });
    this.canvas.addEventListener('pointercancel', () => { from = null; });
    this.canvas.addEventListener('wheel', event => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    }, { passive: false });
  }
  sign() { return this.up.checked ? -1 : 1; }
  toScreen(x, y) {
    return [(x - this.x) * this.scale + this.canvas.clientWidth / 2,
      (y - this.y) * this.scale * this.sign() + this.canvas.clientHeight / 2];
  }
  show({ ids, x, y }) {
    this.ids = ids;
    this.xs = x;
    this.ys = y;
    this.place = new Map(ids.map((id, at) => [id, at]));
    if (this.scale === 0 && ids.length > 0) this.fit();
    this.draw();
  }
  // The selected entity, and the entities to which lines are drawn: [id, whether it is a child].
  select(id, lines) {
    this.selected = id;
    this.lines = lines;
    this.draw();
  }
  fit() {
    const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
    this.xs.forEach((x, at) => {
      const y = this.ys[at];
      if (!Number.isFinite(x) || !Number.isFinite(y)) return;
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y);
    });
    if (box.left > box.right) return;
    this.x = (box.left + box.right) / 2;
    this.y = (box.top + box.bottom) / 2;
    const room = Math.min(this.canvas.clientWidth / (box.right - box.left || 1),
      this.canvas.clientHeight / (box.bottom - box.top || 1));
    this.scale = Math.min(Math.max(room * 0.9, 1e-30), 1e30);
    this.draw();
  }
  // Keeps the world position below the pointer.
  zoom(factor, px, py) {
    if (this.scale === 0) return;
    const before = this.scale;
    this.scale = Math.min(Math.max(this.scale * factor, 1e-30), 1e30);
    const change = 1 / before - 1 / this.scale;
    this.x += (px - this.canvas.clientWidth / 2) * change;
    this.y += (py - this.canvas.clientHeight / 2) * change * this.sign();
    this.draw();
  }
  click(px, py) {
    let best = null, reach = REACH;
    this.ids.forEach((id, at) => {
      const [x, y] = this.toScreen(this.xs[at], this.ys[at]);
      const distance = Math.hypot(x - px, y - py);
      if (distance >= reach) return;
      reach = distance;
      best = id;
    });
    if (best !== null) this.choose(best);
  }
  // Draws once before the next frame of the browser, however often it is called.
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }
  paint() {
    const { clientWidth: width, clientHeight: height } = this.canvas, ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext('2d');
    const style = getComputedStyle(this.canvas);
    context.scale(ratio, ratio);
    context.fillStyle = style.getPropertyValue('--soft');
    const { scale } = this, down = scale * this.sign();
    const left = width / 2 - this.x * scale - DOT / 2, top = height / 2 - this.y * down - DOT / 2;
    for (let at = 0; at < this.ids.length; ++at) {
      const x = this.xs[at] * scale + left, y = this.ys[at] * down + top;
      if (x > -DOT && y > -DOT && x < width && y < height) context.fillRect(Math.round(x), Math.round(y), DOT, DOT);
    }
    this.paintSelected(context, style);
  }
  paintSelected(context, style) {
    const at = this.place.get(this.selected);
    if (at === undefined) return;
    const [x, y] = this.toScreen(this.xs[at], this.ys[at]);
    context.strokeStyle = context.fillStyle = style.getPropertyValue('--accent');
    for (const [id, child] of this.lines) {
      const to = this.place.get(id);
      if (to === undefined) continue;
      context.setLineDash(child ? [] : [5, 4]);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(...this.toScreen(this.xs[to], this.ys[to]));
      context.stroke();
    }
    context.setLineDash([]);
    context.fillRect(x - DOT / 2, y - DOT / 2, DOT, DOT);
    context.beginPath();
    context.arc(x, y, 8, 0, 2 * Math.PI);
    context.stroke();
  }
}
]==]
