#!/usr/bin/env node
// run.js [--forge BINARY] [--vsix FILE] [--shots DIR] [--only NAME] [--short] [--oldest] [--pictures]
// Drives VS Code, headless, through the scenarios of this folder, with the real extension, the real server and a model that
// follows a script. Prints one line per step and "N passed, N failed"; exits with 1 when something failed.
//
//   --forge   the binary to test (default: bin/forge of the repository)
//   --vsix    a package to install and test, with the binary in it (default: the extension as built here, with --forge)
//   --shots   where screenshots go (default: .cache/shots/vscode); of a failure there is one too
//   --only    runs the scenarios whose name contains NAME
//   --short   runs the main job, the first minute, a plan, and the tests inside the extension host
//   --pictures  runs the scenarios that have pictures in docs/images, and writes these
//   --oldest  takes the oldest VS Code that the extension supports, and runs the tests inside the extension host and the scenarios for it
//
// FORGE_TEST_PATIENCE is how long each wait may take, in seconds (default: 300).
'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { Album, hasPictures } = require('./lib/pictures');
const { up } = require('./lib/stage');

const root = path.join(__dirname, '../..');
const { values: options } = parseArgs({
  options: {
    forge: { type: 'string', default: path.join(root, 'bin/forge') },
    vsix: { type: 'string' },
    shots: { type: 'string', default: path.join(root, '.cache/shots/vscode') },
    only: { type: 'string', default: '' },
    short: { type: 'boolean', default: false },
    oldest: { type: 'boolean', default: false },
    pictures: { type: 'boolean', default: false },
  },
});

const lanes = {
  newest: { version: '1.139.1', part: 'vscode', home: process.env.FORGE_TEST_VSCODE },
  oldest: { version: '1.100.3', part: 'vscode-oldest', home: process.env.FORGE_TEST_VSCODE_OLDEST },
};
const lane = lanes[options.oldest ? 'oldest' : 'newest'];
const home = lane.home ?? path.join(root, `.cache/vscode-${lane.version}`);

// Whatever is missing is built or installed; what cannot be is reported.
function prepare() {
  if (!fs.existsSync(home)) execFileSync(path.join(root, 'scripts/install.sh'), [lane.part], { stdio: 'inherit' });
  const logs = path.join(home, 'node_modules/code-server/lib/vscode/node_modules/@vscode/spdlog/index.js');
  fs.copyFileSync(path.join(__dirname, 'lib/spdlog.js'), logs);
  const extension = path.join(root, 'vscode-extension');
  const run = (...args) => execFileSync('npm', args, { cwd: extension, stdio: ['ignore', 'ignore', 'inherit'] });
  if (!fs.existsSync(path.join(extension, 'node_modules'))) run('ci', '--no-audit', '--no-fund', '--loglevel=error');
  run('run', 'build', '--loglevel=error', '--', '--production'); // what people get
  const forge = path.resolve(options.forge);
  if (!fs.existsSync(forge))
    throw new Error(`there is no forge binary at ${forge}; build it, or name one with --forge`);
  return forge;
}

const short = ['first.js', 'host.js', 'host_failing.js', 'main_job.js', 'planfile.js'];

function scenarios() {
  const folder = path.join(__dirname, 'scenarios');
  const all = fs
    .readdirSync(folder)
    .sort()
    .filter((file) => !options.short || short.includes(file))
    .flatMap((file) => require(path.join(folder, file))) // one, or a list
    .filter(({ tests, oldest }) => !options.oldest || tests || oldest)
    .filter(({ name }) => !options.pictures || hasPictures(name))
    .map((scenario) => ({ ...scenario, name: scenario.name + (options.oldest ? `, VS Code ${lane.version}` : '') }))
    .map((scenario) => ({ ...scenario, name: scenario.name + (options.vsix ? ', packaged' : '') }));
  const chosen = all.filter(({ name }) => name.includes(options.only));
  if (chosen.length === 0)
    throw new Error(`no scenario is called ${options.only}; there are: ${all.map((one) => one.name).join(', ')}`);
  return chosen;
}

const tally = { passed: 0, failed: 0 };

function report(passed, name, started, detail) {
  tally[passed ? 'passed' : 'failed']++;
  console.log(`${passed ? 'ok' : 'not ok'} ${name} (${Date.now() - started} ms)`);
  if (detail) console.log(detail.replace(/^/gm, '    '));
}

// Plays one scenario. The first step that fails ends it: the following ones stand on it.
async function play(scenario, forge) {
  const shots = path.join(options.shots, scenario.name.replaceAll(' ', '-'));
  fs.rmSync(shots, { recursive: true, force: true });
  let stage;
  let current = 'set the stage';
  let started = Date.now();
  const step = async (name, action) => {
    current = name;
    started = Date.now();
    await action();
    report(true, `${scenario.name}: ${name}`, started);
  };
  try {
    stage = await up({ home, forge, vsix: options.vsix, shots, themes: options.pictures, ...scenario });
    if (options.pictures) stage.code.album = new Album(scenario.name, (theme) => stage.setTheme(theme));
    await scenario.play(stage, step);
    stage.code.album?.finish();
  } catch (error) {
    report(false, `${scenario.name}: ${current}`, started, await evidence(stage, shots, error));
  }
  const ended = Date.now();
  const end = `${scenario.name}: the model got all it expects, no process is left, and the extension host has logged no error`;
  try {
    await stage?.down(scenario.errors);
    report(true, end, ended);
  } catch (error) {
    report(false, end, ended, error.message);
  }
}

// What helps to understand a failure: the error, the screen, and copies of the logs beside it.
async function evidence(stage, shots, error) {
  const lines = [error.stack];
  if (!stage) return lines.join('\n');
  fs.mkdirSync(shots, { recursive: true });
  await stage.code.screenshot('failed').catch((failure) => lines.push(`no screenshot: ${failure.message}`));
  for (const log of ['wire.jsonl', 'model.log', 'state/server.log']) {
    const file = path.join(stage.folder, log);
    if (fs.existsSync(file)) fs.copyFileSync(file, path.join(shots, path.basename(log)));
  }
  const logs = path.join(stage.folder, 'state/data/logs');
  if (fs.existsSync(logs)) fs.cpSync(logs, path.join(shots, 'logs'), { recursive: true });
  return [...lines, `screenshot and logs: ${shots}`].join('\n');
}

async function main() {
  const forge = prepare();
  for (const scenario of scenarios()) await play(scenario, forge);
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
  return tally.failed > 0 ? 1 : 0;
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]) {
  process.on(signal, () => process.exit(code)); // the exit handlers kill what was started
}
main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(`not ok: ${error.message}`);
    process.exit(1);
  },
);
