// A failure inside the extension host is a failure here: without this, a broken runner would look green.
'use strict';
const assert = require('node:assert/strict');
const path = require('node:path');
const { runInHost } = require('../lib/exthost');

const name = 'extension host, failing';
const tests = true;
const errors = [/this error is wanted/];

async function play(stage, step) {
  await step('a test that throws is told', async () => {
    const failure = path.join(__dirname, '../host/failing.js');
    await assert.rejects(runInHost(stage, failure), /this failure is wanted/);
  });
}

module.exports = { name, tests, errors, play };
