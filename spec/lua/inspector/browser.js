// Drives the inspector's page in a real browser, as a user would. Prints "done", or the error.
//
// usage: node browser.js CHROMIUM URL REPORT
// The game has a recorder, an entity without a name, and a tank (hp 100, turned by 180 degrees) with a turret at
// (4, 0, 0) that is turned by -90 degrees.
'use strict';
const assert = require('assert');
const { Browser } = require('../../support/browser.js');

const rows = page => page.value("[...document.querySelectorAll('.row .name')].map(row => row.textContent)");
const input = label => `document.querySelector('[aria-label="${label}"]')`;
const ready = "document.body.dataset.ready === 'yes'";

const heading = "document.querySelector('#entity h2').textContent";

// Arrow down moves from the search to its first match, also right after typing, and skips entities that do not match.
async function choose(page, text, name) {
  await page.type('#query', text);
  await page.key('ArrowDown');
  await page.until("document.activeElement === byId('tree')");
  await page.key('Enter');
  await page.until(`${heading} === '${name}'`);
}

// Counts what the page writes while the user does not finish an edit of hp, which is 100.
async function writesNothing(page) {
  await page.value(`source.writes = 0, source.write = function (change) {
    this.writes += 1;
    return ServerSource.prototype.write.call(this, change); }`);
  await page.type('[aria-label="health hp"]', '61');
  await page.key('Escape');
  // The card changes only when the half-typed text is gone.
  await page.type('[aria-label="health hp"]', '1');
  await page.value("source.add({ world: world.name, id: selected, component: 'frozen' }, null)");
  await page.value('refreshEntity().then(refreshEntity)');
  await page.until(input('health hp') + ' === document.activeElement && document.activeElement.value === "1"');
  await page.key('Escape');
  await page.until(input('Remove frozen'));
  await page.until(input('health hp') + '.value === "100"');
  await page.value(input('Remove frozen') + '.click()');
  await page.until(input('Remove frozen') + ' === null');
  await page.value(input('transform world_position x') + '.focus()');
  await page.key('Enter');
  await page.value('refreshEntity()');
  assert.strictEqual(await page.value('source.writes'), 0);
}

