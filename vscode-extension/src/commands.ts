// The commands of the palette, the menus and the view. Each ends in a command of the server.
import * as vscode from 'vscode';
import type { Forge } from './client';
import type { Conversations } from './conversation';
import type { Demo } from './demo';
import type { Feed } from './feed';
import { explore, showPrompt, skills } from './inside';
import type { AnswerArgs, Ask, Finding, Proposal } from './protocol_gen';
import type { Questions } from './questions';
import { ask, generateSpec, review, reviewChanges, showSpec } from './reading';
import type { Row } from './row';
import { pressedRun } from './rowtree';
import type { RunBox } from './runbox';
import { list } from './runs';
import { search, showContext } from './search';
import { chooseModel, findLocal, getStarted, setUp } from './setup';
import { Starting } from './starting';
import { tasks } from './tasks';
import { line } from './text';
import type { Texts } from './texts';
import type { Way } from './trouble';
import { validate, validateGate } from './validate';
import type { Keys } from './keys';

/** The objects that commands act on. */
export interface Parts {
  readonly forge: Forge;
  readonly feed: Feed;
  readonly questions: Questions;
  readonly texts: Texts;
  readonly keys: Keys;
  readonly demo: Demo;
  readonly box: RunBox;
  readonly threads: Conversations;
  readonly output: vscode.LogOutputChannel;
  /** Shows an error to the user. */
  readonly report: (error: unknown) => void;
}

/** Registers all commands of the extension. An error of any of them is reported, never thrown at VS Code. */
export function registerCommands(parts: Parts): vscode.Disposable {
  const { forge, feed, questions, texts, output, report, box, threads, demo } = parts;
  const starting = new Starting(forge, box, demo);
  const register = (name: string, run: (...args: never[]) => Promise<void>) =>
    vscode.commands.registerCommand(`forge.ui.${name}`, (...args: never[]) => run(...args).catch(report));
  return vscode.Disposable.from(
    register('run', () => starting.fromBox('run')),
    register('runSelection', () => starting.fromBox('selection')),
    register('runPlan', () => starting.fromBox('plan')),
    register('runText', () => starting.fromEditor()),
    register('ask', () => ask(forge, box, threads)),
    register('followUp', () => ask(forge, box, threads, true)),
    register('getStarted', () => getStarted()),
    register('setUp', (provider?: string) => setUp(parts, provider)),
    register('findLocal', () => findLocal(parts)),
    register('chooseModel', () => chooseModel(parts)),
    register('demo', () => demo.show()),
    register('act', async (way: Way) => {
      await way.act();
    }),
    register('review', () => review(forge)),
    register('reviewChanges', () => reviewChanges(forge)),
    register('generateSpec', () => generateSpec(forge)),
    register('showSpec', () => showSpec(forge)),
    register('skills', () => skills(forge)),
    register('tasks', () => tasks(forge, texts)),
    register('explore', () => explore(forge, texts)),
    register('showPrompt', () => showPrompt(forge)),
    register('cancel', async () => {
      await forge.send('forge.cancel', {}); // in the title of the view it comes with the row that has the focus
    }),
    register('cancelRun', async (row?: Row) => {
      const { runId } = pressedRun(row);
      await forge.send('forge.cancel', runId === undefined ? {} : { runId });
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
    register('showQuestion', (runId: string, ask: Ask) => questions.show(runId, ask)),
    register('editQuestion', (ask: Ask) => questions.edit(ask)),
    register('openFinding', (folder: string, finding: Finding) => openFinding(feed, folder, finding)),
  );
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

// Where a finding is: in the file, or if there is no such file yet, in the text that an open proposal has for it.
async function openFinding(feed: Feed, folder: string, finding: Finding): Promise<void> {
  const { path = '' } = finding;
  const uri = vscode.Uri.joinPath(vscode.Uri.parse(folder), path);
  const there = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  if (!there) {
    const has = (proposal: Proposal) => list(proposal.files).some((file) => file.path === path);
    const proposal = feed.runs.proposals.find((one) => one.folder === folder && has(one));
    if (!proposal)
      throw new Error(`There is no ${line(path)} any more: the finding is about a change that was not taken.`);
    const at = Math.max((finding.line ?? 1) - 1, 0);
    await vscode.commands.executeCommand('forge.ui.showProposal', { proposalId: proposal.proposalId, path, line: at });
    return;
  }
  const place = new vscode.Position(Math.max((finding.line ?? 1) - 1, 0), Math.max((finding.column ?? 1) - 1, 0));
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(place, place) });
}
