// Two windows on one folder: both show the run, its proposal and what was decided, and a question that was answered in one is in neither.
// The run is then undone and repeated from its row.
'use strict';
const assert = require('node:assert/strict');
const { eventually } = require('../lib/eventually');
const { approval, nextQuestion } = require('../lib/questions');
const { startRun } = require('../lib/startrun');

const name = 'two windows';
const script = 'windows';
const task = 'add Twice with a test';

// Brings a window to the front as a click on it does. Playwright would have every page believe that it has the focus.
async function switchTo(page) {
  for (const each of page.context().pages()) await (await each.context().newCDPSession(each)).send('Emulation.setFocusEmulationEnabled', { enabled: each === page }); // prettier-ignore
  await page.bringToFront();
}

async function play(stage, step) {
  const { changes, code, wire } = stage;
  const before = stage.disk('text/text.go');
  let other;
  // What a window shows of the other one's work is read when it gets the focus, and nothing is pressed for it.
  const look = async (window, theirs) => {
    const after = theirs.length;
    await switchTo(window.page);
    await theirs.command('forge.proposal.list', { after });
  };

  await step('a run of one window waits for an answer', async () => {
    await startRun(stage, task);
    await nextQuestion(stage, 'approve');
  });

  await step('the other window shows the run, and does not ask', async () => {
    other = await stage.otherWindow();
    await other.code.open(stage.editor.port, stage.workspace);
    await other.code.openForge();
    await other.wire.command('forge.proposal.list');
    const row = other.code.spokenRow(`${task}, `).filter({ hasText: 'in another window' });
    await row.waitFor();
    assert.equal(await other.code.spokenRow('question, ').count(), 0);
    assert.equal(await other.code.toast(task).count(), 0);
    await other.code.screenshot('1-other');
  });

  await step('the proposal of the run is in both', async () => {
    await code.page.bringToFront();
    const ask = await nextQuestion(stage, 'approve');
    await code.pressToast(ask.title, approval(ask).title);
    const ended = await wire.event('run.ended');
    assert.equal(ended.data.state, 'succeeded', ended.data.reason);
    await code.spokenRow(`Proposal: ${task}, 2 files, 2 pending`).waitFor();
    await look(other.code, other.wire);
    await other.code.spokenRow(`Proposal: ${task}, 2 files, 2 pending`).waitFor();
    await other.code.spokenRow(`${task}, succeeded`).waitFor();
    await other.code.screenshot('2-proposal');
  });

  await step('the other window accepts a file, and the first one shows it', async () => {
    const after = other.wire.length;
    const applied = () => other.wire.command('forge.proposal.apply', { after });
    await other.code.pressRowButton('text/text.go', 'Accept', applied);
    await other.code.spokenRow('text/text.go').filter({ hasText: 'accepted' }).waitFor();
    await other.code.saveAll();
    await eventually('the saved file', () => /func Twice/.test(stage.disk('text/text.go')));
    await look(code, wire);
    await code.spokenRow('text/text.go').filter({ hasText: 'accepted' }).waitFor();
    await code.spokenRow(`Proposal: ${task}, 2 files, 1 pending`).waitFor();
    await code.screenshot('3-decided');
  });

  await step('a question that was answered once is in neither window after a reload', async () => {
    for (const [window, theirs] of [
      [other.code, other.wire],
      [code, wire],
    ]) {
      const after = theirs.length;
      theirs.expect();
      await window.page.bringToFront();
      await stage.reload(window.page);
      await window.openForge();
      await theirs.command('forge.proposal.list', { after });
      await window.spokenRow(`${task}, succeeded`).waitFor();
      await window.forgeRows(); // come to rest
      assert.equal(await window.spokenRow('question, ').count(), 0);
      assert.equal(await window.page.locator('.notification-toast').count(), 0);
    }
  });

  await step('the run is undone from its row', async () => {
    const after = wire.length;
    await code.rowMenu(/add Twice.*succeeded/, 'Undo This Run');
    const undo = await wire.command('forge.undo', { after });
    assert.deepEqual(
      undo.files.map(({ path }) => path),
      ['text/text.go'],
    );
    await changes.tab(`Forge: Undo: ${task}`).waitFor();
    await code.screenshot('4-undo');
    await changes.press('Accept');
    await stage.textIs('text/text.go', /^(?![^]*Twice)/);
    await code.saveAll();
    await eventually('the saved file', () => stage.disk('text/text.go') === before);
  });

  await step('the run is repeated from its row, and the repeated one is cancelled there', async () => {
    const after = wire.length;
    await code.rowMenu(/add Twice.*succeeded/, 'Retry Run');
    const { runId } = await wire.command('forge.retry', { after });
    const [first] = wire.events('run.started');
    const started = await wire.event('run.started', (event) => event.runId === runId);
    assert.notEqual(runId, first.runId);
    const { model } = started.data; // may not be known yet when a run starts
    assert.deepEqual(started.data, { ...first.data, model }, 'it is asked for as the first one was');
    await nextQuestion(stage, 'approve', runId);
    await code.screenshot('5-retried');
    const end = () => wire.event('run.ended', (event) => event.runId === runId);
    const ended = await code.pressRowButton(/add Twice.*waiting/, 'Cancel', end);
    assert.equal(ended.data.state, 'cancelled');
    await code.spokenRow(`${task}, cancelled`).waitFor();
  });
}

module.exports = { name, script, play };
