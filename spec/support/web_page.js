// Plays the page of `make wasm` in a headless browser. Prints its output if the game is not complete.
//
// usage: node web_page.js BROWSER PAGE
'use strict';
const { resolve } = require('path');
const { pathToFileURL } = require('url');
const { Browser } = require('./browser.js');

// What the game says last, when all is well.
const SOUND = /Checked: the world is valid; restarted with \d+ entities, unloaded to 0\./;

async function played(page) {
  await page.until('document.getElementById("state").textContent !== "It is loading."');
  await page.until('document.getElementById("state").textContent.startsWith("It has been played")');
  return page.value('document.getElementById("output").textContent');
}

(async () => {
  const [program, path] = process.argv.slice(2);
  const browser = new Browser(program);
  const page = await browser.open(pathToFileURL(resolve(path)).href);
  const text = await played(page).catch(async error => error.message + '\n' + await page.value('document.body.innerText'));
  await browser.close();
  if (browser.errors.length > 0 || !SOUND.test(text)) {
    console.error([text, ...browser.errors].join('\n'));
    process.exit(1);
  }
  console.log(text.match(/^state of the world.*$/m)[0]);
  console.log(text.match(SOUND)[0]);
})();
