// Reporter of jest, Vitest and Mocha for Forge: says, in a line that nobody else can write, which tests the runner has seen pass. The
// key is what stands on stdin, and is read when the runner loads its reporters: nothing of it is left for the code under test.
'use strict';
const { createHmac } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { stringify } = JSON;
const key = readFileSync(0, 'utf8');
const { update, digest } = Object.getPrototypeOf(createHmac('sha256', key));
const { apply } = Reflect;
const out = process.stdout;
const { write } = out;
let told = false;

function tell(passed) {
  if (told) return;
  told = true;
  const text = stringify(passed);
  const mac = apply(digest, apply(update, createHmac('sha256', key), [text]), ['hex']);
  apply(write, out, [`\nforge-seal ${mac} ${text}\n`]);
}

/** The titles of a task of Vitest, with those of the suites that it is in. */
function titles(task) {
  const names = [];
  for (let at = task; at && at.name !== undefined && at.type !== 'module' && at.filepath === undefined; at = at.parent ?? at.suite) names.unshift(at.name);
  return names.join(' ');
}

class Seal {
  // Mocha makes a reporter of a runner; the others do not. Its own report "json" cannot stand beside it.
  constructor(runner) {
    if (!runner || typeof runner.on !== 'function' || typeof runner.runTests !== 'function') return;
    const lists = { tests: [], pending: [], failures: [], passes: [] };
    const plain = (test, err) => ({
      title: test.title, fullTitle: test.fullTitle(), file: test.file,
      err: err ? { message: String(err.message), stack: String(err.stack ?? err.message ?? err) } : {},
    });
    runner.on('test end', (test) => lists.tests.push(plain(test, test.err)));
    runner.on('pass', (test) => lists.passes.push(plain(test)));
    runner.on('fail', (test, err) => lists.failures.push(plain(test, err)));
    runner.on('pending', (test) => lists.pending.push(plain(test)));
    runner.once('end', () => {
      apply(write, out, ['\n' + stringify({ stats: { failures: lists.failures.length }, ...lists }, null, 2) + '\n']);
      tell(lists.passes.map((test) => [test.file ?? '', test.fullTitle]));
    });
  }

  // jest
  onRunComplete(_, { testResults }) {
    const passed = [];
    for (const file of testResults)
      for (const test of file.testResults)
        if (test.status === 'passed') passed.push([file.testFilePath, [...test.ancestorTitles, test.title].join(' ')]);
    tell(passed);
  }

  // Vitest 3 and later
  onTestRunEnd(modules) {
    const passed = [];
    for (const file of modules)
      for (const test of file.children.allTests()) if (test.result().state === 'passed') passed.push([file.moduleId, titles(test)]);
    tell(passed);
  }

  // Vitest before
  onFinished(files) {
    const passed = [];
    const walk = (file, task) => {
      for (const inner of task.tasks ?? []) walk(file, inner);
      if (!task.tasks && task.result?.state === 'pass') passed.push([file.filepath, titles(task)]);
    };
    for (const file of files ?? []) walk(file, file);
    tell(passed);
  }
}

module.exports = Seal;
module.exports.default = Seal;
