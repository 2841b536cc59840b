// The commands on proposals and runs: of rows, of hunks in the editor, of keys and of the palette.
import * as vscode from 'vscode';
import type { Changes, Place } from './changes';
import type { Feed } from './feed';
import type { Proposals, Target } from './proposals';
import type { Gate } from './protocol_gen';
import { pressed, pressedRun, target } from './rowtree';
import type { OfRun, RunActions } from './runactions';

/** The objects that these commands act on. */
export interface ViewParts {
  readonly proposals: Proposals;
  readonly changes: Changes;
  readonly runs: RunActions;
  readonly feed: Feed;
  readonly output: vscode.LogOutputChannel;
  /** Shows an error to the user. */
  readonly report: (error: unknown) => void;
}

/** Registers them. An error of any of them is reported, never thrown at VS Code. */
export function registerViewCommands({ proposals, changes, runs, feed, output, report }: ViewParts): vscode.Disposable {
  const register = (name: string, run: (...args: never[]) => Promise<void>) =>
    vscode.commands.registerCommand(`forge.ui.${name}`, (...args: never[]) => run(...args).catch(report));
  return vscode.Disposable.from(
    register('showProposal', (of?: Partial<Place>) => proposals.show(of)),
    register('previewProposal', (of?: Target) => proposals.preview(of)),
    register('showDiff', (of?: Target) => proposals.diff(of)),
    register('accept', async (row?: Target) => proposals.accept(pressed(row))),
    register('reject', async (row?: Target) => proposals.reject(pressed(row))),
    register('check', async (row?: Target) => proposals.check(pressed(row))),
    register('acceptProposal', (of?: Target) => proposals.accept(of)),
    register('rejectProposal', (of?: Target) => proposals.reject(of)),
    register('acceptFile', async (uri?: vscode.Uri) => proposals.accept(changes.ofFile(uri))),
    register('rejectFile', async (uri?: vscode.Uri) => proposals.reject(changes.ofFile(uri))),
    register('acceptHunk', (of?: Target) => proposals.decide('accept', of)),
    register('rejectHunk', (of?: Target) => proposals.decide('reject', of)),
    register('rejectWithNote', async (...of: Target[]) => proposals.rejectWithNote(target(of))),
    register('checkProposal', (of?: Target) => proposals.check(of)),
    register('nextHunk', () => changes.go('next')),
    register('previousHunk', () => changes.go('previous')),
    register('undo', () => proposals.undo()),
    register('undoRun', async (row?: OfRun) => proposals.undo(pressedRun(row).runId)),
    register('resume', async (...of: OfRun[]) => runs.resume(target(of))),
    register('retry', async (...of: OfRun[]) => runs.retry(target(of))),
    register('showLog', async (...of: OfRun[]) => runs.showLog(target(of))),
    register('showRunReport', async (...of: OfRun[]) => runs.showRunReport(target(of))),
    register('copyError', async (row?: OfRun) => runs.copyError(pressedRun(row))),
    register('showAnswer', (of?: OfRun) => runs.showAnswer(of)),
    register('showReport', (gate: Gate) => runs.showReport(gate)),
    register('showChecks', async () => {
      await vscode.commands.executeCommand('forge.runs.focus');
    }),
    register('refresh', () => feed.refresh()),
    register('showOutput', () => {
      output.show();
      return Promise.resolve();
    }),
  );
}
