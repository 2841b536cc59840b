// Each row opens what it stands for: a node, an attempt, a gate, a finding, and the proposal of an older run while a newer one is open. A review
// that fails says so once.
'use strict';
const assert = require('node:assert/strict');
const { settled } = require('../lib/eventually');
const { startRun } = require('../lib/startrun');

const name = 'rows';
const script = 'rows';
const older = 'add Twice';
const newer = 'add Thrice';

async function play(stage, step) {
  const { changes, code, wire } = stage;
  const closeAll = async () => {
    await code.command('View: Close All Editors');
    await code.page.locator('.part.editor .tab').first().waitFor({ state: 'hidden' });
  };
  const log = async () => {
    await code.activeTab(`Forge review ${older}.log`);
    return code.visibleText();
  };

  await step('a run fails its gates once, and has a proposal', async () => {
    await startRun(stage, older);
    const ended = await wire.event('run.ended');
    assert.equal(ended.data.state, 'succeeded', ended.data.reason);
    await changes.tab(`Forge: ${older} (2 files)`).waitFor();
    await code.spokenRow(`${older}, succeeded`).waitFor();
    await code.spokenRow('review, done').waitFor();
    await code.forgeRows(); // come to rest
    await code.toggleRow('review, done', 'go vet', 'visible');
    await code.toggleRow('attempt 1, not passed', 'TestTwice', 'visible');
    await closeAll();
  });

  await step('a node opens its log, and so does its attempt', async () => {
    await code.openRow('review, done', 'Forge review');
    assert.match(await log(), /TestTwice/);
    await closeAll();
    await code.openRow('attempt 1, not passed', 'Forge review');
    assert.match(await log(), /TestTwice/);
    await closeAll();
  });

  await step('a gate opens its report', async () => {
    await code.openRow('go vet, pass', 'Forge go vet.txt');
    assert.match(await code.visibleText(), /go vet/);
    await closeAll();
  });

  await step('a finding in a file that only the proposal has opens its text there', async () => {
    await code.openRow('error, ', 'twice_test.go (Forge:');
    await changes.isAt('Ln 7, ', 't.Errorf');
    await code.screenshot('1-finding');
    await closeAll();
  });

  await step('the row of an older run opens its own proposal', async () => {
    await code.openFile('text/text.go');
    const after = wire.length;
    await code.commandWith('Forge: Run…', 'what should change?', newer);
    const { runId } = await wire.command('forge.run', { after });
    const ended = await wire.event('run.ended', (event) => event.runId === runId);
    assert.equal(ended.data.state, 'succeeded', ended.data.reason);
    await changes.tab(`Forge: ${newer} (2 files)`).waitFor();
    await code.spokenRow(`Proposal: ${newer}, 2 files, 2 pending`).waitFor();
    await closeAll();
    await code.openRow(`Proposal: ${older}, `, `Forge: ${older} (2 files)`);
    await changes.line('func Twice').waitFor();
    assert.equal(await changes.line('func Thrice').count(), 0);
    await closeAll();
    await code.openOlderProposal(older, `Forge: ${older} (2 files)`);
    await code.screenshot('2-older');
    await changes.line('func Twice').waitFor();
  });

  await step('a review that fails says so in one message', async () => {
    await code.openFile('text/text.go');
    const after = wire.length;
    await code.command('Forge: Review Selection or File');
    const { runId } = await wire.command('forge.review', { after });
    const ended = await wire.event('run.ended', (event) => event.runId === runId);
    assert.equal(ended.data.state, 'blocked');
    await code.toast('Review text/text.go').waitFor();
    const toasts = code.page.locator('.notifications-toasts .notification-toast');
    const texts = await settled(() => toasts.allInnerTexts());
    assert.equal(texts.length, 1, texts.join(' | '));
    assert.deepEqual(await code.toastButtons('Review text/text.go'), ['Set a Key…', 'Resume', 'Show Log']);
    await code.screenshot('3-review');
  });
}

module.exports = { name, script, play };
