// Runs inside the extension host: the extension activates, its commands are there, and the server answers them.
'use strict';
const assert = require('node:assert/strict');
const vscode = require('vscode');

// What loading and activating an extension takes, in milliseconds, of which 100 are the aim on a machine that does nothing else. It is printed beside
// that of an extension of VS Code's own, and not judged: beside other work, both take several times as long. Ours is activated after startup, which
// may be before this.
async function activated(extension) {
  const started = performance.now();
  const before = process.cpuUsage();
  const { isActive } = extension;
  await extension.activate();
  const { user, system } = process.cpuUsage(before);
  if (isActive) return undefined;
  return { time: Math.round(performance.now() - started), cpu: Math.round((user + system) / 1000) };
}

const said = (took) =>
  took ? `${took.time} ms, ${took.cpu} of the processor` : 'less time than the tests took to begin';

exports.run = async () => {
  const extension = vscode.extensions.getExtension('forge.forge');
  assert.ok(extension, 'the extension is there');
  const idle = ({ id, isActive, packageJSON }) => id.startsWith('vscode.') && !isActive && packageJSON.main;
  const anchor = vscode.extensions.all.find(idle);
  const ours = await activated(extension);
  const theirs = await activated(anchor);
  console.log(`host: activated in ${said(ours)}; ${anchor.id} in ${said(theirs)}`);

  const known = await vscode.commands.getCommands(true);
  const contributed = extension.packageJSON.contributes.commands.map(({ command }) => command);
  const missing = contributed.filter((command) => !known.includes(command));
  assert.deepEqual(missing, [], 'every contributed command is registered');

  assert.ok(!known.includes('forge.run'), 'no server is started before one is needed');
  await vscode.commands.executeCommand('forge.ui.restart');

  // The language client registers what the server announces: so the server runs.
  const announced = await vscode.commands.getCommands(true);
  assert.ok(announced.includes('forge.run'), 'the server has announced its commands');
  const doctor = await vscode.commands.executeCommand('forge.doctor', {});
  assert.ok(doctor.checks.length > 0, 'the doctor has checked something');
  await details();
  console.log(`host: ${contributed.length} commands, ${doctor.checks.length} checks`);
};

// The first question of each run has the same id. The details of each are a document of their own.
async function details() {
  const show = (runId, detail) =>
    vscode.commands.executeCommand('forge.ui.showQuestion', runId, { askId: 'q1', title: 'Is it right?', detail });
  await show('r1', 'one');
  await show('r2', 'two');
  for (const [run, detail] of Object.entries({ r1: 'one', r2: 'two' })) {
    const uri = vscode.Uri.from({ scheme: 'forge-text', path: '/Forge question.md', query: `${run}/q1` });
    const document = await vscode.workspace.openTextDocument(uri);
    assert.equal(document.getText(), `# Is it right?\n\n${detail}\n`);
  }
}
