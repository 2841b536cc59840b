// VS Code's Restricted Mode: questions, reviews and searches work in it, and what executes code of the workspace does not. The
// server knows this, and executes nothing either, such as in a check that begins by itself.
import * as vscode from 'vscode';
import type { Restriction } from './protocol_gen';
import { Trouble, way } from './trouble';

const executing = new Set(['forge.run', 'forge.resume', 'forge.task.resume', 'forge.validate', 'forge.proposal.check']);
const executingTools = new Set<unknown>(['run_tests', 'lint_check']);

/** What the extension reports to the server about the trust of the workspace. */
export function restriction(): Restriction {
  return { restricted: !vscode.workspace.isTrusted };
}

/** Fails if a command of the server, or a tool or a run that its arguments name, executes code of a workspace that the user does not trust. */
export function checkTrust(command: string, args?: object): void {
  const { provider, retry }: { provider?: unknown; retry?: unknown } = { ...args };
  const executes = executing.has(command) || executingTools.has(provider) || retry;
  if (vscode.workspace.isTrusted || !executes) return;
  throw new Trouble(
    'this window is in Restricted Mode. Forge answers questions and reviews in it; a run or a check executes the code.',
    way('Manage Workspace Trust', 'workbench.trust.manage'),
  );
}
