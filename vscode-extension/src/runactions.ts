// The actions on a run that has ended or was cut off.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { reportAddress } from './address';
import type { Forge } from './client';
import { withLinks } from './conversation';
import { openDocument } from './documents';
import type { Feed } from './feed';
import { reportText } from './gaterows';
import type { Gate, LogArgs } from './protocol_gen';
import { list, type Run } from './runs';
import { baseName, line } from './text';
import type { Texts } from './texts';
import { checkTrust } from './trust';

// The recipes whose runs execute no code of the workspace.
const harmless = new Set(['ask', 'review', 'final', 'spec']);

/** Names a run, such as a row of the view; nothing is the one that was started last. */
export interface OfRun {
  readonly runId?: string | undefined;
  readonly node?: string;
}

/** Resumes, repeats and explains runs. */
export class RunActions {
  readonly #forge: Forge;
  readonly #feed: Feed;
  readonly #texts: Texts;

  constructor(forge: Forge, feed: Feed, texts: Texts) {
    this.#forge = forge;
    this.#feed = feed;
    this.#texts = texts;
  }

  /** Continues a run where it ended. What is finished is not repeated. */
  async resume(of?: OfRun): Promise<void> {
    const { runId, folder } = this.#run(of);
    await this.#forge.send('forge.resume', { runId, ...(folder ? { folder } : {}) });
    await vscode.commands.executeCommand('forge.runs.focus');
  }

  /** Starts a new run that is asked for as that one was. */
  async retry(of?: OfRun): Promise<void> {
    const { runId, way } = this.#run(of);
    if (!way.some((recipe) => harmless.has(recipe))) checkTrust('forge.run');
    await this.#forge.send('forge.retry', { runId, clientRunId: randomUUID() });
    await vscode.commands.executeCommand('forge.runs.focus');
  }

  /** Opens the log of a run, or of one of its nodes. */
  async showLog(of?: OfRun): Promise<void> {
    const { runId, task, folder } = this.#run(of);
    const node = of?.node;
    const args: LogArgs = { runId, limit: 5000, ...(node ? { node } : {}), ...(folder ? { folder } : {}) };
    const { lines } = await this.#forge.send('forge.log', args);
    const text = list(lines).map(({ ts, severity, node: at, text }) => {
      const mark = severity === 'info' ? '' : `${severity}: `;
      return `${ts.slice(11, 19)}  ${at && !node ? `${at}  ` : ''}${mark}${text}`;
    });
    const title = `Forge ${node ?? 'log'} ${line(task, 40).replaceAll('/', ' ')}.log`;
    await this.#texts.show(`${runId}/${node ?? ''}`, title, `${text.join('\n')}\n`, 'plaintext');
  }

  /** Opens the report of a run: what was asked, done, checked and learned, and what it cost. */
  async showRunReport(of?: OfRun): Promise<void> {
    await openDocument(reportAddress(this.#run(of).runId));
  }

  /** Copies why a run did not succeed. */
  async copyError(of?: OfRun): Promise<void> {
    const { task, status, reason } = this.#run(of);
    await vscode.env.clipboard.writeText(`${task}: ${status}${reason ? `: ${reason}` : ''}`);
    vscode.window.setStatusBarMessage('Forge: the error is in the clipboard', 5000);
  }

  /** Opens the answer of a run again. */
  async showAnswer(of?: OfRun): Promise<void> {
    const { runId, task, folder, answer } = this.#run(of);
    if (answer) await this.#texts.show(runId, answerTitle(task), withLinks(answer.text, folder), 'markdown');
  }

  /** Opens the whole report of a gate. */
  async showReport(gate: Gate): Promise<void> {
    await this.#texts.show(`report/${gate.name}`, `Forge ${baseName(gate.name)}.txt`, reportText(gate), 'plaintext');
  }

  #run(of?: OfRun): Run {
    const run = of?.runId === undefined ? this.#feed.runs.all[0] : this.#feed.runs.find(of.runId);
    if (!run) throw new Error('There is no run yet.');
    return run;
  }
}

function answerTitle(task: string): string {
  return `${line(task, 60).replaceAll('/', ' ')}.md`;
}
