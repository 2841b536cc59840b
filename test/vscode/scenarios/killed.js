// The server is killed in the middle of an accept: before the editor gets the edit, and after the editor has made it. What was accepted
// and what was not is known afterwards, and undone.
'use strict';
const assert = require('node:assert/strict');
const { eventually } = require('../lib/eventually');
const { startRun } = require('../lib/startrun');

const name = 'server killed';
const script = 'pieces';
const task = 'add Count, Twice and Thrice with tests';

async function play(stage, step) {
  const { changes, code, wire } = stage;
  const before = stage.disk('text/text.go');
  const row = (text) => code.spokenRow(text);
  // Waits for the server that the client starts after message number `after`.
  const again = (after) => wire.request('server', 'initialized', { after });

  await step('a proposal of three files opens', async () => {
    await startRun(stage, task);
    const ended = await wire.event('run.ended');
    assert.equal(ended.data.state, 'succeeded', ended.data.reason);
    await row(`Proposal: ${task}, 3 files, 4 pending`).waitFor();
  });

  await step('killed before the editor gets the edit, nothing is applied, and nothing is lost', async () => {
    const after = wire.length;
    wire.killAt('workspace/applyEdit', { sent: false });
    await code.pressRowButton('text/text.go', 'Accept', () => again(after));
    await code.command('Forge: Refresh');
    await row(`Proposal: ${task}, 3 files, 4 pending`).waitFor();
    assert.equal(stage.text('text/text.go'), before);
    await code.screenshot('1-before');
  });

  await step('killed after the editor has made the edit, the file is accepted', async () => {
    const after = wire.length;
    wire.killAt('workspace/applyEdit');
    await code.pressRowButton('text/text.go', 'Accept', () => again(after));
    await stage.textIs('text/text.go', /func Thrice/);
    await code.command('Forge: Refresh');
    await row('text/text.go').filter({ hasText: 'accepted' }).waitFor();
    await row(`Proposal: ${task}, 3 files, 2 pending`).waitFor();
    await code.screenshot('2-after');
  });

  await step('what is left is accepted, and all of it is undone', async () => {
    let after = wire.length;
    await code.command('Forge: Accept All');
    await wire.command('forge.proposal.apply', { after });
    await stage.textIs('text/count.go', /func Count/);
    await eventually('three unsaved files', async () => (await code.unsavedFiles()).length === 3);
    await code.saveAll();
    await eventually('the saved file', () => /func Thrice/.test(stage.disk('text/text.go')));
    after = wire.length;
    await code.command('Forge: Undo Last Run');
    await wire.command('forge.undo', { after });
    await changes.tab(`Forge: Undo: ${task}`).waitFor(); // it takes the focus
    await changes.lens('Accept').first().waitFor();
    await code.command('Forge: Accept All');
    await stage.textIs('text/text.go', { test: (text) => text === before });
    await code.screenshot('3-undone');
  });
}

module.exports = { name, script, play };
