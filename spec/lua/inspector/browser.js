// What a person does with the inspector's page, in a real browser. Says "done" at the end, or what went wrong.
//
// usage: node browser.js CHROMIUM URL REPORT    the game has a tank (hp 100) with a turret, and a recorder
'use strict';
const assert = require('assert');
const { Browser } = require('../../support/browser.js');

const rows = page => page.value("[...document.querySelectorAll('.row .name')].map(row => row.textContent)");
const input = label => `document.querySelector('[aria-label="${label}"]')`;
const ready = "document.body.dataset.ready === 'yes'";

async function choose(page, text) {
  await page.type('#query', text);
  await page.until(`byId('found').textContent.startsWith('1 of ')`);
  await page.key('ArrowDown');
  await page.key('Home');
  await page.key('Enter');
}

async function live(page) {
  await page.until(ready);
  await page.until("byId('state').textContent === 'live'");
  assert.deepStrictEqual(await rows(page), ['tank']);
  // With the keyboard alone: open the tank, go to the turret, choose it.
  await page.value("byId('tree').focus()");
  for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) await page.key(key);
  await page.until("document.querySelector('#entity h2').textContent === 'turret'");
  const active = "document.getElementById(byId('tree').getAttribute('aria-activedescendant'))";
  assert.strictEqual(await page.value(active + ".getAttribute('aria-level')"), '2');
  assert.strictEqual(await page.value(active + ".getAttribute('aria-selected')"), 'true');

  await choose(page, 'tan');
  await page.until(input('health hp') + '?.value === "100"');
  await page.type('[aria-label="health hp"]', '300');
  await page.key('Enter');
  await page.until(input('health hp') + '.getAttribute("aria-invalid") === "true"');
  const trouble = `byId(${input('health hp')}.getAttribute('aria-describedby')).textContent`;
  assert.match(await page.value(trouble), /300/);
  await page.type('[aria-label="health hp"]', '42');
  await page.key('Enter');
  await page.until(input('health hp') + '.getAttribute("aria-invalid") === "false"');
  await page.type('[aria-label="transform local_position y"]', '7.5');
  await page.key('Enter');
  await page.type('[aria-label="health target"]', 'turret');
  await page.key('Enter');
  await page.value(`${input('health state')}.value = 'run', ${input('health state')}.dispatchEvent(new Event('change'))`);
  await page.value(input('health boss') + '.click()');
  // The game makes the tank bigger by itself, once it has seen all that.
  await page.until(input('transform local_scale x') + '.value === "3"');
  await page.until(input('health target') + '.value === "1"');

  await page.value("byId('mode').value = 'query', byId('mode').dispatchEvent(new Event('change'))");
  await page.type('#query', 'transform !health ?mesh');
  await page.until("document.querySelector('.row:not(.context) .name').textContent === 'turret'");
  assert.deepStrictEqual(await rows(page), ['tank', 'turret']);
  await page.type('#query', 'transform wings');
  await page.until("byId('found').textContent.includes('no component \"wings\"')");
  await page.type('#query', '');
  await page.until("document.querySelectorAll('.row.context').length === 0");

  assert.match(await page.value("byId('managers').textContent"), /transform\s*2/);
  await page.value("byId('measure').click()");
  await page.until("byId('timings').textContent.includes('transform propagate')");
  await page.until("document.querySelectorAll('#graph polyline').length > 0");

  await page.value("byId('frames').value = -5, byId('frames').dispatchEvent(new Event('input'))");
  await page.until("byId('ago').value.startsWith('5 frames ago')");
  await page.until(input('health hp') + '.readOnly');
  await page.value("byId('now').click()");
  await page.until("byId('ago').value === 'now'");
}

async function report(page) {
  await page.until(ready);
  assert.match(await page.value("byId('state').textContent"), /as it was at/);
  await page.value("document.querySelector('#managers button').click()");
  await page.until("byId('found').textContent === '2 of 2 entities'");
  await page.type('#query', 'health');
  await page.until("byId('found').textContent === '1 of 2 entities'");
  await page.value("document.querySelector('.row .name').click()");
  await page.until(input('health hp') + '?.value === "42"');
  assert.strictEqual(await page.value(input('health hp') + '.readOnly'), true);
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

// Whatever hangs, it ends.
setTimeout(() => {
  console.log('it took more than two minutes');
  process.exit(1);
}, 120000).unref();

main(process.argv.slice(2)).catch(error => {
  console.log(error.stack);
  process.exitCode = 1;
});
