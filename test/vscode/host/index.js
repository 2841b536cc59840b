// Runs inside the extension host: the extension activates, its commands are there, and the server answers them.
'use strict';
const assert = require('node:assert/strict');
const vscode = require('vscode');

exports.run = async () => {
  const extension = vscode.extensions.getExtension('forge.forge');
  assert.ok(extension, 'the extension is there');
  await extension.activate();

  const known = await vscode.commands.getCommands(true);
  const contributed = extension.packageJSON.contributes.commands.map(({ command }) => command);
  const missing = contributed.filter((command) => !known.includes(command));
  assert.deepEqual(missing, [], 'every contributed command is registered');

  // The language client registers what the server announces: so the server runs.
  assert.ok(known.includes('forge.run'), 'the server has announced its commands');
  const doctor = await vscode.commands.executeCommand('forge.doctor', {});
  assert.ok(doctor.checks.length > 0, 'the doctor has checked something');
  console.log(`host: ${contributed.length} commands, ${doctor.checks.length} checks`);
};
