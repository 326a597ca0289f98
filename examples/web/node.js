// Before the program starts in node: it gets the environment, and reads its WebAssembly from the disk, for which
// emscripten would take a `fetch` where there is one.
globalThis.fetch = undefined;
Module['preRun'] = [() => Object.assign(ENV, process.env)];
