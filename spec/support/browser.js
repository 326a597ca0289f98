// A headless Chromium, driven by the Chrome DevTools protocol over pipes, with node and without packages.
'use strict';
const { spawn } = require('child_process');
const { mkdtempSync, rmSync, writeFileSync } = require('fs');
const { tmpdir } = require('os');
const { join } = require('path');

// A running browser. errors: console errors and uncaught exceptions of all pages.
class Browser {
  constructor(program) {
    this.folder = mkdtempSync(join(tmpdir(), 'cuttle-browser-'));
    this.child = spawn(program, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
      '--no-first-run', '--disable-extensions', '--disable-background-networking', '--remote-debugging-pipe',
      '--force-color-profile=srgb', '--user-data-dir=' + this.folder, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    process.on('exit', () => this.child.kill());
    this.serial = 0;
    this.waiting = new Map();
    this.errors = [];
    let rest = '';
    this.child.stdio[4].setEncoding('utf8').on('data', text => {
      const messages = (rest + text).split('\0');
      rest = messages.pop();
      for (const message of messages) this.receive(JSON.parse(message));
    });
  }
  receive(message) {
    if (message.id !== undefined) {
      const { done, fail } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) fail(new Error(message.error.message));
      else done(message.result);
    } else if (message.method === 'Runtime.exceptionThrown') {
      const { text, exception } = message.params.exceptionDetails;
      this.errors.push((exception && exception.description) || text);
    } else if (message.method === 'Log.entryAdded' && message.params.entry.level === 'error') {
      this.errors.push(message.params.entry.text + ' ' + (message.params.entry.url || '').replace(/\?.*/, ''));
    } else if (message.method === 'Runtime.consoleAPICalled' && message.params.type === 'error') {
      this.errors.push(message.params.args.map(arg => arg.value || arg.description).join(' '));
    }
  }
  send(method, params = {}, sessionId = undefined) {
    const id = ++this.serial;
    this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((done, fail) => this.waiting.set(id, { done, fail }));
  }
  async open(url) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId);
    for (const domain of ['Page', 'Runtime', 'Log']) await page.send(domain + '.enable');
    await page.size(1280, 800);
    await page.send('Page.navigate', { url });
    return page;
  }
  async close() {
    const ended = new Promise(done => this.child.on('exit', done));
    this.send('Browser.close').catch(() => {});
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Page {
  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
  }
  send(method, params) { return this.browser.send(method, params, this.session); }
  size(width, height) {
    return this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  }
  dark(on) {
    const features = [{ name: 'prefers-color-scheme', value: on ? 'dark' : 'light' }];
    return this.send('Emulation.setEmulatedMedia', { features });
  }
  // The value of an expression in the page; waits for a promise.
  async value(expression) {
    const response = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (response.exceptionDetails) throw new Error(expression + ': ' + response.exceptionDetails.exception.description);
    return response.result.value;
  }
  // Evaluates an expression until it is true; throws after a time limit.
  async until(expression, seconds = 20) {
    for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
      const value = await this.value(expression).catch(() => undefined);
      if (value) return value;
      await new Promise(done => setTimeout(done, 40));
    }
    throw new Error('still not true: ' + expression);
  }
  async key(key) {
    const codes = { ArrowDown: 40, ArrowUp: 38, ArrowLeft: 37, ArrowRight: 39, Enter: 13, Home: 36, End: 35 };
    const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined;
    const params = { key, code: key, windowsVirtualKeyCode: codes[key] || 0, text };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...params });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...params });
  }
  // Replaces the text of an input.
  async type(selector, text) {
    await this.value(`{ const input = document.querySelector(${JSON.stringify(selector)}); input.focus(); input.select(); }`);
    await this.send('Input.insertText', { text });
  }
  async picture(path) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    writeFileSync(path, Buffer.from(data, 'base64'));
  }
}

module.exports = { Browser };
