// The demo: the sample workspace is written, its window runs the scripted model, and its task ends in a proposal.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { eventually } = require('../lib/eventually');
const { answerTrust, approval, nextQuestion } = require('../lib/questions');

const name = 'demo';

async function play(stage, step) {
  const { changes, code, wire } = stage;
  const folder = path.join(stage.folder, 'state/data/User/globalStorage/forge.forge/demo/cart');

  await step('the command writes the sample, and no server is needed for it', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.command('Forge: Try the Demo');
    await eventually('the sample', () => fs.existsSync(path.join(folder, 'go.mod')));
    assert.equal(wire.length, 0);
  });

  await step('its window has the task in the run box, and needs no model of the user', async () => {
    await code.open(stage.editor.port, folder);
    await code.command('Forge: Run…');
    const box = code.field('what should change?');
    await eventually('the task', async () => (await box.inputValue()).startsWith('Add a Discount method'));
    await code.screenshot('1-task');
    await code.page.keyboard.press('Enter');
    await answerTrust(stage);
  });

  await step('the run ends in a proposal that compilers and tests have checked', async () => {
    const ask = await nextQuestion(stage, 'approve');
    await code.pressToast(ask.title, approval(ask).title);
    const { data } = await wire.event('proposal', () => true, { timeout: 400_000 });
    assert.equal(data.unverified, undefined);
    await changes.lens('Accept').waitFor();
    await code.screenshot('2-proposal');
  });
}

module.exports = { name, play };