async function live(page) {
  await page.until(ready);
  await page.until("byId('state').textContent === 'live'");
  await page.until("byId('tree').textContent.includes('health, frozen, transform')");
  assert.deepStrictEqual(await rows(page), ['tank', 'health, frozen, transform']);
  // Keyboard only: opens the tank, moves to the turret, selects it.
  await page.value("byId('tree').focus()");
  for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) await page.key(key);
  await page.until(heading + " === 'turret'");
  const active = "document.getElementById(byId('tree').getAttribute('aria-activedescendant'))";
  assert.strictEqual(await page.value(active + ".getAttribute('aria-level')"), '2');
  assert.strictEqual(await page.value(active + ".getAttribute('aria-selected')"), 'true');

  await choose(page, 'tan', 'tank');
  await choose(page, 'tur', 'turret');
  assert.deepStrictEqual(await rows(page), ['tank', 'turret']);
  // The active row stays selected when the same search finds more entities.
  await page.type('#query', 't');
  await page.until("byId('found').textContent.startsWith('2 of ')");
  await page.value("byId('tree').focus()");
  await page.key('ArrowDown');
  await page.value("tree.forest.names[2] = 'late', runSearch()");
  await page.until("byId('found').textContent.startsWith('3 of ')");
  assert.strictEqual(await page.value("tree.forest.names[tree.shown[tree.active].place]"), 'turret');
  await page.value("serialHad = '', refreshOutline()");
  await choose(page, 'tur', 'turret');
  const angles = "[...document.querySelectorAll('.angle')].map(each => each.textContent)";
  await page.until(angles + ".join('; ') === '-90\u00b0 about z, -1.5708 rad; 90\u00b0 about z, 1.5708 rad'");
  await page.until(input('transform world_position x') + '.value === "-3"');
  assert.strictEqual(await page.value(input('transform world_position x') + '.readOnly'), true);
  await page.type('[aria-label="transform local_rotation x"]', '0.5');
  await page.type('[aria-label="transform local_rotation y"]', '0.5');
  await page.type('[aria-label="transform local_rotation z"]', '0.5');
  await page.type('[aria-label="transform local_rotation w"]', '0.5');
  await page.key('Enter');
  await page.until(angles + "[0] === '120\u00b0 about (0.577, 0.577, 0.577), 2.0944 rad'");
  await choose(page, 'tank', 'tank');
  await page.until(input('health hp') + '?.value === "100"');
  await page.type('[aria-label="health hp"]', '300');
  await page.key('Enter');
  await page.until(input('health hp') + '.getAttribute("aria-invalid") === "true"');
  const trouble = `byId(${input('health hp')}.getAttribute('aria-describedby')).textContent`;
  assert.match(await page.value(trouble), /300/);
  await page.key('Escape');
  await page.until(input('health hp') + '.value === "100"');
  await writesNothing(page);
  await page.type('[aria-label="health hp"]', '42');
  await page.key('Enter');
  await page.until(input('health hp') + '.getAttribute("aria-invalid") === "false"');
  await page.type('[aria-label="transform local_position y"]', '7.5');
  await page.key('Enter');
  await page.type('[aria-label="health target"]', 'turret');
  await page.key('Enter');
  await page.value(`${input('health state')}.value = 'run', ${input('health state')}.dispatchEvent(new Event('change'))`);
  await page.value(input('health boss') + '.click()');
  // The game enlarges the tank after it has seen all edits.
  await page.until(input('transform local_scale x') + '.value === "3"');
  await page.type('#query', '');
  await page.until("byId('tree').textContent.includes('health, transform')"); // the component frozen was removed
  await page.until(input('health target') + '.value === "1"');

  await page.value("byId('mode').value = 'query', byId('mode').dispatchEvent(new Event('change'))");
  await page.type('#query', 'transform !health ?mesh');
  await page.until("document.querySelector('.row:not(.context) .name').textContent === 'turret'");
  assert.deepStrictEqual(await rows(page), ['tank', 'turret']);
  await page.key('ArrowDown');
  await page.until("document.activeElement === byId('tree')");
  await page.key('Enter');
  await page.until(heading + " === 'turret'");
  await page.type('#query', 'health.hp > 0');
  await page.until("document.querySelector('.row:not(.context) .name').textContent === 'tank'");
  assert.deepStrictEqual(await rows(page), ['tank', 'health, transform']);
  await page.type('#query', 'transform where health.hp < 0');
  await page.until("byId('found').textContent === '0 of 3 entities'");
  await page.type('#query', 'health.hpp > 0');
  await page.until("byId('found').textContent.includes(\"no field 'hpp' in health\")");
  // A failed search shows no entities and keeps its message while the page refreshes.
  await page.type('#query', 'transform wings');
  const refused = "byId('found').textContent === 'unknown component \"wings\"' && byId('found').className === 'bad'";
  await page.until(refused);
  await page.value("refreshOutline().then(refreshWorlds)");
  await page.value("serialHad = '', refreshOutline()");
  assert.strictEqual(await page.value(refused), true);
  assert.deepStrictEqual(await rows(page), []);
  await page.type('#query', '');
  await page.until("byId('found').textContent === '3 entities' && byId('found').className === ''");
  assert.strictEqual(await page.value("document.querySelectorAll('.row.context').length"), 0);
  await choose(page, 'health', 'tank');

  assert.match(await page.value("byId('managers').textContent"), /transform\s*3/);
  await page.value("byId('measure').click()");
  await page.until("byId('timings').textContent.includes('transform propagate')");
  await page.until("document.querySelectorAll('#graph polyline').length > 0");
  // Rows are sorted by time, in the live table and in a report.
  const times = "[...byId('timings').tBodies[0].rows].map(row => row.cells[0].textContent + row.cells[2].textContent)";
  const spent = [['a', 0.002], ['b', 0.003], ['c', 0.001]].map(([name, time]) => [name, { gc: { calls: 1, time } }]);
  const sorted = JSON.stringify(['b gc3.000', 'a gc2.000', 'c gc1.000']);
  await page.value("byId('measure').click()");
  const seen = `graph.add(${JSON.stringify(Object.fromEntries(spent))}, 2); JSON.stringify(${times})`;
  assert.strictEqual(await page.value(`graph.clear(); graph.add({}, 1); ${seen}`), sorted);
  const total = `graph.total(${JSON.stringify(Object.fromEntries(spent))}); JSON.stringify(${times})`;
  assert.strictEqual(await page.value(total), sorted);
  await page.value("graph.clear()");

  // The map selects an entity by a click, and draws its child.
  await page.value("byId('map').open = true");
  await page.until("map.ids.length === 3 && map.scale > 0");
  await page.value("map.zoom(2, 10, 10), map.fit()");
  const spot = "map.toScreen(map.xs[map.place.get(1)], map.ys[map.place.get(1)])";
  await page.value(`map.click(...${spot})`);
  await page.until(`${heading} === 'turret' && map.selected === 1`);
  await page.value(`map.click(...map.toScreen(map.xs[map.place.get(0)], map.ys[map.place.get(0)]))`);
  await page.until("map.selected === 0 && map.lines.some(([id, child]) => id === 1 && child)");
  // Many dots, which the next reply replaces.
  await page.value("map.show({ ids: [...Array(10000).keys()], x: [...Array(10000).keys()], y: Array(10000).fill(1) })");
  await page.value("map.paint()");
  await page.value("refreshMap()");

  // Pause, one step, and on.
  await page.until("!byId('control').hidden");
  await page.value("byId('pause').click()");
  await page.until("byId('pause').textContent === 'Continue'");
  await page.value("byId('step').click()");
  await page.value("byId('pause').click()");
  await page.until("byId('pause').textContent === 'Pause' && byId('step').disabled");
  // A new entity gets a component, loses it, and is destroyed.
  await page.type('#new-name', 'crate');
  await page.key('Enter');
  await page.until(`${heading} === 'crate'`);
  await page.value(`${input('Component to add')}.value = 'health'`);
  await page.type('[aria-label="Values of the component"]', '{"hp": 300}');
  await page.key('Enter');
  await page.until("document.querySelector('.adding .trouble').textContent.includes('300')");
  await page.type('[aria-label="Values of the component"]', '{"hp": 30}');
  await page.key('Enter');
  await page.until(input('health hp') + '?.value === "30"');
  await page.value(input('Remove health') + '.click()');
  await page.until(input('health hp') + ' === null');
  await page.value(input('Destroy the entity') + '.click()');
  await page.until("byId('entity').textContent.includes('Dead: no components.')");
  await choose(page, 'health', 'tank');

  await page.value("byId('frames').value = -5, byId('frames').dispatchEvent(new Event('input'))");
  await page.until("byId('ago').value.startsWith('5 frames ago')");
  await page.until(input('health hp') + '.readOnly');
  await page.until("byId('new-entity').hidden");
  await page.value("byId('now').click()");
  await page.until("byId('ago').value === 'now'");
}

