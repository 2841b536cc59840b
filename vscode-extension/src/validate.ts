// Runs the gates on a folder as it is. The server publishes their findings as diagnostics.
import * as vscode from 'vscode';
import type { Forge } from './client';
import type { Feed } from './feed';
import { verdictText } from './gaterows';
import type { Gate, ValidateArgs, ValidateResult } from './protocol_gen';
import type { GateOfFolder } from './row';
import { pickFolder } from './scope';
import { line, visible } from './text';

/** Runs the compilers, linters and tests of a folder on a scratch copy of it, and reports the result. */
export async function validate(forge: Forge, feed: Feed, output: vscode.LogOutputChannel): Promise<void> {
  const picked = await pickFolder(forge);
  const args = picked === undefined ? {} : { folder: picked };
  const { folder, verdict, found, gates } = await run(forge, args, 'running compilers, linters and tests');
  if (gates.length > 0) feed.validated({ folder, gates });
  for (const gate of gates) log(output, gate);
  if (gates.length === 0) {
    const known = found.known.map((language) => line(language)).join(', ');
    void vscode.window.showWarningMessage(`Forge: found no project to check; Forge checks projects of ${known}.`);
    return;
  }
  const closed = gates.filter((gate) => gate.verdict !== 'pass').map((gate) => line(gate.name));
  if (verdict === 'pass') void vscode.window.showInformationMessage('Forge: all gates passed.');
  else void vscode.window.showWarningMessage(`Forge: not passed: ${closed.join(', ')}; see Problems and the output.`);
}

/** Runs one gate again on the folder as it is now, and reports the result. */
export async function validateGate(
  forge: Forge,
  feed: Feed,
  output: vscode.LogOutputChannel,
  { name, folder }: GateOfFolder,
): Promise<void> {
  const { gates } = await run(forge, { folder, gates: [name] }, `running ${line(name)}`);
  feed.validated({ folder, gates });
  for (const gate of gates) {
    log(output, gate);
    const text = `Forge: ${line(gate.name)}: ${verdictText(gate)}: ${line(gate.summary)}`;
    if (gate.verdict === 'pass') {
      void vscode.window.showInformationMessage(text);
      continue;
    }
    const show = 'Show Findings';
    void vscode.window.showWarningMessage(text, show).then((chosen) => {
      if (chosen === show) void vscode.commands.executeCommand('workbench.actions.view.problems');
    });
  }
}

function run(forge: Forge, args: ValidateArgs, what: string): Thenable<ValidateResult> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Forge: ${what}` }, () =>
    forge.send('forge.validate', args),
  );
}

function log(output: vscode.LogOutputChannel, gate: Gate): void {
  const text = `${verdictText(gate).padEnd(8)} ${line(gate.name)}: ${visible(gate.summary)}`;
  if (gate.verdict === 'pass') output.info(text);
  else output.warn(text);
}
