// The stage a scenario plays on: a fresh copy of the sample workspace, a model that follows a script, the server behind a
// tap, VS Code and a browser. down() takes everything away again and says what would not go.
'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const browser = require('./browser');
const { Changes } = require('./changes');
const { serve, setTheme, writeSettings } = require('./editor');
const { eventually } = require('./eventually');
const { leftovers, start } = require('./processes');
const { Preview } = require('./preview');
const { Wire } = require('./wire');
const { Workbench } = require('./workbench');

const here = path.join(__dirname, '..');
const extension = path.join(here, '../../vscode-extension');

// Errors that VS Code itself logs: a native module that is not built here, the lock of an extension host that was killed, rows of
// a view about which the window asks the next extension host before that has filled the view, and a view that was being filled as the host ended.
const knownErrors =
  /Cannot find module '\.\/build\/Release\/watchdog'|EEXIST: .*vscode\.lock'|_getOrCreateWorkspaceStoragePath|No tree item with id '|Unable to refresh tree view \S+: Canceled/;

// An error of Forge's extension names its code, and one of an extension that comes with VS Code its own: these lose their channels when the host ends.
const ours = /\/vscode-extension\/|\bforge\.forge\b/;
const theirs = /\/lib\/vscode\/extensions\//;

// up({home, forge, vsix, script, shots, tests, bare, server, restricted, settings, config}) sets the stage. With `vsix` it is this package
// that is tested, with the binary in it; forge then is the scripted model only. `script` names a file of scripts/ without its
// ending. With `tests` it is set for running tests inside the extension host, and no person could use it. With `bare` the server
// knows no model yet. `server` makes another server than the real one, or none. `restricted` opens the window in Restricted Mode.
// `settings` are additional settings, `config` is the user's config.yaml. With `chat` the window has VS Code's chat view, and a model for it;
// with `themes` its theme can be changed.
async function up({
  home,
  forge,
  vsix,
  script,
  shots,
  tests = false,
  bare = false,
  server,
  restricted = false,
  settings,
  config,
  chat = false,
  themes = false,
}) {
  const folder = themes ? pictured() : fs.mkdtempSync(path.join(os.tmpdir(), 'forge-vscode-'));
  const stage = new Stage(folder);
  try {
    const env = cleanEnv(folder, config);
    fs.cpSync(path.join(here, 'workspace'), stage.workspace, { recursive: true });
    const model = script && (await stage.startModel(forge, script, env));
    stage.model = model;
    stage.forge = forge;
    stage.env = env;
    const known = model && !bare ? { FORGE_BASE_URL: model, FORGE_MODEL: 'scripted' } : {};
    const machine = {
      ...settings,
      ...(server || !vsix ? { 'forge.server.path': server ? server(stage) : stage.writeTap(forge) } : {}),
      'forge.server.env': { ...known, FORGE_TAG_REQUESTS: '1' },
    };
    const state = path.join(folder, 'state');
    const installed = { extension, vsix, tap: (binary) => stage.writeTap(binary) };
    stage.editor = await serve({ home, state, ...installed, settings: machine, tests, restricted, chat, themes, env });
    stage.owns(stage.editor.stop);
    stage.browser = await browser.open(home);
    stage.owns(stage.browser.close);
    const page = await stage.browser.newPage();
    stage.page = page;
    stage.code = new Workbench(page, shots);
    stage.changes = new Changes(page);
    stage.preview = new Preview(page);
    return stage;
  } catch (error) {
    await stage.down();
    throw error;
  }
}

// A folder whose path may be in a picture.
function pictured() {
  const folder = path.join(os.tmpdir(), 'ada');
  fs.mkdirSync(folder); // fails beside another one
  return folder;
}

// Folders of stages that stand: on Ctrl-C nobody takes them down. Runs after the processes were killed.
const folders = new Set();
process.on('exit', () =>
  folders.forEach((folder) => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })),
);

