// Restricted Mode: what executes code of the workspace says why it does not run, also where Forge's own list trusts the folder, and a question
// is answered.
'use strict';
const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { answerTrust } = require('../lib/questions');

const name = 'restricted mode';
const script = 'untrusted';
const restricted = true;

// A patch of a run without a model's turn, which waits for the user.
const patch = `*** Begin Patch
*** Add File: text/loud.go
+package text
+
+// Loud is loud.
+const Loud = "!"
*** End Patch`;

async function play(stage, step) {
  const { code, wire } = stage;

  const refused = async () => {
    const buttons = await code.toastButtons('this window is in Restricted Mode');
    assert.deepEqual(buttons, ['Manage Workspace Trust']);
    await code.closeToast('this window is in Restricted Mode');
  };
  const asked = (command, has = () => true) =>
    wire.all().some(({ message }) => message.params?.command === command && has(message.params.arguments[0]));

  await step('a run is not started, and the message leads to the trust of the workspace', async () => {
    await code.open(stage.editor.port, stage.workspace);
    await code.openFile('text/text.go');
    await code.command('Forge: Run…');
    await code.toast('this window is in Restricted Mode').waitFor();
    await code.screenshot('1-restricted');
    await refused();
    assert.equal(wire.length, 0);
  });

  await step('a question is answered', async () => {
    await code.commandWith('Forge: Ask…', 'what do you want to know', 'who shouts?');
    await answerTrust(stage);
    assert.match((await wire.event('answer')).data.text, /Shout does/);
  });

  await step('tests are not run for Explore, though a terminal trusts the folder', async () => {
    const args = ['--tool', 'apply_patch', '--args', JSON.stringify({ patch })];
    const env = { ...stage.env, FORGE_BASE_URL: stage.model, FORGE_MODEL: 'scripted', FORGE_TAG_REQUESTS: '1' };
    const run = spawnSync(stage.forge, ['run', '--trust', '--json', ...args], { cwd: stage.workspace, env });
    assert.equal(run.status, 3, String(run.stderr)); // its change waits
    await code.command('Forge: Explore…');
    await code.pick('run_tests');
    await refused();
    assert(!asked('forge.explore'));
  });

  await step('its proposal is shown, and neither checked nor tried again', async () => {
    await stage.reload();
    await code.openForge();
    await code.spokenRow('Proposal: ').waitFor();
    await code.command('Forge: Check Proposal Now');
    await refused();
    assert(!asked('forge.proposal.check'));
    await code.screenshot('2-proposal');
    await code.rowMenu('text/loud.go', 'Reject with a Note…');
    await code.answerInput('what is wrong with it?', 'it is too loud');
    await wire.command('forge.proposal.reject');
    await code.pressToast('the note is kept', 'Try Again with the Note');
    await refused();
    assert(!asked('forge.proposal.reject', ({ retry }) => retry));
  });
}

module.exports = { name, script, restricted, play };
