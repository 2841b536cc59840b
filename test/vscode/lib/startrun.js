// How scenarios begin that are about what follows a run.
'use strict';
const { answerTrust } = require('./questions');

// startRun(stage, task) opens the workspace with a file of it, starts a run from the palette, and trusts the folder.
async function startRun(stage, task) {
  const { code, wire } = stage;
  await code.open(stage.editor.port, stage.workspace);
  await code.openForge();
  await wire.request('server', 'initialized');
  await code.openFile('text/text.go');
  await code.command('Forge: Run…');
  await code.answerInput('what should change?', task);
  await answerTrust(stage);
}

module.exports = { startRun };
