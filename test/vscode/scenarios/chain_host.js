// Inside the extension host: the whole chain, from a run to its resumption in the next host, through commands and documents.
'use strict';
const assert = require('node:assert/strict');
const path = require('node:path');
const { runInHost } = require('../lib/exthost');

const name = 'chain in the host';
const tests = true;
const script = 'chain';

async function play(stage, step) {
  const { wire } = stage;
  const host = async (file, lines) => {
    const printed = await runInHost(stage, path.join(__dirname, '../host', file));
    console.log(printed.join('\n'));
    assert.equal(printed.length, lines, 'the tests have run');
  };

  await step('a run, a look, a new file, two hunks, a range of lines, checks, an edit, and an undo', async () => {
    await host('chain.js', 6);
    assert.ok((await wire.progress('begin')).title);
    await wire.progress('end');
    for (const command of ['apply', 'amend', 'get']) await wire.command(`forge.proposal.${command}`);
    await stage.code.screenshot('1-waits');
  });

  await step(
    'the host ends while a run waits; the next one finds both runs and the proposal, and resumes',
    async () => {
      await stage.restart();
      await host('chain_again.js', 2);
      await stage.code.screenshot('2-resumed');
    },
  );
}

module.exports = { name, tests, script, play };
