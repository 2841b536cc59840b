// The whole chain in one sitting: a run with a question, a look at its proposal, one of three files (a new one), two of five hunks and a
// range of lines accepted, the part checked, the rest edited and checked again, all undone; then the editor ends in the middle of a second
// run, and its successor finds both runs and the proposal, and resumes.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const { answerTrust, approval, nextQuestion } = require('../lib/questions');

const name = 'chain';
const script = 'chain';
const task = 'add Whisper, Twice, Thrice and Count with tests';
const second = 'add Reverse with tests';

async function play(stage, step) {
  const { changes, code, wire } = stage;
  const before = ['text/text.go', 'text/text_test.go'].map((file) => [file, stage.disk(file)]);
  let proposalId;
  let lines; // how many messages there were before lines were accepted

  await step('a run shows its progress, and its question is answered', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.openForge();
    await wire.request('server', 'initialized');
    await code.openFile('text/text.go');
    await code.commandWith('Forge: Run…', 'what should change?', task);
    await wire.progress('begin');
    await answerTrust(stage);
    const ask = await nextQuestion(stage, 'approve');
    await code.forgeRow('waiting for an answer').waitFor();
    await code.pressToast(ask.title, approval(ask).title);
    const ended = await wire.event('run.ended');
    assert.equal(ended.data.state, 'succeeded', ended.data.reason);
    await wire.progress('end');
  });

  await step('the look: three files with six hunks, one file is new, and nothing is changed', async () => {
    await changes.tab(`Forge: ${task} (3 files)`).waitFor();
    await changes.lens('Accept All (6 hunks)').waitFor();
    ({ proposalId } = (await wire.event('proposal')).data);
    await code.spokenRow('text/count.go, create').waitFor();
    await code.screenshot('1-look');
    for (const [file, text] of before) assert.equal(stage.text(file), text, file);
    assert.equal(stage.text('text/count.go'), undefined);
  });

  await step('one of three files is accepted, the new one', async () => {
    const after = wire.length;
    await code.pressRowButton('text/count.go', 'Accept', () => wire.command('forge.proposal.apply', { after }));
    await stage.textIs('text/count.go', /func Count/);
    for (const [file, text] of before) assert.equal(stage.text(file), text, file);
    await changes.tab(`Forge: ${task} (2 files)`).waitFor();
  });

  await step('two of five hunks are accepted, from their rows', async () => {
    for (const [row, file, text] of [
      ['lines 6–8', 'text/text.go', /func Whisper/],
      ['lines 5–10', 'text/text_test.go', /TestWhisper/],
    ]) {
      const after = wire.length;
      await code.pressRowButton(row, 'Accept', () => wire.command('forge.proposal.apply', { after }));
      await stage.textIs(file, text);
    }
    assert.doesNotMatch(stage.text('text/text.go'), /Twice|and words/);
    assert.doesNotMatch(stage.text('text/text_test.go'), /TestCount/);
    await code.screenshot('2-hunks');
  });

  await step('a range of lines is accepted with a key', async () => {
    const after = (lines = wire.length);
    await code.openRow('text/text.go', 'text.go (Forge:');
    await changes.goTo('// Twice returns');
    await code.page.keyboard.press('ArrowUp');
    for (let line = 0; line < 3; line++) await code.page.keyboard.press('Shift+ArrowDown');
    await code.page.keyboard.press('Control+Alt+y');
    await wire.command('forge.proposal.apply', { after });
    assert.doesNotMatch(await stage.textIs('text/text.go', /func Twice/), /Thrice/);
  });

  await step('what is accepted is checked by itself', async () => {
    await wire.request('client', 'forge/proposal', { after: lines, timeout: 180_000 });
    await code.spokenRow('Checked as a part').waitFor();
    await code.screenshot('3-checked');
  });

  await step('the rest is edited, and checked again by itself as it was edited', async () => {
    const after = wire.length;
    await changes.goTo('strings and words.');
    await code.page.keyboard.press('End');
    await code.page.keyboard.press('Backspace');
    await code.page.keyboard.type(', as edited.');
    await code.page.keyboard.press('Control+s');
    const amended = await wire.command('forge.proposal.amend', { after });
    assert.deepEqual([amended.checks.of, amended.checks.state], ['amended', 'checking']);
    await code.spokenRow('Checked as edited').waitFor({ timeout: 180_000 });
    await code.screenshot('4-checked-again');
  });

  await step('all that was accepted is undone', async () => {
    const after = wire.length;
    await code.command('Forge: Undo Last Run');
    await wire.command('forge.undo', { after });
    await changes.tab(`Forge: Undo: ${task}`).waitFor();
    await code.screenshot('5-undo');
    await code.command('Forge: Accept All');
    await wire.command('forge.proposal.apply', { after });
    await stage.textIs('text/text.go', /^(?![^]*(Whisper|Twice))/);
    for (const [file, text] of before) assert.equal(stage.text(file), text, file);
    assert.ok(!fs.existsSync(stage.file('text/count.go')), 'the new file is gone');
    await code.saveAll();
  });

  await step('a second run waits for an answer when the editor ends', async () => {
    const after = wire.length;
    await code.commandWith('Forge: Run…', 'what should change?', second);
    const { runId } = await wire.command('forge.run', { after });
    await nextQuestion(stage, 'approve', runId);
    await stage.restart();
  });

  await step('the next editor shows both runs and the proposal', async () => {
    const after = wire.length;
    await code.open(stage.editor.port, stage.workspace);
    await code.openForge();
    await wire.command('forge.proposal.list', { after });
    await code.spokenRow(`${second}, interrupted`).waitFor();
    await code.openOlderProposal(task, `Forge: ${task}`);
    await code.spokenRow(`Proposal: ${task}`).waitFor();
    await code.screenshot('6-found');
    await changes.line('strings and words, as edited.').waitFor();
    await code.screenshot('7-looked-again');
  });

  await step('the run is resumed: its question comes again, what was answered before does not', async () => {
    const after = wire.length;
    const calls = wire.events('model').length;
    await code.pressRowButton(second, 'Resume', () => wire.command('forge.resume', { after }));
    const asked = () =>
      wire
        .all()
        .slice(after)
        .filter(({ message }) => message.params?.type === 'ask');
    const { data } = await wire.event('ask', ({ data, runId }) => asked().some(({ message }) => message.params.runId === runId && message.params.data.askId === data.askId)); // prettier-ignore
    assert.equal(data.kind, 'approve');
    await code.pressToast(data.title, approval(data).title);
    await code.pressToast(`${second}: a proposal is ready`, 'Show Changes'); // it does not open over the one that is looked at
    await changes.tab(`Forge: ${second} (2 files)`).waitFor();
    assert.equal(asked().length, 1);
    assert.ok(wire.events('model').length > calls);
    await code.spokenRow(`${second}, succeeded`).waitFor();
    await code.screenshot('8-resumed');
  });
}

module.exports = { name, script, play };
