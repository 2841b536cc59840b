// Loaded into every Node.js of a suite whose results nobody signs: notes where the process is ended by itself, and in which program. Which files
// are executed is what Node.js writes itself (NODE_V8_COVERAGE).
'use strict';
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { apply } = Reflect;
const { pid } = process;
const dir = process.env.FORGE_WITNESS;
if (dir) {
  for (const name of ['exit', 'reallyExit', 'abort', 'kill']) {
    const original = process[name];
    process[name] = function (...args) {
      if (name !== 'kill' || args[0] === pid) {
        try {
          writeFileSync(join(dir, `exit-${pid}`), `${process.argv[1]}\n${new Error('exit').stack}`, { flag: 'wx' });
        } catch {
          // The first one is what counts.
        }
      }
      return apply(original, this, args);
    };
  }
}