class Stage {
  #ends = [];
  #closed = []; // when windows were closed or reloaded: [from, to] in ms

  constructor(folder) {
    this.folder = folder;
    folders.add(folder);
    this.workspace = path.join(folder, 'workspace');
    this.extension = extension;
    this.wire = new Wire(path.join(folder, 'wire.jsonl'));
  }

  owns(end) {
    this.#ends.unshift(end);
  }

  file(name) {
    return path.join(this.workspace, name);
  }

  disk(name) {
    return fs.readFileSync(this.file(name), 'utf8');
  }

  // The text of a file of the workspace as the server sees it, unsaved changes included.
  text(name) {
    return this.wire.text(this.file(name));
  }

  // Waits until a file reads so for the server: edits travel after the click that makes them.
  async textIs(name, matches) {
    await eventually(`${name} to match ${matches}`, () => matches.test(this.text(name) ?? ''));
    return this.text(name);
  }

  // Notes that a window closes from now on, or from then.
  closing(from = Date.now()) {
    this.#closed.push([from, Infinity]);
  }

  #reopened() {
    for (const closed of this.#closed) closed[1] = Math.min(closed[1], Date.now());
  }

  // Ends VS Code with all that it has started, and starts it again with its state. Whoever has `code` drives the new window.
  async restart() {
    this.closing();
    await this.page.close();
    await this.editor.stop();
    await eventually('the server to end', () => this.processes('forge', ' lsp').length === 0);
    await this.editor.again();
    this.#reopened();
    this.page = await this.browser.newPage();
    for (const part of [this.code, this.changes, this.preview]) part.page = this.page;
  }

  // Loads a window anew: its extension host ends, and another one starts.
  async reload(page = this.page) {
    this.closing();
    await page.reload();
    await page.locator('.monaco-workbench .part.editor').waitFor();
    this.#reopened();
  }

  // Opens another window, with its own process of the server once that is needed.
  async otherWindow() {
    const page = await this.browser.newPage();
    const wire = this.wire.other();
    return { code: new Workbench(page, this.code.shots), changes: new Changes(page), wire };
  }

  // Changes settings of the machine, as an editor of them does.
  writeSettings(settings) {
    writeSettings(path.join(this.folder, 'state'), 'Machine', settings);
  }

  // Changes the theme of the windows.
  setTheme(theme) {
    setTheme(path.join(this.folder, 'state'), theme);
  }

