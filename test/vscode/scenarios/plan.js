// A task part by part: the plan is read, changed in the person's own words and approved, its parts are followed side by side, and
// what they come to together is looked at, taken in part and undone.
'use strict';
const assert = require('node:assert/strict');
const { answerTrust, approval, nextQuestion } = require('../lib/questions');

const name = 'plan';
const script = 'plan';
const settings = { 'forge.proposal.open': false }; // the user opens the proposal when it suits
const task = 'add Reverse, Words and Palindrome';
const ownWords = 'Other answer…';
const wanted = 'Words needs nothing of Reverse';

async function play(stage, step) {
  const { changes, code, wire } = stage;
  const before = stage.disk('text/text.go');
  const answers = () => wire.all().filter(({ message }) => message.params?.command === 'forge.answer');
  const plan = (tiers) => wire.event('ask', ({ data }) => data.title.includes(`3 parts in ${tiers} tiers`));

  await step('run with a plan from the palette', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.openFile('text/text.go');
    await code.openForge();
    await wire.request('server', 'textDocument/didOpen');
    await code.openFile('text/text.go');
    await code.commandWith('Forge: Run with a Plan…', 'part by part?', task);
    await answerTrust(stage);
    await nextQuestion(stage, 'approve');
  });

  await step('the plan can be read before it is answered', async () => {
    const { data: ask } = await plan(3);
    await code.screenshot('1-question');
    await code.pressToast(ask.title, 'Details');
    await code.page.locator('.tab.active').filter({ hasText: 'Forge question' }).waitFor();
    await code.markdown('cell', 'text/palindrome.go');
    await code.markdown('code', /^r-\w+\.plan-1\.json$/); // not its path in Forge's own folder
    await code.toast(ask.title).waitFor();
    await code.screenshot('2-plan');
  });

  await step('closing the box of own words loses nothing', async () => {
    const { data: ask } = await plan(3);
    const sent = answers().length;
    await code.pressToast(ask.title, ownWords);
    await code.type(ask.freeText, wanted);
    await code.screenshot('3-own-words');
    await code.page.keyboard.press('Escape');
    await code.input.waitFor({ state: 'hidden' });
    await code.toast(ask.title).waitFor();
    assert.equal(answers().length, sent);
    await code.pressToast(ask.title, ownWords);
    await code.shows(ask.freeText, wanted);
    await code.page.keyboard.press('Escape');
    await code.input.waitFor({ state: 'hidden' });
  });

  await step('what is written reaches the planner, and its next plan is asked about', async () => {
    const { data: ask } = await plan(3);
    await code.closeToast(ask.title); // the question stays in the view
    await code.forgeRow(ownWords).click();
    await code.shows(ask.freeText, wanted); // it is there still
    await code.field(ask.freeText).press('Enter');
    const answered = await wire.event('answered', ({ data }) => data.askId === ask.askId);
    assert.deepEqual(answered.data, { askId: ask.askId, choice: ask.default, text: wanted });
    const { data: next } = await plan(2); // only a planner that was sent the text makes this one: see the script
    await code.pressToast(next.title, 'Details');
    await code.markdown('heading', '2 tiers');
    await code.screenshot('4-second-plan');
  });

  await step('the plan is carried out, its parts side by side', async () => {
    const { data: ask } = await plan(2);
    await code.pressToast(ask.title, approval(ask).title);
    for (const part of ['reverse', 'words'])
      await wire.event('node', ({ data }) => data.id === `${part}/executor` && data.status === 'RUNNING');
    await code.forgeRow('add Words').waitFor();
    await code.screenshot('5-parts');
    await wire.event('node', ({ data }) => data.id === 'join-1/review' && data.status === 'DONE');
    const nodes = wire.events('node');
    const at = (id, status) => nodes.find(({ data }) => data.id === id && data.status === status).seq;
    assert.ok(at('reverse/explore', 'RUNNING') < at('words/review', 'DONE'), 'reverse begins before words has ended');
    assert.ok(at('words/explore', 'RUNNING') < at('reverse/review', 'DONE'), 'words begins before reverse has ended');
    await code.screenshot('6-first-tier');
  });

  await step('each part is a row of the view, and what was wrong was mended', async () => {
    const ended = await wire.event('run.ended');
    assert.equal(ended.data.state, 'succeeded', ended.data.reason);
    const red = wire.events('gate.finished').filter(({ data }) => data.gate.verdict === 'fail');
    const failed = (node, gate) => red.some(({ data }) => data.node === node && data.gate.name === gate);
    assert.ok(failed('reverse/review', 'go test'), 'the first Reverse was wrong');
    assert.ok(failed('join-1/review', 'integration'), 'the parts did not hold together');
    await code.forgeRow('succeeded').waitFor();
    await code.screenshot('7-done');
    const rows = (await code.forgeRows()).map((row) => row.text);
    for (const row of [
      'reverse done · add Reverse',
      'words done · add Words',
      'join-1 done · reverse, words together',
      'palindrome done · add Palindrome',
      'review done · all parts together',
    ])
      assert.ok(
        rows.some((text) => text.startsWith(row)),
        `no row "${row}" in:\n${rows.join('\n')}`,
      );
  });

  await step('what they come to is one proposal, taken in part', async () => {
    assert.equal(stage.disk('text/text.go'), before, 'nothing is written before consent');
    await code.pressToast('a proposal is ready', 'Show Changes');
    await changes.tab(`Forge: ${task} (6 files)`).waitFor();
    await changes.lens('Accept All (6 hunks)').waitFor();
    await code.screenshot('8-changes');
    for (const file of ['text/text.go', 'text/text_test.go']) {
      const after = wire.length;
      await code.pressRowButton(file, 'Accept', () => wire.command('forge.proposal.apply', { after }));
    }
    await changes.tab(`Forge: ${task} (4 files)`).waitFor();
    const text = await stage.textIs('text/text.go', /func Words\(/);
    assert.doesNotMatch(text, /size/, 'the helper that both parts had is gone');
    assert.match(stage.text('text/text_test.go'), /TestWords/);
    assert.equal(stage.text('text/reverse.go'), undefined);
    await code.screenshot('9-applied');
  });

  await step('and undone', async () => {
    const after = wire.length;
    await code.command('Forge: Undo Last Run');
    await wire.command('forge.undo', { after });
    await changes.tab(`Forge: Undo: ${task} (2 files)`).waitFor();
    await changes.lens('Accept All (2 hunks)').waitFor();
    await code.screenshot('10-undo');
    await changes.press('Accept All (2 hunks)');
    await stage.textIs('text/text.go', /^(?![^]*Words)/);
    assert.equal(stage.text('text/text.go'), before);
    await code.screenshot('11-undone');
  });
}

module.exports = { name, script, settings, play };
