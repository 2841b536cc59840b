// Loaded into every Node.js of a suite that Forge cannot read: notes which file of the project ends the process by itself. Which files are
// executed is what Node.js writes itself (NODE_V8_COVERAGE).
'use strict';
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const dir = process.env.NODE_V8_COVERAGE;
if (dir) {
  for (const name of ['exit', 'reallyExit', 'abort', 'kill']) {
    const original = process[name];
    process[name] = function (...args) {
      if (name !== 'kill' || args[0] === process.pid) {
        try {
          writeFileSync(join(dir, `exit-${process.pid}`), String(new Error('exit').stack), { flag: 'wx' });
        } catch {
          // The first one is what counts.
        }
      }
      return Reflect.apply(original, this, args);
    };
  }
}