  // The errors in the logs of the extension hosts.
  hostErrors() {
    const logs = path.join(this.folder, 'state/data/logs');
    if (!fs.existsSync(logs)) return [];
    return fs
      .readdirSync(logs, { recursive: true })
      .filter((name) => path.basename(name) === 'remoteexthost.log')
      .flatMap((name) => fs.readFileSync(path.join(logs, name), 'utf8').split(/\n(?=\d{4}-)/))
      .filter((entry) => /^\S+ \S+ \[(error|critical)\]/.test(entry) && !knownErrors.test(entry))
      .filter((entry) => ours.test(entry) || !(theirs.test(entry) || this.#cutOff(entry)));
  }

  // Whether VS Code logs what happens to its own parts while a window closes: a view that it drew, a channel, a connection.
  #cutOff(entry) {
    const [, time] = /^(\S+ \S+) \[error\]/.exec(entry) ?? [];
    return time !== undefined && this.#closed.some(([from, to]) => from <= Date.parse(time) && Date.parse(time) <= to);
  }

  // Ends everything, the last started first, and removes the folder. Throws when a process is left, and unless the extension host has
  // logged exactly the errors that are `expected`.
  async down(expected = []) {
    const failures = [];
    this.closing();
    for (const end of this.#ends.splice(0)) await end().catch((error) => failures.push(error));
    failures.push(...this.#wrongErrors(expected));
    const left = await eventually('all processes to end', () => leftovers(this.folder).length === 0, {
      timeout: 60_000,
    }).then(
      () => [],
      () => leftovers(this.folder),
    );
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    folders.delete(this.folder);
    if (left.length > 0) failures.push(new Error(`processes were left behind:\n${left.join('\n')}`));
    if (failures.length > 0) throw new AggregateError(failures, failures.map((error) => error.message).join('\n'));
  }

  #wrongErrors(expected) {
    const errors = this.hostErrors();
    const wrong = errors.filter((error) => !expected.some((pattern) => pattern.test(error)));
    const missing = expected.filter((pattern) => !errors.some((error) => pattern.test(error)));
    return [
      ...wrong.map((error) => new Error(`the extension host has logged an error: ${error}`)),
      ...missing.map((pattern) => new Error(`the extension host has not logged the error ${pattern}`)),
    ];
  }

  // The model of `forge dev model`: it prints its address as its first line.
  async startModel(forge, script, env) {
    const log = path.join(this.folder, 'model.log');
    const file = path.join(here, 'scripts', `${script}.yaml`);
    const model = start(forge, ['dev', 'model', '--script', file], { cwd: this.folder, env, log });
    this.owns(async () => {
      // It is strict: it fails when it was asked what its script does not expect, or was not asked for all of it.
      if ((await model.stop()) !== 0) throw new Error(`the model did not follow its script:\n${said()}`);
    });
    const said = () => fs.readFileSync(log, 'utf8');
    let death;
    model.died.then((reason) => (death = reason));
    return eventually('the model to print its address', () => {
      if (death !== undefined) throw new Error(`forge dev model ended (${death}): ${said()}`);
      return /https?:\/\/127\.0\.0\.1:\d+\S*/.exec(said())?.[0];
    });
  }

  // A program of the test that is the server to VS Code: the text of a script of node.
  writeServer(source) {
    const file = path.join(this.folder, 'forge');
    fs.writeFileSync(file, `#!${process.execPath}\n${source}\n`, { mode: 0o755 });
    return file;
  }

  // The processes of this stage whose command line contains all of these words, with their environment.
  processes(...words) {
    return leftovers(this.folder)
      .filter((line) => words.every((word) => line.includes(word)))
      .map((line) => ({ line, environment: environmentOf(line.split(' ', 1)[0]) }));
  }

  // The files below the folder that contain a text.
  filesWith(text) {
    const found = [];
    for (const entry of fs.readdirSync(this.folder, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isFile() && fs.readFileSync(file).includes(text)) found.push(file);
    }
    return found;
  }

  // A program that is the server to VS Code, and notes what is said.
  writeTap(forge) {
    const file = path.join(this.folder, 'forge');
    const words = [process.execPath, path.join(__dirname, 'tap.js'), this.wire.log, forge].map((word) => `'${word}'`);
    fs.writeFileSync(file, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
    return file;
  }
}

function environmentOf(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return []; // it ended while we looked
  }
}

// A home of its own, so that nothing of this machine's user is read or written; only Go's caches are shared, or every run
// would compile the standard library. VS Code logs more, and otherwise, where one of the variables of `automation` is set: it would be
// another one on a machine of continuous integration than at a developer's.
function cleanEnv(folder, config) {
  const home = path.join(folder, 'home');
  fs.mkdirSync(home);
  if (config) {
    fs.mkdirSync(path.join(home, '.forge'), { mode: 0o700 });
    fs.writeFileSync(path.join(home, '.forge/config.yaml'), config, { mode: 0o600 });
  }
  const caches = JSON.parse(
    execFileSync('go', ['env', '-json', 'GOCACHE', 'GOMODCACHE', 'GOPATH'], { encoding: 'utf8' }),
  );
  const automation = ['CI', 'BUILD_ARTIFACTSTAGINGDIRECTORY', 'GITHUB_WORKSPACE'];
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(FORGE_|XDG_|OPENAI_|ANTHROPIC_|VSCODE_)/.test(name) && !automation.includes(name),
  );
  return { ...Object.fromEntries(kept), ...caches, HOME: home };
}

module.exports = { up };
