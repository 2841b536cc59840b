// VS Code's Restricted Mode: questions, reviews and searches work in it, and what executes code of the workspace does not. The
// server checks again, by its own list of trusted folders.
import * as vscode from 'vscode';
import { Trouble, way } from './trouble';

const executing = new Set(['forge.run', 'forge.resume', 'forge.task.resume', 'forge.validate']);

/** Fails if a command of the server executes code of a workspace that the user does not trust. */
export function checkTrust(command: string): void {
  if (vscode.workspace.isTrusted || !executing.has(command)) return;
  throw new Trouble(
    'this window is in Restricted Mode. Forge answers questions and reviews in it; a run compiles and tests the code, which executes it.',
    way('Manage Workspace Trust', 'workbench.trust.manage'),
  );
}
