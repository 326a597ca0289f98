--- Inspector page, timings: the time of each kind of work, as lines and as a table.
-- Does not depend on the source of timings.

return [==[
const SAMPLES = 120;

function svg(tag, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Work by name: "transform propagate" -> calls and seconds since profiling was switched on.
function workOf(timings) {
  const work = new Map();
  for (const [manager, kinds] of Object.entries(timings)) {
    for (const [kind, spent] of Object.entries(kinds)) work.set(manager + ' ' + kind, spent);
  }
  return work;
}

const colourOf = at => 'hsl(' + (210 + at * 137) % 360 + ' 65% ' + (matchMedia('(prefers-color-scheme: dark)').matches
  ? 65 : 42) + '%)';

class Graph {
  constructor(box, table) {
    this.box = box;
    this.table = table;
    this.clear();
  }
  clear() {
    this.last = null;
    this.lines = new Map();
    this.box.replaceChildren();
    this.table.hidden = true;
  }
  // Adds a sample. 'timings' is the game's reply; 'seconds' is the time on any clock.
  add(timings, seconds) {
    const work = workOf(timings);
    const passed = this.last ? seconds - this.last.seconds : 0;
    for (const [name, spent] of work) {
      const before = (this.last && this.last.work.get(name)) || { calls: 0, time: 0 };
      const restarted = spent.calls < before.calls;
      if (!this.lines.has(name)) this.lines.set(name, { samples: [], calls: 0 });
      const line = this.lines.get(name);
      if (passed <= 0) continue;
      line.samples.push((restarted ? spent.time : spent.time - before.time) * 1000 / passed);
      line.calls = (restarted ? spent.calls : spent.calls - before.calls) / passed;
      if (line.samples.length > SAMPLES) line.samples.shift();
    }
    this.last = { work, seconds };
    if (passed > 0) this.draw();
  }
  draw() {
    const named = [...this.lines].filter(([, line]) => line.samples.length > 0);
    const most = Math.max(0.01, ...named.map(([, line]) => Math.max(...line.samples)));
    const points = samples => samples.map((sample, at) =>
      (SAMPLES - samples.length + at) * 400 / (SAMPLES - 1) + ',' + (146 - sample / most * 130)).join(' ');
    const lines = named.map(([, line], at) => svg('polyline', { points: points(line.samples), fill: 'none',
      stroke: colourOf(at), 'stroke-width': 2, 'vector-effect': 'non-scaling-stroke' }));
    const label = most.toPrecision(2) + ' ms per second at the top';
    this.box.replaceChildren(svg('svg', { viewBox: '0 0 400 150', preserveAspectRatio: 'none', role: 'img',
      'aria-label': 'Milliseconds per second by kind of work; the table has the numbers' }, ...lines),
    element('p', { class: 'hint' }, named.length > 0 ? label : 'No work yet.'));
    this.tabulate(named.map(([name, line], at) =>
      [name, line.calls.toFixed(0), line.samples[line.samples.length - 1], colourOf(at)]));
  }
  // Fills the table with rows of name, calls, time and colour, sorted by descending time.
  tabulate(rows) {
    rows.sort((a, b) => b[2] - a[2]);
    this.table.hidden = rows.length === 0;
    this.table.tBodies[0].replaceChildren(...rows.map(([name, calls, time, colour]) => element('tr', {},
      element('td', {}, colour ? element('span', { class: 'key', style: 'background:' + colour }) : '', name),
      element('td', { class: 'number' }, calls), element('td', { class: 'number' }, time.toFixed(3)))));
  }
  // Shows the totals of a report.
  total(timings) {
    const work = [...workOf(timings)];
    this.tabulate(work.map(([name, spent]) => [name, String(spent.calls), spent.time * 1000, null]));
    if (work.length === 0) this.box.replaceChildren(element('p', { class: 'hint' }, 'Profiling was off.'));
  }
}
]==]
