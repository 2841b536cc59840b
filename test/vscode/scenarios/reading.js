// What changes nothing: a selection is reviewed and what was found stands in the file with a quick fix, a question is answered
// in Markdown, and a change of behaviour is asked for before it is sent.
'use strict';
const assert = require('node:assert/strict');
const { answerTrust, nextQuestion } = require('../lib/questions');

const name = 'reading';
const script = 'reading';

async function play(stage, step) {
  const { code, wire } = stage;
  const before = stage.disk('text/text.go');
  const sent = (command, after) =>
    wire
      .all()
      .slice(after)
      .find((entry) => entry.message.params?.command === command)?.message.params.arguments[0];

  await step('review a selection from the palette', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.openFile('text/text.go');
    await code.openForge();
    await wire.request('server', 'textDocument/didOpen');
    await code.openFile('text/text.go');
    await code.selectLines(6, 9);
    const after = wire.length;
    await code.command('Forge: Review Selection or File');
    await answerTrust(stage);
    const { runId } = await wire.command('forge.review', { after });
    assert.deepEqual(sent('forge.review', after).scope.range.start, { line: 5, character: 0 });
    await wire.event('run.ended', (event) => event.runId === runId);
  });

  await step('what was found stands in the file, and is told', async () => {
    await code.toast('1 issue: An empty greeting is not heeded.').waitFor();
    await code.page.locator('.monaco-editor .squiggly-error').first().waitFor();
    await code.screenshot('1-reviewed');
    await code.pressToast('1 issue', 'Show Problems');
    const problem = code.page
      .locator('.part.panel .monaco-list-row')
      .filter({ hasText: 'becomes an exclamation mark' });
    await problem.first().waitFor();
    assert.match(await problem.first().innerText(), /forge\/review/);
    await code.screenshot('2-problems');
  });

  await step('its quick fix starts a run with the issue in its scope', async () => {
    await code.openFile('text/text.go');
    const after = wire.length;
    await code.codeAction('Forge: fix this issue', 7, 7);
    const { runId } = await wire.command('forge.run', { after });
    const args = sent('forge.run', after);
    assert.equal(args.recipe, 'fix');
    assert.deepEqual(args.scope.diagnostics, ['An empty string becomes an exclamation mark.']);
    const ask = await nextQuestion(stage, 'trust', runId); // what reads was allowed to read only
    await code.pressToast(ask.title, 'Trust and run');
    await nextQuestion(stage, 'approve', runId);
    await code.command('Forge: Cancel Run');
    await wire.event('run.ended', (event) => event.runId === runId);
  });

  await step('a question is answered in a document', async () => {
    await code.openFile('text/text.go');
    const after = wire.length;
    await code.commandWith('Forge: Ask…', 'what do you want to know', 'what is shouting?');
    const { runId } = await wire.command('forge.ask', { after });
    const answer = await wire.event('answer', (event) => event.runId === runId);
    assert.match(answer.data.text, /^# Shouting/);
    await code.page.locator('.tab.active').filter({ hasText: 'what is shouting?' }).waitFor();
    await code.screenshot('3-answer');
  });

  await step('a change of behaviour is asked for, and not sent without an answer', async () => {
    await code.openFile('text/text.go');
    const after = wire.length;
    await code.codeAction('change what the selection does', 6, 9);
    await code.input.locator('.quick-input-message').filter({ hasText: 'What should the selection do?' }).waitFor();
    await code.screenshot('4-change');
    await code.page.keyboard.press('Escape');
    await code.input.waitFor({ state: 'hidden' });
    assert.equal(sent('forge.run', after), undefined);
  });

  await step('nothing was written', () => {
    assert.equal(stage.disk('text/text.go'), before);
    assert.equal(wire.all().filter(({ message }) => message.method === 'workspace/applyEdit').length, 0);
  });
}

module.exports = { name, script, play };
