// The first minute: no process before Forge is used, a run without a model, a key that is pasted, a question and one that follows it.
'use strict';
const assert = require('node:assert/strict');
const { eventually } = require('../lib/eventually');
const { answerTrust } = require('../lib/questions');

const name = 'first minute';
const script = 'first';
const bare = true;
const key = 'sk-pasted-0123456789abcdef';

async function play(stage, step) {
  const { code, wire } = stage;
  const server = () => stage.processes('forge', ' lsp');

  await step('a window that does not use Forge starts no process', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.openFile('text/text.go');
    await code.appendToFile('// typed');
    await code.unsavedFiles();
    assert.deepEqual(server(), []);
    assert.equal(wire.length, 0);
  });

  await step('the walkthrough shows the ways to a model', async () => {
    const steps = code.page.locator('.getting-started-step');
    await code.commandUntil('Forge: Get Started', () => steps.count());
    await steps.filter({ hasText: 'Pick a Provider' }).first().waitFor();
    await code.screenshot('1-walkthrough');
    await steps.filter({ hasText: 'Find Local Servers' }).first().click();
    await code.page.waitForFunction(() => document.querySelector('.getting-started-step.expanded') !== null);
    await code.screenshot('2-walkthrough-local');
    assert.deepEqual(server(), []);
  });

  await step('a run without a model offers the ways to one', async () => {
    await code.openFile('text/text.go');
    await code.commandWith('Forge: Run…', 'what should change?', 'say it louder');
    const buttons = await code.toastButtons('there is no model yet');
    assert.deepEqual(buttons.sort(), ['Find Local Servers', 'Paste a Key…', 'Try the Demo']);
    await code.screenshot('3-no-model');
  });

  await step('a key is pasted, and the server has it', async () => {
    await code.pressToast('there is no model yet', 'Paste a Key');
    await code.pick("Another server with OpenAI's API");
    await code.answerInput('the address of the server', stage.model);
    await code.answerInput('the name of the model', 'scripted');
    await code.answerInput('the key of', key);
    await code.toast('answers: 1 model').waitFor();
    await code.screenshot('4-answers');
    await code.closeToast('answers: 1 model');
    const [running] = await eventually('the server', () => server().length > 0 && server());
    assert.ok(running.environment.includes(`FORGE_API_KEY=${key}`), 'the server has the key');
  });

  await step('the key is in no file in clear', () => {
    assert.ok(stage.filesWith('"forge.server.path"').length > 0, 'files are searched');
    assert.deepEqual(stage.filesWith(key), []);
  });

  await step('the run box shows what it takes, completes a file, and keeps what was written', async () => {
    await code.openFile('text/text.go');
    await code.selectLines(6, 9);
    await code.page.keyboard.press('Control+Alt+F');
    const box = code.input.filter({ hasText: 'what should change in the selection?' });
    await box.filter({ hasText: /on text\.go:6–9 · balanced · scripted(?! at)/ }).waitFor();
    await box.filter({ hasText: 'say it louder' }).waitFor();
    await code.type('in the selection?', 'move it to @runes');
    const file = box.locator('.monaco-list-row.focused').filter({ hasText: 'text/runes.go' });
    await file.waitFor();
    await code.screenshot('5-run-box');
    await code.page.keyboard.press('Enter');
    await code.shows('in the selection?', 'move it to @text/runes.go ');
    await code.page.keyboard.press('Escape');
    await code.input.waitFor({ state: 'hidden' });
  });

  await step('a question is answered, with a link to the line', async () => {
    await code.openFile('text/text.go');
    await code.commandWith('Forge: Ask…', 'what do you want to know', 'who shouts?');
    await answerTrust(stage);
    await wire.event('answer');
    await code.markdown('link', 'text/text.go:7');
  });

  await step('a follow-up is sent with the conversation, and its document keeps the thread', async () => {
    const after = wire.length;
    await code.commandWith('Forge: Ask a Follow-Up…', 'what else do you want to know', 'and in which file?');
    const { runId } = await wire.command('forge.ask', { after });
    const { message } = wire
      .all()
      .slice(after)
      .find((entry) => entry.message.params?.command === 'forge.ask');
    const [turn] = message.params.arguments[0].earlier;
    assert.equal(turn.asked, 'who shouts?');
    assert.match(turn.answered, /Shout does/);
    await wire.event('answer', (event) => event.runId === runId);
    await code.markdown('strong', 'who shouts?');
    await code.markdown('link', 'text/text_test.go:5');
    await code.screenshot('6-thread');
  });

  await step('the link opens the file at the line', async () => {
    await code.pressMarkdownLink('text/text_test.go:5');
    await code.page.locator('.tab.active').filter({ hasText: 'text_test.go' }).waitFor();
    await code.status('Ln 5').waitFor();
  });
}

module.exports = { name, script, bare, play };
