// A run from a selection: by the code action the server offers, and by the command of the context menu.
'use strict';
const assert = require('node:assert/strict');
const { answerTrust, nextQuestion } = require('../lib/questions');

const name = 'selection';
const script = 'selection';

async function play(stage, step) {
  const { code, wire } = stage;

  await step('open a file', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.openFile('text/text.go');
    await code.openForge();
    await wire.request('server', 'textDocument/didOpen');
    await code.openFile('text/text.go');
  });

  await step('a code action on the selection starts a run', async () => {
    const after = wire.length;
    const titles = await code.codeAction('Forge', 6, 9);
    assert.ok(
      titles.some((title) => title.startsWith('Forge')),
      titles.join(' | '),
    );
    const { runId } = await wire.command('forge.run', { after });
    const { message } = wire
      .all()
      .slice(after)
      .find((entry) => entry.message.params?.command === 'forge.run');
    const { scope } = message.params.arguments[0];
    assert.match(scope.uri, /text\/text\.go$/);
    assert.deepEqual([scope.range.start.line, scope.range.end.line], [5, 9]);
    await wire.event('run.started', (event) => event.runId === runId);
    await code.screenshot('1-code-action');
  });

  await step('it can be cancelled while it waits for an answer', async () => {
    await answerTrust(stage);
    await nextQuestion(stage, 'approve');
    await code.command('Forge: Cancel Run');
    assert.equal((await wire.event('run.ended')).data.state, 'cancelled');
  });

  await step('so does the command on a selection, with a task of its own', async () => {
    await code.openFile('text/text.go');
    await code.selectLines(6, 9);
    const after = wire.length;
    await code.commandWith('Forge: Run on Selection…', 'in the selection?', 'say it louder');
    const { runId } = await wire.command('forge.run', { after });
    const { message } = wire
      .all()
      .slice(after)
      .find((entry) => entry.message.params?.command === 'forge.run');
    assert.deepEqual(message.params.arguments[0].scope.range.start, { line: 5, character: 0 });
    const started = await wire.event('run.started', (event) => event.runId === runId);
    assert.equal(started.data.task, 'say it louder');
    await nextQuestion(stage, 'approve', runId);
    await code.forgeRow('say it louder').waitFor();
    await code.screenshot('2-second-run');
    const end = () => wire.event('run.ended', (event) => event.runId === runId);
    const ended = await code.pressRowButton('say it louder', 'Cancel', end);
    assert.equal(ended.data.state, 'cancelled');
    await code.forgeRow('say it louder').filter({ hasText: 'cancelled' }).waitFor();
  });
}

module.exports = { name, script, play };
