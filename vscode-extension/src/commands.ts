// The commands of the palette, the menus and the view. Each ends in a command of the server.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Forge } from './client';
import { approve } from './config';
import type { Feed } from './feed';
import { explore, showPrompt, skills } from './inside';
import type { AnswerArgs, Ask, Finding, RunArgs } from './protocol_gen';
import type { Questions } from './questions';
import { ask, generateSpec, review, reviewChanges, showSpec } from './reading';
import type { Row } from './row';
import { pickFolder, scopeOf } from './scope';
import { search, showContext } from './search';
import { tasks } from './tasks';
import { line } from './text';
import type { Texts } from './texts';
import { validate, validateGate } from './validate';

/** The objects that commands act on. */
export interface Parts {
  readonly forge: Forge;
  readonly feed: Feed;
  readonly questions: Questions;
  readonly texts: Texts;
  readonly output: vscode.LogOutputChannel;
  /** Shows an error to the user. */
  readonly report: (error: unknown) => void;
}

/** Registers all commands of the extension. An error of any of them is reported, never thrown at VS Code. */
export function registerCommands({ forge, feed, questions, texts, output, report }: Parts): vscode.Disposable {
  const register = (name: string, run: (...args: never[]) => Promise<void>) =>
    vscode.commands.registerCommand(`forge.ui.${name}`, (...args: never[]) => run(...args).catch(report));
  return vscode.Disposable.from(
    register('run', () => startRun(forge, 'Forge: what should change?')),
    register('runSelection', () => startRun(forge, 'Forge: what should change in the selection?')),
    register('runPlan', () => startRun(forge, 'Forge: what should change, part by part?', { plan: true })),
    register('ask', () => ask(forge)),
    register('review', () => review(forge)),
    register('reviewChanges', () => reviewChanges(forge)),
    register('generateSpec', () => generateSpec(forge)),
    register('showSpec', () => showSpec(forge)),
    register('skills', () => skills(forge)),
    register('tasks', () => tasks(forge, texts)),
    register('explore', () => explore(forge, texts)),
    register('showPrompt', () => showPrompt(forge)),
    register('cancel', async (row?: Row) => {
      await forge.send('forge.cancel', row?.runId === undefined ? {} : { runId: row.runId });
    }),
    register('search', () => search(forge)),
    register('showContext', () => showContext(forge, texts)),
    register('validate', () => validate(forge, feed, output)),
    register('validateGate', async (row?: Row) => {
      if (row?.gate) await validateGate(forge, feed, output, row.gate);
    }),
    register('doctor', () => doctor(forge, output)),
    register('restart', () => forge.restart()),
    register('answer', (args: AnswerArgs) => questions.answer(args)),
    register('answerInOwnWords', async (runId: string, ask: Ask) => {
      await questions.answerInOwnWords(runId, ask);
    }),
    register('showQuestion', (ask: Ask) => questions.show(ask)),
    register('openFinding', openFinding),
  );
}

async function startRun(forge: Forge, prompt: string, how: Pick<RunArgs, 'plan'> = {}): Promise<void> {
  const editor = vscode.window.activeTextEditor; // before the input box, which takes the focus
  const scope = editor && scopeOf(forge, editor);
  const task = await vscode.window.showInputBox({ prompt, placeHolder: 'add a Reverse function with tests' });
  if (task === undefined) return;
  const folder = scope ? undefined : await pickFolder(forge);
  const args: RunArgs = {
    ...how,
    approve: approve(),
    clientRunId: randomUUID(),
    ...(task.trim() ? { task: task.trim() } : {}), // without one the server takes the `// forge:` comment
    ...(scope ? { scope } : {}),
    ...(folder === undefined ? {} : { folder }),
  };
  await forge.send('forge.run', args);
  await vscode.commands.executeCommand('forge.runs.focus');
}

async function doctor(forge: Forge, output: vscode.LogOutputChannel): Promise<void> {
  const { ok, checks } = await forge.send('forge.doctor', {});
  for (const check of checks) {
    const text = `${check.state.padEnd(8)} ${line(check.name)}: ${line(check.detail, 1000)}`;
    if (check.state === 'ok') output.info(text);
    else output.warn(text);
  }
  output.show();
  const verdict = ok ? 'Forge: all checks passed.' : 'Forge: some checks did not pass; see the output.';
  void vscode.window.showInformationMessage(verdict);
}

async function openFinding(folder: string, finding: Finding): Promise<void> {
  const uri = vscode.Uri.joinPath(vscode.Uri.parse(folder), finding.path ?? '');
  const place = new vscode.Position(Math.max((finding.line ?? 1) - 1, 0), Math.max((finding.column ?? 1) - 1, 0));
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(place, place) });
}
