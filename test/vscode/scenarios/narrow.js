// A window of 900 px: nothing that the user presses is cut off, covered or outside of it.
'use strict';
const assert = require('node:assert/strict');
const layout = require('../lib/layout');
const { answerTrust, approval, nextQuestion } = require('../lib/questions');

const name = 'narrow window';
const script = 'six_hunks';
const task = 'add Whisper, Twice, Thrice and Count with tests';

async function play(stage, step) {
  const { changes, code, wire } = stage;
  const judge = (selector) => layout.judge(code.page, selector);

  await step('the check fails for controls that are cut off, covered or outside', () => {
    const box = { name: 'one', left: 0, top: 0, right: 50, bottom: 20, cut: 0, text: false };
    const wrong = [
      { ...box, cut: 9 },
      { ...box, text: true },
      { ...box, left: -9 },
    ];
    for (const one of wrong) assert.equal(layout.faults([one], { width: 900, height: 700 }).length, 1);
    assert.equal(layout.faults([box, { ...box, left: 40, right: 90 }], { width: 900, height: 700 }).length, 1);
    assert.equal(layout.faults([box, { ...box, left: 50, right: 90 }], { width: 900, height: 700 }).length, 0);
  });

  await step('a question: its notification, and the rows of the view', async () => {
    await code.page.setViewportSize({ width: 900, height: 700 });
    await code.openAt(stage.editor.port, `folder=${encodeURI(stage.workspace)}`);
    await code.openForge();
    await wire.request('server', 'initialized');
    await code.commandWith('Forge: Run…', 'what should change?', task);
    await answerTrust(stage);
    const ask = await nextQuestion(stage, 'approve');
    await code.toast(ask.title).waitFor();
    await code.screenshot('1-question');
    const buttons = await judge('.notifications-toasts .notification-toast');
    assert.ok(buttons.includes(approval(ask).title), buttons.join(' | '));
    await judge('.part.sidebar .composite.title');
    await judge('.part.statusbar');
    await code.pressToast(ask.title, approval(ask).title);
    await wire.event('run.ended');
  });

  await step('the proposal: its lenses, the title of its editor, and its rows', async () => {
    await changes.tab(`Forge: ${task}`).waitFor();
    await changes.lens('Accept All (6 hunks)').waitFor();
    await code.screenshot('2-proposal');
    await judge('.part.editor .editor-actions');
    const lenses = await judge('.part.editor .modified .view-zones, .part.editor .modified .contentWidgets');
    assert.ok(lenses.some((lens) => lens.endsWith('Accept')), lenses.join(' | ')); // prettier-ignore
    await code.spokenRow('text/count.go').hover();
    await judge('.part.sidebar .monaco-list-row:hover');
    await code.openRow('text/text.go', 'text.go (Forge:');
    await changes.lens('Reject with a Note…').waitFor();
    await code.screenshot('3-file');
    await judge('.part.editor .editor-actions');
    await judge('.part.editor .modified .contentWidgets');
  });

  await step('the box of a run', async () => {
    await code.command('Forge: Run…');
    await code.input.filter({ hasText: 'what should change?' }).waitFor();
    await code.screenshot('4-box');
    await judge('.quick-input-widget');
    await code.page.keyboard.press('Escape');
  });
}

module.exports = { name, script, play };
