// Servers that do not work: each gets one message, with a button.
'use strict';
const assert = require('node:assert/strict');
const { settled } = require('../lib/eventually');

// A server of that version, which answers the first request and then does `next`.
const server = (version, next) => `
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

const troubles = [
  ['missing', () => '/nowhere/forge', 'must be the absolute path of a program', 'Open Setting'],
  [
    'of another version',
    (stage) => stage.writeServer(server('9.9.9', '')),
    'the server is version 9.9.9',
    'Open Setting',
  ],
  ['ending at once', (stage) => stage.writeServer('process.exit(3);'), 'did not start', 'Restart Server'],
  [
    'ending again and again',
    (stage) => stage.writeServer(server('dev', 'process.exit(3);')),
    'the server ended five times',
    'Restart Server',
  ],
];

module.exports = troubles.map(([what, make, text, button]) => ({
  name: `server ${what}`,
  server: make,
  play: async (stage, step) => {
    const { code } = stage;
    await step('one message says so, with a button', async () => {
      await code.open(stage.editor.port, stage.workspace);
      await code.command('Forge: Doctor');
      const buttons = await code.toastButtons(text);
      assert.ok(buttons.includes(button), buttons.join(', '));
      const shown = code.page.locator('.notifications-toasts .notification-toast').filter({ hasText: 'Forge' });
      await settled(() => shown.allInnerTexts());
      assert.equal(await shown.count(), 1, (await shown.allInnerTexts()).join(' | '));
      await code.screenshot('1-message');
    });
  },
}));
