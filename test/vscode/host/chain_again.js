// Runs inside the extension host after a restart in the middle of chain.js: it finds both runs and the proposal, and resumes.
'use strict';
const assert = require('node:assert/strict');
const vscode = require('vscode');
const { eventually } = require('../lib/eventually');
const user = require('./user');

const second = 'add Reverse with tests';

exports.run = async () => {
  await vscode.extensions.getExtension('forge.forge').activate();
  await user.press('refresh'); // the server starts with it
  const [interrupted, first] = await eventually('both runs', async () => {
    const all = await user.runs();
    return all.length === 2 && all;
  });
  assert.deepEqual([interrupted.task, interrupted.state, first.state], [second, 'interrupted', 'succeeded']);
  const { proposalId } = (await user.events(first.runId, 'proposal'))[0].data;
  await user.press('showProposal', { proposalId, path: 'text/text.go' });
  const shown = await eventually('the proposal', () => {
    const active = vscode.window.activeTextEditor?.document;
    return active?.uri.query === proposalId && active;
  });
  assert.match(shown.getText(), /strings and words, as edited\./);
  await user.lens(shown, 'Accept');
  console.log('host: both runs and the proposal are found again');

  const { runId } = interrupted;
  const questions = (await user.events(runId, 'ask')).length;
  await user.press('resume', { runId });
  await user.answer(runId, 'approve');
  await user.succeeded(runId);
  assert.equal((await user.events(runId, 'ask')).length, questions + 1, 'one question came again');
  const { proposalId: later } = (await user.events(runId, 'proposal'))[0].data;
  await user.press('showProposal', { proposalId: later }); // it does not open over the one that is looked at
  await user.tab(`Forge: ${second}`);
  const reverse = await user.proposed(later, 'text/reverse.go');
  assert.match(reverse.getText(), /func Reverse/);
  console.log('host: the interrupted run is resumed');
};
