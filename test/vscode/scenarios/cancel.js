// A run that is cancelled while the model is still talking: it is over at once, and nothing has changed.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const { eventually } = require('../lib/eventually');
const { answerTrust } = require('../lib/questions');

const name = 'cancel';
const script = 'slow';

async function play(stage, step) {
  const { code, wire } = stage;
  const before = stage.disk('text/text.go');

  await step('start a run with a model that takes its time', async () => {
    fs.mkdirSync(stage.file('.vscode'));
    fs.writeFileSync(stage.file('.vscode/settings.json'), JSON.stringify({ 'forge.mode': 'fast' }));
    await code.open(stage.editor.port, stage.workspace);
    await code.openFile('text/text.go');
    await code.commandWith('Forge: Run…', 'what should change?', 'take a slow walk');
    await answerTrust(stage);
    const started = await wire.event('run.started');
    assert.equal(started.data.mode, 'fast', 'the settings of the folder count');
    await wire.progress('begin');
  });

  await step('the status bar has the stage, the seconds, the tokens and the cost of the run', async () => {
    await wire.event('node', ({ data }) => data.status === 'RUNNING' && data.id === 'executor');
    const busy = code.forgeStatus.filter({ hasText: /^\s*executor.* · \d+ s · [\d.]+k? tokens · \$0\.00\s*$/ });
    await busy.waitFor();
    const shown = await busy.innerText();
    await eventually('the seconds to go on', async () => (await busy.innerText()) !== shown);
    assert.match(
      await code.forgeStatus.getAttribute('aria-label'),
      /^Forge: executor.*, \d+ s, [\d.]+k? tokens, \$0\.00$/,
    );
    await code.screenshot('1-running');
  });

  await step('cancel it', async () => {
    const after = wire.length;
    await code.command('Forge: Cancel Run');
    assert.equal((await wire.command('forge.cancel', { after })).state, 'cancelled');
    assert.equal((await wire.event('run.ended')).data.state, 'cancelled');
    await wire.progress('end');
  });

  await step('the view says so, and the progress is gone', async () => {
    await code.forgeRow('cancelled').waitFor();
    await code.forgeStatus.filter({ hasText: 'scripted' }).waitFor();
    await code.screenshot('2-cancelled');
  });

  await step('nothing has changed, and nothing more happens to the run', async () => {
    const events = wire.events();
    assert.equal(events.filter((event) => event.type === 'run.ended').length, 1);
    assert.equal(events.at(-1).type, 'run.ended');
    assert.equal(wire.all().filter(({ message }) => message.method === 'workspace/applyEdit').length, 0);
    assert.equal(stage.disk('text/text.go'), before);
    assert.equal(stage.text('text/text.go'), before);
  });
}

module.exports = { name, script, play };
