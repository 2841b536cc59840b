// Reporter of jest, Vitest and Mocha for Forge: says, in a line that nobody else can write, which tests the runner has seen pass. The
// key is what stands on stdin, and is read when the runner loads its reporters: nothing of it is left for the code under test.
'use strict';
const { createHmac } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { relative } = require('node:path');
const { stringify } = JSON;
const key = readFileSync(0, 'utf8');
// The runner has read its arguments. Tests of programs that read process.argv find none, as where the project's own script starts them.
process.argv.splice(2);
const { update, digest } = Object.getPrototypeOf(createHmac('sha256', key));
const { apply } = Reflect;
const out = process.stdout;
const { write } = out;
const { exit } = process;
const folder = process.cwd();
const { replaceAll } = String.prototype;
const { setTimeout: later } = globalThis;
const patience = 10_000; // milliseconds
let told = false;

function sign(what, list) {
  const text = stringify(list);
  const mac = apply(digest, apply(update, createHmac('sha256', key), [text]), ['hex']);
  apply(write, out, [`\nforge-${what} ${mac} ${text}\n`]);
}

function tell(passed, broken = []) {
  if (told) return;
  told = true;
  if (broken.length > 0) sign('broken', broken);
  sign('seal', passed);
}

/** Ends a process that runners leave to end by itself, and that something keeps open: a server, a socket, a timer. */
function end() {
  later(() => {
    sign('open', [patience / 1000]);
    apply(exit, process, []);
  }, patience).unref();
}

/** A text without the path of the folder: outside of a jail it has another one, and what is signed must read the same there. */
function within(text) {
  return apply(replaceAll, text, [folder, '']);
}

/** The titles of a task of Vitest, with those of the suites that it is in. */
function titles(task) {
  const names = [];
  for (let at = task; at && at.name !== undefined && at.type !== 'module' && at.filepath === undefined; at = at.parent ?? at.suite) names.unshift(at.name);
  return names.join(' ');
}

/** An error of Vitest: what it says, with its stack trace, and where a compiler stopped. */
function words(error) {
  const message = String(error?.message ?? error);
  const stack = String(error?.stack ?? '');
  const at = error?.__vitest_rollup_error__?.loc;
  return [stack.includes(message) ? stack : `${message}\n${stack}`, at?.file && at.line ? `${at.file}:${at.line}` : ''];
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
      end();
    });
  }

  // jest
  onRunComplete(_, { testResults }) {
    const passed = [];
    for (const file of testResults)
      for (const test of file.testResults)
        if (test.status === 'passed') passed.push([relative(folder, file.testFilePath), within([...test.ancestorTitles, test.title].join(' '))]);
    tell(passed);
    end();
  }

  // Vitest: its report "json" leaves out what went wrong in hooks of suites and outside of tests.
  onInit(vitest) {
    this.config = vitest?.config;
  }

  outside(errors) {
    return this.config?.dangerouslyIgnoreUnhandledErrors ? [] : (errors ?? []).map((error) => ['', '', ...words(error)]);
  }

  // Vitest 3 and later
  onTestRunEnd(modules, errors) {
    const passed = [];
    const broken = this.outside(errors);
    for (const file of modules) {
      for (const test of file.children.allTests()) if (test.result().state === 'passed') passed.push([file.moduleId, titles(test)]);
      for (const suite of [file, ...file.children.allSuites()])
        for (const error of suite.errors?.() ?? []) broken.push([file.moduleId, titles(suite), ...words(error)]);
    }
    tell(passed, broken);
  }

  // Vitest before
  onFinished(files, errors) {
    const passed = [];
    const broken = this.outside(errors);
    const walk = (file, task) => {
      for (const inner of task.tasks ?? []) walk(file, inner);
      if (!task.tasks && task.result?.state === 'pass') passed.push([file.filepath, titles(task)]);
      if (task.tasks && task.result?.state === 'fail')
        for (const error of task.result.errors ?? []) broken.push([file.filepath, titles(task), ...words(error)]);
    };
    for (const file of files ?? []) walk(file, file);
    tell(passed, broken);
  }
}

module.exports = Seal;
module.exports.default = Seal;