async function report(page) {
  await page.until(ready);
  assert.match(await page.value("byId('state').textContent"), /recorded at/);
  await page.value("document.querySelector('#managers button').click()");
  await page.until("byId('found').textContent === '3 of 3 entities'");
  await page.type('#query', 'health !frozen');
  await page.until("byId('found').textContent === '1 of 3 entities'");
  await page.value("document.querySelector('.row .name').click()");
  await page.until(input('health hp') + '?.value === "42"');
  assert.strictEqual(await page.value(input('health hp') + '.readOnly'), true);
  assert.strictEqual(await page.value(input('transform world_position y') + '.value'), '7.5');
  await page.type('#query', 'frozen');
  await page.until("document.querySelector('.row .name').textContent === 'health, frozen, transform'");
}

async function main([program, url, file]) {
  const browser = new Browser(program);
  try {
    await live(await browser.open(url));
    await report(await browser.open('file://' + file));
    assert.deepStrictEqual(browser.errors, []);
    const wrong = await browser.open(url.replace(/token=.*/, 'token=' + '0'.repeat(32)));
    await wrong.until("document.body?.textContent.trim() === '403'");
    assert.strictEqual(browser.errors.length, 1, browser.errors.join('\n'));
    console.log('done');
  } finally {
    await browser.close();
  }
}

// A hard limit, in case a step never completes.
setTimeout(() => {
  console.log('it took more than two minutes');
  process.exit(1);
}, 120000).unref();

main(process.argv.slice(2)).catch(error => {
  console.log(error.stack);
  process.exitCode = 1;
});
