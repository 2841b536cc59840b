// A run that fails says what can be done about it, and does it. Its answer opens again, also after the window was reloaded.
'use strict';
const assert = require('node:assert/strict');
const { settled } = require('../lib/eventually');

const name = 'history';
const script = 'history';
const question = 'what is shouting?';

async function play(stage, step) {
  const { code, wire } = stage;

  await step('a question whose key is rejected is blocked in one sentence, with buttons', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.openForge();
    await wire.request('server', 'initialized');
    await code.openFile('text/text.go');
    await code.commandWith('Forge: Ask…', 'what do you want to know?', question);
    await code.answerRow('answer: Yes, it may read them');
    const ended = await wire.event('run.ended');
    assert.equal(ended.data.state, 'blocked', ended.data.reason);
    const buttons = await code.toastButtons(question);
    assert.deepEqual(buttons, ['Set a Key…', 'Resume', 'Show Log']);
    const text = await code.toast(question).innerText();
    assert.doesNotMatch(text, /[{}]|proposalId|forge\.\w/, 'no words of the protocol');
    await code.screenshot('1-failed');
  });

  await step('the row of the run says so, opens its log, and copies the error', async () => {
    await code.openForge();
    await code.spokenRow(`${question}, blocked`).waitFor();
    await code.pressRowButton(question, 'Show Log', () => code.activeTab('Forge log'));
    assert.match(await code.visibleText(), /401|key/i);
    await code.screenshot('2-log');
    await code.rowMenu(question, 'Copy Error');
    await code.status('the error is in the clipboard').waitFor();
    await code.command('Forge: Ask…');
    await code.field('what do you want to know?').focus();
    await code.page.keyboard.press('Control+v');
    const pasted = await settled(() => code.field('what do you want to know?').inputValue());
    assert.match(pasted, /^what is shouting\?: blocked: .*key/);
    await code.page.keyboard.press('Escape');
  });

  await step('it is resumed from its row, and the answer opens', async () => {
    const after = wire.length;
    await code.pressRowButton(question, 'Resume', () => wire.command('forge.resume', { after }));
    await wire.event('answer');
    await code.markdown('heading', 'Shouting');
    await code.spokenRow(`${question}, succeeded`).waitFor();
    await code.screenshot('3-answer');
  });

  await step('a closed answer opens again from its row', async () => {
    await code.command('View: Close All Editors');
    await code.page.locator('.part.editor .tab').first().waitFor({ state: 'hidden' });
    await code.openRow('Answer', question);
    await code.markdown('heading', 'Shouting');
  });

  await step('also after the window was reloaded', async () => {
    await code.command('View: Close All Editors');
    await code.page.locator('.part.editor .tab').first().waitFor({ state: 'hidden' });
    const after = wire.length;
    await stage.reload();
    await wire.command('forge.runs', { after });
    await code.openForge();
    await code.spokenRow(`${question}, succeeded`).waitFor();
    assert.equal(await code.toast(question).count(), 0, 'nothing of the past pops up');
    await code.openRow('Answer', question); // the newest run is unfolded, and its events are read
    await code.markdown('heading', 'Shouting');
    await code.screenshot('4-reloaded');
  });
}

module.exports = { name, script, play };
