// A proposal is taken piece by piece: a new file from its row, lines and a file by a key, a hunk rejected with a note. The part is checked,
// the rest is edited, the window is reloaded, and what is left is accepted.
'use strict';
const assert = require('node:assert/strict');
const { startRun } = require('../lib/startrun');

const name = 'pieces';
const script = 'pieces';
const oldest = true;
const task = 'add Count, Twice and Thrice with tests';
const note = 'the old sentence was right';

async function play(stage, step) {
  const { changes, code, wire } = stage;
  let lines; // how many messages there were before lines were accepted

  await step('a proposal of three files opens', async () => {
    await startRun(stage, task);
    const ended = await wire.event('run.ended');
    assert.equal(ended.data.state, 'succeeded', ended.data.reason);
    await changes.tab(`Forge: ${task} (3 files)`).waitFor();
    await changes.lens('Accept').waitFor();
    await code.spokenRow(`${task}, succeeded`).waitFor();
    await code.forgeRows(); // has come to rest
    await code.screenshot('1-three-files');
  });

  await step('a new file is accepted from its row', async () => {
    const after = wire.length;
    const applied = () => wire.command('forge.proposal.apply', { after });
    const { files } = await code.pressRowButton('text/count.go', 'Accept', applied);
    assert.deepEqual(
      files.map((file) => [file.uri.split('/').at(-1), file.state]),
      [['count.go', 'applied']],
    );
    await stage.textIs('text/count.go', /func Count/);
    assert.doesNotMatch(stage.text('text/text.go'), /Twice/);
    await changes.tab(`Forge: ${task} (2 files)`).waitFor(); // what is decided leaves the tab
  });

  await step('a key goes from change to change, through all files and around', async () => {
    await changes.tab(`Forge: ${task} (2 files)`).click();
    await changes.goTo('// Package text has');
    for (const [key, place, text] of [
      ['Alt+F5', 'Ln 10, Col 1', 'func Twice'],
      ['Alt+F5', 'Ln 1, Col 1', 'func TestCount'],
      ['Alt+F5', 'Ln 1, Col 1', '// Package text has'],
      ['Alt+F5', 'Ln 10, Col 1', 'func Twice'],
      ['Shift+Alt+F5', 'Ln 1, Col 1', '// Package text has'],
    ]) {
      await code.page.keyboard.press(key);
      await changes.isAt(place, text);
    }
  });

  await step('in the diff of one file it goes on to the next file', async () => {
    await code.openRow('line 1, pending', 'text.go (Forge:');
    await changes.goTo('// Package text has');
    await code.page.keyboard.press('Alt+F5');
    await changes.isAt('Ln 10, Col 1', 'func Twice');
    await code.page.keyboard.press('Alt+F5');
    await code.activeTab('count_test.go (Forge:');
    await changes.isAt('Ln 1, Col 1', 'func TestCount');
    await code.page.keyboard.press('Shift+Alt+F5');
    await code.activeTab('text.go (Forge:');
    await changes.isAt('Ln 10, Col 1', 'func Twice');
  });

  await step('a hunk is rejected with a note, by a key', async () => {
    const after = wire.length;
    await code.openRow('line 1, pending', 'text.go (Forge:');
    await changes.goTo('// Package text has');
    await code.page.keyboard.press('Control+Alt+Shift+n');
    await code.answerInput('what is wrong with it?', note);
    await wire.command('forge.proposal.reject', { after });
    await code.spokenRow('line 1, rejected').filter({ hasText: note }).waitFor();
    await code.toast('the note is kept').waitFor();
    await code.closeToast('the note is kept');
    await code.screenshot('2-note');
  });

  await step('selected lines of a hunk are accepted with a key', async () => {
    const after = (lines = wire.length);
    await changes.goTo('// Twice returns');
    await code.page.keyboard.press('ArrowUp'); // with the empty line above, or gofmt objects to the part
    for (let line = 0; line < 3; line++) await code.page.keyboard.press('Shift+ArrowDown');
    await code.page.keyboard.press('Control+Alt+y');
    const { checks } = await wire.command('forge.proposal.apply', { after });
    assert.deepEqual([checks.of, checks.state], ['part', 'checking']);
    const text = await stage.textIs('text/text.go', /func Twice/);
    assert.doesNotMatch(text, /Thrice/, 'the rest of the hunk is still to be decided');
    assert.match(text, /^\/\/ Package text has small functions on strings\.\n/);
  });

  await step('the part is checked by itself, and on request', async () => {
    await wire.request('client', 'forge/proposal', { after: lines, timeout: 180_000 });
    await code.spokenRow('Checked as a part').waitFor();
    await code.spokenRow('line 10, accepted').waitFor();
    await code.screenshot('3-part');
    const after = wire.length;
    await code.command('Forge: Check Proposal Now');
    const { checks } = await wire.command('forge.proposal.check', { after, timeout: 180_000 });
    assert.deepEqual([checks.of, checks.state], ['part', 'checked']);
    await code.spokenRow('Checked as a part').waitFor();
    await code.screenshot('4-checked');
  });

  await step('the rest is edited; saving it amends the proposal', async () => {
    const after = wire.length;
    await changes.goTo('// Thrice returns');
    await code.page.keyboard.press('End');
    await code.page.keyboard.type(' Or more.');
    await changes.lens('Edited: save it to make it a part of the proposal').waitFor();
    await code.page.keyboard.press('Control+s');
    const proposal = await wire.command('forge.proposal.amend', { after });
    assert.deepEqual([proposal.checks.of, proposal.checks.state], ['amended', 'checking']);
    await code.spokenRow('Checked as edited').waitFor({ timeout: 180_000 });
    await code.screenshot('5-edited');
  });

  await step('after a reload the proposal is still there, as it was decided', async () => {
    assert.doesNotMatch(stage.disk('text/text.go'), /Twice/, 'nothing was saved');
    const after = wire.length;
    await stage.reload();
    await wire.command('forge.proposal.list', { after });
    await code.openForge();
    await code.forgeRow('text/count.go').filter({ hasText: 'accepted' }).waitFor(); // once VS Code has restored its text
    await code.spokenRow(`Proposal: ${task}, 3 files, 2 pending`).waitFor();
    await code.spokenRow(`${task}, succeeded`).waitFor();
    await code.spokenRow('line 1, rejected').filter({ hasText: note }).waitFor();
    await code.screenshot('6-reloaded');
  });

  await step('a file is accepted with a key', async () => {
    const after = wire.length;
    await code.openRow('Proposal: ', `Forge: ${task} (2 files)`);
    await changes.goTo('func TestTwice');
    await code.page.keyboard.press('Control+Alt+Enter');
    const { files } = await wire.command('forge.proposal.apply', { after });
    assert.deepEqual(
      files.map((file) => [file.uri.split('/').at(-1), file.state]),
      [['count_test.go', 'applied']],
    );
    await stage.textIs('text/count_test.go', /TestCount/);
    await changes.tab(`Forge: ${task} (1 file)`).waitFor();
  });

  await step('what is left is accepted as a whole, as it was edited', async () => {
    const after = wire.length;
    await changes.lens('Accept').first().waitFor();
    await code.command('Forge: Accept All');
    await wire.command('forge.proposal.apply', { after });
    await stage.textIs('text/text.go', /Thrice returns s three times\. Or more\.\n/);
    await changes.tab(`Forge: ${task}`).waitFor({ state: 'hidden' });
    await code.spokenRow('Proposal, 3 files, decided').waitFor();
    await code.screenshot('7-all');
  });

  await step('every row has a name and a state for a screen reader', async () => {
    const rows = await code.spokenRows();
    assert.ok(rows.length > 5, rows.join('\n'));
    for (const row of rows) assert.match(row, /, |:|^(Not c|C)hecked/, `"${row}" has no state`);
    assert.ok(!rows.some((row) => /func |return /.test(row)), `code is read aloud:\n${rows.join('\n')}`);
  });
}

module.exports = { name, script, oldest, play };
