// The negative twin of index.js: it must make the runner fail. It also does what the log of the extension host calls an error.
'use strict';
const vscode = require('vscode');

exports.run = async () => {
  const command = vscode.commands.registerCommand('forge.test.failing', () => {
    throw new Error('this error is wanted');
  });
  await vscode.commands.executeCommand('forge.test.failing').then(
    () => undefined,
    () => undefined,
  );
  command.dispose();
  throw new Error('this failure is wanted');
};
