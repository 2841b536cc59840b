// Running the gates on a folder as it is. What they find is in the documents: the server puts it there.
import * as vscode from 'vscode';
import type { Forge } from './client';
import { pickFolder } from './scope';
import { line, visible } from './text';

/** Runs the compilers, linters and tests of a folder on a scratch copy of it, and says what they make of it. */
export async function validate(forge: Forge, output: vscode.LogOutputChannel): Promise<void> {
  const folder = await pickFolder(forge);
  const { verdict, found, gates } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Forge: running compilers, linters and tests' },
    () => forge.send('forge.validate', folder === undefined ? {} : { folder }),
  );
  for (const gate of gates) {
    const text = `${gate.verdict.padEnd(8)} ${line(gate.name)}: ${visible(gate.summary)}`;
    if (gate.verdict === 'pass') output.info(text);
    else output.warn(text);
  }
  if (gates.length === 0) {
    const known = found.known.map((language) => line(language)).join(', ');
    void vscode.window.showWarningMessage(`Forge: nothing here can be checked; it finds projects of ${known}.`);
    return;
  }
  const closed = gates.filter((gate) => gate.verdict !== 'pass').map((gate) => line(gate.name));
  if (verdict === 'pass') void vscode.window.showInformationMessage('Forge: all that was checked passes.');
  else void vscode.window.showWarningMessage(`Forge: not passed: ${closed.join(', ')}; see Problems and the output.`);
}
