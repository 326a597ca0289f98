// Setup before the program starts in node: passes on the environment, and reads the WebAssembly from the disk instead of
// with `fetch`, which emscripten prefers.
globalThis.fetch = undefined;
Module['preRun'] = [() => Object.assign(ENV, process.env)];
