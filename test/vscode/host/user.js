// What tests inside the extension host do in place of the user: they start runs, answer, press lenses, read documents. Commands of the server
// are only read with; what changes something goes through commands and documents of the extension.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs/promises');
const vscode = require('vscode');
const { eventually } = require('../lib/eventually');

const press = (command, ...args) => vscode.commands.executeCommand(`forge.ui.${command}`, ...args);
const read = (command, args = {}) => vscode.commands.executeCommand(`forge.${command}`, args);

const root = () => vscode.workspace.workspaceFolders[0].uri;
const fileAt = (path) => vscode.Uri.joinPath(root(), path);

// The text of a file as the editor has it: unsaved changes included; undefined if there is no such file.
async function textOf(path) {
  const uri = fileAt(path).toString();
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri && document.isDirty);
  if (open) return open.getText();
  return fs.readFile(fileAt(path).fsPath, 'utf8').catch(() => undefined);
}

// Starts a run with a task that is written in an editor, and returns its id.
async function start(task) {
  const before = await runs();
  const document = await vscode.workspace.openTextDocument({ language: 'forge-task', content: task });
  await vscode.window.showTextDocument(document);
  await press('runText');
  await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  const known = new Set(before.map(({ runId }) => runId));
  const mine = (await runs()).find(({ runId }) => !known.has(runId));
  assert.equal(mine?.task, task, 'the run has started');
  return mine.runId;
}

const runs = async () => (await read('runs', { all: true, folder: root().toString() })).runs;

// The events of a run so far, of one type if that is given.
async function events(runId, type) {
  const { events: all } = await read('events', { runId });
  return type === undefined ? all : all.filter((event) => event.type === type);
}

const open = async (runId, kind) =>
  (await events(runId, 'ask')).find(({ data }) => data.kind === kind && !data.answered)?.data;

// Waits for a question of a run, and answers it with the choice that goes on, unless it is only to be seen.
async function answer(runId, kind) {
  const ask = await asked(runId, kind);
  const choice = ask.choices.find(({ id }) => id !== ask.default);
  await press('answer', { runId, askId: ask.askId, choice: choice.id });
}

const asked = (runId, kind) => eventually(`the question ${kind}`, () => open(runId, kind));

// Waits until a run has ended well. One that is resumed was interrupted before.
async function succeeded(runId) {
  const ended = ({ data }) => data.state !== 'interrupted';
  const end = async () => (await events(runId, 'run.ended')).find(ended);
  const { data } = await eventually('the end of the run', end);
  assert.equal(data.state, 'succeeded', data.reason);
}

// Waits for a tab whose label begins so.
const tab = (label) =>
  eventually(`the tab "${label}"`, () =>
    vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find((one) => one.label.startsWith(label)),
  );

// The proposed text of a file of a proposal, as the document that the diff editor shows.
const proposed = (proposalId, path) =>
  vscode.workspace.openTextDocument(
    vscode.Uri.from({ scheme: 'forge-proposal', authority: 'proposed', path: `/${path}`, query: proposalId }),
  );

// The lenses of a document from top to bottom, without their icons. There are none while its tab is opened anew.
async function lenses({ uri }) {
  await vscode.workspace.openTextDocument(uri);
  const all = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', uri, 100).then(
    (found) => found,
    () => [],
  );
  return all
    .map(({ range, command }) => ({ line: range.start.line, title: plain(command.title), command }))
    .sort((one, other) => one.line - other.line);
}

const plain = (title) => title.replace(/\$\([^)]*\)/g, '').replaceAll('\u00a0', ' ').trim(); // prettier-ignore

// Waits for a lens with that title: at the line with that text, or anywhere.
function lens(document, title, at) {
  const there = ({ line }) => at === undefined || document.lineAt(line).text.includes(at);
  return eventually(`the lens "${title}"${at ? ` at "${at}"` : ''}`, async () => {
    const all = await lenses(document);
    return all.find((one) => (title instanceof RegExp ? title.test(one.title) : one.title === title) && there(one));
  });
}

async function pressLens(document, title, at) {
  const { command } = await lens(document, title, at);
  await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
}

module.exports = { answer, asked, events, fileAt, lens, press, pressLens, proposed, read, runs, start, succeeded, tab, textOf }; // prettier-ignore
