// Restricted Mode: what executes code of the workspace says why it does not run, or does not begin, also where Forge's own list trusts the
// folder, and a question is answered.
'use strict';
const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { eventually } = require('../lib/eventually');
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
*** Add File: text/quiet.go
+package text
+
+// Quiet is quiet.
+const Quiet = "."
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

  await step('its proposal is shown, and not checked', async () => {
    await stage.reload();
    await code.openForge();
    await code.spokenRow('Proposal: ').waitFor();
    await code.command('Forge: Check Proposal Now');
    await refused();
    assert(!asked('forge.proposal.check'));
    await code.screenshot('2-proposal');
  });

  await step('a part of it is accepted, and no check of that begins by itself', async () => {
    const after = wire.length;
    await code.pressRowButton('text/quiet.go', 'Accept', () => wire.command('forge.proposal.apply', { after }));
    await wire.request('client', 'forge/proposal', { after });
    const unchecked = ({ message }) =>
      message.result?.checks?.of === 'part' && message.result.checks.state === 'unchecked';
    await eventually('the part to be unchecked', () => wire.all().slice(after).some(unchecked));
  });

  await step('a note is kept, and the task is not tried again', async () => {
    await code.rowMenu('text/loud.go', 'Reject with a Note…');
    await code.answerInput('what is wrong with it?', 'it is too loud');
    await wire.command('forge.proposal.reject');
    await code.pressToast('the note is kept', 'Try Again with the Note');
    await refused();
    assert(!asked('forge.proposal.reject', ({ retry }) => retry));
  });
}

module.exports = { name, script, restricted, play };
