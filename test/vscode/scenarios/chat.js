// Inside the extension host: the participant of the chat.
'use strict';
const assert = require('node:assert/strict');
const path = require('node:path');
const { runInHost } = require('../lib/exthost');

const name = 'chat participant';
const tests = true;
const script = 'chat_host';

async function play(stage, step) {
  await step('it answers, reviews, changes, plans and specifies, and each request ends', async () => {
    const printed = await runInHost(stage, path.join(__dirname, '../host/chat.js'));
    assert.equal(printed.length, 1, 'the tests have run');
    console.log(printed.join('\n'));
  });
}

module.exports = { name, tests, script, play };
