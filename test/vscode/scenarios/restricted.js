// Restricted Mode: what executes code of the workspace says why it does not run, and a question is answered.
'use strict';
const assert = require('node:assert/strict');
const { answerTrust } = require('../lib/questions');

const name = 'restricted mode';
const script = 'restricted';
const restricted = true;

async function play(stage, step) {
  const { code, wire } = stage;

  await step('a run is not started, and the message leads to the trust of the workspace', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.openFile('text/text.go');
    await code.command('Forge: Run…');
    const buttons = await code.toastButtons('this window is in Restricted Mode');
    assert.deepEqual(buttons, ['Manage Workspace Trust']);
    await code.screenshot('1-restricted');
    assert.equal(wire.length, 0);
  });

  await step('a question is answered', async () => {
    await code.commandWith('Forge: Ask…', 'what do you want to know', 'who shouts?');
    await answerTrust(stage);
    assert.match((await wire.event('answer')).data.text, /Shout does/);
  });
}

module.exports = { name, script, restricted, play };
