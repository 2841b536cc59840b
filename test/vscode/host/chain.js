// Runs inside the extension host: the whole chain up to a second run that waits for an answer. The host then ends; chain_again.js goes on.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const vscode = require('vscode');
const { eventually } = require('../lib/eventually');
const user = require('./user');

const task = 'add Whisper, Twice, Thrice and Count with tests';
const changed = ['text/text.go', 'text/text_test.go'];
const hunks = ({ files }) => files.flatMap((file) => file.hunks ?? []);
const has = (path, text) => eventually(`${text} in ${path}`, async () => (await user.textOf(path))?.includes(text));

exports.run = async () => {
  await vscode.extensions.getExtension('forge.forge').activate();
  await user.press('refresh'); // the server starts with it
  const before = await Promise.all(changed.map(user.textOf));
  const same = async () => assert.deepEqual(await Promise.all(changed.map(user.textOf)), before);

  const runId = await user.start(task);
  await user.answer(runId, 'trust');
  await user.answer(runId, 'approve');
  await user.succeeded(runId);
  const { proposalId } = (await user.events(runId, 'proposal'))[0].data;
  console.log('host: a run has asked and has succeeded');

  await look(proposalId);
  await same();
  assert.equal(await user.textOf('text/count.go'), undefined);
  console.log('host: the proposal was opened by itself, and nothing is changed');

  await conflict(proposalId);
  await same();
  await accept(proposalId, same);
  console.log('host: a new file, two hunks of five and a range of lines are accepted');

  await check(proposalId);
  console.log('host: the part was checked, edited, and checked again by itself');

  await undo();
  await same();
  assert.ok(!fs.existsSync(user.fileAt('text/count.go').fsPath), 'the new file is gone');
  await vscode.workspace.saveAll();
  console.log('host: all is undone');

  await user.asked(await user.start('add Reverse with tests'), 'approve');
  console.log('host: a second run waits');
};

// The tab that the extension opens by itself, and the lenses in it.
async function look(proposalId) {
  await user.tab(`Forge: ${task}`);
  const proposal = await user.read('proposal.get', { proposalId });
  assert.deepEqual(proposal.files.map(({ path, kind }) => `${kind} ${path}`).sort(), [
    'create text/count.go',
    'update text/text.go',
    'update text/text_test.go',
  ]);
  assert.equal(hunks(proposal).length, 6);
  const shown = () => vscode.workspace.textDocuments.filter(({ uri }) => uri.query === proposalId && uri.authority === 'proposed'); // prettier-ignore
  await eventually('the proposed texts on the screen', () => shown().some(({ uri }) => uri.path.endsWith('.go')));
  for (const { path } of proposal.files) await user.lens(await user.proposed(proposalId, path), 'Accept');
  const [first] = proposal.files;
  await user.lens(await user.proposed(proposalId, first.path), 'Accept All (6 hunks)');
}

// A version of the user that cannot be saved, because the file has changed since, is not left out: nothing is accepted.
async function conflict(proposalId) {
  const proposed = await user.proposed(proposalId, 'text/text.go');
  const own = await vscode.workspace.openTextDocument(user.fileAt('text/text.go'));
  for (const [document, text] of [
    [proposed, ' // mine'],
    [own, ' // typed'],
  ]) {
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    const line = document
      .getText()
      .split('\n')
      .findIndex((text) => text.startsWith('func Shout'));
    await editor.edit((edit) => edit.insert(document.lineAt(line).range.end, text));
  }
  const follows = async () => /typed/.test(Buffer.from(await vscode.workspace.fs.readFile(proposed.uri)).toString());
  await eventually('the proposed text to follow the file', follows);
  await user.press('acceptProposal', { proposalId });
  assert.doesNotMatch(await user.textOf('text/text.go'), /Whisper/);
  for (const document of [proposed, own]) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  const back = async () => !(await follows());
  await eventually('the proposed text to be as before', back);
}

async function accept(proposalId, same) {
  const count = await user.proposed(proposalId, 'text/count.go');
  await user.pressLens(count, 'Accept');
  await has('text/count.go', 'func Count');
  await user.tab(`Forge: ${task} (2 files)`); // it was opened anew
  await same();

  for (const [path, at, name] of [
    ['text/text.go', '// Whisper returns', 'func Whisper'],
    ['text/text_test.go', 'func TestWhisper', 'func TestWhisper'],
  ]) {
    await user.pressLens(await user.proposed(proposalId, path), 'Accept', at);
    await has(path, name);
  }
  assert.doesNotMatch(await user.textOf('text/text.go'), /Twice|and words/);
  assert.doesNotMatch(await user.textOf('text/text_test.go'), /TestCount/);

  await user.press('showProposal', { proposalId, path: 'text/text.go' });
  const editor = await eventually('the diff of one file', () => {
    const active = vscode.window.activeTextEditor;
    return active?.document.uri.query === proposalId && active;
  });
  const first = editor.document.getText().split('\n').indexOf('// Twice returns s two times.');
  editor.selection = new vscode.Selection(first - 1, 0, first + 2, 0);
  await user.press('acceptHunk');
  await has('text/text.go', 'func Twice');
  assert.doesNotMatch(await user.textOf('text/text.go'), /Thrice/);
}

async function check(proposalId) {
  const document = await user.proposed(proposalId, 'text/text.go');
  await user.lens(document, /^Checked as a part: \d+ gates? passed/);
  const line = document.getText().split('\n').findIndex((text) => text.endsWith('strings and words.')); // prettier-ignore
  const editor = await vscode.window.showTextDocument(document);
  const at = document.lineAt(line).range.end;
  await editor.edit((edit) => edit.replace(new vscode.Range(at.translate(0, -1), at), ', as edited.'));
  await user.lens(document, /^Edited: save it/);
  await document.save();
  await user.lens(document, /^Checked as edited: \d+ gates? passed/);
}

async function undo() {
  await user.press('undo');
  await user.tab(`Forge: Undo: ${task}`);
  await user.press('acceptProposal');
  await eventually('all of it to be gone', async () => !/Whisper|Twice/.test(await user.textOf('text/text.go')));
}
