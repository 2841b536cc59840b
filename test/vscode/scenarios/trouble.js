// Servers that do not work: each gets one message, with a button that leads out of it.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { eventually, settled } = require('../lib/eventually');

// A server of that version, which answers the first request and then does `next`.
const server = (version, next) => `
require('node:fs').appendFileSync(__filename + '.starts', '.');
let held = '';
process.stdin.on('data', (chunk) => {
  held += chunk;
  if (held.includes('"method":"initialized"')) { ${next} }
  const id = /"id":(\\d+),"method":"(initialize|shutdown)"/.exec(held);
  if (!id) return;
  held = '';
  const result = id[2] === 'initialize' ? { capabilities: {}, serverInfo: { name: 'forge', version: '${version}' } } : null;
  const body = JSON.stringify({ jsonrpc: '2.0', id: Number(id[1]), result });
  process.stdout.write('Content-Length: ' + body.length + '\\r\\n\\r\\n' + body);
});
process.stdin.on('end', () => process.exit(0));`;

// How often that server was started.
function starts(stage) {
  const file = path.join(stage.folder, 'forge.starts');
  return fs.existsSync(file) ? fs.statSync(file).size : 0;
}

// Each is mended as its button says, and the server then answers.
const setPath = (stage) => stage.writeSettings({ 'forge.server.path': stage.writeTap(stage.forge) });
const replace = (stage) => stage.writeTap(stage.forge); // the program at the path

const troubles = [
  ['missing', () => '/nowhere/forge', 'must be the absolute path of a program', 'Open Setting', setPath],
  [
    'of another version',
    (stage) => stage.writeServer(server('9.9.9', '')),
    'the server is version 9.9.9',
    'Open Setting',
    setPath,
  ],
  ['ending at once', (stage) => stage.writeServer('process.exit(3);'), 'did not start', 'Restart Server', replace],
  [
    'ending again and again',
    (stage) => stage.writeServer(server('dev', 'process.exit(3);')),
    'the server ended five times',
    'Restart Server',
    replace,
  ],
];

const long = `/nowhere/${'far/'.repeat(120)}forge`;

module.exports = [
  ...troubles.map(([what, make, text, button, mend]) => ({
    name: `server ${what}`,
    server: make,
    play: async (stage, step) => {
      const { code, wire } = stage;
      await step('one message says so, with a button', async () => {
        await code.open(stage.editor.port, stage.workspace);
        await code.command('Forge: Doctor');
        const buttons = await code.toastButtons(text);
        assert.ok(buttons.includes(button), buttons.join(', '));
        const shown = code.page.locator('.notifications-toasts .notification-toast').filter({ hasText: 'Forge' });
        await settled(() => shown.allInnerTexts());
        assert.equal(await shown.count(), 1, (await shown.allInnerTexts()).join(' | '));
        await code.screenshot('1-message');
        const started = starts(stage);
        if (started === 0) return; // a program that is not there, or ends before it counts, is not started again and again
        await code.page.waitForTimeout(3000);
        assert.equal(starts(stage), started, 'it is not started again and again');
      });

      await step('the button leads out of it, and the server answers', async () => {
        if (button === 'Restart Server') mend(stage);
        await code.pressToast(text, button);
        if (button === 'Open Setting') {
          await code.page
            .locator('.settings-editor .setting-item')
            .filter({ hasText: 'absolute path of the forge binary' })
            .first()
            .waitFor();
          await code.screenshot('2-setting');
          await code.page.keyboard.press('Escape');
          mend(stage);
          await eventually('the setting to be read', async () => {
            await code.command('Forge: Restart Server');
            return eventually('the server', () => wire.length > 0, { timeout: 10_000 }).catch(() => false);
          });
        }
        await wire.request('server', 'initialized');
        const after = wire.length;
        await code.command('Forge: Doctor');
        const { checks } = await wire.command('forge.doctor', { after });
        assert.ok(checks.length > 0);
        await code
          .toast('Forge: all checks passed')
          .or(code.toast('Forge: some checks did not pass'))
          .first()
          .waitFor();
        await code.screenshot('3-answers');
      });
    },
  })),
  {
    name: 'long error',
    server: () => long,
    play: async (stage, step) => {
      const { code } = stage;
      await step('an error that its message cuts off is whole behind Show Details', async () => {
        await code.open(stage.editor.port, stage.workspace);
        await code.command('Forge: Doctor');
        const text = 'must be the absolute path of a program';
        assert.deepEqual(await code.toastButtons(text), ['Open Setting', 'Show Details']);
        assert.ok(!(await code.toast(text).innerText()).includes(long));
        await code.pressToast(text, 'Show Details');
        await code.activeTab('Forge error.txt');
        assert.ok((await code.visibleText()).replace(/\s/g, '').includes(long), await code.visibleText());
      });
    },
  },
];
