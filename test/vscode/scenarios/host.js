// Inside the extension host: the extension activates, registers what it contributes, and reaches the server.
'use strict';
const assert = require('node:assert/strict');
const path = require('node:path');
const { runInHost } = require('../lib/exthost');

const name = 'extension host';
const tests = true;

async function play(stage, step) {
  await step('the extension activates and its commands are registered', async () => {
    const printed = await runInHost(stage, path.join(__dirname, '../host/index.js'));
    assert.equal(printed.length, 2, 'the tests have run');
    console.log(printed.join('\n'));
  });
}

module.exports = { name, tests, play };
